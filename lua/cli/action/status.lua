-- SPDX-License-Identifier: Apache-2.0
-- How the engine is: what three routes say, as one document.

local exit = require("cli.exit")
local json = require("olivares.json")
local show = require("cli.show")

local M = {}

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local session = call.session
  local server, failure = session:request({ method = "GET", path = "/v1/server-info" })
  if not server then return nil, failure end
  -- An engine that is not ready answers with the same document and another status.
  local ready, problem, refused = session:request({ method = "GET", path = "/readyz" })
  if not ready and not (refused and refused.status == 503) then return nil, problem end
  -- Only owners may see the modules; others are told the rest.
  local modules = session:request({ method = "GET", path = "/v1/console/modules" })

  local body = json.encode({
    server = json.raw(server.body),
    ready = json.raw((ready or refused).body),
    modules = modules and json.raw(json.member(modules.body, "items")) or nil,
  })
  local document = json.decode(body)
  document.server.limits = nil -- for programs, which have it in the JSON
  show.answer(call, body, document, { kind = "document" })
  return ready and exit.done or exit.server
end

return M
