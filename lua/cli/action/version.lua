-- SPDX-License-Identifier: Apache-2.0
local host = require("olivares.host")
local out = require("cli.out")

local M = { needs_no_engine = true }

---@param call table
---@return integer exit status
function M.run(call)
  local form = call.json and '{"name":"olivares","version":"%s"}\n' or "olivares %s\n"
  out.write(form:format(host.version))
  return 0
end

return M
