-- SPDX-License-Identifier: Apache-2.0
-- What a decoded document holds, whether it was JSON or YAML, and what text may be part of a mock.

local json = require("olivares.json")

local M = {}

---@param value any of a decoded document
---@return string? "text", "number", "boolean", "null", "array" or "object"; nil for nothing
function M.kind(value)
  local kind = type(value)
  if value == nil then return nil end
  if kind == "string" then return "text" end
  if kind ~= "table" then return value == json.null and "null" or kind end
  return json.is_array(value) and "array" or "object"
end

---@param value any
---@param kind string
---@return boolean
function M.is(value, kind)
  return M.kind(value) == kind
end

---@param object table
---@return string[] its names, sorted by bytes
function M.names(object)
  local names = {}
  for name in pairs(object) do names[#names + 1] = name end
  table.sort(names)
  return names
end

---@param value any
---@return string JSON, without blanks, members sorted by bytes
function M.text(value)
  return json.encode(value)
end

---Whether a mock can hold it: well-formed UTF-8 without NUL.
---@param text string
---@return boolean
function M.is_text(text)
  return utf8.len(text) ~= nil and not text:find("\0", 1, true)
end

return M
