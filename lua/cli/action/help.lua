-- SPDX-License-Identifier: Apache-2.0
-- Help for a command or a group of commands.

local commands = require("cli.commands")
local exit = require("cli.exit")
local out = require("cli.out")

local M = { needs_no_engine = true }

local function examples_of(command)
  if not command.examples then return "" end
  local lines = { "\nExamples:" }
  for _, example in ipairs(command.examples) do
    lines[#lines + 1] = "  " .. example[1]
    if example[2] then lines[#lines + 1] = "      " .. example[2] .. "." end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function statuses_of(command)
  local lines = { "\nExit status:" }
  for _, meaning in ipairs(exit.meanings_of(command)) do
    lines[#lines + 1] = ("  %-4d%s"):format(meaning[1], meaning[2])
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
  if command then
    out.write(parser.of_command(command):get_help(), "\n", examples_of(command), statuses_of(command))
  else
    out.write(parser.of_group(name):get_help(), "\n")
    if name == "" then out.write(environment()) end
    out.write(("\nSee `olivares help %sCOMMAND` for one of them.\n"):format(name == "" and "" or name .. " "))
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
