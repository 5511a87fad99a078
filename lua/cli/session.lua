-- SPDX-License-Identifier: Apache-2.0
-- Where requests go: which server or data directory, as whom, in which tenant. Nothing is opened before the first
-- request.

local client = require("olivares.client")
local exit = require("cli.exit")
local forms = require("cli.forms")
local host = require("olivares.host")
local input = require("cli.input")
local json = require("olivares.json")

local M = {}

local Session = {}
Session.__index = Session

local function environment(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

local function server_of(arguments)
  if arguments.server then return arguments.server end
  return not arguments.data and environment("OLIVARES_SERVER_URL") or nil
end

local function token_of(arguments)
  if arguments.token and arguments.token_file then return nil, exit.usage("give --token or --token-file, not both") end
  if arguments.token_file then return input.secret("--token-file", arguments.token_file) end
  return arguments.token or environment("OLIVARES_TOKEN")
end

---@param arguments table of the command line
---@param note string what the command is, for others who find the data directory in use
---@return table session
function M.new(arguments, note)
  return setmetatable({ arguments = arguments, note = note, server = server_of(arguments) }, Session)
end

---The data directory that a command line names, or the default one.
---@param arguments table
---@return string? path
---@return table? failure there is none
function M.data_of(arguments)
  if arguments.data then return arguments.data end
  local path, failure = host.default_data()
  if not path then return nil, exit.usage(failure.message) end
  return path
end

local function open(self)
  local arguments = self.arguments
  -- Others wait a moment for a directory whose holder's note begins like this.
  local settings = { note = "command " .. self.note }
  if self.server then
    local token, failure = token_of(arguments)
    if failure then return nil, failure end
    settings.server, settings.token = self.server, token
  elseif arguments.token or arguments.token_file then
    return nil, exit.usage("a token is for a server: give --server too")
  else
    local failure
    settings.data, failure = M.data_of(arguments)
    if failure then return nil, failure end
  end
  local handle, failure = client.open(settings)
  if not handle then
    if failure.code == "bad_request" then failure.code = "usage" end
    return nil, failure
  end
  if handle:exposes_token() then
    io.stderr:write("olivares: warning: the token travels unencrypted to ", self.server, "; use https\n")
  end
  return handle
end

---The tenant the command line or the environment names, if any.
---@return string? id
---@return table? failure
local function tenant_of(arguments)
  if arguments.tenant then return arguments.tenant end
  local word = environment("OLIVARES_TENANT")
  if not word then return nil end
  local id, wanted = forms.id(word)
  if not id then return nil, exit.usage(forms.fault("OLIVARES_TENANT", wanted, word)) end
  return id
end

local function failure_of(answer)
  local document = json.decode(answer.body)
  local problem = type(document) == "table" and document.error
  if type(problem) ~= "table" or type(problem.code) ~= "string" or type(problem.message) ~= "string" then
    local way = answer.status < 400 and "a redirect, which is not followed" or "no error document"
    return { code = "transport", message = ("The server answered %d with %s."):format(answer.status, way) }
  end
  local details = type(problem.details) == "table" and problem.details or {}
  local place = type(details.place) == "string" and details.place or nil
  return { code = problem.code, message = problem.message, place = place }
end

---Makes a request; any status of 300 and above is a failure.
---@param request table {method, path, body?, last_event_id?, on_event?, guard?}
---@return table? answer {status, body}
---@return table? failure
---@return table? answer the one that was a failure, when there was one
function Session:request(request)
  if not self.handle then
    local tenant, failure = tenant_of(self.arguments)
    if failure then return nil, failure end
    local handle
    handle, failure = open(self)
    if not handle then return nil, failure end
    self.tenant, self.handle = tenant, handle
  end
  request.tenant = self.tenant
  local answer, failure = self.handle:request(request)
  if not answer then return nil, failure end
  if answer.status >= 300 then return nil, failure_of(answer), answer end
  return answer
end

---Like request, with the answer's document decoded.
---@return table? document
---@return table? failure
---@return string? body
function Session:document(request)
  local answer, failure = self:request(request)
  if not answer then return nil, failure end
  local document
  document, failure = json.decode(answer.body)
  if document == nil then
    return nil, { code = "transport", message = "The answer is no JSON document: " .. failure.message }
  end
  return document, nil, answer.body
end

function Session:close()
  if self.handle then self.handle:close() end
  self.handle = nil
end

Session.__close = Session.close

return M
