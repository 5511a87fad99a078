-- SPDX-License-Identifier: Apache-2.0
-- From the arguments of a command to its request: the route's path, its parameters, its body.

local exit = require("cli.exit")
local input = require("cli.input")
local json = require("olivares.json")
local names = require("cli.names")
local term = require("olivares.term")

local M = {}

local function percent(text)
  return (text:gsub("[^%w%-._~]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

M.percent = percent

---@param pairs_in_order { [1]: string, [2]: string|integer|boolean }[]
---@return string "?a=b&c=d", or "" when there is none
function M.query(pairs_in_order)
  local parts = {}
  for index, pair in ipairs(pairs_in_order) do parts[index] = percent(pair[1]) .. "=" .. percent(tostring(pair[2])) end
  return #parts > 0 and "?" .. table.concat(parts, "&") or ""
end

---Method and path of a command's route, its {arguments} filled in.
function M.route(command, arguments)
  local method, path = command.route:match("^(%u+) (.*)$")
  return method, (path:gsub("{([%w_]+)}", function(name) return percent(arguments[name]) end))
end

local function ask_secret(command, option)
  if not (term.is_tty("stdin") and term.is_tty("stderr")) then
    return nil, exit.usage(("there is no terminal to ask for the %s: use %s"):format(option.secret, option[#option]))
  end
  local label = option.secret:gsub("^.", string.upper)
  local secret, failure = term.ask_secret(label .. ": ")
  if not secret then return nil, failure end
  if secret == "" then return nil, exit.usage(("the %s is empty"):format(option.secret)) end
  if command.confirm_secret then
    local again
    again, failure = term.ask_secret(label .. " again: ")
    if not again then return nil, failure end
    if again ~= secret then return nil, exit.usage(("the two %ss differ"):format(option.secret)) end
  end
  return secret
end

---The value of the body's member (or of the whole body) that an option gives; nil when it gives none.
local function value_of(command, option, value)
  local name = option[#option]
  if option.secret and value then return input.secret(name, value) end
  if option.secret then return ask_secret(command, option) end
  if value == nil then return nil end
  if option.json then return input.json(name, value) end
  if option.text then return input.text(name, value) end
  return value
end

---@param command table
---@param arguments table
---@return table? members of the body, or the whole body as raw JSON
---@return table? failure
function M.body(command, arguments)
  local members = command.body and command.body(arguments) or {}
  for _, option in ipairs(command.options) do
    local value, failure
    if option.body or option.secret or option.whole_body then
      value, failure = value_of(command, option, arguments[names.target_of(option)])
    end
    if failure then return nil, failure end
    if option.whole_body and value then return value end
    if value ~= nil then members[option.body or option.secret] = value end
  end
  return members
end

---@param command table
---@param arguments table
---@return { [1]: string, [2]: any }[]
function M.parameters(command, arguments)
  local parameters = {}
  for _, option in ipairs(command.options) do
    local value = arguments[names.target_of(option)]
    if option.query and value ~= nil then parameters[#parameters + 1] = { option.query, value } end
  end
  return parameters
end

---The request of a command whose options say all there is to know.
---@return table? request
---@return table? failure
function M.build(command, arguments)
  local method, path = M.route(command, arguments)
  local request = { method = method, path = path .. M.query(M.parameters(command, arguments)) }
  if method ~= "GET" and method ~= "DELETE" then
    local body, failure = M.body(command, arguments)
    if not body then return nil, failure end
    local ok, encoded = pcall(json.encode, body)
    if not ok then return nil, exit.usage("an argument is not UTF-8 text") end
    request.body = encoded
  end
  return request
end

---Sends what `build` made.
---@param call table
---@param made table
---@return table? document
---@return table? failure one that is due to a file names it
---@return string? body
function M.send(call, made)
  local document, failure, body = call.session:document(made)
  if failure then return nil, input.blame(call.command, call.arguments, failure) end
  return document, nil, body
end

return M
