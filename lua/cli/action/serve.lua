-- SPDX-License-Identifier: Apache-2.0
local host = require("olivares.host")
local session = require("cli.session")

local M = { needs_no_engine = true }

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local data, failure = session.data_of(call.arguments)
  if not data then return nil, failure end
  return host.serve(call.arguments.listen, data)
end

return M
