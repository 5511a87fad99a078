-- SPDX-License-Identifier: Apache-2.0
-- What most commands do: one request, one answer shown. Lists can be fetched page by page.

local exit = require("cli.exit")
local json = require("olivares.json")
local out = require("cli.out")
local request = require("cli.request")
local show = require("cli.show")

local M = {}

local largest_page = 1000

local function quote(word)
  if word:find("^[%w%-._/:=,@]+$") then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---The command line again with another cursor, and without anything secret.
local function next_command(line, cursor)
  local words, skip = { "olivares" }, false
  for _, word in ipairs(line) do
    if skip then
      skip = false
    elseif word == "--cursor" or word == "--token" then
      skip = true
    elseif not word:find("^%-%-cursor=") and not word:find("^%-%-token=") then
      words[#words + 1] = quote(word)
    end
  end
  words[#words + 1] = "--cursor " .. quote(cursor)
  return table.concat(words, " ")
end

local function hint_at_more(call, document)
  if call.json or not call.command.lists or document.has_more ~= true then return end
  out.flush()
  io.stderr:write("There is more: ", next_command(call.line, document.cursor), "\n")
end

---The parameters of the page behind `cursor`, or of the first one.
local function page_of(parameters, cursor)
  local page = {}
  for _, parameter in ipairs(parameters) do
    if not (cursor and parameter[1] == "cursor") then page[#page + 1] = parameter end
  end
  if cursor then page[#page + 1] = { "cursor", cursor } end
  return page
end

---Every page as one document.
local function all_pages(call)
  local method, path = request.route(call.command, call.arguments)
  local parameters = request.parameters(call.command, call.arguments)
  if not call.arguments.limit then table.insert(parameters, 1, { "limit", largest_page }) end
  local items, texts, cursor = {}, {}, nil
  repeat
    local page = page_of(parameters, cursor)
    local document, failure, body = call.session:document({ method = method, path = path .. request.query(page) })
    if not document then return nil, failure end
    if type(document.items) ~= "table" then return nil, { code = "transport", message = "The answer is no list." } end
    table.move(document.items, 1, #document.items, #items + 1, items)
    if call.json and #document.items > 0 then texts[#texts + 1] = json.member(body, "items"):match("^%[(.*)%]$") end
    cursor = document.has_more and document.cursor
  until not cursor
  local body = ('{"items":[%s],"has_more":false}'):format(table.concat(texts, ","))
  return { items = items, has_more = false }, nil, body
end

---The document and its text as the command's options ask for it.
---@return table? document
---@return table? failure
---@return string? body
function M.fetch(call)
  if call.command.lists and call.arguments.all then return all_pages(call) end
  local made, failure = request.build(call.command, call.arguments)
  if not made then return nil, failure end
  return request.send(call, made)
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local document, failure, body = M.fetch(call)
  if not document then return nil, failure end
  show.answer(call, body, document)
  hint_at_more(call, document)
  local status = call.command.status
  return status and status(document, call.arguments) or exit.done
end

return M
