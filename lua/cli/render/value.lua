-- SPDX-License-Identifier: Apache-2.0
-- Single values of a document as text. Data comes from strangers: whatever leaves here is neutralised.

local json = require("olivares.json")
local text = require("olivares.text")

local M = {}

local function of_number(number)
  if math.type(number) == "integer" then return tostring(number) end
  return ("%.4f"):format(number):gsub("0+$", ""):gsub("%.$", "")
end

---@param value any a scalar
---@return string on one line
function M.scalar(value)
  if value == nil or value == json.null then return "" end
  if value == true then return "yes" end
  if value == false then return "no" end
  if type(value) == "number" then return (of_number(value)) end
  return text.clean(value)
end

---@param value any
---@return boolean
function M.is_scalar(value)
  return type(value) ~= "table"
end

---A list of scalars, on one line.
---@param list any[]
---@return string
function M.list(list)
  local parts = {}
  for index, value in ipairs(list) do
    parts[index] = M.is_scalar(value) and M.scalar(value) or text.clean(json.encode(value))
  end
  return table.concat(parts, ", ")
end

---A time to the second.
---@param time string RFC 3339
---@return string
function M.time(time)
  return (text.clean(time):gsub("%.%d+Z$", "Z"))
end

---A value as a column's format wants it.
---@param value any
---@param format string? "time", "list", "json"
---@return string
function M.cell(value, format)
  if value == nil or value == json.null then return "" end
  if format == "time" and type(value) == "string" then return M.time(value) end
  if type(value) == "table" then
    return format == "list" and M.list(value) or text.clean(json.encode(value))
  end
  return M.scalar(value)
end

return M
