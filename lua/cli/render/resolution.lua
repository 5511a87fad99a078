-- SPDX-License-Identifier: Apache-2.0
-- Who answered a request, and why: the same of a run's call and of a dry run. Lines fit the terminal; what is longer is
-- broken, never cut.

local term = require("olivares.term")
local text = require("olivares.text")
local value = require("cli.render.value")
local wrap = require("cli.wrap")

local M = {}

-- The members that are shown here, of whatever document they are in.
M.members = {
  "mock_hit", "mock", "matched_by", "use", "fault", "delay_ms", "matcher_limit", "candidates", "candidates_omitted",
  "near_misses", "near_misses_omitted",
}

local function outcome_words(outcome, resolution)
  if outcome == "used_up" then return "used up" end
  if outcome == "matcher_limit" then return "undecided, its matcher reached the limit" end
  if outcome ~= "behind" then return value.scalar(outcome) end
  return resolution.mock_hit and "behind the one that answered" or "behind the undecided one"
end

local function mock_words(place, matched_by)
  local words = value.scalar(place or "a mock")
  return matched_by and ("%s (%s)"):format(words, value.scalar(matched_by)) or words
end

---Who answered, in a few words.
---@param resolution table
---@return string clean text on one line
function M.answer(resolution)
  if not resolution.mock_hit then
    local limit = resolution.matcher_limit
    return limit and ("no mock: the matcher of %s reached its limit"):format(value.scalar(limit)) or "no mock"
  end
  local words = { mock_words(resolution.mock, resolution.matched_by) }
  if resolution.use then words[#words + 1] = "answer " .. value.scalar(resolution.use) end
  if resolution.fault then words[#words + 1] = "fault " .. value.scalar(resolution.fault) end
  if resolution.delay_ms then words[#words + 1] = ("delay %s ms"):format(value.scalar(resolution.delay_ms)) end
  return table.concat(words, ", ")
end

local function add_candidates(lines, indent, resolution)
  local candidates = resolution.candidates or {}
  if #candidates == 0 then return end
  lines[#lines + 1] = indent .. "mocks that match:"
  for _, candidate in ipairs(candidates) do
    local words = mock_words(candidate.mock, candidate.matched_by)
    wrap.add_sentence(lines, indent .. "  ", words .. ": " .. outcome_words(candidate.outcome, resolution),
      term.width())
  end
  if resolution.candidates_omitted then
    wrap.add_sentence(lines, indent .. "  ", ("and %s more"):format(value.scalar(resolution.candidates_omitted)),
      term.width())
  end
end

local function add_near_misses(lines, indent, near_misses)
  if #near_misses == 0 then return end
  lines[#lines + 1] = indent .. "near misses:"
  for _, near in ipairs(near_misses) do
    wrap.add_sentence(lines, indent .. "  ", ("%s, %s: %s"):format(value.scalar(near.mock),
      value.scalar(near.criterion), value.scalar(near.why)), term.width())
    wrap.add_data(lines, indent .. "    expected: ", value.scalar(near.expected), term.width())
    if near.got then wrap.add_data(lines, indent .. "    got:      ", value.scalar(near.got), term.width()) end
  end
end

---What stands behind the answer: the other mocks that match, and those that nearly do.
---@param lines string[] receives it
---@param indent string
---@param resolution table
function M.add(lines, indent, resolution)
  add_candidates(lines, indent, resolution)
  add_near_misses(lines, indent, resolution.near_misses or {})
  if resolution.near_misses_omitted then
    wrap.add_sentence(lines, indent, "near misses: not looked for after so many misses; "
      .. "`olivares sandbox scenarios match` does", term.width())
  end
end

---A call: what was requested, and who answered it.
---@param lines string[] receives it
---@param indent string
---@param call table
function M.add_call(lines, indent, call)
  wrap.add_data(lines, indent, ("%s <- %s"):format(text.clean(call.resource), M.answer(call)), term.width())
  M.add(lines, indent .. "  ", call)
end

return M
