-- SPDX-License-Identifier: Apache-2.0
-- What a stub of WireMock answers: a resource, when the request is told to the last byte, or a matcher.

local http = require("import.http")
local operators = require("import.wiremock_operators")
local pattern = require("import.pattern")
local report_of = require("import.report")
local value = require("import.value")

local M = {}

local at, set, tests = report_of.at, report_of.set, http.tests

local known_of_request = set([[method url urlPattern urlPath urlPathPattern urlPathTemplate pathParameters
  queryParameters formParameters headers cookies basicAuthCredentials basicAuth bodyPatterns multipartPatterns
  customMatcher host port scheme clientIp]])

---@return string? method nil for any
---@return string? regex for it; the same when it is one method
local function method_of(report, request, place)
  local method = request.method
  if method == nil or method == "ANY" then return nil, nil end
  if method == "GET_OR_HEAD" then return nil, "(?:GET|HEAD)" end
  if not value.is(method, "text") or not method:find("^%u+$") then
    report:leave_out(at(place, "method"), "only the name of one method can be carried")
  end
  return method, method
end

---"/orders/{id}" as a regular expression.
local function template_regex(template)
  local out = {}
  for text, variable in template:gmatch("([^{]*)(%b{})") do
    out[#out + 1] = pattern.escape(text)
    out[#out + 1] = variable ~= "" and "[^/]+" or ""
  end
  out[#out + 1] = pattern.escape(template:match("[^}]*$"))
  return table.concat(out)
end

local url_members = {
  url = function(method, text) return http.target(method, tests.equal(text)) end,
  urlPattern = function(method, text) return http.target(method, tests.full(text)) end,
  urlPath = function(method, text) return http.path(method, tests.equal(text)) end,
  urlPathPattern = function(method, text) return http.path(method, tests.full(text)) end,
  urlPathTemplate = function(method, text) return http.path(method, tests.full(template_regex(text))) end,
}

---The condition on method and URL.
local function url_condition(report, request, place, method)
  for _, name in ipairs(value.names(url_members)) do
    local text = request[name]
    if text ~= nil then
      if not value.is(text, "text") then report:leave_out(at(place, name), "a URL is text") end
      local matcher, why = url_members[name](method, text)
      return matcher or report:leave_out(at(place, name), why)
    end
  end
  if method and not method:find("^%(") then return { prefix = method .. " " } end
  return method and { regex = "^" .. method .. " " } or nil
end

local function add_parameters(report, request, place, conditions)
  local parameters = request.queryParameters
  if parameters == nil then return end
  if not value.is(parameters, "object") then report:leave_out(place, "it is not an object") end
  for _, name in ipairs(value.names(parameters)) do
    conditions[#conditions + 1] = operators.parameter(report, at(place, name), name, parameters[name])
  end
end

local function add_body(report, request, place, conditions)
  local patterns = request.bodyPatterns
  if patterns == nil then return end
  if not value.is(patterns, "array") then report:leave_out(place, "it is not an array") end
  for index, given in ipairs(patterns) do
    conditions[#conditions + 1] = operators.body(report, ("%s[%d]"):format(place, index - 1), given)
  end
end

-- What a resource has no place for is lost; what can't be told of a resource leaves the mock out.
local lost_members = { host = http.no_host, port = "a resource has no port; the mock answers whichever it is",
  scheme = "a resource has no scheme; the mock answers whichever it is",
  clientIp = "a resource has no client; the mock answers whichever it is",
  basicAuth = http.no_headers, basicAuthCredentials = http.no_headers }
local refused_members = { pathParameters = "conditions on parts of the path can't be carried",
  formParameters = "conditions on a form can't be carried", multipartPatterns = "conditions on a form can't be carried",
  customMatcher = "a matcher of one's own can't be carried" }

---@return boolean whether a condition was lost
local function tell_lost(report, request, place)
  local lost = false
  for _, name in ipairs(value.names(request)) do
    local member = at(place, name)
    if refused_members[name] then report:leave_out(member, refused_members[name]) end
    if lost_members[name] then
      report:lost(member, lost_members[name])
      lost = true
    end
    if (name == "headers" or name == "cookies") and value.is(request[name], "object") then
      for _, header in ipairs(value.names(request[name])) do
        report:lost(at(member, header), http.no_headers)
        lost = true
      end
    end
    if not known_of_request[name] then report:leave_out(member, "a condition that is not known can't be carried") end
  end
  return lost
end

---The resource, when the request is told to the last byte.
local function exact_resource(request, method)
  local patterns = request.bodyPatterns == nil and {} or request.bodyPatterns
  if not method or not request.url or request.queryParameters ~= nil or type(patterns) ~= "table" then return nil end
  if #patterns == 0 then return http.is_bare(method) and http.resource(method, request.url) or nil end
  local only = patterns[1]
  local equal = #patterns == 1 and value.is(only, "object") and value.is(only.equalTo, "text") and only.equalTo
  if not equal or equal == "" or next(only, next(only)) ~= nil then return nil end
  return http.resource(method, request.url, equal)
end

---@param report table
---@param request any of a stub
---@param place string
---@return table mock with its resource or its matcher
function M.read(report, request, place)
  if not value.is(request, "object") then report:leave_out(place, "there is no request") end
  local lost = tell_lost(report, request, place)
  local name, method = method_of(report, request, place)
  local conditions = {}
  conditions[1] = url_condition(report, request, place, method)
  local resource = exact_resource(request, name)
  if resource then return { resource = resource } end
  add_parameters(report, request, at(place, "queryParameters"), conditions)
  add_body(report, request, at(place, "bodyPatterns"), conditions)
  if #conditions == 0 and lost then
    report:leave_out(place, "none of its conditions can be carried, and it would answer every request")
  end
  return { match = http.all(conditions) }
end

return M
