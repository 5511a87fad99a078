-- SPDX-License-Identifier: Apache-2.0
-- JSON Schema 2020-12, as far as the API's description uses it. An empty table passes for an empty array and an empty
-- object alike, since cjson does not tell them apart.

local answer = require("spec.support.answer")

local M = {}

local function is_array(value) return type(value) == "table" and (#value > 0 or next(value) == nil) end
local function is_object(value) return type(value) == "table" and #value == 0 end

local types = {
  string = function(value) return type(value) == "string" end,
  number = function(value) return type(value) == "number" end,
  integer = function(value) return math.tointeger(value) ~= nil and type(value) == "number" end,
  boolean = function(value) return type(value) == "boolean" end,
  array = is_array,
  object = is_object,
}

local formats = {
  uuid = function(text) return text:find(answer.uuid) ~= nil end,
  ["date-time"] = function(text) return text:find(answer.time) ~= nil end,
  email = function(text) return text:find("^[^%s@]+@[^%s@]+$") ~= nil end,
}

---The keywords this file knows, and whether each takes schemas: "schema", "schemas" (a map or a list), or false.
M.keywords = {
  ["$ref"] = false, type = false, description = false, format = false, enum = false, minLength = false,
  maxLength = false, ["x-max-bytes"] = false, minimum = false, maximum = false, items = "schema", minItems = false,
  properties = "schemas", required = false, additionalProperties = "schema", oneOf = "schemas",
}

local check

local function check_object(document, schema, value, place)
  for _, name in ipairs(schema.required or {}) do
    if value[name] == nil then return ("%s: %s is missing"):format(place, name) end
  end
  for name, inner in pairs(value) do
    local inner_schema = schema.properties and schema.properties[name]
    if inner_schema == nil then inner_schema = schema.additionalProperties end
    if inner_schema == false then return ("%s: %s is not described"):format(place, name) end
    if type(inner_schema) == "table" then
      local fault = check(document, inner_schema, inner, place .. "." .. name)
      if fault then return fault end
    end
  end
  return nil
end

local function check_string(schema, value, place)
  if #value < (schema.minLength or 0) then return place .. ": too short" end
  if schema.maxLength and utf8.len(value) > schema.maxLength then return place .. ": too long" end
  if schema.format and not formats[schema.format](value) then return ("%s: no %s"):format(place, schema.format) end
  return nil
end

local function check_enum(schema, value, place)
  for _, allowed in ipairs(schema.enum) do
    if allowed == value then return nil end
  end
  return ("%s: %s is not in the list"):format(place, tostring(value))
end

---Exactly one of the alternatives must take the value.
local function check_one_of(document, schema, value, place)
  local taking, faults = 0, {}
  for index, alternative in ipairs(schema.oneOf) do
    faults[index] = check(document, alternative, value, place)
    if not faults[index] then taking = taking + 1 end
  end
  if taking == 1 then return nil end
  if taking > 1 then return ("%s: %d alternatives take it"):format(place, taking) end
  return "no alternative takes it: " .. table.concat(faults, "; ")
end

---@param document table the OpenAPI document, for references
---@param schema table
---@param value any
---@param place string where the value is, for the message
---@return string? fault
function check(document, schema, value, place)
  if schema["$ref"] then return check(document, M.resolve(document, schema["$ref"]), value, place) end
  if schema.oneOf then return check_one_of(document, schema, value, place) end
  if schema.type and not types[schema.type](value) then return ("%s: no %s"):format(place, schema.type) end
  local fault = schema.enum and check_enum(schema, value, place)
  if not fault and type(value) == "string" then fault = check_string(schema, value, place) end
  if fault then return fault end
  if type(value) == "number" and (value < (schema.minimum or value) or value > (schema.maximum or value)) then
    return place .. ": out of bounds"
  end
  if schema.type == "array" then
    if #value < (schema.minItems or 0) then return place .. ": too few" end
    for i, item in ipairs(schema.items and value or {}) do
      fault = check(document, schema.items, item, ("%s[%d]"):format(place, i - 1))
      if fault then return fault end
    end
  end
  return schema.type == "object" and check_object(document, schema, value, place) or nil
end

M.check = check

---What a reference within the document points at; nil when it points nowhere.
---@param document table
---@param ref string
---@return table?
function M.resolve(document, ref)
  local at = document
  for name in assert(ref:match("^#/(.+)$")):gmatch("[^/]+") do
    at = type(at) == "table" and at[(name:gsub("~1", "/"):gsub("~0", "~"))] or nil
  end
  return at
end

return M
