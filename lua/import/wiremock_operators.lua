-- SPDX-License-Identifier: Apache-2.0
-- What WireMock compares a query parameter or a body with, as matchers.

local base64 = require("import.base64")
local http = require("import.http")
local json = require("olivares.json")
local json_text = require("import.json_text")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, tests = report_of.at, http.tests

-- Members beside an operator that change what it means.
local flags = report_of.set("caseInsensitive ignoreArrayOrder ignoreExtraElements expression")

local function need_text(report, place, given)
  return value.is(given, "text") and given or report:leave_out(place, "it is not text")
end

local function none(matcher)
  return { none = { matcher } }
end

-- Each operator: function(context, given) → matcher. A context is { report, place, siblings, part, exists }, of which
-- part(test, fold) makes the matcher of the part, and exists() the one that it is there.
local operators = {}

local function plain(make, negated, case_flag)
  return function(context, given)
    local text = need_text(context.report, context.place, given)
    local matcher, why = context.part(make(text), case_flag and context.siblings.caseInsensitive == true)
    if not matcher then context.report:leave_out(context.place, why) end
    return negated and none(matcher) or matcher
  end
end

local function full_across(regex) return tests.full(regex, true) end

operators.equalTo = plain(tests.equal, false, true)
operators.contains = plain(tests.contains)
operators.doesNotContain = plain(tests.contains, true)
operators.matches = plain(full_across)
operators.doesNotMatch = plain(full_across, true)

function operators.absent(context, given)
  return given == false and context.exists() or none(context.exists())
end

operators["not"] = function(context, given)
  return none(context.inner("", given))
end

local function combined(name)
  return function(context, given)
    if not value.is(given, "array") or #given == 0 then
      context.report:leave_out(context.place, "it is not an array")
    end
    local inner = {}
    for index, each in ipairs(given) do inner[index] = context.inner(("[%d]"):format(index - 1), each) end
    return { [name] = inner }
  end
end

operators["and"] = combined("all")
operators["or"] = combined("any")
operators.includes = combined("all")

function operators.hasExactly(context, given)
  if not value.is(given, "array") or #given ~= 1 then
    context.report:leave_out(context.place, "how many values there are can't be told")
  end
  return context.inner("[0]", given[1])
end

function operators.binaryEqualTo(context, given)
  local bytes = base64.decode(need_text(context.report, context.place, given))
  if not bytes or not value.is_text(bytes) then context.report:leave_out(context.place, "it is no UTF-8 text") end
  return context.part(tests.equal(bytes))
end

local function of_json(context, test, why)
  return test and context.part(tests.made(test)) or context.report:leave_out(context.place, why)
end

function operators.equalToJson(context, given)
  if value.is(given, "text") then
    local decoded, failure = json.decode(given)
    if decoded == nil then
      context.report:leave_out(context.place, "it is no JSON: " .. failure.message:gsub("%.$", ""))
    end
    given = decoded
  end
  if value.text(given):find("${json-unit", 1, true) then
    context.report:leave_out(context.place, "placeholders in JSON can't be carried")
  end
  return of_json(context, json_text.equal(given, { extra = context.siblings.ignoreExtraElements == true,
    any_order = context.siblings.ignoreArrayOrder == true }))
end

---The only operator beside an expression.
local function operator_beside(given)
  local found
  for _, name in ipairs(value.names(given)) do
    if not flags[name] then
      if found then return "several" end
      found = name
    end
  end
  return found
end

function operators.matchesJsonPath(context, given)
  local expression, beside = given, nil
  if value.is(given, "object") then expression, beside = given.expression, operator_beside(given) end
  local segments = json_text.path(need_text(context.report, context.place, expression))
  if not segments then
    context.report:leave_out(context.place, "only a plain JSON path can be carried, like $.a.b[0]")
  end
  local wanted, options = nil, { loose = true }
  if beside == "equalTo" then
    wanted = need_text(context.report, context.place, given.equalTo)
  elseif beside then
    context.report:leave_out(at(context.place, beside), "only equalTo can be carried for what a JSON path leads to")
  end
  return of_json(context, json_text.at(segments, wanted, options))
end

local only_body = report_of.set("equalToJson matchesJsonPath binaryEqualTo")

local function one(context, given)
  local report, place = context.report, context.place
  if not value.is(given, "object") then report:leave_out(place, "it is not an object") end
  local name = operator_beside(given)
  if not name or name == "several" then report:leave_out(place, "exactly one operator can be carried") end
  local operator = operators[name]
  local member = at(place, name)
  if not operator or (only_body[name] and not context.is_body) then
    report:leave_out(member, "this comparison can't be carried")
  end
  local inner = setmetatable({ place = member, siblings = given }, { __index = context })
  inner.inner = function(suffix, each)
    return one(setmetatable({ place = member .. suffix }, { __index = context }), each)
  end
  return operator(inner, given[name])
end

---@param report table
---@param place string
---@param name string of the parameter
---@param given any
---@return table matcher
function M.parameter(report, place, name, given)
  return one({
    report = report, place = place,
    part = function(test, fold) return http.parameter(name, test, fold) end,
    exists = function() return http.parameter_exists(name) end,
  }, given)
end

---@param report table
---@param place string
---@param given any
---@return table matcher
function M.body(report, place, given)
  return one({
    report = report, place = place, is_body = true, part = http.body,
    exists = function() return { regex = "^[^\\n]*\\n" } end,
  }, given)
end

return M
