-- SPDX-License-Identifier: Apache-2.0
local host = require("olivares.host")

local M = { needs_no_engine = true }

---@param call table
---@return integer exit status
function M.run(call)
  return host.serve(call.arguments.listen, call.arguments.data)
end

return M
