-- SPDX-License-Identifier: Apache-2.0
-- Documents of the API for people. A view names its kind: table, document, outputs, output, match, comparison.

local out = require("cli.out")

local M = {}

---@param view table
---@param document table
function M.write(view, document)
  local lines = {}
  require("cli.render." .. view.kind).add(lines, view, document)
  if #lines > 0 then out.write(table.concat(lines, "\n"), "\n") end
end

return M
