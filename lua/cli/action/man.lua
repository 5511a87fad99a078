-- SPDX-License-Identifier: Apache-2.0
local out = require("cli.out")

local M = { needs_no_engine = true }

---@return integer exit status
function M.run()
  out.write(require("cli.manual").page())
  return 0
end

return M
