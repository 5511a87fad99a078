-- SPDX-License-Identifier: Apache-2.0
-- Hoverfly: simulations of schema version 5.
--
-- Hoverfly answers with the strongest match: each exact matcher counts 2, any other 1, no query or an empty one counts
-- 1 too; of equally strong pairs the last one answers. A pair's strength is the same for every request it matches, so
-- the strongest pairs come first, and of equally strong ones the last.

local base64 = require("import.base64")
local http = require("import.http")
local json = require("olivares.json")
local matchers = require("import.hoverfly_matchers")
local order = require("import.order")
local report_of = require("import.report")
local state = require("import.hoverfly_state")
local value = require("import.value")

local M = {}

local at, set, tests = report_of.at, report_of.set, http.tests

local known_of_pair = set("request response labels")
local known_of_request = set("scheme method destination path query deprecatedQuery body headers requiresState")
local known_of_response = set([[status body bodyFile encodedBody headers templated transitionsState removesState
  fixedDelay logNormalDelay postServeAction]])

-- ---- requests ----

local function tell_lost(report, request, place)
  local lost = false
  local why = { scheme = "a resource has no scheme; the mock answers whichever it is", destination = http.no_host }
  for _, name in ipairs({ "destination", "scheme" }) do
    if #matchers.list(report, at(place, name), request[name]) > 0 then
      report:lost(at(place, name), why[name])
      lost = true
    end
  end
  for _, name in ipairs(value.is(request.headers, "object") and value.names(request.headers) or {}) do
    report:lost(at(at(place, "headers"), name), http.no_headers)
    lost = true
  end
  for _, name in ipairs(value.names(request)) do
    if not known_of_request[name] then
      report:leave_out(at(place, name), "a condition that is not known can't be carried")
    end
  end
  return lost
end

local function add_query(report, request, place, conditions)
  matchers.add(report, at(place, "deprecatedQuery"), request.deprecatedQuery, conditions, http.query)
  local query = request.query
  if query == nil or query == json.null then return end
  if not value.is(query, "object") then report:leave_out(at(place, "query"), "it is no object") end
  if next(query) == nil then conditions[#conditions + 1] = http.query(tests.equal("")) end
  for _, name in ipairs(value.names(query)) do
    local member = at(at(place, "query"), name)
    if #matchers.list(report, member, query[name]) == 0 then
      conditions[#conditions + 1] = http.parameter_exists(name, true)
    end
    matchers.add(report, member, query[name], conditions,
      function(test) return http.parameter(name, test, false, true) end)
  end
end

---The resource, when method, path, query and body are told to the last byte.
local function exact_resource(request, method, path)
  local old = request.deprecatedQuery
  local query = old == nil and "" or matchers.only_exact(old)
  local no_new_query = request.query == nil or request.query == json.null
  if old == nil and not (value.is(request.query, "object") and next(request.query) == nil) then return nil end
  if old ~= nil and not no_new_query and next(request.query) ~= nil then return nil end
  if not query or not path or not method then return nil end
  local bodies = request.body
  local no_body = bodies == nil or bodies == json.null or (type(bodies) == "table" and next(bodies) == nil)
  local body = no_body and http.is_bare(method) and "" or matchers.only_exact(bodies)
  return body and http.resource(method, path .. (query ~= "" and "?" .. query or ""), body) or nil
end

---@return table mock with its resource or its matcher
local function read_request(report, request, place)
  if not value.is(request, "object") then report:leave_out(place, "there is no request") end
  local lost = tell_lost(report, request, place)
  local method, path = matchers.only_exact(request.method), matchers.only_exact(request.path)
  if method and not method:find("^%a+$") then report:leave_out(at(place, "method"), "it is no method") end
  local resource = exact_resource(request, method, path)
  if resource then return { resource = resource } end
  local conditions = {}
  if #matchers.list(report, at(place, "path"), request.path) == 0 and method then
    conditions[1] = { prefix = method .. " " }
  elseif not method and #matchers.list(report, at(place, "method"), request.method) > 0 then
    report:leave_out(at(place, "method"), "only one exact method can be carried")
  end
  matchers.add(report, at(place, "path"), request.path, conditions, function(test) return http.path(method, test) end)
  add_query(report, request, place, conditions)
  matchers.add(report, at(place, "body"), request.body, conditions, http.body, true)
  if #conditions == 0 and lost then
    report:leave_out(place, "none of its conditions can be carried, and it would answer every request")
  end
  return { match = http.all(conditions) }
end

-- ---- responses ----

local function body_of(report, response, place)
  local body = response.body == nil and "" or response.body
  if response.bodyFile ~= nil and response.bodyFile ~= "" then
    report:leave_out(at(place, "bodyFile"), "the body is in another file")
  end
  if not value.is(body, "text") then report:leave_out(at(place, "body"), "the body is no text") end
  if response.encodedBody == true then
    body = base64.decode(body) or report:leave_out(at(place, "body"), "it is no base64")
  end
  if response.templated == true and body:find("{{", 1, true) then
    report:leave_out(at(place, "templated"), "what a template makes of a request can't be carried")
  end
  return body
end

local function read_response(report, response, place)
  if not value.is(response, "object") then report:leave_out(place, "there is no response") end
  report:unknown(response, place, known_of_response)
  if value.is(response.headers, "object") and next(response.headers) ~= nil then
    report:lost(at(place, "headers"),
      http.no_answer_headers .. " (" .. table.concat(value.names(response.headers), ", ") .. ")")
  end
  if response.logNormalDelay ~= nil then report:lost(at(place, "logNormalDelay"), "a random delay can't be carried") end
  if response.postServeAction ~= nil and response.postServeAction ~= "" then
    report:lost(at(place, "postServeAction"), "what is done behind an answer can't be carried")
  end
  local delay
  if response.fixedDelay ~= nil then
    delay = http.delay(response.fixedDelay)
    if not delay then report:lost(at(place, "fixedDelay"), "is no delay up to a day in whole milliseconds") end
  end
  return http.answer(report, { status = response.status, status_place = at(place, "status"),
    body = body_of(report, response, place), body_place = at(place, "body"), delay_ms = delay })
end

-- ---- simulations ----

local function read_pair(report, pair, place, index)
  if not value.is(pair, "object") then report:leave_out(place, "a pair is an object") end
  report:unknown(pair, place, known_of_pair)
  local mock = read_request(report, pair.request, at(place, "request"))
  local answer = read_response(report, pair.response, at(place, "response"))
  return { mock = mock, key = value.text(mock), answer = answer, place = place, index = index,
    rank = matchers.strength(pair.request) }
end

local function tell_globals(report, data)
  report:unknown(data, "data", set("pairs globalActions literals variables"))
  local actions = value.is(data.globalActions, "object") and data.globalActions or {}
  for _, name in ipairs(value.names(actions)) do
    local given = actions[name]
    if type(given) == "table" and next(given) ~= nil then
      report:lost("data.globalActions." .. name, "delays by host and path can't be carried")
    end
  end
  for _, name in ipairs({ "literals", "variables" }) do
    if type(data[name]) == "table" and next(data[name]) ~= nil then
      report:lost("data." .. name, "what templates are filled with can't be carried")
    end
  end
end

M.shape = "an object with data.pairs"

---@param document any
---@return boolean
function M.recognises(document)
  return value.is(document, "object") and value.is(document.data, "object") and value.is(document.data.pairs, "array")
end

---@param document table
---@param report table
---@return table[]? mocks
---@return string? why the document can't be read
function M.read(document, report)
  local version = value.is(document.meta, "object") and document.meta.schemaVersion
  if value.is(version, "text") and not version:find("^v5") then
    return nil, ("it has schema version %s; only v5 can be read (Hoverfly writes it when it exports)"):format(version)
  end
  report:unknown(document, "", set("data meta"))
  tell_globals(report, document.data)
  local list, found = document.data.pairs, {}
  for index, pair in ipairs(list) do
    found[index] = report:attempt(read_pair, report, pair, ("data.pairs[%d]"):format(index - 1), index)
  end
  state.join(report, list, found)
  local entries = {}
  for index = 1, #list do entries[#entries + 1] = found[index] end
  table.sort(entries, function(a, b)
    if a.rank ~= b.rank then return a.rank > b.rank end
    return a.index > b.index
  end)
  for _, entry in ipairs(entries) do
    http.put_answers(entry.mock, entry.answers or { entry.answer }, entry.exhausted or "repeat")
  end
  return order.arrange(report, entries)
end

return M
