-- SPDX-License-Identifier: Apache-2.0
-- From the words of the command line to a command and its arguments. The command is found first; then only its own
-- parser is built, and none at all when nothing is left to parse.

local commands = require("cli.commands")
local exit = require("cli.exit")
local options = require("cli.options")
local target_of = require("cli.names").target_of

local M = {}

local function nearest(word, words)
  local near = require("olivares.text").nearest(word, words)
  return near and ("; did you mean '%s'?"):format(near) or ""
end

---Where the options of a list are, by each of their names.
local function by_name(...)
  local found = {}
  for _, list in ipairs({ ... }) do
    for _, option in ipairs(list) do
      for _, name in ipairs(option) do found[name] = option end
    end
  end
  return found
end

---The option a word names, with its value when it is in the same word: --limit=5, -ojson.
local function option_in(word, known)
  if word:sub(1, 2) == "--" then
    local name, value = word:match("^(%-%-[^=]*)=?(.*)$")
    return known[name], word:find("=", 1, true) and value or nil, name
  end
  local name = word:sub(1, 2)
  return known[name], #word > 2 and word:sub(3) or nil, name
end

local function is_option(word)
  return #word > 1 and word:sub(1, 1) == "-"
end

local function unknown_option(name, known)
  local names = {}
  for each in pairs(known) do names[#names + 1] = each end
  table.sort(names)
  return exit.usage(("unknown option '%s'%s"):format(name, nearest(name, names)))
end

local function unknown_word(prefix, word)
  local words = {}
  for index, child in ipairs(commands.children(prefix)) do words[index] = child.word end
  local group = prefix == "" and "" or (" of '%s'"):format(prefix)
  local tip = nearest(word, words)
  if tip == "" then tip = "; there are: " .. table.concat(words, ", ") end
  return exit.usage(("unknown command '%s'%s%s"):format(word, group, tip))
end

---Splits the command line into the words of a command and the rest, with global options wherever they stand.
---@return table? found { name, rest, help }
---@return table? failure
local function find_command(line)
  local globals = by_name(options.global)
  local name, rest, help = "", {}, false
  local index = 1
  while index <= #line and not commands.by_name[name] do
    local word = line[index]
    if is_option(word) then
      local option, value, spelled = option_in(word, globals)
      if not option then return nil, unknown_option(spelled, globals) end
      help = help or target_of(option) == "help"
      rest[#rest + 1] = word
      if option.value and not value then
        index = index + 1
        if not line[index] then return nil, exit.usage(("option '%s' requires an argument"):format(spelled)) end
        rest[#rest + 1] = line[index]
      end
    else
      local longer = name == "" and word or name .. " " .. word
      if not commands.by_name[longer] and not commands.group_by_name[longer] then
        return nil, unknown_word(name, word)
      end
      name = longer
    end
    index = index + 1
  end
  table.move(line, index, #line, #rest + 1, rest)
  return { name = name, rest = rest, help = help }
end

---Joins an option with a value that looks like an option itself: --count -1 becomes --count=-1, which the parser takes.
local function join_negative(words, known)
  local joined, index = {}, 1
  while words[index] and words[index] ~= "--" do
    local word, behind = words[index], words[index + 1]
    if is_option(word) and behind and behind:find("^%-%d") then
      local option, value = option_in(word, known)
      if option and option.value and not value then
        word = word .. (word:sub(1, 2) == "--" and "=" or "") .. behind
        index = index + 1
      end
    end
    joined[#joined + 1] = word
    index = index + 1
  end
  return table.move(words, index, #words, #joined + 1, joined)
end

---Looks for options that don't exist, before a parser that would explain them less well, and for --help.
local function look_at_options(rest, known)
  for _, word in ipairs(rest) do
    if word == "--" then break end
    if is_option(word) then
      local option, _, spelled = option_in(word, known)
      if not option then return nil, unknown_option(spelled, known) end
      if target_of(option) == "help" then return "help" end
    end
  end
  return "run"
end

local function needs_nothing(command)
  for _, argument in ipairs(command.arguments) do
    if not argument.repeated then return false end
  end
  for _, option in ipairs(command.options) do
    if option.required or option.required_unless or option.required_with then return false end
  end
  return not command.one_of
end

local function given(arguments, name)
  return arguments[target_of({ name })] ~= nil
end

local function check_one_of(command, arguments)
  if not command.one_of then return nil end
  local used, names = 0, {}
  for index, set in ipairs(command.one_of) do
    local count = 0
    for _, name in ipairs(set) do count = count + (given(arguments, name) and 1 or 0) end
    if count > 0 and count < #set then return exit.usage(table.concat(set, " and ") .. " belong together") end
    used = used + (count > 0 and 1 or 0)
    names[index] = table.concat(set, " with ")
  end
  if used ~= 1 then return exit.usage("give exactly one of: " .. table.concat(names, ", ")) end
  return nil
end

---An update must say what is new.
local function check_change(command, arguments)
  if not command.needs_change then return nil end
  local changing = {}
  for _, option in ipairs(command.options) do
    if option.body or option.whole_body then
      if arguments[target_of(option)] ~= nil then return nil end
      changing[#changing + 1] = option[#option]
    end
  end
  return exit.usage("nothing to change: give at least one of " .. table.concat(changing, ", "))
end

---What a parser of one option at a time can't see.
local function check_together(command, arguments)
  local whole, part, from_stdin
  for _, list in ipairs({ command.options, options.global }) do
    for _, option in ipairs(list) do
      local name = option[#option]
      local value = arguments[target_of(option)]
      if option.file and value == "-" then
        if from_stdin then return exit.usage(("%s and %s can't both be '-'"):format(from_stdin, name)) end
        from_stdin = name
      end
      if option.whole_body and value then whole = name end
      if option.body and value ~= nil then part = name end
      if option.required_with and value == nil and given(arguments, option.required_with) then
        return exit.usage(("option '%s' is needed with '%s'"):format(name, option.required_with))
      end
      if option.required_unless and value == nil and not given(arguments, option.required_unless) then
        return exit.usage(("option '%s' or '%s' is needed"):format(name, option.required_unless))
      end
    end
  end
  if whole and part then return exit.usage(("%s gives the whole; it can't be used with %s"):format(whole, part)) end
  return check_one_of(command, arguments) or check_change(command, arguments)
end

---@param line string[] the words behind the program's name
---@return table? found { command, arguments } or { help_for = name }
---@return table? failure with the code "usage"
function M.parse(line)
  if line[1] == "--version" then line = { "version", table.unpack(line, 2) } end
  local found, failure = find_command(line)
  if not found then return nil, failure end
  local command = commands.by_name[found.name]
  if not command then
    if found.help then return { help_for = found.name } end
    local words = {}
    for index, child in ipairs(commands.children(found.name)) do words[index] = child.word end
    failure = exit.usage("a command is needed; there are: " .. table.concat(words, ", "))
    failure.hint = ("See `olivares help%s`."):format(found.name == "" and "" or " " .. found.name)
    return nil, failure
  end

  local arguments = {}
  if #found.rest > 0 or not needs_nothing(command) then
    local known = by_name(options.global, command.options)
    local rest = join_negative(found.rest, known)
    local what
    what, failure = look_at_options(rest, known)
    if what == "help" then return { help_for = found.name } end
    if what then arguments, failure = require("cli.parser").parse(command, rest) end
    failure = failure or check_together(command, arguments)
    if failure then
      failure.hint = ("See `olivares help %s`."):format(found.name)
      return nil, failure
    end
  end
  return { command = command, arguments = arguments }
end

return M
