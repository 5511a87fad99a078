-- SPDX-License-Identifier: Apache-2.0
-- A dry run: what was asked, who would answer and why, and with what.

local colour = require("cli.render.colour")
local document = require("cli.render.document")
local resolution = require("cli.render.resolution")
local term = require("olivares.term")
local text = require("olivares.text")
local wrap = require("cli.wrap")

local M = {}

local elsewhere = { response = true }
for _, name in ipairs(resolution.members) do elsewhere[name] = true end

---@param lines string[] receives the dry run
---@param view table
---@param match table
function M.add(lines, view, match)
  local asked = {}
  for name, member in pairs(match) do
    if not elsewhere[name] then asked[name] = member end
  end
  document.add(lines, view, asked)
  local state = match.mock_hit and "hit" or "miss"
  local first = #lines + 1
  wrap.add_sentence(lines, state .. ": ", resolution.answer(match), term.width())
  lines[first] = colour.status(state, state) .. lines[first]:sub(#state + 1)
  resolution.add(lines, "", match)
  lines[#lines + 1] = "response:"
  document.add_block(lines, "  ", text.clean_lines(match.response))
end

return M
