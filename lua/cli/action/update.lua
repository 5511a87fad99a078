-- SPDX-License-Identifier: Apache-2.0
-- A new revision of a scenario. The route replaces all of it, so what no option gives is read first and sent again.

local exit = require("cli.exit")
local json = require("olivares.json")
local request = require("cli.request")
local show = require("cli.show")

local M = {}

local kept = { "name", "description", "subject_kind", "steps", "mocks", "variants", "seed" }

---Whether some text below `value` is only the beginning of what was once given.
local function has_cut_text(value)
  if type(value) ~= "table" then return false end
  if value.input_whole or value.resource_whole then return true end
  for _, part in pairs(value) do
    if has_cut_text(part) then return true end
  end
  return false
end

local function keep_the_rest(call, members)
  local _, path = request.route(call.command, call.arguments)
  local current, failure = call.session:document({ method = "GET", path = path })
  if not current then return nil, failure end
  for _, member in ipairs(kept) do
    if members[member] == nil and current[member] ~= nil then
      if has_cut_text(current[member]) then
        return nil, exit.usage(("text of the %s was cut when it was stored: give the %s again"):format(member, member))
      end
      members[member] = current[member]
    end
  end
  return members
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local made, failure = request.build(call.command, call.arguments)
  if not made then return nil, failure end
  if not call.arguments.from_file then
    local members
    members, failure = keep_the_rest(call, json.decode(made.body))
    if not members then return nil, failure end
    made.body = json.encode(members)
  end
  local document, body
  document, failure, body = request.send(call, made)
  if not document then return nil, failure end
  show.answer(call, body, document)
  return exit.done
end

return M
