-- SPDX-License-Identifier: Apache-2.0
-- A comparison, and a diff of every step in which its arms differ.

local colour = require("cli.render.colour")
local diff = require("cli.render.diff")
local document = require("cli.render.document")
local term = require("olivares.term")
local text = require("olivares.text")
local value = require("cli.render.value")
local wrap = require("cli.wrap")

local M = {}

local kinds = {
  { "same", "the same" }, { "changed", "changed" }, { "miss_to_hit", "miss to hit" }, { "hit_to_miss", "hit to miss" },
  { "only_baseline", "only in the baseline" }, { "only_candidate", "only in the candidate" },
}
local words_of = {}
for _, kind in ipairs(kinds) do words_of[kind[1]] = kind[2] end

-- What is shown below the other members, or in other words.
local apart = { "counts", "pairs", "pairs_omitted", "differences", "differences_omitted", "not_comparable" }

local function without(comparison, names)
  local rest = {}
  for name, member in pairs(comparison) do rest[name] = member end
  for _, name in ipairs(names) do rest[name] = nil end
  return rest
end

local function add_counts(lines, counts)
  local parts = {}
  for _, kind in ipairs(kinds) do
    local count = counts[kind[1]]
    if count and count > 0 then parts[#parts + 1] = ("%d %s"):format(count, kind[2]) end
  end
  wrap.add(lines, "steps: ", #parts == 0 and "none" or table.concat(parts, ", "), term.width())
end

local function add_difference(lines, difference)
  local words = words_of[difference.kind] or value.scalar(difference.kind)
  lines[#lines + 1] = ""
  wrap.add_sentence(lines, "", ("%s: %s"):format(text.clean(difference.step_key), words), term.width())
  local same_text = difference.baseline and difference.baseline == difference.candidate
  if same_text then -- what differs is who answered
    document.add_block(lines, "  ", text.clean_lines(difference.baseline))
  else
    diff.add(lines, "  ", difference.baseline, difference.candidate)
  end
end

---@param lines string[] receives the comparison
---@param view table
---@param comparison table
function M.add(lines, view, comparison)
  local rest = without(comparison, apart)
  if rest.self_check == false then rest.self_check = nil end
  rest.variant_unknown = nil
  document.add(lines, view, rest)
  for _, reason in ipairs(comparison.not_comparable or {}) do
    wrap.add_sentence(lines, "not comparable: ", text.clean(reason.message), term.width())
  end
  if comparison.variant_unknown then
    wrap.add_sentence(lines, "beware: ", "the candidate is no variant of the scenario, which has others; both arms ran "
      .. "the same", term.width())
  end
  add_counts(lines, comparison.counts or {})
  for _, difference in ipairs(comparison.differences or {}) do add_difference(lines, difference) end
  local omitted = comparison.differences_omitted or 0
  if omitted > 0 then
    lines[#lines + 1] = ""
    wrap.add_sentence(lines, "", colour.paint(("… and %d more differences, which are counted above but not kept; the "
      .. "outputs of both runs have them all"):format(omitted), "dim"), term.width())
  end
end

return M
