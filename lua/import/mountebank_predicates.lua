-- SPDX-License-Identifier: Apache-2.0
-- mountebank's predicates as matchers. Case doesn't matter unless a predicate says so, in names neither.
--
-- A condition on what a resource has no place for is lost, and what is left must never turn down a request that the
-- original answered: it holds always, and so does an "or" with it, and a "not" of it.

local http = require("import.http")
local json_text = require("import.json_text")
local pattern = require("import.pattern")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, tests = report_of.at, http.tests

local operators = report_of.set([[equals deepEquals contains startsWith endsWith matches exists not or and inject]])
local parameters = report_of.set("caseSensitive keyCaseSensitive except jsonpath xpath")

local test_of = { equals = tests.equal, deepEquals = tests.equal, contains = tests.contains,
  startsWith = tests.prefix, endsWith = tests.suffix, matches = tests.found }

-- What a predicate comes to: { matcher, lost }; without a matcher it holds always.
local function always(lost) return { lost = lost } end
local function just(matcher) return { matcher = matcher } end

local function text_of(report, place, given)
  local kind = value.kind(given)
  if kind == "text" then return given end
  if kind == "number" or kind == "boolean" then return tostring(given) end
  return report:leave_out(place, "it is not text")
end

---One comparison with text.
---@param context table { report, operator, fold, fold_name, … }
local function compare(context, place, given, part)
  local text = text_of(context.report, place, given)
  local matcher, why = part(test_of[context.operator](text), context.fold, context.fold_name)
  return matcher and just(matcher) or context.report:leave_out(place, why)
end

local function none(condition)
  return just({ none = { condition.matcher } })
end

local fields = {}

function fields.method(context, place, given)
  if context.operator == "exists" then return always(false) end
  local text = text_of(context.report, place, given)
  if (context.operator ~= "equals" and context.operator ~= "deepEquals") or not text:find("^%a+$") then
    context.report:leave_out(place, "only the name of one method can be carried")
  end
  return just({ prefix = text:upper() .. " " })
end

function fields.path(context, place, given)
  if context.operator == "exists" then return always(false) end
  return compare(context, place, given, function(test, fold) return http.path(nil, test, fold) end)
end

---No parameter but these.
local function no_others(names, fold)
  local written = {}
  for index, name in ipairs(names) do written[index] = pattern.encoded(name, "parameter") end
  return none(just({ regex = ("^[^?\\n]*\\?(?:[^\\n]*&)?(?!(?%s:%s)(?:[=&\\n]|$))[^&\\n]"):format(
    fold and "i" or "", table.concat(written, "|")) }))
end

function fields.query(context, place, given)
  if not value.is(given, "object") then context.report:leave_out(place, "it is no object") end
  local names, conditions = value.names(given), {}
  for index, name in ipairs(names) do
    if context.operator == "exists" then
      local there = just(http.parameter_exists(name, context.fold_name))
      conditions[index] = given[name] == false and none(there) or there
    else
      conditions[index] = compare(context, at(place, name), given[name],
        function(test, fold, fold_name) return http.parameter(name, test, fold, fold_name) end)
    end
  end
  if context.operator == "deepEquals" then
    if #names == 0 then return just(http.query(tests.equal(""))) end
    conditions[#conditions + 1] = no_others(names, context.fold_name)
  end
  return M.both(conditions)
end

---@return table? test for a body; nil: the value is no JSON
local function json_test(context, given)
  local options = { loose = true, extra = context.operator == "equals", any_order = true }
  local compares = context.operator == "equals" or context.operator == "deepEquals"
  if context.segments and context.operator == "exists" then return json_text.at(context.segments, nil, options) end
  if context.segments and compares then return json_text.at(context.segments, given, options) end
  if context.segments then return nil, "only equals, deepEquals and exists can be carried with a JSON path" end
  if not compares then return nil, "only equals and deepEquals can be carried for JSON" end
  return json_text.equal(given, options)
end

function fields.body(context, place, given)
  if context.segments or type(given) == "table" then
    if context.fold ~= context.fold_name then
      context.report:leave_out(place, "case of names can't be told for itself")
    end
    local test, why = json_test(context, given)
    if not test then context.report:leave_out(place, why) end
    local there = just(http.body(tests.made(test), context.fold))
    return context.operator == "exists" and given == false and none(there) or there
  end
  if context.operator == "exists" then
    local there = just({ regex = "^[^\\n]*\\n" })
    return given == false and none(there) or there
  end
  return compare(context, place, given, http.body)
end

local function lost_field(why)
  return function(context, place)
    context.report:lost(place, why)
    return always(true)
  end
end

fields.requestFrom = lost_field("a resource has no client; the mock answers whichever it is")
fields.ip = fields.requestFrom

function fields.headers(context, place, given)
  for _, name in ipairs(value.is(given, "object") and value.names(given) or {}) do
    context.report:lost(at(place, name), http.no_headers)
  end
  return always(true)
end

---All of several conditions.
function M.both(conditions)
  local matchers, lost = {}, false
  for _, condition in ipairs(conditions) do
    matchers[#matchers + 1] = condition.matcher
    lost = lost or condition.lost
  end
  return { matcher = #matchers > 0 and http.all(matchers) or nil, lost = lost }
end

-- ---- predicates ----

local combine = {}

local evaluate

local function list_of(report, given, place)
  if not value.is(given, "array") then report:leave_out(place, "it is no array") end
  local conditions = {}
  for index, each in ipairs(given) do
    conditions[index] = evaluate(report, each, ("%s[%d]"):format(place, index - 1))
  end
  return conditions
end

combine["and"] = function(report, given, place)
  return M.both(list_of(report, given, place))
end

combine["or"] = function(report, given, place)
  local matchers, lost, free = {}, false, false
  for _, condition in ipairs(list_of(report, given, place)) do
    lost = lost or condition.lost
    free = free or not condition.matcher
    matchers[#matchers + 1] = condition.matcher
  end
  if #matchers == 0 and not free then report:leave_out(place, "it never holds") end
  if lost or free then return always(lost) end
  return just(#matchers == 1 and matchers[1] or { any = matchers })
end

combine["not"] = function(report, given, place)
  local condition = evaluate(report, given, place)
  if condition.lost then return always(true) end
  if not condition.matcher then report:leave_out(place, "it never holds") end
  return none(condition)
end

combine.inject = function(report, _, place)
  return report:leave_out(place, "code can't be carried")
end

local function context_of(report, predicate, operator, place)
  local context = { report = report, operator = operator, fold = predicate.caseSensitive ~= true }
  context.fold_name = context.fold
  if predicate.keyCaseSensitive ~= nil then context.fold_name = predicate.keyCaseSensitive ~= true end
  if predicate.except ~= nil and predicate.except ~= "" then
    report:leave_out(at(place, "except"), "leaving out a part of the request can't be carried")
  end
  if predicate.xpath ~= nil then report:leave_out(at(place, "xpath"), "XPath can't be carried") end
  if predicate.jsonpath ~= nil then
    local selector = value.is(predicate.jsonpath, "object") and predicate.jsonpath.selector
    context.segments = value.is(selector, "text") and json_text.path(selector)
    if not context.segments then
      report:leave_out(at(place, "jsonpath"), "only a plain JSON path can be carried, like $.a.b[0]")
    end
  end
  return context
end

function evaluate(report, predicate, place)
  if not value.is(predicate, "object") then report:leave_out(place, "a predicate is an object") end
  local operator
  for _, name in ipairs(value.names(predicate)) do
    if operators[name] then
      if operator then report:leave_out(place, "a predicate has one operator") end
      operator = name
    elseif not parameters[name] then
      report:leave_out(at(place, name), "a condition that is not known can't be carried")
    end
  end
  if not operator then report:leave_out(place, "a predicate has an operator") end
  local given, member = predicate[operator], at(place, operator)
  if combine[operator] then return combine[operator](report, given, member) end
  if not value.is(given, "object") then report:leave_out(member, "it is no object") end
  local context, conditions = context_of(report, predicate, operator, place), {}
  for index, name in ipairs(value.names(given)) do
    local field = fields[name] or report:leave_out(at(member, name), "a condition on it can't be carried")
    if context.segments and name ~= "body" then
      report:leave_out(at(place, "jsonpath"), "it can only be carried for the body")
    end
    conditions[index] = field(context, at(member, name), given[name])
  end
  return M.both(conditions)
end

---@param report table
---@param given any the predicates of a stub, all of which must hold
---@param place string
---@return table matcher
function M.read(report, given, place)
  if given == nil then return http.all({}) end
  local condition = M.both(list_of(report, given, place))
  if not condition.matcher and condition.lost then
    report:leave_out(place, "none of its conditions can be carried, and it would answer every request")
  end
  return condition.matcher or http.all({})
end

return M
