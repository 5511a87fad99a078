-- SPDX-License-Identifier: Apache-2.0
-- Runs a scenario. The run is started without waiting and then followed, so that its id is known when an interrupt
-- comes and it can be canceled.

local client = require("olivares.client")
local exit = require("cli.exit")
local json = require("olivares.json")
local progress = require("cli.progress")
local request = require("cli.request")
local show = require("cli.show")

local M = {}

local function run_path(id)
  return "/v1/m/sandbox/runs/" .. request.percent(id)
end

---Follows the run to its end.
---@return string? body the run as it ended
---@return table? failure
local function follow(session, run, guard)
  local ended
  local line <close> = progress.new()
  local done = 0
  local function on_event(event, data)
    if event == "output" then
      done = done + 1
      line:show(("run %s: step %d of %d"):format(run.id, done, run.steps_total or 0))
    elseif event == "summary" then
      ended = data
    end
  end
  local answer, failure = session:request({
    method = "GET", path = run_path(run.id) .. "/stream", on_event = on_event, guard = guard })
  if not answer then return nil, failure end
  if ended then return ended end
  answer, failure = session:request({ method = "GET", path = run_path(run.id), guard = guard })
  return answer and answer.body, failure
end

---Cancels the run that was waited for and shows what became of it.
local function cancel(call, run, guard)
  local answer, failure = call.session:request({ method = "POST", path = run_path(run.id) .. "/cancel", guard = guard })
  if not answer and failure.code == "conflict" then -- it ended by itself just before
    answer, failure = call.session:request({ method = "GET", path = run_path(run.id), guard = guard })
  end
  if not answer then
    failure.message = ("Run %s may still be under way: %s"):format(run.id, failure.message)
    return nil, failure
  end
  show.answer(call, answer.body, json.decode(answer.body))
  return exit.interrupted
end

---@param run table
---@return integer
function M.status_of(run)
  local fine = run.status == "completed" or run.status == "running" -- with --no-wait
  return fine and exit.done or exit.run_ended_badly
end

local function start(call, guard)
  local made, failure = request.build(call.command, call.arguments)
  if not made then return nil, failure end
  local body = json.decode(made.body)
  body.wait = false
  made.body, made.guard = json.encode(body), guard
  return request.send(call, made)
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  if call.arguments.no_wait and not call.session.server then
    return nil, exit.usage("--no-wait needs a server: without one the run ends with this command")
  end
  -- Before anything of the engine starts, so that none of its threads takes the interrupt.
  local guard <close> = client.guard()
  local run, failure, body = start(call, guard)
  if not run then return nil, failure end
  if run.status == "running" and not call.arguments.no_wait then
    body, failure = follow(call.session, run, guard)
    if not body and failure.code == "interrupted" then return cancel(call, run, guard) end
    if not body then return nil, failure end
    run = json.decode(body)
  end
  show.answer(call, body, run)
  return M.status_of(run)
end

return M
