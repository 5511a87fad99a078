-- SPDX-License-Identifier: Apache-2.0
-- VCR: cassettes of Ruby's VCR ("http_interactions") and of Python's vcrpy ("interactions"), YAML or JSON.
--
-- A recording is played once; a request that is made again gets the next recording of it, and none behind the last. So
-- the recordings of a request become one mock with a sequence. Requests are told apart by method and URI, as both tools
-- do it by default; bodies are part of a resource, so they tell requests apart here too.

local base64 = require("import.base64")
local http = require("import.http")
local json = require("olivares.json")
local order = require("import.order")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, set = report_of.at, report_of.set

-- What says nothing about requests and answers: when and how it was recorded.
local known_of_cassette = set("http_interactions interactions recorded_with version")
local known_of_interaction = set("request response recorded_at duration")
local known_of_request = set("method uri body headers")
local known_of_response = set("status headers body http_version protocol adapter_metadata url")
local known_of_body = set("encoding string base64_string")

-- Names of headers that often hold a secret.
local secret_words = { "auth", "cookie", "token", "secret", "key", "password", "session", "credential" }

local function is_secret(name)
  for _, word in ipairs(secret_words) do
    if name:lower():find(word, 1, true) then return true end
  end
  return false
end

local function tell_headers(report, headers, place, why)
  if not value.is(headers, "object") or next(headers) == nil then return end
  local names, secrets = value.names(headers), {}
  for _, name in ipairs(names) do
    if is_secret(name) then secrets[#secrets + 1] = name end
  end
  report:lost(place, why .. " (" .. table.concat(names, ", ") .. ")")
  if #secrets > 0 then
    report:lost(place, "recorded secrets are not carried, and are still in this file (" .. table.concat(secrets, ", ")
      .. ")")
  end
end

---@return string
local function body_of(report, body, place)
  if body == nil or body == json.null then return "" end
  if value.is(body, "text") then return body end
  if not value.is(body, "object") then report:leave_out(place, "the body is no text") end
  report:unknown(body, place, known_of_body)
  if value.is(body.base64_string, "text") then
    return base64.decode(body.base64_string) or report:leave_out(at(place, "base64_string"), "it is no base64")
  end
  return body_of(report, body.string, at(place, "string"))
end

---@return string host
---@return string path and query
local function split(report, uri, place)
  if not value.is(uri, "text") then report:leave_out(place, "there is no URI") end
  local host, target = uri:match("^%a[%w+.-]*://([^/?#]*)([^#]*)")
  if not host then report:leave_out(place, "it is no absolute URI") end
  if target:sub(1, 1) ~= "/" then target = "/" .. target end
  if not value.is_text(target) or target:find("[ \n]") then report:leave_out(place, "it is no URI") end
  return host, target
end

local function read_request(report, request, place)
  if not value.is(request, "object") then report:leave_out(place, "there is no request") end
  report:unknown(request, place, known_of_request)
  local method = value.is(request.method, "text") and request.method:upper() or ""
  if not method:find("^%u+$") then report:leave_out(at(place, "method"), "it is no method") end
  local host, target = split(report, request.uri, at(place, "uri"))
  report:lost(at(place, "uri"), http.no_host .. " (" .. host:gsub("^.*@", "") .. ")")
  if host:find("@", 1, true) then
    report:lost(at(place, "uri"), "recorded secrets are not carried, and are still in this file (user information)")
  end
  tell_headers(report, request.headers, at(place, "headers"), http.no_headers)
  local body = body_of(report, request.body, at(place, "body"))
  if not value.is_text(body) then report:leave_out(at(place, "body"), "the body is no UTF-8 text") end
  return http.resource(method, target, body), host
end

local function read_response(report, response, place)
  if not value.is(response, "object") then report:leave_out(place, "there is no response") end
  report:unknown(response, place, known_of_response)
  local status, status_place = response.status, at(place, "status")
  if value.is(status, "object") then status, status_place = status.code, at(status_place, "code") end
  tell_headers(report, response.headers, at(place, "headers"), http.no_answer_headers)
  return http.answer(report, { status = status, status_place = status_place,
    body = body_of(report, response.body, at(place, "body")), body_place = at(place, "body") })
end

---@return table found { resource, host, place, response }
local function read_interaction(report, interaction, place)
  if not value.is(interaction, "object") then report:leave_out(place, "an interaction is an object") end
  report:unknown(interaction, place, known_of_interaction)
  local resource, host = read_request(report, interaction.request, at(place, "request"))
  return { resource = resource, host = host, place = place, response = interaction.response }
end

local function list_name(document)
  return value.is(document.http_interactions, "array") and "http_interactions" or "interactions"
end

M.shape = "an object with http_interactions or interactions"

---@param document any
---@return boolean
function M.recognises(document)
  return value.is(document, "object") and value.is(document[list_name(document)], "array")
end

---Adds a recording to those of its resource. Behind one that is left out the others would come too early.
local function add(report, entry, found)
  if entry.host ~= found.host then
    report:lost(at(found.place, "request.uri"),
      "another host answers the same resource at " .. entry.place .. "; both are one sequence now")
  end
  if entry.broken then
    report:lost(found.place, "an earlier recording of the same request is left out, and so is this one")
    return
  end
  local answer = report:attempt(read_response, report, found.response, at(found.place, "response"))
  entry.broken = answer == nil
  table.insert(entry.answers, answer)
end

---@param document table
---@param report table
---@return table[] mocks
function M.read(document, report)
  report:unknown(document, "", known_of_cassette)
  local name = list_name(document)
  local by_resource, entries = {}, {}
  for index, interaction in ipairs(document[name]) do
    local found = report:attempt(read_interaction, report, interaction, ("%s[%d]"):format(name, index - 1))
    if found then
      local entry = by_resource[found.resource]
      if not entry then
        entry = { place = found.place, host = found.host, answers = {}, mock = { resource = found.resource } }
        by_resource[found.resource] = entry
        entries[#entries + 1] = entry
      end
      add(report, entry, found)
    end
  end
  local answering = {}
  for _, entry in ipairs(entries) do
    if #entry.answers > 0 then
      http.put_answers(entry.mock, entry.answers, "miss")
      answering[#answering + 1] = entry
    end
  end
  return order.arrange(report, answering)
end

return M
