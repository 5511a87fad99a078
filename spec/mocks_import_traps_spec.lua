-- SPDX-License-Identifier: Apache-2.0
-- What naive readers of other tools' mocks get wrong, each in the smallest document that shows it.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local import = require("spec.support.import")

-- How the pieces of a case become a document.
local wrap = {
  wiremock = '{"mappings":[%s]}',
  hoverfly = '{"data":{"pairs":[%s]},"meta":{"schemaVersion":"v5.1"}}',
  mountebank = '{"protocol":"http","stubs":[%s]}',
  vcr = '{"http_interactions":[%s]}',
}

local left_out = "; the mock is left out"

---A stub that answers "x" to a request.
local function stub(request, more)
  return ('{"request":%s,"response":{"body":"x"}%s}'):format(request, more or "")
end

---A stub that answers GET /x with a response.
local function answering(response)
  return '{"request":{"method":"GET","url":"/x"},"response":' .. response .. "}"
end

---A pair that answers "x" to a request.
local function pair(request, response)
  return ('{"request":%s,"response":%s}'):format(request, response or '{"status":200,"body":"x"}')
end

local function exact(text) return '[{"matcher":"exact","value":"' .. text .. '"}]' end

---A stub of mountebank that answers "x" to what a predicate holds for.
local function holding(predicate)
  return '{"predicates":[' .. predicate .. '],"responses":[{"is":{"body":"x"}}]}'
end

local function responding(responses)
  return '{"predicates":[{"equals":{"method":"GET"}}],"responses":' .. responses .. "}"
end

---A recording of GET /x.
local function recording(body, more)
  return ('{"request":{"method":"get","uri":"http://h/x"%s},"response":{"status":{"code":200},"body":%s}}'):format(
    more or "", body)
end

local function get_x(answer, more)
  return ('{"match":{"prefix":"GET "},"response%s":%s%s}'):format(answer:sub(1, 1) == "[" and "s" or "", answer,
    more or "")
end

local no_host = "a resource has no host; the mock answers whichever it is (h)"
local regex_why = "the regular expression can't be carried: "

-- { format, what it shows, pieces, mocks as JSON, what is told }
local cases = {
  -- ---- WireMock: order ----
  { "wiremock", "asks the lower priority number first, of equal ones the stub added last",
    { '{"priority":2,"request":{"method":"GET","url":"/1"},"response":{"body":"1"}}',
      '{"request":{"method":"GET","url":"/2"},"response":{"body":"2"}}',
      '{"request":{"method":"GET","url":"/3"},"response":{"body":"3"}}' },
    '[{"resource":"GET /1","response":"1"},{"resource":"GET /3","response":"3"},'
      .. '{"resource":"GET /2","response":"2"}]' },
  { "wiremock", "keeps a resource behind a pattern that is asked before it, and in front of one that can't match it",
    { stub '{"method":"GET","url":"/a/1"}', stub '{"method":"GET","urlPathPattern":"/b/.+"}',
      stub '{"method":"GET","url":"/b/1"}', stub('{"method":"GET","urlPathPattern":"/a/?.+"}', ',"priority":1') },
    '[{"match":{"regex":"^GET /a/?[^?\\\\n]+(?:[?\\\\n]|$)"},"response":"x"},'
      .. '{"resource":"GET /b/1","response":"x"},'
      .. '{"match":{"regex":"^GET /b/[^?\\\\n]+(?:[?\\\\n]|$)"},"response":"x"},'
      .. '{"match":{"all":[{"resource":"GET /a/1"}]},"response":"x"}]' },
  -- ---- WireMock: requests ----
  { "wiremock", "answers every request for a stub that says so itself", { stub "{}" },
    '[{"match":{"glob":"**"},"response":"x"}]' },
  { "wiremock", "takes a method alone, and two of them",
    { stub '{"method":"PATCH"}', stub '{"method":"GET_OR_HEAD","urlPath":"/a.b"}' },
    '[{"match":{"regex":"^(?:GET|HEAD) /a\\\\.b(?:[?\\\\n]|$)"},"response":"x"},'
      .. '{"match":{"prefix":"PATCH "},"response":"x"}]' },
  { "wiremock", "refuses a method that is no name", { stub '{"method":{"or":["GET"]},"url":"/"}' }, "[]",
    { "mappings[0].request.method: only the name of one method can be carried" .. left_out } },
  { "wiremock", "drops anchors that say nothing more", { stub '{"method":"GET","urlPattern":"^/x[^/]$"}' },
    '[{"match":{"regex":"^GET /x[^\\\\n/](?:\\\\n|$)"},"response":"x"}]' },
  { "wiremock", "guards what would match beyond the path",
    { stub '{"method":"GET","urlPathPattern":"/\\\\S[!-~]\\\\u00e9\\\\?"}' },
    '[{"match":{"regex":"^GET /(?![?\\\\n])\\\\S(?![?\\\\n])[!-~]\\\\x{00e9}(?!)(?:[?\\\\n]|$)"},"response":"x"}]' },
  { "wiremock", "refuses regular expressions whose meaning depends on the tool",
    { stub '{"urlPattern":"(^a|b)"}', stub '{"urlPattern":"^a|b"}', stub '{"urlPattern":"[a-z&&[b]]"}',
      stub '{"urlPattern":"(?m)a"}', stub '{"urlPattern":"\\\\Ga"}', stub '{"urlPattern":"(a"}',
      stub '{"urlPattern":"[]a]"}', stub '{"urlPattern":"a\\\\"}' }, "[]",
    { "mappings[0].request.urlPattern: " .. regex_why .. "'^' stands in the middle of it" .. left_out,
      "mappings[1].request.urlPattern: " .. regex_why .. "only one of its branches is anchored" .. left_out,
      "mappings[2].request.urlPattern: " .. regex_why .. "a class in it is an intersection" .. left_out,
      "mappings[3].request.urlPattern: " .. regex_why .. "flags in it change what it means" .. left_out,
      "mappings[4].request.urlPattern: " .. regex_why .. "'\\G' in it means not the same everywhere" .. left_out,
      "mappings[5].request.urlPattern: " .. regex_why .. "its parentheses don't match" .. left_out,
      "mappings[6].request.urlPattern: " .. regex_why .. "a class in it is empty" .. left_out,
      "mappings[7].request.urlPattern: " .. regex_why .. "it ends in a backslash" .. left_out } },
  { "wiremock", "leaves out what the engine would refuse for its size",
    { stub('{"method":"GET","urlPattern":"/' .. ("a"):rep(1024) .. '"}'),
      stub('{"method":"GET","url":"/' .. ("a"):rep(8192) .. '"}'),
      stub('{"method":"GET","queryParameters":{"a":{"or":[' .. ('{"equalTo":"x"},'):rep(64) .. '{"equalTo":"x"}]}}}'),
      stub('{"method":"GET","queryParameters":{"a":' .. ('{"not":'):rep(9) .. '{"equalTo":"x"}' .. ("}"):rep(11)) },
    "[]",
    { "mappings[3]: its matchers are nested deeper than 8 levels" .. left_out,
      "mappings[2]: it has more than 64 matchers" .. left_out,
      "mappings[1]: its resource is longer than 8192 bytes" .. left_out,
      "mappings[0]: its regex is longer than 1024 bytes" .. left_out } },
  { "wiremock", "leaves out a stub with a condition it does not know",
    { stub '{"method":"GET","url":"/x","moon":"full"}' }, "[]",
    { "mappings[0].request.moon: a condition that is not known can't be carried" .. left_out } },
  { "wiremock", "refuses bodies it can't compare as the tool does",
    { stub '{"bodyPatterns":[{"equalToJson":"{\\"a\\":"}]}',
      stub '{"bodyPatterns":[{"equalToJson":{"a":"${json-unit.ignore}"}}]}',
      stub '{"bodyPatterns":[{"equalTo":"a","contains":"b"}]}', stub '{"bodyPatterns":[{}]}',
      stub '{"bodyPatterns":[{"matchesJsonPath":{"expression":"$.a","contains":"b"}}]}',
      stub '{"bodyPatterns":[{"equalToJson":[1,1],"ignoreArrayOrder":true}]}',
      stub '{"bodyPatterns":[{"equalToJson":[1,2],"ignoreExtraElements":true}]}',
      stub '{"bodyPatterns":[{"binaryEqualTo":"/w=="}]}', stub '{"queryParameters":{"a":{"equalToJson":"1"}}}' }, "[]",
    { "mappings[0].request.bodyPatterns[0].equalToJson: it is no JSON: Expected a value behind ':', found the end "
      .. "of the text" .. left_out,
      "mappings[1].request.bodyPatterns[0].equalToJson: placeholders in JSON can't be carried" .. left_out,
      "mappings[2].request.bodyPatterns[0]: exactly one operator can be carried" .. left_out,
      "mappings[3].request.bodyPatterns[0]: exactly one operator can be carried" .. left_out,
      "mappings[4].request.bodyPatterns[0].matchesJsonPath.contains: only equalTo can be carried for what a JSON path "
        .. "leads to" .. left_out,
      "mappings[5].request.bodyPatterns[0].equalToJson: the JSON can't be carried: it holds the same item twice, in "
        .. "any order" .. left_out,
      "mappings[6].request.bodyPatterns[0].equalToJson: the JSON can't be carried: it has items in order, with others "
        .. "between" .. left_out,
      "mappings[7].request.bodyPatterns[0].binaryEqualTo: it is no UTF-8 text" .. left_out,
      "mappings[8].request.queryParameters.a.equalToJson: this comparison can't be carried" .. left_out } },
  -- ---- WireMock: responses ----
  { "wiremock", "leaves out answers it can't tell", { answering '{"status":"200"}', answering '{"fault":"EARTHQUAKE"}',
    answering '{"body":7}', answering '{"base64Body":"%"}', answering '{"base64Body":"AA=="}', "7" }, "[]",
    { "mappings[0].response.status: a status is an integer" .. left_out,
      "mappings[1].response.fault: the fault is not known" .. left_out,
      "mappings[2].response.body: the body is no text" .. left_out,
      "mappings[3].response.base64Body: it is no base64" .. left_out,
      "mappings[4].response.base64Body: the body is no UTF-8 text" .. left_out,
      "mappings[5]: a stub is an object" .. left_out } },
  { "wiremock", "takes a fixed delay wherever it is written, and none of 0",
    { '{"request":{"method":"GET","url":"/1"},"response":{"delayDistribution":{"type":"fixed","milliseconds":7}}}',
      '{"request":{"method":"GET","url":"/2"},"response":{"fault":"EMPTY_RESPONSE","fixedDelayMilliseconds":5}}',
      '{"request":{"method":"GET","url":"/3"},"response":{"fixedDelayMilliseconds":0,"chunkedDribbleDelay":{}}}' },
    '[{"resource":"GET /3","response":""},{"resource":"GET /2","response":{"delay_ms":5,"fault":"empty"}},'
      .. '{"resource":"GET /1","response":{"delay_ms":7,"text":""}}]',
    { "mappings[2].response.chunkedDribbleDelay: an answer comes in one piece; it is not delayed" } },
  { "wiremock", "has no plain sequence for a state that is never reached, or that leads into the middle",
    { stub('{"method":"GET","url":"/a"}', ',"scenarioName":"a","requiredScenarioState":"B"'),
      stub('{"method":"GET","url":"/b"}',
        ',"scenarioName":"b","requiredScenarioState":"Started","newScenarioState":"B"'),
      stub('{"method":"GET","url":"/b"}', ',"scenarioName":"b","requiredScenarioState":"B","newScenarioState":"C"'),
      stub('{"method":"GET","url":"/b"}', ',"scenarioName":"b","requiredScenarioState":"C","newScenarioState":"B"'),
      stub('{"method":"GET","url":"/c"}', ',"scenarioName":"c","requiredScenarioState":"Started"'),
      stub('{"method":"GET","url":"/c"}', ',"scenarioName":"c"') }, "[]",
    { "mappings[0].scenarioName: the scenario 'a' is no plain sequence: one of its states is never reached" .. left_out,
      "mappings[1].scenarioName: the scenario 'b' is no plain sequence: it leads back into its middle" .. left_out,
      "mappings[2].scenarioName: the scenario 'b' is no plain sequence: it leads back into its middle" .. left_out,
      "mappings[3].scenarioName: the scenario 'b' is no plain sequence: it leads back into its middle" .. left_out,
      "mappings[4].scenarioName: the scenario 'c' is no plain sequence: one of its stubs answers in any state"
        .. left_out,
      "mappings[5].scenarioName: the scenario 'c' is no plain sequence: one of its stubs answers in any state"
        .. left_out } },
  -- ---- Hoverfly ----
  { "hoverfly", "asks the strongest pair first, of equal ones the last",
    { pair('{"path":[{"matcher":"glob","value":"/*"}]}', '{"status":200,"body":"1"}'),
      pair('{"path":' .. exact "/a" .. "}", '{"status":200,"body":"2"}'),
      pair('{"path":' .. exact "/b" .. "}", '{"status":200,"body":"3"}') },
    '[{"match":{"regex":"^[^ \\\\n]+ /b(?:[?\\\\n]|$)"},"response":"3"},'
      .. '{"match":{"regex":"^[^ \\\\n]+ /a(?:[?\\\\n]|$)"},"response":"2"},'
      .. '{"match":{"regex":"^[^ \\\\n]+ /[^?\\\\n]*(?:[?\\\\n]|$)"},"response":"1"}]' },
  { "hoverfly", "tells no query from any query", { pair('{"query":{}}'), pair('{"query":null}') },
    '[{"match":{"glob":"**"},"response":"x"},'
      .. '{"match":{"regex":"^[^?\\\\n]*(?:\\\\?|(?=\\\\n|$))(?:\\\\n|$)"},"response":"x"}]' },
  { "hoverfly", "carries a template that has no placeholder",
    { pair('{"path":' .. exact "/a" .. "}", '{"status":200,"body":"plain","templated":true}') },
    '[{"match":{"regex":"^[^ \\\\n]+ /a(?:[?\\\\n]|$)"},"response":"plain"}]' },
  { "hoverfly", "refuses matchers it can't tell",
    { pair '{"path":[{"matcher":"exact","value":"/a","doMatch":{"matcher":"glob","value":"*"}}]}',
      pair '{"query":{"a":[{"matcher":"array","value":["1"]}]}}', pair '{"body":[{"matcher":"xml","value":"<a/>"}]}',
      pair '{"body":[{"matcher":"regex","value":"a","config":{"ignoreCase":true}}]}',
      pair '{"method":[{"matcher":"regex","value":"GET|PUT"}]}', pair '{"path":"/a"}',
      pair '{"path":[{"matcher":"json","value":"1"}]}', pair '{"body":[{"matcher":"json","value":"{"}]}',
      pair '{"body":[{"matcher":"jsonpath","value":"$.a[?(@.b)]"}]}' }, "[]",
    { "data.pairs[0].request.path[0].doMatch: it can't be carried" .. left_out,
      "data.pairs[1].request.query.a[0]: the matcher array can't be carried" .. left_out,
      "data.pairs[2].request.body[0]: the matcher xml can't be carried" .. left_out,
      "data.pairs[3].request.body[0].config: a matcher with a configuration can't be carried" .. left_out,
      "data.pairs[4].request.method: only one exact method can be carried" .. left_out,
      "data.pairs[5].request.path: it is no array of matchers" .. left_out,
      "data.pairs[6].request.path[0]: the matcher json can't be carried" .. left_out,
      "data.pairs[7].request.body[0].value: it is no JSON: Expected a member's name in double quotes or '}', found "
        .. "the end of the text" .. left_out,
      "data.pairs[8].request.body[0].value: only a plain JSON path can be carried, like $.a.b[0]" .. left_out } },
  { "hoverfly", "refuses bodies that are elsewhere or no text",
    { pair('{"path":' .. exact "/a" .. "}", '{"status":200,"bodyFile":"a.txt"}'),
      pair('{"path":' .. exact "/b" .. "}", '{"status":200,"body":"@","encodedBody":true}') }, "[]",
    { "data.pairs[0].response.bodyFile: the body is in another file" .. left_out,
      "data.pairs[1].response.body: it is no base64" .. left_out } },
  { "hoverfly", "leaves out what depends on state that is no sequence",
    { pair('{"path":' .. exact "/a" .. ',"requiresState":{"sequence:1":"1"}}',
        '{"status":200,"transitionsState":{"sequence:1":"2"}}'),
      pair('{"path":' .. exact "/a" .. ',"requiresState":{"sequence:1":"2","on":"1"}}'),
      pair('{"path":' .. exact "/b" .. ',"requiresState":{"set":"1"}}', '{"status":200,"removesState":["set"]}') },
    "[]",
    { "data.pairs[1].request.requiresState.on: the state is no plain sequence: a pair has to do with other state too"
      .. left_out,
      "data.pairs[0].request.requiresState.sequence:1: the state is no plain sequence: a pair has to do with other "
        .. "state too" .. left_out,
      "data.pairs[2].request.requiresState.set: the state is no plain sequence: a pair removes it" .. left_out } },
  -- ---- mountebank: predicates ----
  { "mountebank", "does not turn a lost condition round", { holding('{"not":{"and":[{"equals":{"headers":{"A":"1"}}},'
      .. '{"equals":{"path":"/a"}}]}},{"equals":{"method":"PUT"}}'),
    holding '{"or":[{"equals":{"ip":"::1"}},{"equals":{"path":"/b"}}]},{"equals":{"method":"GET"}}' },
    '[{"match":{"prefix":"PUT "},"response":"x"},{"match":{"prefix":"GET "},"response":"x"}]',
    { "stubs[0].predicates[0].not.and[0].equals.headers.A: a resource has no headers; the mock answers whatever they "
      .. "are",
      "stubs[1].predicates[0].or[0].equals.ip: a resource has no client; the mock answers whichever it is" } },
  { "mountebank", "minds case only where it is told to",
    { holding '{"equals":{"path":"/A"},"caseSensitive":true}',
      holding '{"equals":{"query":{"A":"b"}},"keyCaseSensitive":true}' },
    '[{"match":{"regex":"^[^ \\\\n]+ /A(?:[?\\\\n]|$)"},"response":"x"},'
      .. '{"match":{"regex":"^[^?\\\\n]*\\\\?(?:[^\\\\n]*&)?A=(?i:b)(?:[&\\\\n]|$)"},"response":"x"}]' },
  { "mountebank", "knows that a body may be missing",
    { holding '{"exists":{"body":false}}', holding '{"equals":{"body":""}}', holding '{"exists":{"path":true}}' },
    '[{"match":{"none":[{"regex":"^[^\\\\n]*\\\\n"}]},"response":"x"},'
      .. '{"match":{"regex":"^[^\\\\n]*(?:\\\\n|$)(?i:)$"},"response":"x"},{"match":{"glob":"**"},"response":"x"}]' },
  { "mountebank", "refuses predicates it can't tell",
    { holding '{"matches":{"method":"G.T"}}', holding '{"equals":{"form":{"a":"1"}}}',
      holding '{"contains":{"body":{"a":"1"}}}', holding '{"equals":{"path":"/a"},"jsonpath":{"selector":"$.a"}}',
      holding '{"equals":{"body":"a"},"jsonpath":{"selector":"$..a"}}',
      holding '{"equals":{"path":"/a"},"contains":{}}',
      holding '{"caseSensitive":true}', holding '{"equals":{"query":{"a":["1","2"]}}}',
      holding '{"equals":{"body":{"a":1}},"keyCaseSensitive":true}', holding '{"not":{"exists":{"path":true}}}',
      holding '{"is":{"path":"/a"}}' }, "[]",
    { "stubs[0].predicates[0].matches.method: only the name of one method can be carried" .. left_out,
      "stubs[1].predicates[0].equals.form: a condition on it can't be carried" .. left_out,
      "stubs[2].predicates[0].contains.body: only equals and deepEquals can be carried for JSON" .. left_out,
      "stubs[3].predicates[0].jsonpath: it can only be carried for the body" .. left_out,
      "stubs[4].predicates[0].jsonpath: only a plain JSON path can be carried, like $.a.b[0]" .. left_out,
      "stubs[5].predicates[0]: a predicate has one operator" .. left_out,
      "stubs[6].predicates[0]: a predicate has an operator" .. left_out,
      "stubs[7].predicates[0].equals.query.a: it is not text" .. left_out,
      "stubs[8].predicates[0].equals.body: case of names can't be told for itself" .. left_out,
      "stubs[9].predicates[0].not: it never holds" .. left_out,
      "stubs[10].predicates[0].is: a condition that is not known can't be carried" .. left_out } },
  -- ---- mountebank: responses ----
  { "mountebank", "answers emptily for a stub without responses", { responding "[]" }, "[" .. get_x '""' .. "]" },
  { "mountebank", "needs no list for one response that is repeated", { responding '[{"is":{"body":"x"},"repeat":5}]' },
    "[" .. get_x '"x"' .. "]" },
  { "mountebank", "adds up what behaviors wait, whether they are a list or not",
    { responding '[{"is":{"body":"x"},"_behaviors":[{"wait":1},{"wait":2}],"behaviors":[{"wait":4}]}]' },
    "[" .. get_x '{"delay_ms":7,"text":"x"}' .. "]" },
  { "mountebank", "takes a repetition wherever it is written",
    { responding '[{"is":{"body":"a"},"_behaviors":{"repeat":2}},{"is":{"body":"b"},"repeat":1}]' },
    "[" .. get_x('["a","a","b"]', ',"exhausted":"cycle"') .. "]" },
  { "mountebank", "refuses answers it can't tell",
    { responding '[{"is":{"body":"a"},"repeat":0},{"is":{}}]', responding '[{"is":{}},{"is":{},"repeat":1000}]',
      responding '[{"inject":"() => {}"}]', responding '[{"fault":"FLOOD"}]', responding '[{}]',
      responding '[{"is":{"body":"x"},"_behaviors":{"decorate":"f"}}]',
      responding '[{"is":{"body":"/w==","_mode":"binary"}}]',
      responding '[{"is":{"statusCode":"teapot"}}]' }, "[]",
    { "stubs[0].responses[0].repeat: it is no number of times" .. left_out,
      "stubs[1].responses[1]: so many answers can't be carried" .. left_out,
      "stubs[2].responses[0].inject: code can't be carried" .. left_out,
      "stubs[3].responses[0].fault: the fault is not known" .. left_out,
      "stubs[4].responses[0]: it has no answer" .. left_out,
      "stubs[5].responses[0]._behaviors.decorate: what it makes of an answer can't be carried" .. left_out,
      "stubs[6].responses[0].is.body: the body is no UTF-8 text" .. left_out,
      "stubs[7].responses[0].is.statusCode: a status is an integer" .. left_out } },
  -- ---- VCR ----
  { "vcr", "makes a sequence of the recordings of one request",
    { recording '"1"', recording '{"string":"2"}', recording "null" },
    '[{"resource":"GET /x","responses":["1","2",""]}]',
    { "http_interactions[0].request.uri: " .. no_host, "http_interactions[1].request.uri: " .. no_host,
      "http_interactions[2].request.uri: " .. no_host } },
  { "vcr", "tells bodies apart", { recording('"1"', ',"body":"a"'), recording('"2"', ',"body":"b"') },
    '[{"resource":"GET /x\\na","response":"1","times":1},{"resource":"GET /x\\nb","response":"2","times":1}]',
    { "http_interactions[0].request.uri: " .. no_host, "http_interactions[1].request.uri: " .. no_host } },
  { "vcr", "names headers that may hold secrets and shows no value",
    { recording('"1"', ',"headers":{"X-Api-Key":["s3cret"],"Cookie":["s3cret"],"Accept":["*/*"]}') },
    '[{"resource":"GET /x","response":"1","times":1}]',
    { "http_interactions[0].request.uri: " .. no_host,
      "http_interactions[0].request.headers: a resource has no headers; the mock answers whatever they are (Accept, "
        .. "Cookie, X-Api-Key)",
      "http_interactions[0].request.headers: recorded secrets are not carried, and are still in this file (Cookie, "
        .. "X-Api-Key)" } },
  { "vcr", "refuses what is no request, and no text",
    { '{"request":{"method":"get","uri":"/x"},"response":{}}',
      '{"request":{"method":"","uri":"http://h/"},"response":{}}',
      '{"request":{"method":"get","uri":"http://h/a b"},"response":{}}', "[]",
      '{"request":{"method":"get"},"response":{}}',
      '{"request":{"method":"get","uri":"http://h/"}}', recording '{"base64_string":"AA=="}' }, "[]",
    { "http_interactions[0].request.uri: it is no absolute URI" .. left_out,
      "http_interactions[1].request.method: it is no method" .. left_out,
      "http_interactions[2].request.uri: it is no URI" .. left_out,
      "http_interactions[3]: an interaction is an object" .. left_out,
      "http_interactions[4].request.uri: there is no URI" .. left_out,
      "http_interactions[5].request.uri: " .. no_host,
      "http_interactions[5].response: there is no response" .. left_out,
      "http_interactions[6].request.uri: " .. no_host,
      "http_interactions[6].response.body: the body is no UTF-8 text" .. left_out } },
}

describe("import", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  for _, case in ipairs(cases) do
    local format, what, pieces, expected, told = table.unpack(case)
    it(format .. ": " .. what, function()
      local document = wrap[format]:gsub("%%s", function() return table.concat(pieces, ",") end)
      local mocks, lines = import.run(box, document, format)
      assert.same(told or {}, lines)
      assert.same(cjson.decode(expected), mocks)
    end)
  end

  it("vcr: reads YAML as YAML 1.2, bytes and aliases too", function()
    local mocks = import.run(box, [[
interactions:
- request: &get { method: GET, uri: "https://h", body: ~ }
  response: &yes { status: { code: 200 }, body: { string: yes } }
- request: *get
  response: { status: 200, body: { string: !!binary "bm8=" } }
- request: { <<: *get, method: PUT, uri: https://h/a }
  response: *yes
]])
    assert.same({ { resource = "GET /", responses = { "yes", "no" } },
      { resource = "PUT /a", response = "yes", times = 1 } }, mocks)
  end)
end)
