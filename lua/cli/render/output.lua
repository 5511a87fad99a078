-- SPDX-License-Identifier: Apache-2.0
-- One step's output: what it gave, whole, and who answered its requests.

local colour = require("cli.render.colour")
local document = require("cli.render.document")
local resolution = require("cli.render.resolution")
local text = require("olivares.text")

local M = {}

---@param lines string[] receives the output
---@param _ table view
---@param output table
function M.add(lines, _, output)
  local state = output.mock_hit and "hit" or "miss"
  lines[#lines + 1] = ("#%d %s  %s"):format(output.seq, text.clean(output.step_key), colour.status(state, state))
  for _, call in ipairs(output.calls or {}) do resolution.add_call(lines, "    ", call) end
  document.add_block(lines, "    ", text.clean_lines(output.output))
end

return M
