-- SPDX-License-Identifier: Apache-2.0
-- The CLI: from the words of the command line to the exit status.

local exit = require("cli.exit")
local out = require("cli.out")
local parse = require("cli.parse")

local M = {}

---Carries out a command: its action gives an exit status, or nil and a failure.
local function carry_out(command, arguments, line)
  local call = { command = command, arguments = arguments, line = line, json = arguments.output == "json" }
  local action = require(command.action or "cli.action.request")
  if action.needs_no_engine then return action.run(call) end
  local session <close> = require("cli.session").new(arguments, command.name)
  call.session = session
  return action.run(call)
end

local function run(line)
  local found, failure = parse.parse(line)
  if not found then return nil, failure end
  if found.help_for then return require("cli.action.help").show(found.help_for) end
  return carry_out(found.command, found.arguments, line)
end

local function finish(status)
  local failure = out.flush()
  if not failure then return status end
  exit.report({ code = "internal", message = "Standard output can't be written: " .. failure })
  return exit.failed
end

---@param line string[] the words behind the program's name
---@return integer exit status
function M.run(line)
  if not require("olivares.term").is_tty("stdout") then io.stdout:setvbuf("full") end
  local status, failure = run(line)
  if failure then
    out.flush()
    status = exit.report(failure)
  end
  return finish(status)
end

return M
