-- SPDX-License-Identifier: Apache-2.0
-- Base64 (RFC 4648, section 4), as bodies that are no text are written.

local M = {}

local values = {}
for index, first in ipairs({ "A", "a", "0" }) do
  for offset = 0, index < 3 and 25 or 9 do
    values[string.char(first:byte() + offset)] = (index - 1) * 26 + offset
  end
end
values["+"], values["/"] = 62, 63

---@param text string blanks and line ends don't count
---@return string? bytes nil when it is no base64
function M.decode(text)
  local symbols = text:gsub("%s+", "")
  local body = symbols:match("^([%w+/]*)=?=?$")
  if not body or #symbols % 4 ~= 0 then return nil end
  local bytes, bits, held = {}, 0, 0
  for symbol in body:gmatch(".") do
    bits = (bits << 6 | values[symbol]) & 0xffff
    held = held + 6
    if held >= 8 then
      held = held - 8
      bytes[#bytes + 1] = string.char(bits >> held & 0xff)
    end
  end
  return table.concat(bytes)
end

return M
