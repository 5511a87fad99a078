-- SPDX-License-Identifier: Apache-2.0
-- A run's outputs, one below the other.

local output = require("cli.render.output")

local M = {}

---@param lines string[] receives the outputs
---@param view table
---@param document table
function M.add(lines, view, document)
  for _, item in ipairs(document.items or {}) do output.add(lines, view, item) end
end

return M
