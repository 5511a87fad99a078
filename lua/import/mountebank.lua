-- SPDX-License-Identifier: Apache-2.0
-- mountebank: imposters, one or a list of them (JSON of a configuration file and of /imposters). The first stub whose
-- predicates hold answers; its responses follow each other and begin again behind the last.

local base64 = require("import.base64")
local http = require("import.http")
local order = require("import.order")
local predicates = require("import.mountebank_predicates")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, set = report_of.at, report_of.set

-- What says nothing about requests and answers: names, links, what was recorded, keys of TLS.
local known_of_imposter = set([[port protocol name host recordRequests recordMatches numberOfRequests requests stubs
  defaultResponse allowCORS key cert ca mutualAuth rejectUnauthorized ciphers _links mode endOfRequestResolver]])
local known_of_stub = set("predicates responses matches _links _uuid")
local known_of_response = set("is proxy inject fault _behaviors behaviors repeat _proxyResponseTime")
local known_of_answer = set("statusCode headers body _mode _proxyResponseTime")
local known_of_behaviors = set("wait repeat decorate copy lookup shellTransform")

local answers_max = 1000

-- ---- behaviours ----

local changing = { "decorate", "copy", "lookup", "shellTransform" }

local function read_behavior(report, behavior, place, sum)
  if not value.is(behavior, "object") then report:leave_out(place, "a behavior is an object") end
  report:unknown(behavior, place, known_of_behaviors)
  for _, name in ipairs(changing) do
    if behavior[name] ~= nil then
      report:leave_out(at(place, name), "what it makes of an answer can't be carried")
    end
  end
  if behavior.wait ~= nil then
    local delay = http.delay(behavior.wait)
    if delay then sum.delay = sum.delay + delay end
    if not delay then
      report:lost(at(place, "wait"), value.is(behavior.wait, "text") and "a delay that code decides can't be carried"
        or "is no delay up to a day in whole milliseconds")
    end
  end
  if behavior["repeat"] ~= nil then sum.times, sum.times_place = behavior["repeat"], at(place, "repeat") end
end

---@return integer times
---@return integer delay in milliseconds
local function behaviors_of(report, response, place)
  local sum = { delay = 0, times = 1, times_place = place }
  for _, name in ipairs({ "_behaviors", "behaviors" }) do
    local given, member = response[name], at(place, name)
    if value.is(given, "array") then
      for index, each in ipairs(given) do read_behavior(report, each, ("%s[%d]"):format(member, index - 1), sum) end
    elseif given ~= nil then
      read_behavior(report, given, member, sum)
    end
  end
  if response["repeat"] ~= nil then sum.times, sum.times_place = response["repeat"], at(place, "repeat") end
  local times = type(sum.times) == "number" and math.tointeger(sum.times)
  if not times or times < 1 then report:leave_out(sum.times_place, "it is no number of times") end
  if times > answers_max then report:leave_out(sum.times_place, "so many answers can't be carried") end
  return times, sum.delay
end

-- ---- responses ----

local faults = { CONNECTION_RESET_BY_PEER = "error", RANDOM_DATA_THEN_CLOSE = "malformed" }

local function body_of(report, answer, place)
  local body = answer.body
  if body == nil then return "" end
  if type(body) == "table" then return value.text(body) end
  if not value.is(body, "text") then report:leave_out(at(place, "body"), "the body is no text") end
  if answer._mode ~= "binary" then return body end
  return base64.decode(body) or report:leave_out(at(place, "body"), "it is no base64")
end

---The members of an answer and, where it has none, those of the imposter's.
local function with_default(answer, default)
  local whole = {}
  for name, given in pairs(default) do whole[name] = given end
  for name, given in pairs(answer) do
    if given ~= "" then whole[name] = given end
  end
  return whole
end

local function read_answer(report, answer, place, default, delay)
  if not value.is(answer, "object") then report:leave_out(place, "an answer is an object") end
  report:unknown(answer, place, known_of_answer)
  local whole = with_default(answer, default)
  if value.is(whole.headers, "object") and next(whole.headers) ~= nil then
    local names = table.concat(value.names(whole.headers), ", ")
    report:lost(at(place, "headers"), ("%s (%s)"):format(http.no_answer_headers, names))
  end
  local status = whole.statusCode
  if value.is(status, "text") then status = math.tointeger(tonumber(status)) or status end
  return http.answer(report, { status = status, status_place = at(place, "statusCode"),
    body = body_of(report, whole, place), body_place = at(place, "body"), delay_ms = delay })
end

---@return string|table answer
---@return integer times
local function read_response(report, response, place, default)
  if not value.is(response, "object") then report:leave_out(place, "a response is an object") end
  report:unknown(response, place, known_of_response)
  if response.proxy ~= nil then report:leave_out(at(place, "proxy"), "a proxy can't be carried") end
  if response.inject ~= nil then report:leave_out(at(place, "inject"), "code can't be carried") end
  local times, delay = behaviors_of(report, response, place)
  if response.fault ~= nil then
    local fault = faults[response.fault] or report:leave_out(at(place, "fault"), "the fault is not known")
    return { fault = fault, delay_ms = delay ~= 0 and delay or nil }, times
  end
  if response.is == nil then report:leave_out(place, "it has no answer") end
  return read_answer(report, response.is, at(place, "is"), default, delay), times
end

---@return table[] answers
local function read_responses(report, responses, place, default)
  if responses == nil then responses = {} end
  if not value.is(responses, "array") then report:leave_out(place, "it is no array") end
  if #responses == 0 then return { read_answer(report, {}, place, default) } end
  local answers = {}
  for index, response in ipairs(responses) do
    local each = ("%s[%d]"):format(place, index - 1)
    local answer, times = read_response(report, response, each, default)
    if #responses == 1 then times = 1 end
    if #answers + times > answers_max then report:leave_out(each, "so many answers can't be carried") end
    for _ = 1, times do answers[#answers + 1] = answer end
  end
  return answers
end

-- ---- imposters ----

local function read_stub(report, stub, place, default)
  if not value.is(stub, "object") then report:leave_out(place, "a stub is an object") end
  report:unknown(stub, place, known_of_stub)
  local mock = { match = predicates.read(report, stub.predicates, at(place, "predicates")) }
  http.put_answers(mock, read_responses(report, stub.responses, at(place, "responses"), default), "cycle")
  return { mock = mock, place = place }
end

local function read_imposter(report, imposter, place, entries)
  if not value.is(imposter, "object") then
    report:lost(place, "an imposter is an object")
    return
  end
  local protocol = imposter.protocol
  if protocol ~= "http" and protocol ~= "https" then
    report:lost(at(place, "protocol"), "only HTTP can be carried; the stubs of the imposter are left out")
    return
  end
  report:unknown(imposter, place, known_of_imposter)
  if imposter.port ~= nil then
    report:lost(at(place, "port"), "a resource has no port; the mocks answer whichever it is")
  end
  if imposter.allowCORS == true then report:lost(at(place, "allowCORS"), http.no_answer_headers) end
  local default = value.is(imposter.defaultResponse, "object") and imposter.defaultResponse or {}
  if next(default) ~= nil then
    report:lost(at(place, "defaultResponse"), "a request that no stub answers is a mock-miss")
  end
  local stubs = value.is(imposter.stubs, "array") and imposter.stubs or {}
  for index, stub in ipairs(stubs) do
    local each = ("%s[%d]"):format(at(place, "stubs"), index - 1)
    entries[#entries + 1] = report:attempt(read_stub, report, stub, each, default)
  end
end

M.shape = "an object with imposters, or an imposter with protocol and stubs"

---@param document any
---@return boolean
function M.recognises(document)
  return value.is(document, "object") and (value.is(document.imposters, "array")
    or (value.is(document.protocol, "text") and value.is(document.stubs, "array")))
end

---@param document table
---@param report table
---@return table[] mocks
function M.read(document, report)
  local entries = {}
  if document.imposters == nil then
    read_imposter(report, document, "", entries)
    return order.arrange(report, entries)
  end
  report:unknown(document, "", set("imposters"))
  for index, imposter in ipairs(document.imposters) do
    read_imposter(report, imposter, ("imposters[%d]"):format(index - 1), entries)
  end
  return order.arrange(report, entries)
end

return M
