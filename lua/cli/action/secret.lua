-- SPDX-License-Identifier: Apache-2.0
-- Commands whose answer holds a new token, which --save keeps out of sight.

local exit = require("cli.exit")
local file = require("olivares.file")
local request = require("cli.action.request")
local show = require("cli.show")

local M = {}

---Shows an answer with a token, or writes the token to the file of --save.
---@return integer? exit status
---@return table? failure
function M.finish(call, document, body)
  local path = call.arguments.save
  if not path then
    show.answer(call, body, document)
    return exit.done
  end
  local ok, failure = file.write_private(path, document.token .. "\n")
  if not ok then return nil, failure end
  document.token = nil
  show.answer(call, require("olivares.json").encode(document), document)
  io.stderr:write("The token is in ", path, "; use it with --token-file.\n")
  return exit.done
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local document, failure, body = request.fetch(call)
  if not document then return nil, failure end
  return M.finish(call, document, body)
end

return M
