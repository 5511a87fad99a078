-- SPDX-License-Identifier: Apache-2.0
-- WireMock: stub mappings, one or a list of them (JSON of the mappings folder and of /__admin/mappings).
--
-- A lower priority number is asked first (5 when there is none); of the same priority the stub that was added last. A
-- file's stubs are added in its order, so its last one is asked first; an export, known by its "meta", lists the stubs
-- in the order in which they are asked.

local base64 = require("import.base64")
local http = require("import.http")
local order = require("import.order")
local report_of = require("import.report")
local request = require("import.wiremock_request")
local sequence = require("import.sequence")
local value = require("import.value")

local M = {}

local at, set = report_of.at, report_of.set

-- What says nothing about requests and answers: names, notes, how the stub is kept.
local known_of_stub = set([[id uuid name persistent metadata insertionIndex priority request response scenarioName
  requiredScenarioState newScenarioState postServeActions serveEventListeners]])
local known_of_response = set([[status statusMessage headers body jsonBody base64Body bodyFileName fault
  fixedDelayMilliseconds delayDistribution chunkedDribbleDelay transformers transformerParameters proxyBaseUrl
  additionalProxyRequestHeaders removeProxyRequestHeaders proxyUrlPrefixToRemove fromConfiguredStub]])

-- ---- responses ----

local faults = { EMPTY_RESPONSE = "empty", MALFORMED_RESPONSE_CHUNK = "malformed", RANDOM_DATA_THEN_CLOSE = "malformed",
  CONNECTION_RESET_BY_PEER = "error" }

local function delay_of(report, response, place)
  local given = response.fixedDelayMilliseconds
  local spread = response.delayDistribution
  if value.is(spread, "object") and spread.type == "fixed" then
    given = spread.milliseconds
  elseif spread ~= nil then
    report:lost(at(place, "delayDistribution"), "a random delay can't be carried")
  end
  if response.chunkedDribbleDelay ~= nil then
    report:lost(at(place, "chunkedDribbleDelay"), "an answer comes in one piece; it is not delayed")
  end
  if given == nil then return nil end
  local delay = http.delay(given)
  if not delay then
    report:lost(at(place, "fixedDelayMilliseconds"), "is no delay up to a day in whole milliseconds")
  end
  return delay
end

---@return string body
---@return string place
local function body_of(report, response, place)
  if response.bodyFileName ~= nil then
    report:leave_out(at(place, "bodyFileName"), "the body is in another file")
  elseif response.jsonBody ~= nil then
    return value.text(response.jsonBody), at(place, "jsonBody")
  elseif response.base64Body ~= nil then
    local bytes = value.is(response.base64Body, "text") and base64.decode(response.base64Body)
    return bytes or report:leave_out(at(place, "base64Body"), "it is no base64"), at(place, "base64Body")
  end
  local body = response.body == nil and "" or response.body
  if not value.is(body, "text") then report:leave_out(at(place, "body"), "the body is no text") end
  return body, at(place, "body")
end

---A template without a placeholder gives the same answer each time.
local function check_transformers(report, response, place, body)
  if response.transformers == nil then return end
  for index, name in ipairs(value.is(response.transformers, "array") and response.transformers or { "" }) do
    local member = ("%s[%d]"):format(at(place, "transformers"), index - 1)
    if name ~= "response-template" then report:leave_out(member, "what a transformer makes can't be carried") end
    if body:find("{{", 1, true) then report:leave_out(member, "what a template makes of a request can't be carried") end
  end
end

local function tell_headers(report, headers, place)
  if value.is(headers, "object") and next(headers) ~= nil then
    report:lost(place, http.no_answer_headers .. " (" .. table.concat(value.names(headers), ", ") .. ")")
  end
end

---@return string|table answer
local function read_response(report, response, place)
  if not value.is(response, "object") then report:leave_out(place, "there is no response") end
  if response.proxyBaseUrl ~= nil then report:leave_out(at(place, "proxyBaseUrl"), "a proxy can't be carried") end
  report:unknown(response, place, known_of_response)
  tell_headers(report, response.headers, at(place, "headers"))
  if response.statusMessage ~= nil then report:lost(at(place, "statusMessage"), "an answer has no status line") end
  local delay = delay_of(report, response, place)
  if response.fault ~= nil then
    local fault = faults[response.fault] or report:leave_out(at(place, "fault"), "the fault is not known")
    return { fault = fault, delay_ms = delay ~= 0 and delay or nil }
  end
  local body, body_place = body_of(report, response, place)
  check_transformers(report, response, place, body)
  return http.answer(report, { status = response.status, status_place = at(place, "status"), body = body,
    body_place = body_place, delay_ms = delay })
end

-- ---- stubs ----

---@return table found { mock, answer, place, rank, index }
local function read_stub(report, stub, place, index)
  if not value.is(stub, "object") then report:leave_out(place, "a stub is an object") end
  report:unknown(stub, place, known_of_stub)
  for _, name in ipairs({ "postServeActions", "serveEventListeners" }) do
    local given = stub[name]
    if given ~= nil and (type(given) ~= "table" or next(given) ~= nil) then
      report:lost(at(place, name), "what is done behind an answer can't be carried")
    end
  end
  local rank = stub.priority == nil and 5 or stub.priority
  if type(rank) ~= "number" then report:leave_out(at(place, "priority"), "a priority is a number") end
  local mock = request.read(report, stub.request, at(place, "request"))
  return { mock = mock, key = value.text(mock), answer = read_response(report, stub.response, at(place, "response")),
    place = place, rank = rank, index = index, stub = stub }
end

---@return table<string, table[]> stubs by the name of the scenario whose state they need or move
local function by_scenario(list)
  local scenarios = {}
  for index, stub in ipairs(list) do
    local name = value.is(stub, "object") and value.is(stub.scenarioName, "text") and stub.scenarioName
    if name then
      scenarios[name] = scenarios[name] or {}
      table.insert(scenarios[name], index)
    end
  end
  return scenarios
end

---The stubs of a scenario in one mock, or why not.
local function join(report, list, indexes, found, name)
  local stubs, stateful = {}, false
  for _, index in ipairs(indexes) do
    stateful = stateful or list[index].requiredScenarioState ~= nil
    stubs[#stubs + 1] = found[index] and { key = found[index].key, from = list[index].requiredScenarioState,
      to = list[index].newScenarioState, entry = found[index] }
  end
  if not stateful then return end
  local chain, how = nil, "one of its stubs is left out"
  if #stubs == #indexes then chain, how = sequence.chain(stubs, "Started") end
  local first = indexes[1]
  for _, index in ipairs(indexes) do
    if not chain and found[index] then
      report:lost(at(found[index].place, "scenarioName"),
        ("the scenario '%s' is no plain sequence: %s; the mock is left out"):format(name, how))
    end
    if not chain or index ~= first then found[index] = nil end
  end
  if not chain then return end
  local answers = {}
  for position, stub in ipairs(chain) do answers[position] = stub.entry.answer end
  found[first].answers, found[first].exhausted = answers, how
end

local function precedes(listed)
  return function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    if listed then return a.index < b.index end
    return a.index > b.index
  end
end

M.shape = "an object with mappings, or a stub with request and response"

---@param document any
---@return boolean
function M.recognises(document)
  return value.is(document, "object") and (value.is(document.mappings, "array")
    or (value.is(document.request, "object") and value.is(document.response, "object")))
end

---@param document table
---@param report table
---@return table[] mocks
function M.read(document, report)
  local several = document.mappings ~= nil
  local list = several and document.mappings or { document }
  if several then report:unknown(document, "", set("mappings meta")) end
  local found = {}
  for index, stub in ipairs(list) do
    local place = several and ("mappings[%d]"):format(index - 1) or ""
    found[index] = report:attempt(read_stub, report, stub, place, index)
  end
  local scenarios = by_scenario(list)
  for _, name in ipairs(value.names(scenarios)) do join(report, list, scenarios[name], found, name) end
  local entries = {}
  for index = 1, #list do entries[#entries + 1] = found[index] end
  table.sort(entries, precedes(document.meta ~= nil))
  for _, entry in ipairs(entries) do
    http.put_answers(entry.mock, entry.answers or { entry.answer }, entry.exhausted or "repeat")
  end
  return order.arrange(report, entries)
end

return M
