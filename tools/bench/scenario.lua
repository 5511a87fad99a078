-- SPDX-License-Identifier: Apache-2.0
-- Prints a scenario to be created: lua5.4 scenario.lua NAME STEPS MOCKS [all|steps|mocks [exact|misses|regexes]]
-- The third: only that member. The steps ask for resources spread over all the mocks; with more steps than mocks the
-- last steps miss. The fourth: mocks that are exact, those and steps that all miss by one character, or mocks that are
-- regular expressions.

local name, steps, mocks, only = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3]), arg[4]
local kind = arg[5] or "exact"
assert(name and steps and mocks, "usage: scenario.lua NAME STEPS MOCKS [all|steps|mocks [exact|misses|regexes]]")

local function list(count, item)
  local items = {}
  for index = 1, count do items[index] = item(index) end
  return "[" .. table.concat(items, ",") .. "]"
end

local stride = math.max(mocks // steps, 1)
local members = {
  steps = list(steps, function(index)
    return ('{"key":"step-%05d","input":"agent:user%05d@example.tes%s"}'):format(index, (index - 1) * stride + 1,
      kind == "misses" and "d" or "t")
  end),
  mocks = list(mocks, function(index)
    local form = kind == "regexes" and '{"regex":"^agent:user%05d@[a-z.]+$","response":"synthetic account %05d"}'
      or '{"resource":"agent:user%05d@example.test","response":"synthetic account %05d"}'
    return form:format(index, index)
  end),
}
print(members[only] or ('{"name":"%s","steps":%s,"mocks":%s}'):format(name, members.steps, members.mocks))
