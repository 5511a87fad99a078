-- SPDX-License-Identifier: Apache-2.0
-- The manual page, in mdoc, from the table of commands.

local commands = require("cli.commands")
local exit = require("cli.exit")
local host = require("olivares.host")
local options = require("cli.options")

local M = {}

---Text that is not read as requests or escapes.
local function plain(words)
  local safe = words:gsub("\\", "\\e"):gsub("`", "\\(ga"):gsub("'", "\\(aq"):gsub('"', "\\(dq")
  return (safe:gsub("^%.", "\\&."))
end

---Sentences, one on a line.
local function add_sentences(lines, words)
  for sentence in (words .. " "):gmatch("(.-[.:]) +") do lines[#lines + 1] = plain(sentence) end
  local rest = words:match("[.:] +([^.]*[^.:])$") or (not words:find("[.:]$") and not words:find("[.:] ") and words)
  if rest then lines[#lines + 1] = plain(rest) end
end

local function option_head(option)
  local names = {}
  for index, name in ipairs(option) do names[index] = "Fl " .. name:gsub("^%-", ""):gsub("%-", "\\-") end
  local head = ".It " .. table.concat(names, " , ")
  return option.value and head .. " Ar " .. option.value or head
end

local function add_options(lines, list)
  if #list == 0 then return end
  lines[#lines + 1] = ".Bl -tag -width Ds"
  for _, option in ipairs(list) do
    lines[#lines + 1] = option_head(option)
    add_sentences(lines, option.help)
    if option.choices then
      lines[#lines + 1] = "One of: " .. table.concat(option.choices, ", ") .. "."
    end
  end
  lines[#lines + 1] = ".El"
end

local function add_command(lines, command)
  lines[#lines + 1] = ".Ss olivares " .. command.name
  local synopsis = ".Nm olivares Cm " .. command.name
  for _, each in ipairs(command.arguments) do
    synopsis = synopsis .. (each.repeated and " Op Ar %s ..." or " Ar %s"):format(each.value)
  end
  if #command.options > 0 then synopsis = synopsis .. " Op Ar option ..." end
  lines[#lines + 1] = synopsis
  lines[#lines + 1] = ".Pp"
  add_sentences(lines, command.summary .. ".")
  if command.description then add_sentences(lines, command.description) end
  add_options(lines, command.options)
end

local function add_examples(lines)
  lines[#lines + 1] = ".Sh EXAMPLES"
  for _, command in ipairs(commands.list) do
    for _, example in ipairs(command.examples or {}) do
      add_sentences(lines, (example[2] or command.summary) .. ":")
      lines[#lines + 1] = ".Pp"
      lines[#lines + 1] = ".Dl " .. plain(example[1]):gsub("%-", "\\-")
      lines[#lines + 1] = ".Pp"
    end
  end
  lines[#lines] = nil
end

local function add_exits(lines)
  lines[#lines + 1] = ".Sh EXIT STATUS"
  lines[#lines + 1] = ".Bl -tag -width Ds"
  for _, meaning in ipairs(exit.meanings) do
    lines[#lines + 1] = ".It " .. meaning[1]
    add_sentences(lines, meaning[2])
  end
  lines[#lines + 1] = ".El"
end

local function add_environment(lines)
  lines[#lines + 1] = ".Sh ENVIRONMENT"
  lines[#lines + 1] = ".Bl -tag -width Ds"
  for _, option in ipairs(options.global) do
    if option.env then
      lines[#lines + 1] = ".It Ev " .. option.env
      lines[#lines + 1] = "Used when the option"
      lines[#lines + 1] = ".Fl " .. option[#option]:gsub("^%-", ""):gsub("%-", "\\-")
      lines[#lines + 1] = "is not given."
    end
  end
  lines[#lines + 1] = ".El"
end

---@return string
function M.page()
  local lines = {
    (".Dd %s %d, %s"):format(os.date("!%B"), tonumber(os.date("!%d")), os.date("!%Y")),
    ".Dt OLIVARES 1",
    ".Os olivares " .. host.version,
    ".Sh NAME",
    ".Nm olivares",
    ".Nd agent simulation and testing sandbox",
    ".Sh SYNOPSIS",
    ".Nm",
    ".Op Ar global option ...",
    ".Ar command",
    ".Op Ar argument ...",
    ".Sh DESCRIPTION",
    ".Nm",
    "runs agent scenarios in an isolated, ephemeral environment, replays historical sessions deterministically,",
    "and compares two variants before a deployment.",
    "Without a server it works on the local data directory.",
    ".Pp",
    "The global options may stand before or behind the command.",
    "A value that begins with a hyphen, unless a digit follows, is given as",
    ".Fl \\-option Ns = Ns Ar value .",
  }
  add_options(lines, options.global)
  lines[#lines + 1] = ".Sh COMMANDS"
  for _, command in ipairs(commands.list) do add_command(lines, command) end
  add_environment(lines)
  add_exits(lines)
  add_examples(lines)
  return table.concat(lines, "\n") .. "\n"
end

return M
