-- SPDX-License-Identifier: Apache-2.0
-- Parsers of the argparse library, built from the table of commands: of one command for parsing and help, of all for
-- completion.

local argparse = require("argparse")
local commands = require("cli.commands")
local exit = require("cli.exit")
local forms = require("cli.forms")
local names = require("cli.names")
local options = require("cli.options")
local term = require("olivares.term")

local M = {}

---Columns that help may take: those there are, but lines that are longer are hard to read.
---@return integer
function M.help_width()
  return math.min(term.width(80), 100)
end

local function formed(name, option)
  local form = forms[option.type]
  return function(word)
    local value, wanted = form(word, option)
    if value ~= nil then return value end
    return nil, forms.fault(("option '%s'"):format(name), wanted, word)
  end
end

local function non_empty(what, name)
  return function(word)
    if word ~= "" then return word end
    return nil, ("%s '%s' is empty"):format(what, name)
  end
end

-- Options that may be the empty text: what they set is text like any other.
local function converter(option)
  local name = option[#option]
  if option.type then return formed(name, option) end
  if option.body then return nil end
  return non_empty("option", name)
end

local function add_option(parser, option)
  -- The library shows every name of an option that takes a value on a line of its own; the first is enough.
  local visible = option.value and option[1] or table.concat(option, " ")
  local added = parser:option(visible):hidden_name(option.value and option[2] or "")
    :target(names.target_of(option))
    :description(option.help)
    :args(option.value and 1 or 0)
    :count(option.required and "1" or "0-1")
    :overwrite(false)
  if option.value then
    added:argname(option.value):convert(converter(option) or function(word) return word end)
  end
  if option.choices then added:choices(option.choices) end
  return added
end

local function add_argument(parser, argument)
  local added = parser:argument(argument[1])
    :description(argument.help)
    :args(argument.repeated and "*" or 1)
    :argname(argument.value)
    :convert(non_empty("argument", argument.value))
  if argument.choices then added:choices(argument.choices) end
end

local function add_own(parser, command)
  for _, argument in ipairs(command.arguments) do add_argument(parser, argument) end
  local added = {}
  for index, option in ipairs(command.options) do added[index] = add_option(parser, option) end
  return added
end

local function add_globals(parser)
  local added = {}
  for index, option in ipairs(options.global) do added[index] = add_option(parser, option) end
  return added
end

local function new_parser(name, description)
  local width = M.help_width()
  return argparse():name(name):description(description):add_help(false)
    :usage_max_width(width):help_max_width(width)
    :help_description_margin(width < 60 and 6 or 30):help_usage_margin(2)
end

---The parser of one command with the global options.
---@param command table
---@return table
function M.of_command(command)
  local text = command.summary .. "."
  if command.description then text = text .. "\n\n" .. command.description end
  local parser = new_parser("olivares " .. command.name, text)
  local own = add_own(parser, command)
  if #own > 0 then parser:group("Options", table.unpack(own)) end
  parser:group("Global options", table.unpack(add_globals(parser)))
  return parser
end

---A parser that only knows the words behind a group, for its help.
---@param name string words of a group; "" for the top
---@return table
function M.of_group(name)
  local group = commands.group_by_name[name]
  local summary = group and group.summary or "Olivares Sandbox: simulate, replay and compare agents in isolation"
  local parser = new_parser(name == "" and "olivares" or "olivares " .. name, summary .. ".")
  for _, child in ipairs(commands.children(name)) do
    parser:command(child.word):summary(child.summary):add_help(false)
  end
  parser:group("Global options", table.unpack(add_globals(parser)))
  return parser
end

-- Completion knows words as commands and options only. So the words an argument can be are given as commands, and
-- those behind `help` as what they are.

local add_tree

local function add_words(parser, command)
  for _, argument in ipairs(command.arguments) do
    for _, word in ipairs(argument.choices or argument.suggested or {}) do parser:command(word):add_help(false) end
  end
end

local function add_leaf(parser, command)
  for _, option in ipairs(command.options) do add_option(parser, option) end
  add_words(parser, command)
  if command.name == "help" then add_tree(parser, "", "help") end
end

---@param parser table
---@param prefix string words of a group
---@param left_out string? a word that is not shown; when given, neither are options
function add_tree(parser, prefix, left_out)
  for _, child in ipairs(commands.children(prefix)) do
    if child.word ~= left_out then
      local added = parser:command(child.word):description(child.summary .. "."):add_help(false)
      if not child.command then
        add_tree(added, prefix == "" and child.word or prefix .. " " .. child.word, left_out)
      elseif not left_out then
        add_leaf(added, child.command)
      end
    end
  end
end

---The parser of the whole program, for completion scripts.
---@return table
function M.of_program()
  local parser = new_parser("olivares", "")
  add_globals(parser)
  add_tree(parser, "")
  return parser
end

---@param command table
---@param words string[] what is left of the command line
---@return table? arguments by target
---@return table? failure with the code "usage"
function M.parse(command, words)
  local ok, result = M.of_command(command):pparse(words)
  if ok then return result end
  return nil, exit.usage((result:gsub("\n.*", "")))
end

return M
