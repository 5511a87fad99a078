-- SPDX-License-Identifier: Apache-2.0
-- Files that options name. Whatever is wrong with one is a usage error that names the option and the file.

local exit = require("cli.exit")
local file = require("olivares.file")
local json = require("olivares.json")
local names = require("cli.names")

local M = {}

local function fault(name, path, message, place)
  return exit.usage(("%s %s: %s"):format(name, path, message), place)
end

---@param name string of the option
---@param path string "-" is standard input
---@return string? bytes
---@return table? failure
local function read(name, path)
  local bytes, failure = file.read(path)
  if bytes then return bytes end
  local quoted = "'" .. path .. "'"
  local first, last = failure.message:find(quoted, 1, true)
  local message = failure.message
  if first then message = message:sub(1, first - 1) .. "it" .. message:sub(last + 1) end
  return nil, fault(name, path, message)
end

---A JSON text, as it is.
---@param name string of the option
---@param path string
---@return table? raw JSON
---@return table? failure
function M.json(name, path)
  local text, failure = read(name, path)
  if not text then return nil, failure end
  local value
  value, failure = json.decode(text)
  if value == nil then return nil, fault(name, path, failure.message, failure.place) end
  return json.raw(text)
end

---Text, byte for byte.
---@param name string of the option
---@param path string
---@return string?
---@return table? failure
function M.text(name, path)
  local text, failure = read(name, path)
  if not text then return nil, failure end
  local _, bad = utf8.len(text)
  if bad then return nil, fault(name, path, "it is not UTF-8 text", "byte " .. bad) end
  return text
end

---A secret: the only line of a file.
---@param name string of the option
---@param path string
---@return string?
---@return table? failure
function M.secret(name, path)
  local text, failure = read(name, path)
  if not text then return nil, failure end
  local secret = text:gsub("\r?\n$", "")
  if secret:find("[\r\n]") then return nil, fault(name, path, "it holds more than one line") end
  if secret == "" then return nil, fault(name, path, "it is empty") end
  return secret
end

---A refusal by the engine of what a file holds becomes a fault of that file; any other failure stays as it is.
---@param command table
---@param arguments table
---@param failure table
---@return table failure
function M.blame(command, arguments, failure)
  if failure.code ~= "bad_request" then return failure end
  local member, elsewhere = (failure.place or ""):match("^[%w_]*"), {}
  for _, argument in ipairs(command.arguments) do elsewhere[argument[1]] = true end
  for _, option in ipairs(command.options) do
    local path = option.file and arguments[names.target_of(option)]
    local holds = (option.body or option.secret) == member or option.whole_body and not elsewhere[member]
    if path and holds then
      failure.message = ("%s %s: %s"):format(option[#option], path, failure.message)
      failure.status = exit.usage_error
    end
  end
  return failure
end

return M
