-- SPDX-License-Identifier: Apache-2.0
-- Under which name the value of an option is found among a command's arguments.

local M = {}

---@param option table
---@return string "token_file" for --token-file; the last of its names counts
function M.target_of(option)
  return (option[#option]:gsub("^%-+", ""):gsub("%-", "_"))
end

return M
