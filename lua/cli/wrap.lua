-- SPDX-License-Identifier: Apache-2.0
-- Text in lines of a width. A word that is wider stays whole on a line of its own: nothing is ever lost.

local text = require("olivares.text")

local M = {}

---@param words string clean text on one line
---@param width integer cells
---@return string[]
function M.lines(words, width)
  local lines, used = {}, 0
  for blanks, word in words:gmatch("( *)([^ ]+)") do
    local cells = text.width(word)
    if #lines > 0 and used + #blanks + cells <= width then
      lines[#lines] = lines[#lines] .. blanks .. word
      used = used + #blanks + cells
    else
      lines[#lines + 1] = word
      used = cells
    end
  end
  return lines
end

---Appends the text behind a label; its further lines begin below where the first one does.
---@param lines string[] receives them
---@param label string clean text
---@param words string clean text on one line
---@param width integer cells, the label's included
function M.add(lines, label, words, width)
  local cells = text.width(label)
  for index, line in ipairs(M.lines(words, math.max(width - cells, 1))) do
    lines[#lines + 1] = (index == 1 and label or (" "):rep(cells)) .. line
  end
end

return M
