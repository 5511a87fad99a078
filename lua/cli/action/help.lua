-- SPDX-License-Identifier: Apache-2.0
-- Help for a command or a group of commands.

local commands = require("cli.commands")
local exit = require("cli.exit")
local out = require("cli.out")
local wrap = require("cli.wrap")

local M = { needs_no_engine = true }

-- A blank that does not end a word of the shell, while lines are broken.
local kept_blank = "\u{a0}"

---A command line, broken where the shell reads it as one.
local function add_command_line(lines, line, width)
  if #line + 2 <= width then
    lines[#lines + 1] = "  " .. line
    return
  end
  local further = (" "):rep(8)
  local words = line:gsub("'[^']*'", function(quoted) return (quoted:gsub(" ", kept_blank)) end)
  local broken = wrap.lines(words, width - #further - #" \\")
  for index, part in ipairs(broken) do
    local tail = broken[index + 1] and " \\" or ""
    lines[#lines + 1] = (index == 1 and "  " or further) .. part:gsub(kept_blank, " ") .. tail
  end
end

local function examples_of(command, width)
  if not command.examples then return "" end
  local lines = { "\nExamples:" }
  for _, example in ipairs(command.examples) do
    add_command_line(lines, example[1], width)
    if example[2] then wrap.add(lines, "      ", example[2] .. ".", width) end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function statuses_of(command, width)
  local lines = { "\nExit status:" }
  for _, meaning in ipairs(exit.meanings_of(command)) do
    wrap.add(lines, ("  %-4d"):format(meaning[1]), meaning[2], width)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function environment()
  local lines = { "\nEnvironment:" }
  for _, option in ipairs(require("cli.options").global) do
    if option.env then lines[#lines + 1] = ("  %-22sfor %s"):format(option.env, option[#option]) end
  end
  return table.concat(lines, "\n") .. "\n"
end

---@param name string words of a command or a group; "" for all
---@return integer exit status
function M.show(name)
  local parser = require("cli.parser")
  local command = commands.by_name[name]
  local width = parser.help_width()
  if command then
    out.write(parser.of_command(command):get_help(), "\n", examples_of(command, width), statuses_of(command, width))
  else
    out.write(parser.of_group(name):get_help(), "\n")
    if name == "" then out.write(environment()) end
    local see = ("See `olivares help %sCOMMAND` for one of them."):format(name == "" and "" or name .. " ")
    out.write("\n", table.concat(wrap.lines(see, width), "\n"), "\n")
  end
  return 0
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local words = call.arguments.command or {}
  local name = table.concat(words, " ")
  if name == "" or commands.by_name[name] or commands.group_by_name[name] then return M.show(name) end
  local _, failure = require("cli.parse").parse(words)
  return nil, failure or exit.usage(("unknown command '%s'"):format(name))
end

return M
