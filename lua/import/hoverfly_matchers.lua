-- SPDX-License-Identifier: Apache-2.0
-- Hoverfly's matchers of one field of a request, and how strong they make a match.

local http = require("import.http")
local json = require("olivares.json")
local json_text = require("import.json_text")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, set, tests = report_of.at, report_of.set, http.tests

local kinds = {}

local function part_test(make, negated)
  return function(report, place, given, part)
    if not value.is(given, "text") then report:leave_out(at(place, "value"), "it is not text") end
    local matcher, why = part(make(given))
    if not matcher then report:leave_out(place, why) end
    return negated and { none = { matcher } } or matcher
  end
end

kinds.exact = part_test(tests.equal)
kinds.negate = part_test(tests.equal, true)
kinds.glob = part_test(tests.glob)
kinds.regex = part_test(tests.found)

local function decoded(report, place, given)
  if not value.is(given, "text") then report:leave_out(at(place, "value"), "it is not text") end
  local document, failure = json.decode(given)
  if document == nil then report:leave_out(at(place, "value"), "it is no JSON: " .. failure.message:gsub("%.$", "")) end
  return document
end

local function body_test(report, place, part, test, why)
  return test and part(tests.made(test)) or report:leave_out(place, why)
end

kinds.json = function(report, place, given, part)
  return body_test(report, place, part, json_text.equal(decoded(report, place, given)))
end

-- Such a part may stand anywhere in the document.
kinds.jsonpartial = function(report, place, given, part)
  local test, why = json_text.equal(decoded(report, place, given), { extra = true, any_order = true })
  if test then test.starts, test.ends = false, false end
  return body_test(report, place, part, test, why)
end

kinds.jsonpath = function(report, place, given, part, following)
  local segments = value.is(given, "text") and json_text.path(given)
  if not segments then report:leave_out(at(place, "value"), "only a plain JSON path can be carried, like $.a.b[0]") end
  local wanted
  if following ~= nil then
    if not value.is(following, "object") or following.matcher ~= "exact" or following.doMatch ~= nil then
      report:leave_out(at(place, "doMatch"), "only exact can be carried for what a JSON path leads to")
    end
    wanted = following.value
  end
  return body_test(report, place, part, json_text.at(segments, wanted, { loose = true }))
end

local only_body = set("json jsonpartial jsonpath")

---@param part fun(test): table?, string? makes the matcher of the part
local function one(report, place, given, part, is_body)
  if not value.is(given, "object") then report:leave_out(place, "it is no matcher") end
  report:unknown(given, place, set("matcher value config doMatch"))
  local name = value.is(given.matcher, "text") and given.matcher:lower() or "exact"
  local kind = kinds[name]
  if not kind or (only_body[name] and not is_body) then
    report:leave_out(place, ("the matcher %s can't be carried"):format(name))
  end
  if value.is(given.config, "object") and next(given.config) ~= nil then
    report:leave_out(at(place, "config"), "a matcher with a configuration can't be carried")
  end
  local following = given.doMatch
  if following == json.null then following = nil end
  if following ~= nil and name ~= "jsonpath" then report:leave_out(at(place, "doMatch"), "it can't be carried") end
  return kind(report, place, given.value, part, following)
end

---A list of matchers; none is no condition.
---@param report table
---@param place string
---@param given any
---@return table[]
function M.list(report, place, given)
  if given == nil or given == json.null then return {} end
  if not value.is(given, "array") then report:leave_out(place, "it is no array of matchers") end
  return given
end

---Adds a list of matchers to the conditions of a mock.
---@param part fun(test): table?, string? makes the matcher of the part of a request they are for
---@param is_body boolean?
function M.add(report, place, given, conditions, part, is_body)
  for index, each in ipairs(M.list(report, place, given)) do
    conditions[#conditions + 1] = one(report, ("%s[%d]"):format(place, index - 1), each, part, is_body)
  end
end

---@return string? text of the only matcher, when it is exact
function M.only_exact(given)
  local only = value.is(given, "array") and #given == 1 and given[1]
  local plain = value.is(only, "object") and (only.matcher == nil or only.matcher == "exact") and only.doMatch == nil
    and only.config == nil
  return plain and value.is(only.value, "text") and only.value or nil
end

---@param request table
---@return integer how strong a match of the pair is
function M.strength(request)
  local score = 0
  local function add(given)
    for _, each in ipairs(value.is(given, "array") and given or {}) do
      local name = value.is(each, "object") and each.matcher or "exact"
      score = score + ((name == "exact" or name == "containsexactly") and 2 or 1)
    end
  end
  for _, name in ipairs({ "body", "destination", "path", "deprecatedQuery", "method" }) do add(request[name]) end
  for _, name in ipairs({ "headers", "query" }) do
    for _, given in pairs(value.is(request[name], "object") and request[name] or {}) do add(given) end
  end
  if not value.is(request.query, "object") or next(request.query) == nil then score = score + 1 end
  return score
end

return M
