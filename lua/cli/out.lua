-- SPDX-License-Identifier: Apache-2.0
-- Standard output: the first failure to write is remembered, so that lost output never looks like success.

local M = {}

function M.write(...)
  local ok, message = io.stdout:write(...)
  if not ok then M.failure = M.failure or message end
end

---@return string? failure why something could not be written
function M.flush()
  local ok, message = io.stdout:flush()
  if not ok then M.failure = M.failure or message end
  return M.failure
end

return M
