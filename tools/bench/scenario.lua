-- SPDX-License-Identifier: Apache-2.0
-- Prints a scenario to be created: lua5.4 scenario.lua NAME STEPS MOCKS [steps|mocks]     The last: only that member.
-- The steps ask for resources spread over all the mocks; with more steps than mocks the last steps miss.

local name, steps, mocks, only = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3]), arg[4]
assert(name and steps and mocks, "usage: scenario.lua NAME STEPS MOCKS [steps|mocks]")

local function list(count, item)
  local items = {}
  for index = 1, count do items[index] = item(index) end
  return "[" .. table.concat(items, ",") .. "]"
end

local stride = math.max(mocks // steps, 1)
local members = {
  steps = list(steps, function(index)
    return ('{"key":"step-%05d","input":"agent:user%05d@example.test"}'):format(index, (index - 1) * stride + 1)
  end),
  mocks = list(mocks, function(index)
    return ('{"resource":"agent:user%05d@example.test","response":"synthetic account %05d"}'):format(index, index)
  end),
}
print(only and members[only] or ('{"name":"%s","steps":%s,"mocks":%s}'):format(name, members.steps, members.mocks))
