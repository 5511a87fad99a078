-- SPDX-License-Identifier: Apache-2.0
-- Text in lines of a width. Nothing is ever lost: a word that is wider stays whole on a line of its own, or is broken
-- where that is asked for.

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

---Text in pieces of a width, broken wherever that is: for data, of which every blank counts.
---@param shown string clean text on one line
---@param width integer cells
---@return string[]
function M.pieces(shown, width)
  local pieces, used = { "" }, 0
  for _, code in utf8.codes(shown) do
    local character = utf8.char(code)
    local cells = text.width(character)
    if used > 0 and used + cells > width then
      pieces[#pieces + 1], used = "", 0
    end
    pieces[#pieces] = pieces[#pieces] .. character
    used = used + cells
  end
  return pieces
end

local function hang(lines, label, parts, cells)
  for index, part in ipairs(parts) do lines[#lines + 1] = (index == 1 and label or (" "):rep(cells)) .. part end
end

---Appends the text behind a label; its further lines begin below where the first one does.
---@param lines string[] receives them
---@param label string clean text
---@param words string clean text on one line
---@param width integer cells, the label's included
function M.add(lines, label, words, width)
  local cells = text.width(label)
  hang(lines, label, M.lines(words, math.max(width - cells, 1)), cells)
end

---Likewise, with words that are wider broken.
function M.add_sentence(lines, label, words, width)
  local cells = text.width(label)
  local room, parts = math.max(width - cells, 1), {}
  for _, line in ipairs(M.lines(words, room)) do
    for _, piece in ipairs(M.pieces(line, room)) do parts[#parts + 1] = piece end
  end
  hang(lines, label, parts, cells)
end

---Likewise, in pieces.
function M.add_data(lines, label, shown, width)
  local cells = text.width(label)
  hang(lines, label, M.pieces(shown, math.max(width - cells, 1)), cells)
end

return M
