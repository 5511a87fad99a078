-- SPDX-License-Identifier: Apache-2.0
-- The first user: like any command with a token in its answer, once the setup token is found.

local exit = require("cli.exit")
local file = require("olivares.file")
local input = require("cli.input")
local secret = require("cli.action.secret")
local session = require("cli.session")

local M = {}

---The token the engine left in its data directory; nil when this machine has none.
local function left_by_engine(arguments)
  local data = session.data_of(arguments)
  if not data then return nil end
  local text = file.read(data .. "/setup-token")
  return text and text:match("^%S+")
end

local function setup_token(call)
  local arguments = call.arguments
  if arguments.setup_token and arguments.setup_token_file then
    return nil, exit.usage("give --setup-token or --setup-token-file, not both")
  end
  if arguments.setup_token_file then return input.secret("--setup-token-file", arguments.setup_token_file) end
  return arguments.setup_token or left_by_engine(arguments)
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local token, failure = setup_token(call)
  if failure then return nil, failure end
  if not token and call.session.server then
    return nil, exit.usage("the setup token is not on this machine: use --setup-token or --setup-token-file")
  end
  call.arguments.setup_token = token
  return secret.run(call)
end

return M
