-- SPDX-License-Identifier: Apache-2.0
-- A comparison, and both sides of every step in which they differ.

local document = require("cli.render.document")
local text = require("olivares.text")
local value = require("cli.render.value")

local M = {}

local function add_side(lines, label, side)
  if side == nil then
    lines[#lines + 1] = ("    %s: nothing"):format(label)
    return
  end
  lines[#lines + 1] = ("    %s:"):format(label)
  local shown = type(side) == "string" and text.clean_lines(side) or value.cell(side, "json")
  document.add_block(lines, "      ", shown)
end

---@param lines string[] receives the comparison
---@param view table
---@param comparison table
function M.add(lines, view, comparison)
  local differences = comparison.differences or {}
  comparison.differences = nil
  document.add(lines, view, comparison)
  comparison.differences = differences
  lines[#lines + 1] = ("differences: %s"):format(#differences == 0 and "none" or #differences)
  for _, difference in ipairs(differences) do
    lines[#lines + 1] = ("  %s (%s)"):format(value.scalar(difference.step_key), value.scalar(difference.kind))
    add_side(lines, "baseline", difference.baseline)
    add_side(lines, "candidate", difference.candidate)
  end
end

return M
