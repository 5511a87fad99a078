-- SPDX-License-Identifier: Apache-2.0
local out = require("cli.out")

local M = { needs_no_engine = true }

---@param call table
---@return integer exit status
function M.run(call)
  local parser = require("cli.parser").of_program()
  local script = call.arguments.shell == "bash" and parser:get_bash_complete() or parser:get_zsh_complete()
  out.write(script)
  return 0
end

return M
