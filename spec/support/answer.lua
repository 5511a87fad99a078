-- SPDX-License-Identifier: Apache-2.0
-- What an answer of the API has to be.

local assert = require("luassert")

local M = {}

---An error with exactly this status, code, message and place.
---@param answer table of spec.support.server
---@param status integer
---@param code string
---@param message string
---@param place string? nil: none
---@return table error
function M.refused(answer, status, code, message, place)
  local found = answer.json and answer.json.error or {}
  assert.same({ status = status, code = code, message = message, place = place }, {
    status = answer.status, code = found.code, message = found.message, place = (found.details or {}).place,
  })
  return found
end

---A success with this status.
---@param answer table of spec.support.server
---@param status integer
---@return any document
function M.given(answer, status)
  assert.equal(status, answer.status, answer.body)
  assert.equal("application/json", answer.headers["content-type"])
  return answer.json
end

---The sorted names of a document's members, for closed documents.
---@param document table
---@return string "a b c"
function M.members(document)
  local names = {}
  for name in pairs(document) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, " ")
end

M.uuid = "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-7%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$"
M.time = "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%d%d%d%d%d%d%dZ$"

return M
