-- SPDX-License-Identifier: Apache-2.0
-- From mocks in the order in which their tool asks them to mocks in the order of a scenario, where those with a
-- resource are asked before all others. One with a resource that must wait behind a matcher becomes a matcher too.

local value = require("import.value")

local M = {}

-- What is over these the engine refuses (core/mock/mock.h, matcher.h).
local max_parts, max_depth = 64, 8
local max_bytes = { regex = 1024, glob = 1024, prefix = 8192, suffix = 8192, contains = 8192, resource = 8192 }

---@param sum { parts: integer } counts the matchers
---@return string? why the engine would refuse the matcher
local function fault_of(matcher, depth, sum)
  sum.parts = sum.parts + 1
  if sum.parts > max_parts then return ("it has more than %d matchers"):format(max_parts) end
  local name, given = next(matcher)
  if type(given) == "string" then
    return #given > max_bytes[name] and ("its %s is longer than %d bytes"):format(name, max_bytes[name]) or nil
  end
  if depth == max_depth then return ("its matchers are nested deeper than %d levels"):format(max_depth) end
  for _, inner in ipairs(given) do
    local fault = fault_of(inner, depth + 1, sum)
    if fault then return fault end
  end
  return nil
end

---The text that whatever a regular expression matches begins with, as far as that is plain to see.
local function lead_of_regex(regex)
  if regex:sub(1, 1) ~= "^" then return "" end
  local out, at = {}, 2
  while at <= #regex do
    local char = regex:match("^\\(%p)", at) or regex:match("^[^\\%^%$%.%*%+%?%(%)%[%]%{%}|]", at)
    if not char then break end
    at = at + (regex:sub(at, at) == "\\" and 2 or 1)
    if regex:find("^[?*{+]", at) then break end
    out[#out + 1] = char
  end
  return table.concat(out)
end

local function lead_of(matcher)
  if matcher.prefix or matcher.resource then return matcher.prefix or matcher.resource end
  if matcher.regex then return lead_of_regex(matcher.regex) end
  local longest = ""
  for _, inner in ipairs(matcher.all or {}) do
    local lead = lead_of(inner)
    if #lead > #longest then longest = lead end
  end
  return longest
end

---@param leads table<string, boolean> what the matchers so far begin with
local function may_match(leads, resource)
  for length = 0, #resource do
    if leads[resource:sub(1, length)] then return true end
  end
  return false
end

---@param report table
---@param found { place: string, mock: table }[] in the order of precedence of their tool
---@return table[] mocks
function M.arrange(report, found)
  local mocks, leads, answered = {}, {}, {}
  for _, entry in ipairs(found) do
    local mock = entry.mock
    local key = value.text(mock.match or { resource = mock.resource })
    local fault = fault_of(mock.match or { resource = mock.resource }, 0, { parts = 0 })
    if fault then
      report:lost(entry.place, fault .. "; the mock is left out")
    elseif answered[key] then
      report:lost(entry.place, "what is left of it answers the same requests as " .. answered[key]
        .. ", which is asked first; the mock is left out")
    else
      -- {"resource"} alone would be read as a resource again.
      if mock.resource and may_match(leads, mock.resource) then
        mock.match = { all = { { resource = mock.resource } } }
        mock.resource = nil
      end
      if mock.match then leads[lead_of(mock.match)] = true end
      local ends = mock.times or (mock.responses and not mock.exhausted)
      if not ends then answered[key] = entry.place == "" and "another" or entry.place end
      mocks[#mocks + 1] = mock
    end
  end
  return mocks
end

return M
