-- SPDX-License-Identifier: Apache-2.0
-- How an HTTP exchange becomes a mock: the convention all readers share.
--
-- The resource of a request is its request line without the version, and behind a line feed its body when it has one:
--   GET /orders/42?full=1
--   POST /orders\n{"item":"A-17"}
-- Requests by GET, HEAD and DELETE have no body (RFC 9110 gives one no meaning). Scheme, host, port, headers and
-- cookies have no place in it: a mock answers whatever they are, and the report says so.
--
-- The answer is the text of the body. A status of 200 is understood. Another 2xx is told as lost. Any other status
-- makes the answer the fault "error" with the body as its text, and is told as lost; when there is no body, the status
-- itself is the text, and nothing is lost.

local pattern = require("import.pattern")
local value = require("import.value")

local M = {}

M.no_headers = "a resource has no headers; the mock answers whatever they are"
M.no_host = "a resource has no host; the mock answers whichever it is"
M.no_answer_headers = "an answer has no headers"

local without_body = { GET = true, HEAD = true, DELETE = true }

-- ---- what is answered ----

---@param method string
---@param target string path and query
---@param body string? nil or empty: none
---@return string resource
function M.resource(method, target, body)
  local line = method:upper() .. " " .. target
  return (body == nil or body == "") and line or line .. "\n" .. body
end

---Whether a request by this method has no body.
---@param method string?
---@return boolean
function M.is_bare(method)
  return method ~= nil and without_body[method] == true
end

-- A test is what a part must be: { text, starts, ends, empty?, fold?, across?, whole? }: a regular expression that
-- stays within the part; whether it must begin and end where the part does; whether the part may be empty; whether case
-- doesn't matter; whether "." matches line feeds; whether it needs no group around it.
local tests = {}
M.tests = tests

local function written(text, part)
  return (part == "path" or part == "parameter") and pattern.encoded(text, part) or pattern.escape(text)
end

local function literal(text, starts, ends)
  return function(fold, part)
    return { text = written(text, part), starts = starts, ends = ends, empty = text == "", fold = fold, whole = true }
  end
end

---@param text string
---@return fun(fold: boolean?, part: string): table
function tests.equal(text) return literal(text, true, true) end
function tests.prefix(text) return literal(text, true, false) end
function tests.suffix(text) return literal(text, false, true) end
function tests.contains(text) return literal(text, false, false) end

local function of_regex(regex, full, across)
  return function(fold, part)
    local found, why = pattern.within(regex, pattern.parts[part])
    if not found then return nil, why end
    found.starts, found.ends = found.starts or full, found.ends or full
    found.empty, found.fold, found.across = true, fold, across and part == "body"
    return found
  end
end

---@param regex string
---@param across boolean? "." matches line feeds
---@return fun(fold: boolean?, part: string): table?, string?
function tests.full(regex, across) return of_regex(regex, true, across) end
function tests.found(regex, across) return of_regex(regex, false, across) end

---@param glob string "*" is any text
function tests.glob(glob)
  return function(fold, part)
    local any = part == "body" and "(?s:.*)" or "[^" .. pattern.parts[part] .. "]*"
    local text = {}
    for literal_text, star in glob:gmatch("([^*]*)(%**)") do
      text[#text + 1] = written(literal_text, part)
      if star ~= "" then text[#text + 1] = any end
    end
    return { text = table.concat(text), starts = true, ends = true, empty = true, fold = fold, whole = true }
  end
end

---@param test table? of import.json_text
---@param why string?
function tests.made(test, why)
  return function(fold)
    if test then test.fold, test.whole = fold, true end
    return test, why
  end
end

local function compose(before, any, test, behind)
  local text = test.text
  local flags = (test.fold and "i" or "") .. (test.across and "s" or "")
  if not test.whole or flags ~= "" then text = "(?" .. flags .. ":" .. text .. ")" end
  return { regex = before .. (test.starts and "" or any) .. text .. (test.ends and behind or "") }
end

local function in_line(part, before, any, behind)
  return function(method, make, fold)
    local test, why = make(fold, part)
    if not test then return nil, why end
    return compose(before:format(method or "[^ \\n]+"), any, test, behind)
  end
end

---@param method string? of the request, when it is one; else a regular expression for it
---@param make fun(fold: boolean?, part: string): table?, string? of M.tests
---@param fold boolean? case doesn't matter
---@return table? matcher
---@return string? why not
M.path = in_line("path", "^%s ", "[^?\\n]*", "(?:[?\\n]|$)")
---Path and query together.
M.target = in_line("target", "^%s ", "[^\\n]*", "(?:\\n|$)")

---The whole query, without its question mark; none is the same as an empty one.
function M.query(make, fold)
  local test, why = make(fold, "query")
  if not test then return nil, why end
  return compose(test.empty and "^[^?\\n]*(?:\\?|(?=\\n|$))" or "^[^?\\n]*\\?", "[^\\n]*", test, "(?:\\n|$)")
end

local function parameter_head(name, fold)
  local text = pattern.encoded(name, "parameter")
  return "^[^?\\n]*\\?(?:[^\\n]*&)?" .. (fold and "(?i:" .. text .. ")" or text)
end

---A parameter of the query that is there, with any value or none.
function M.parameter_exists(name, fold)
  return { regex = parameter_head(name, fold) .. "(?:[=&\\n]|$)" }
end

---One of the values of a parameter of the query.
---@param fold_name boolean? case doesn't matter in its name
function M.parameter(name, make, fold, fold_name)
  local test, why = make(fold, "parameter")
  if not test then return nil, why end
  local head = parameter_head(name, fold_name) .. (test.empty and "(?:=|(?=[&\\n]|$))" or "=")
  return compose(head, "[^&\\n]*", test, "(?:[&\\n]|$)")
end

---The body; none is the same as an empty one.
function M.body(make, fold)
  local test, why = make(fold, "body")
  if not test then return nil, why end
  return compose(test.empty and "^[^\\n]*(?:\\n|$)" or "^[^\\n]*\\n", "(?s:.*)", test, "$")
end

---@param matchers table[] all of which must match
---@return table matcher
function M.all(matchers)
  if #matchers == 0 then return { glob = "**" } end
  if #matchers == 1 then return matchers[1] end
  local flat = {}
  for _, matcher in ipairs(matchers) do
    local inner = matcher.all or { matcher }
    table.move(inner, 1, #inner, #flat + 1, flat)
  end
  return { all = flat }
end

-- ---- how it is answered ----

---@param report table
---@param reply { status: any, status_place: string, body: string, body_place: string, delay_ms: integer? }
---@return string|table answer
function M.answer(report, reply)
  local status, body = reply.status or 200, reply.body
  if math.type(status) ~= "integer" then report:leave_out(reply.status_place, "a status is an integer") end
  if not value.is_text(body) then report:leave_out(reply.body_place, "the body is no UTF-8 text") end
  local answer = { text = body, delay_ms = reply.delay_ms ~= 0 and reply.delay_ms or nil }
  if status < 200 or status > 299 then
    answer.fault = "error"
    if body == "" then
      answer.text = tostring(status)
    else
      report:lost(reply.status_place, ("an answer has no status; %d becomes the fault error"):format(status))
    end
  elseif status ~= 200 then
    report:lost(reply.status_place, ("an answer has no status; %d becomes an ordinary answer"):format(status))
  end
  return (answer.fault or answer.delay_ms) and answer or answer.text
end

---@param given any
---@return integer? milliseconds, when it is a delay a mock can have: up to a day
function M.delay(given)
  local number = type(given) == "number" and math.tointeger(given)
  return number and number >= 0 and number <= 86400000 and number or nil
end

---Puts the answers of a sequence into a mock.
---@param mock table
---@param answers (string|table)[]
---@param exhausted "miss"|"repeat"|"cycle" what is behind the last one
function M.put_answers(mock, answers, exhausted)
  if #answers > 1 then
    mock.responses = answers
    if exhausted ~= "miss" then mock.exhausted = exhausted end
  else
    mock.response = answers[1]
    if exhausted == "miss" then mock.times = 1 end
  end
end

return M
