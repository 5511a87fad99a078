-- SPDX-License-Identifier: Apache-2.0
-- Follows a run: every output as it comes, then the run.

local exit = require("cli.exit")
local json = require("olivares.json")
local out = require("cli.out")
local request = require("cli.request")
local run_action = require("cli.action.run")

local M = {}

local function show_json(event, data, id)
  local place = id ~= "" and ('"id":%s,'):format(json.encode(id)) or ""
  out.write(('{"event":%s,%s"data":%s}\n'):format(json.encode(event), place, data))
end

local function show_text(event, data)
  local render = require("cli.render")
  if event == "output" then
    render.write({ kind = "output" }, json.decode(data))
  elseif event == "summary" then
    render.write({ kind = "document" }, json.decode(data))
  end
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local ended, broken
  local function on_event(event, data, id)
    if event == "summary" then ended = json.decode(data) end
    if event == "error" then broken = json.decode(data).error end;
    (call.json and show_json or show_text)(event, data, id)
    out.flush()
  end
  local method, path = request.route(call.command, call.arguments)
  local last = call.arguments.last_event_id
  local answer, failure = call.session:request({
    method = method, path = path, on_event = on_event, last_event_id = last and tostring(last) })
  if not answer then return nil, failure end
  if broken then return nil, broken end
  if not ended then return nil, { code = "transport", message = "The stream ended before the run did." } end
  return run_action.status_of(ended) or exit.done
end

return M
