-- SPDX-License-Identifier: Apache-2.0
-- What a reader could not carry over. Two kinds: something is lost and the mock is made without it; or the mock would
-- answer what the original did not, or something else than the original did, and is left out.

local Report = {}
Report.__index = Report

local M = {}

---@return table report
function M.new()
  return setmetatable({ entries = {} }, Report)
end

---The mock is made without it.
---@param place string in the source, "mappings[2].request.headers.Accept"
---@param why string
function Report:lost(place, why)
  self.entries[#self.entries + 1] = { place = place, why = why }
end

---The mock that is being read is left out: does not return.
---@param place string
---@param why string
function Report.leave_out(_, place, why)
  error(setmetatable({ place = place, why = why }, Report), 0)
end

---Reads one mock. When it is left out, only that is told: what else was lost of it no longer matters.
---@param read fun(...): any
---@return any? what it returned; nil when the mock is left out
function Report:attempt(read, ...)
  local before = #self.entries
  local ok, result = pcall(read, ...)
  if ok then return result end
  if getmetatable(result) ~= Report then error(result, 0) end
  for index = #self.entries, before + 1, -1 do self.entries[index] = nil end
  self:lost(result.place, result.why .. "; the mock is left out")
  return nil
end

---Tells each member that is not among the known ones.
---@param object table
---@param place string of the object; "" for the document itself
---@param known table<string, boolean>
function Report:unknown(object, place, known)
  for _, name in ipairs(require("import.value").names(object)) do
    if not known[name] then self:lost(M.at(place, name), "is not known, and not carried") end
  end
end

---@param place string of an object; "" for the document itself
---@param name string of a member
---@return string place of the member
function M.at(place, name)
  return place == "" and name or place .. "." .. name
end

---@param words string separated by blanks
---@return table<string, boolean>
function M.set(words)
  local set = {}
  for word in words:gmatch("%S+") do set[word] = true end
  return set
end

return M
