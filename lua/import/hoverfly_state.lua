-- SPDX-License-Identifier: Apache-2.0
-- Hoverfly's state: pairs that answer by turns become one mock with a sequence. Whatever else state does can't be told
-- in mocks, and what depends on it is left out.
--
-- State with the name of a sequence ("sequence:1") begins at "1", other state with nothing, written here as "".

local report_of = require("import.report")
local sequence = require("import.sequence")
local value = require("import.value")

local M = {}

local function object(given)
  return value.is(given, "object") and given or {}
end

---@return table<string, string> state a pair requires
---@return table<string, string> state it moves
---@return string[] state it removes
local function uses_of(pair)
  local request, response = object(object(pair).request), object(object(pair).response)
  local removes = value.is(response.removesState, "array") and response.removesState or {}
  return object(request.requiresState), object(response.transitionsState), removes
end

---@param list table[] the pairs
---@return table<string, boolean> names some pair requires: no other state has an influence
local function required_names(list)
  local required = {}
  for _, pair in ipairs(list) do
    for name in pairs((uses_of(pair))) do required[name] = true end
  end
  return required
end

---@return string[] names of the state with an influence that a pair has to do with
---@return boolean whether it removes some of it
local function names_of(pair, required)
  local requires, moves, removes = uses_of(pair)
  local names, removed = {}, false
  for name in pairs(requires) do names[name] = true end
  for name in pairs(moves) do names[name] = required[name] end
  for _, name in ipairs(removes) do
    if required[name] then
      names[name] = true
      removed = true
    end
  end
  return value.names(names), removed
end

---@param list table[]
---@param found table<integer, table> what was made of the pairs
---@return table<string, integer[]> indexes of pairs by the name of the state they have to do with
---@return table<string, string> why state of a name is no sequence
local function group(list, found)
  local groups, faults = {}, {}
  local required = required_names(list)
  for index, pair in ipairs(list) do
    local names, removed = names_of(pair, required)
    for _, name in ipairs(names) do
      groups[name] = groups[name] or {}
      table.insert(groups[name], index)
      if #names > 1 then faults[name] = "a pair has to do with other state too" end
      if removed then faults[name] = "a pair removes it" end
      if not found[index] then faults[name] = "one of its pairs is left out" end
    end
  end
  return groups, faults
end

local function chain_of(list, found, indexes, name)
  local stubs = {}
  for position, index in ipairs(indexes) do
    local requires, moves = uses_of(list[index])
    stubs[position] = { key = found[index].key, from = requires[name], to = moves[name], answer = found[index].answer }
  end
  return sequence.chain(stubs, name:find("^sequence:") and "1" or "")
end

---@param report table
---@param list table[] the pairs
---@param found table<integer, table> what was made of each: { key, answer, place }, nil for one that is left out. A
---  sequence stays with its first pair, as { answers, exhausted }
function M.join(report, list, found)
  local groups, faults = group(list, found)
  for _, name in ipairs(value.names(groups)) do
    local indexes = groups[name]
    local chain, how = nil, faults[name]
    if not how then chain, how = chain_of(list, found, indexes, name) end
    for _, index in ipairs(indexes) do
      local entry = found[index]
      if entry and not chain then
        local requires = uses_of(list[index])
        local member = requires[name] and "request.requiresState" or "response.transitionsState"
        report:lost(report_of.at(report_of.at(entry.place, member), name),
          "the state is no plain sequence: " .. how .. "; the mock is left out")
      end
      if not chain or index ~= indexes[1] then found[index] = nil end
    end
    if chain then
      local first = found[indexes[1]]
      first.answers, first.exhausted = {}, how
      for position, stub in ipairs(chain) do first.answers[position] = stub.answer end
    end
  end
end

return M
