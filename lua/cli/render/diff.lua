-- SPDX-License-Identifier: Apache-2.0
-- Two texts as a diff: lines that only the one has behind "-", those that only the other has behind "+", and some of
-- the common ones around them. Where a line was changed in the middle, what differs stands between ⟦ and ⟧.

local colour = require("cli.render.colour")
local term = require("olivares.term")
local text = require("olivares.text")
local wrap = require("cli.wrap")

local M = {}

-- The table of common lines holds one number for each pair; above this the texts are shown one behind the other.
local pairs_max = 250000
local context = 2

local function lines_of(whole)
  local lines = {}
  for line in (whole .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  return lines
end

-- longest[i][j]: the length of the longest common subsequence of old from i on and new from j on.
local function common_lengths(old, new)
  local longest = {}
  for i = #old + 1, 1, -1 do
    local row, below = {}, longest[i + 1]
    longest[i] = row
    for j = #new + 1, 1, -1 do
      if i > #old or j > #new then
        row[j] = 0
      elseif old[i] == new[j] then
        row[j] = below[j + 1] + 1
      else
        row[j] = math.max(below[j], row[j + 1])
      end
    end
  end
  return longest
end

---@return { [1]: "-"|"+"|" ", [2]: string }[]
local function edits_of(old, new)
  local edits = {}
  if #old * #new > pairs_max then
    for _, line in ipairs(old) do edits[#edits + 1] = { "-", line } end
    for _, line in ipairs(new) do edits[#edits + 1] = { "+", line } end
    return edits
  end
  local longest = common_lengths(old, new)
  local i, j = 1, 1
  while i <= #old or j <= #new do
    if i <= #old and j <= #new and old[i] == new[j] then
      edits[#edits + 1] = { " ", old[i] }
      i, j = i + 1, j + 1
    elseif j > #new or (i <= #old and longest[i + 1][j] >= longest[i][j + 1]) then
      edits[#edits + 1] = { "-", old[i] }
      i = i + 1
    else
      edits[#edits + 1] = { "+", new[j] }
      j = j + 1
    end
  end
  return edits
end

-- Bytes that both begin (or end) with, in whole characters.
local function common_ends(old, new)
  local most, from = math.min(#old, #new), 0
  while from < most and old:byte(from + 1) == new:byte(from + 1) do from = from + 1 end
  while from > 0 and (old:byte(from + 1) or 0) & 0xC0 == 0x80 do from = from - 1 end
  while from > 0 and (new:byte(from + 1) or 0) & 0xC0 == 0x80 do from = from - 1 end
  local behind = 0
  while behind < most - from and old:byte(-behind - 1) == new:byte(-behind - 1) do behind = behind + 1 end
  while behind > 0 and old:byte(-behind) & 0xC0 == 0x80 do behind = behind - 1 end
  return from, behind
end

local function mark(line, from, behind)
  return ("%s⟦%s⟧%s"):format(line:sub(1, from), line:sub(from + 1, #line - behind), line:sub(#line - behind + 1))
end

-- A line that was taken out and one that came in its place, when they have enough in common to be one that was changed.
local function mark_changes(edits)
  for index = 1, #edits - 1 do
    local out, into = edits[index], edits[index + 1]
    local before, after = edits[index - 1], edits[index + 2]
    local alone = not (before and before[1] == "-") and not (after and after[1] == "+")
    if out[1] == "-" and into[1] == "+" and alone then
      local from, behind = common_ends(out[2], into[2])
      if 2 * (from + behind) >= math.max(#out[2], #into[2]) and from + behind > 0 then
        out[2], into[2] = mark(out[2], from, behind), mark(into[2], from, behind)
      end
    end
  end
end

-- Which common lines are near enough to a change to be shown.
local function shown_lines(edits)
  local shown = {}
  for index, edit in ipairs(edits) do
    if edit[1] ~= " " then
      for near = index - context, index + context do shown[near] = true end
    end
  end
  return shown
end

local colours = { ["-"] = "red", ["+"] = "green" }

local function add_line(lines, indent, sign, line)
  local first = #lines + 1
  wrap.add_data(lines, indent .. sign .. " ", line, term.width())
  for index = first, #lines do lines[index] = colour.paint(lines[index], colours[sign]) end
end

---@param lines string[] receives the diff
---@param indent string
---@param old string? neutralised here; nil: there is none
---@param new string?
function M.add(lines, indent, old, new)
  local edits = edits_of(old and lines_of(text.clean_lines(old)) or {}, new and lines_of(text.clean_lines(new)) or {})
  mark_changes(edits)
  local shown, skipped = shown_lines(edits), 0
  for index = 1, #edits + 1 do
    if edits[index] and not shown[index] then
      skipped = skipped + 1
    else
      if skipped > 0 then
        lines[#lines + 1] = ("%s  (%d common %s)"):format(indent, skipped, skipped == 1 and "line" or "lines")
        skipped = 0
      end
      if edits[index] then add_line(lines, indent, edits[index][1], edits[index][2]) end
    end
  end
end

return M
