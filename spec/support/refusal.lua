-- SPDX-License-Identifier: Apache-2.0
-- What a request was refused with, in a form that one comparison checks whole.

local assert = require("luassert")

local M = {}

---@param answer table of spec.support.client
---@return table { status, code, message, place?, more? } more: members that an error document does not have
function M.of(answer)
  local refusal = { status = answer.status }
  for member, value in pairs(answer.json or { body = answer.body }) do
    if member ~= "error" then refusal.more = { [member] = value } end
  end
  for member, value in pairs(answer.json and answer.json.error or {}) do
    if member == "code" or member == "message" then
      refusal[member] = value
    elseif member == "details" then
      refusal.place = value.place
      if value.retry_after_s then refusal.more = value end
    else
      refusal.more = { [member] = value }
    end
  end
  return refusal
end

---Checks it against { status, code, message, place? }.
function M.check(expected, answer)
  assert.same({ status = expected[1], code = expected[2], message = expected[3], place = expected[4] }, M.of(answer))
end

return M
