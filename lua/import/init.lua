-- SPDX-License-Identifier: Apache-2.0
-- Mocks of other tools. A reader of a format is a pure function of a decoded document:
--   recognises(document) → boolean       whether the document has the format's shape
--   shape                                that shape in words
--   read(document, report) → mocks       an array in the form of a scenario's "mocks"; or nil and why it can't be read
-- What a reader can't carry over it tells the report (import.report); nothing is dropped without a word.

local json = require("olivares.json")
local report_of = require("import.report")
local yaml = require("olivares.yaml")

local M = {}

---In the order in which they are tried.
M.formats = { "wiremock", "hoverfly", "mountebank", "vcr" }

local in_yaml = { vcr = true }

local function reader_of(format)
  return require("import." .. format)
end

---@param text string
---@param may_be_yaml boolean
---@return any? document
---@return table? failure {message, place?}
local function decode(text, may_be_yaml)
  local looks_like_json = text:find("^%s*[%[{]") ~= nil
  local document, failure = json.decode(text)
  if document ~= nil then return document end
  if not may_be_yaml then return nil, failure end
  local read, why = yaml.decode(text)
  if read ~= nil then return read end
  return nil, looks_like_json and failure or why
end

---@param document any
---@param wanted string[]
---@return string? format
local function recognise(document, wanted)
  for _, format in ipairs(wanted) do
    if reader_of(format).recognises(document) then return format end
  end
  return nil
end

---@param text string bytes of a file
---@param format string? one of M.formats; nil: found out
---@return table[]? mocks
---@return table report or failure {message, place?}
function M.read(text, format)
  local wanted = format and { format } or M.formats
  local document, failure = decode(text, format == nil or in_yaml[format] == true)
  if document == nil then return nil, failure end
  local found = recognise(document, wanted)
  if not found then
    if format then
      return nil, { message = ("it is no document of %s: %s is expected"):format(format, reader_of(format).shape) }
    end
    return nil, { message = "its format is not recognised; tried: " .. table.concat(M.formats, ", ")
      .. ". If it is one of them, name it with --format to be told more" }
  end
  local report = report_of.new()
  local mocks, why = reader_of(found).read(document, report)
  if not mocks then return nil, { message = why } end
  return mocks, report
end

return M
