-- SPDX-License-Identifier: Apache-2.0
-- Forms a value can have to have. Each function takes the word and the option, and gives the value, or nil and what is
-- wanted instead. The engine checks the same again; here the message can name the option.

local M = {}

---@param word string
---@param option table with min and max
---@return integer?
---@return string? wanted
function M.integer(word, option)
  local number = word:match("^%d+$") and math.tointeger(tonumber(word))
  if number and number >= option.min and number <= (option.max or math.maxinteger) then return number end
  if option.max then return nil, ("an integer from %d to %d"):format(option.min, option.max) end
  return nil, ("an integer of at least %d"):format(option.min)
end

local hex = "[0-9a-f]"
local uuid_v7 = table.concat({ "^" .. hex:rep(8), hex:rep(4), "7" .. hex:rep(3), "[89ab]" .. hex:rep(3),
  hex:rep(12) .. "$" }, "%-")

---@param word string
---@return string?
---@return string? wanted
function M.id(word)
  if word:find(uuid_v7) then return word end
  return nil, "an id (a lower-case UUIDv7) like 0190a0b0-0000-7000-8000-000000000001"
end

---@param word string
---@return string?
---@return string? wanted
function M.address(word)
  local host, digits = word:match("^(.+):(%d+)$")
  local port = digits and #digits <= 5 and tonumber(digits)
  if port and port <= 65535 then
    local inner = host:match("^%[(.+)%]$")
    if (inner ~= nil) == ((inner or host):find(":", 1, true) ~= nil) then return word end
  end
  return nil, "ADDR:PORT, such as 127.0.0.1:8440 or [::1]:8440, with a port from 0 to 65535"
end

---The message for a word that has not the form.
---@param what string names the option or the variable
---@param wanted string
---@param word string
---@return string
function M.fault(what, wanted, word)
  return ("%s takes %s, not '%s'"):format(what, wanted, word)
end

return M
