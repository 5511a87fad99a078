-- SPDX-License-Identifier: Apache-2.0
-- An answer on standard output: the API's own document, or the command's view of it for people.

local json = require("olivares.json")
local out = require("cli.out")

local M = {}

---@param call table
---@param body string the document as the API gave it
---@param document table the same, decoded
---@param view table? the command's own when absent
function M.answer(call, body, document, view)
  if not call.json then
    require("cli.render").write(view or call.command.view, document)
    return
  end
  local member = call.command.json_member
  out.write(member and json.member(body, member) or body, "\n")
end

return M
