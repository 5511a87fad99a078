-- SPDX-License-Identifier: Apache-2.0
-- Documents that are not what a route takes: each is refused as what it is, at the place where it is wrong, and leaves
-- nothing behind.

local cjson = require("cjson")
local clients = require("spec.support.client")
local refusal = require("spec.support.refusal")
local tenants = require("spec.support.tenants")

local root = "/v1/m/sandbox"
local absent_id = "0190a0b0-0000-7000-8000-000000000001"
local MIB = 1024 * 1024

describe("bad input:", function()
  local engine, scenario, run

  setup(function()
    engine = tenants.start()
    scenario = engine.owner:must(201, "POST", root .. "/scenarios", { name = "taken", steps = { { input = "x" } } })
    run = engine.owner:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run")
  end)
  teardown(function() engine:remove() end)

  ---Sends a body and expects { status, code, message, place? } and that nothing was stored.
  local function refused(method, path, body, expected)
    path = path:gsub("{scenario}", scenario.id):gsub("{run}", run.id)
    local before = engine:stored()
    local answer = engine.owner:request(method, path, { body = body })
    refusal.check(expected, answer)
    assert.same(before, engine:stored())
  end

  local function each(method, path, cases)
    for _, case in ipairs(cases) do
      it(("%s %s: %s"):format(method, path, case[1]), function()
        refused(method, path, case[2], { table.unpack(case, 3, 6) })
      end)
    end
  end

  local function bad(message, place) return 400, "bad_request", message, place end
  local function at(line, column) return ("line %d, column %d"):format(line, column) end

  -- ---- what is no JSON document ----

  local good = '{"name":"n","steps":[{"input":"x"}]}'
  local behind = "There is text behind the JSON document; send exactly one document."
  local function not_utf8(byte)
    return ("The text is not UTF-8: byte 0x%02x does not belong there; send UTF-8."):format(byte)
  end
  local function named(text) return '{"name":"' .. text .. '","steps":[{"input":"x"}]}' end
  local function deep(levels)
    return '{"name":"n","steps":[{"input":"x"}],"agent":' .. ("["):rep(levels - 1) .. ("]"):rep(levels - 1) .. "}"
  end

  each("POST", root .. "/scenarios", {
    { "two documents", good .. good, bad(behind, at(1, #good + 1)) },
    { "a closing brace too many", good .. "}", bad(behind, at(1, #good + 1)) },
    { "a word on a later line", good .. "\n\n x", bad(behind, at(3, 2)) },
    { "no body", "", bad("The text is empty; send one JSON document.", at(1, 1)) },
    { "blanks only", " \r\n\t", bad("The text is empty; send one JSON document.", at(2, 2)) },
    { "half a document", '{"name":"n"',
      bad("Expected ',' or '}' behind a member, found the end of the text.", at(1, 12)) },
    { "a comma too many", '{"name":"n",}',
      bad("Expected a member's name in double quotes behind ',', found '}'.", at(1, 13)) },
    { "single quotes", "{'name':1}", bad("Expected a member's name in double quotes or '}', found '''.", at(1, 2)) },
    { "not a number", '{"seed":NaN}', bad("Expected a value behind ':', found 'NaN'.", at(1, 9)) },
    { "a byte order mark", "\xef\xbb\xbf" .. good,
      bad("The text starts with a byte order mark; leave it out.", at(1, 1)) },
    { "a member twice", '{"name":"n",\n "name":"m","steps":[]}',
      bad("Member 'name' stands twice in one object; keep one.", at(2, 2)) },
    { "a member twice, further in", '{"name":"n","steps":[{"input":"x","input":"y"}]}',
      bad("Member 'input' stands twice in one object; keep one.", at(1, 35)) },
    { "65 levels", deep(65), bad("The document nests deeper than 64 levels; make it flatter.", at(1, 45 + 63)) },
    { "64 levels are read", deep(64), 503, "unavailable",
      "This engine has no runner for agents of a scenario; leave 'agent' out to use the reference agent. "
      .. "Nothing was stored.", "agent" },
    { "Latin-1", named("caf\xe9"), bad(not_utf8(0xe9), at(1, 13)) },
    { "a byte that is never UTF-8", named("\xff"), bad(not_utf8(0xff), at(1, 10)) },
    { "an overlong form", named("\xc0\x80"), bad(not_utf8(0xc0), at(1, 10)) },
    { "an encoded surrogate", named("\xed\xa0\x80"), bad(not_utf8(0xed), at(1, 10)) },
    { "beyond Unicode", named("\xf4\x90\x80\x80"), bad(not_utf8(0xf4), at(1, 10)) },
    { "a cut sequence", named("\xe2\x82"), bad(not_utf8(0xe2), at(1, 10)) },
    { "the NUL character", named("a\\u0000b"),
      bad("A string holds the NUL character (\\u0000); leave it out.", at(1, 11)) },
    { "a NUL byte", named("a\0b"),
      bad("A string holds the control byte 0x00 as it is; write it as the escape \\u0000.", at(1, 11)) },
    { "NUL in a member's name", '{"na\\u0000me":1}',
      bad("A string holds the NUL character (\\u0000); leave it out.", at(1, 5)) },
    { "half of a surrogate pair", named("\\ud800"),
      bad("A string holds half of a surrogate pair (\\ud800); write both halves, high then low.", at(1, 10)) },
    { "an integer of 20 digits", '{"seed":99999999999999999999}',
      bad("The integer does not fit into 64 bits; send it as a string.", at(1, 9)) },
  })

  -- ---- what is no scenario ----

  local known_of_mock = "known are resource, match, prefix, suffix, contains, glob, regex, json, all, any, none, "
    .. "response, responses, exhausted, times, required, delay_ms, fault."
  local answers_nothing = "The mock does not say what it answers; give it a resource, or a match."
  local answers_in_several_ways = "The mock says in several ways what it answers; combine them with match and all."
  local without_answer = "Exactly one of response and responses is needed: how the mock answers."
  local matcher_is_one = "A matcher is exactly one of resource, prefix, suffix, contains, glob, regex, json, all, any "
    .. "and none; combine several with all."
  local known = "known are name, description, subject_kind, steps, mocks, variants, seed, agent, script."
  local function steps(text) return '{"name":"n","steps":' .. text .. "}" end
  local function mocks(text) return '{"name":"n","steps":[{"input":"x"}],"mocks":' .. text .. "}" end
  local function variants(text) return '{"name":"n","steps":[{"input":"x"}],"variants":' .. text .. "}" end
  local function seed(text) return '{"name":"n","steps":[{"input":"x"}],"seed":' .. text .. "}" end
  local bad_scenarios = {
    { "an unknown member", '{"nme":"n","steps":[{"input":"x"}]}',
      bad("Unknown member 'nme'; did you mean 'name'?", "nme") },
    { "an unknown member like none", '{"name":"n","wibble":1,"steps":[{"input":"x"}]}',
      bad("Unknown member 'wibble'; " .. known, "wibble") },
    { "an unknown member of a step", steps('[{"input":"x"},{"imput":"y"}]'),
      bad("Unknown member 'imput'; did you mean 'input'?", "steps[1].imput") },
    { "the engine's own mark on a step", steps('[{"input":"x","input_whole":"00"}]'),
      bad("Unknown member 'input_whole'; known are key, input.", "steps[0].input_whole") },
    { "the engine's own mark on a mock", mocks('[{"resource":"x","response":"y","resource_whole":"00"}]'),
      bad("Unknown member 'resource_whole'; " .. known_of_mock, "mocks[0].resource_whole") },
    { "a list", "[]", bad("Expected an object, found an array.") },
    { "a text", '"x"', bad("Expected an object, found a string.") },
    { "null", "null", bad("Expected an object, found null.") },
    { "no name", '{"steps":[{"input":"x"}]}', bad("Member 'name' is missing.", "name") },
    { "a number for a name", '{"name":1,"steps":[{"input":"x"}]}',
      bad("Expected a string, found an integer.", "name") },
    { "an empty name", named(""), bad("Must not be empty.", "name") },
    { "a blank name", named(" \\t\\r\\n "), bad("A scenario's name must not be blank.", "name") },
    { "an empty subject kind", '{"name":"n","subject_kind":"","steps":[{"input":"x"}]}',
      bad("Must not be empty.", "subject_kind") },
    { "no steps", '{"name":"n"}', bad("Member 'steps' is missing.", "steps") },
    { "an empty list of steps", steps("[]"), bad("Must not be empty.", "steps") },
    { "null for steps", steps("null"), bad("Expected an array, found null.", "steps") },
    { "an object for steps", steps("{}"), bad("Expected an array, found an object.", "steps") },
    { "a text for a step", steps('["x"]'), bad("Expected an object, found a string.", "steps[0]") },
    { "a step without input", steps('[{"key":"a"}]'), bad("Member 'input' is missing.", "steps[0].input") },
    { "a boolean for an input", steps('[{"input":true}]'),
      bad("Expected a string, found a boolean.", "steps[0].input") },
    { "an empty key", steps('[{"key":"","input":"x"}]'), bad("Must not be empty.", "steps[0].key") },
    { "one key for two steps", steps('[{"key":"a","input":"x"},{"input":"y"},{"key":"a","input":"z"}]'),
      bad("Step key 'a' is used by steps[0] already; keys must differ.", "steps[2].key") },
    { "a key that is another step's default", steps('[{"key":"step-2","input":"x"},{"input":"y"}]'),
      bad("Step key 'step-2' is used by steps[0] already; keys must differ.", "steps[1].key") },
    { "keys that are the same once they are cut",
      steps(('[{"key":"%sa","input":"x"},{"key":"%sb","input":"y"}]'):format(("k"):rep(200), ("k"):rep(200))),
      bad(("Step key '%s' is used by steps[0] already; keys must differ."):format(("k"):rep(200)), "steps[1].key") },
    { "a mock without a resource", mocks('[{"response":"x"}]'), bad(answers_nothing, "mocks[0]") },
    { "a mock without a response", mocks('[{"resource":"x"}]'), bad(without_answer, "mocks[0]") },
    { "a mock with a response and responses", mocks('[{"resource":"x","response":"y","responses":["z"]}]'),
      bad(without_answer, "mocks[0]") },
    { "a mock with a resource and a matcher", mocks('[{"resource":"x","glob":"*","response":"y"}]'),
      bad(answers_in_several_ways, "mocks[0]") },
    { "a mock with two matchers", mocks('[{"prefix":"x","suffix":"z","response":"y"}]'),
      bad(answers_in_several_ways, "mocks[0]") },
    { "a matcher that says nothing", mocks('[{"match":{},"response":"y"}]'),
      bad(matcher_is_one, "mocks[0].match") },
    { "a matcher that says two things", mocks('[{"all":[{"prefix":"a"},{"prefix":"a","suffix":"z"}],"response":"y"}]'),
      bad(matcher_is_one, "mocks[0].match.all[1]") },
    { "an unknown matcher", mocks('[{"match":{"globb":"x*"},"response":"y"}]'),
      bad("Unknown member 'globb'; did you mean 'glob'?", "mocks[0].match.globb") },
    { "a matcher of the empty text", mocks('[{"prefix":"","response":"y"}]'),
      bad("Must not be empty.", "mocks[0].prefix") },
    { "a regular expression that can't be used", mocks('[{"regex":"a(b","response":"y"}]'),
      bad("The regular expression can't be used: missing closing parenthesis (at byte 3).", "mocks[0].match.regex") },
    { "a pattern over its limit", mocks(('[{"glob":"%s","response":"y"}]'):format(("g"):rep(1025))),
      bad("Expected at most 1024 bytes, found 1025.", "mocks[0].glob") },
    { "a JSON matcher that says nothing", mocks('[{"json":{},"response":"y"}]'),
      bad("Exactly one of equal, partial and path is needed.", "mocks[0].match.json") },
    { "a JSON path that searches", mocks('[{"json":{"path":{"$..id":1}},"response":"y"}]'),
      bad("The JSON path is not understood at byte 2: expected a member's name or * after the dot (other names go into "
        .. "['…']). The path is '$..id'.", "mocks[0].match.json.path") },
    { "no JSON path", mocks('[{"json":{"path":{}},"response":"y"}]'),
      bad('At least one path is needed, e.g. {"$.id": 42}.', "mocks[0].match.json.path") },
    { "an empty list of responses", mocks('[{"resource":"x","responses":[]}]'),
      bad("Must not be empty.", "mocks[0].responses") },
    { "an answer that is neither text nor fault", mocks('[{"resource":"x","response":{"delay_ms":1}}]'),
      bad("An answer needs a text or a fault.", "mocks[0].response") },
    { "a text for a fault that has none", mocks('[{"resource":"x","responses":["y",{"fault":"empty","text":"z"}]}]'),
      bad("The faults empty and timeout have no text; leave it out.", "mocks[0].responses[1]") },
    { "an unknown fault", mocks('[{"resource":"x","response":{"fault":"none"}}]'),
      bad("Unknown value 'none'; expected one of error, timeout, empty, malformed, huge.",
        "mocks[0].response.fault") },
    { "one response that is to be exhausted", mocks('[{"resource":"x","response":"y","exhausted":"cycle"}]'),
      bad("Only a list of responses can be exhausted; use responses, or times.", "mocks[0].exhausted") },
    { "an unknown word for exhausted", mocks('[{"resource":"x","responses":["y"],"exhausted":"stop"}]'),
      bad("Unknown value 'stop'; expected one of miss, repeat, cycle.", "mocks[0].exhausted") },
    { "a mock that answers zero times", mocks('[{"resource":"x","response":"y","times":0}]'),
      bad("Expected an integer from 1 to 1000000, found 0.", "mocks[0].times") },
    { "a delay of more than a day", mocks('[{"resource":"x","response":"y","delay_ms":86400001}]'),
      bad("Expected an integer from 0 to 86400000, found 86400001.", "mocks[0].delay_ms") },
    { "too many matchers of one mock",
      mocks(('[{"any":[%s],"response":"y"}]'):format(('{"prefix":"a"},'):rep(63) .. '{"prefix":"a"}')),
      bad("A mock has at most 64 matchers and JSON paths, all levels together.", "mocks[0].match.any") },
    { "matchers nested too deep",
      mocks(('[{"match":%s{"prefix":"a"}%s,"response":"y"}]'):format(('{"all":['):rep(9), ("]}"):rep(9))),
      bad("Matchers are nested deeper than 8 levels.", "mocks[0].match" .. (".all[0]"):rep(8) .. ".all") },
    { "an agent of a variant", variants('{"v":{"agent":{}}}'), 503, "unavailable",
      "This engine has no runner for agents of a scenario; leave 'agent' out to use the reference agent. "
      .. "Nothing was stored.", "variants.v.agent" },
    { "a mock of an empty resource", mocks('[{"resource":"","response":"x"}]'),
      bad("Must not be empty.", "mocks[0].resource") },
    { "a list of variants", variants("[]"), bad("Expected an object, found an array.", "variants") },
    { "an unknown member of a variant", variants('{"v":{"step":[]}}'),
      bad("Unknown member 'step'; did you mean 'steps'?", "variants.v.step") },
    { "a variant without a step", variants('{"v":{"steps":[]}}'), bad("Must not be empty.", "variants.v.steps") },
    { "one key for two steps of a variant",
      variants('{"v":{"steps":[{"key":"a","input":"x"},{"key":"a","input":"y"}]}}'),
      bad("Step key 'a' is used by variants.v.steps[0] already; keys must differ.", "variants.v.steps[1].key") },
    { "a variant without a name", variants('{"":{}}'), bad("A variant's name has 1 to 200 bytes.", "variants") },
    { "a variant with a name of 201 bytes", variants(('{"%s":{}}'):format(("v"):rep(201))),
      bad("A variant's name has 1 to 200 bytes.", "variants") },
    { "a seed below zero", seed("-1"), bad("Expected an integer from 0 to 9007199254740991, found -1.", "seed") },
    { "a seed of 2^53", seed("9007199254740992"),
      bad("Expected an integer from 0 to 9007199254740991, found 9007199254740992.", "seed") },
    { "a seed with a fraction", seed("1.0"),
      bad("Expected an integer, found a number with a fraction or exponent.", "seed") },
    { "an agent", '{"name":"n","steps":[{"input":"x"}],"agent":{"command":["true"]}}', 503, "unavailable",
      "This engine has no runner for agents of a scenario; leave 'agent' out to use the reference agent. "
      .. "Nothing was stored.", "agent" },
    { "a script", '{"name":"n","steps":[{"input":"x"}],"script":"return 1"}', 503, "unavailable",
      "This engine has no Lua guests, so the script can't be checked; nothing was stored.", "script" },
  }
  each("POST", root .. "/scenarios", bad_scenarios)
  each("PUT", root .. "/scenarios/{scenario}", bad_scenarios)

  it("a name that another scenario has is refused by POST and by PUT", function()
    local body = '{"name":"taken","steps":[{"input":"x"}]}'
    local message = ("A scenario named 'taken' exists already: %s."):format(scenario.id)
    local other = engine.owner:must(201, "POST", root .. "/scenarios", { name = "free", steps = { { input = "x" } } })
    refused("POST", root .. "/scenarios", body, { 409, "conflict", message, "name" })
    refused("PUT", root .. "/scenarios/" .. other.id, body, { 409, "conflict", message, "name" })
    assert.same(other, engine.owner:must(200, "GET", root .. "/scenarios/" .. other.id))
  end)

  -- ---- launching ----

  each("POST", root .. "/scenarios/{scenario}/run", {
    { "an unknown member", '{"varient":"v"}', bad("Unknown member 'varient'; did you mean 'variant'?", "varient") },
    { "an empty variant", '{"variant":""}', bad("Must not be empty.", "variant") },
    { "a text for wait", '{"wait":"no"}', bad("Expected a boolean, found a string.", "wait") },
    { "a seed below zero", '{"seed":-1}', bad("Expected an integer from 0 to 9007199254740991, found -1.", "seed") },
    { "an unknown runner", '{"runner":"docker"}',
      bad("There is no runner 'docker'; GET /v1/m/sandbox/runners lists all.", "runner") },
    { "a policy", '{"policy_refs":["strict"]}',
      bad("There is no policy 'strict': this engine knows none.", "policy_refs[0]") },
    { "text behind the document", "{}{}", bad(behind, at(1, 3)) },
  })

  it("an empty list of policies is none", function()
    local answer = engine.owner:request("POST", root .. "/scenarios/" .. scenario.id .. "/run",
      { body = '{"policy_refs":[]}' })
    assert.equal(201, answer.status)
  end)

  it("an archived scenario does not run", function()
    local made = engine.owner:must(201, "POST", root .. "/scenarios", { name = "old", steps = { { input = "x" } } })
    engine.owner:must(200, "POST", root .. "/scenarios/" .. made.id .. "/archive")
    local archived = { 409, "conflict", "The scenario 'old' is archived and does not run; restore it first." }
    refused("POST", root .. "/scenarios/" .. made.id .. "/run", nil, archived)
    refused("POST", root .. "/scenarios/" .. made.id .. "/run", '{"wait":false}', archived)
    refused("POST", root .. "/compare",
      ('{"scenario_ref":"%s","baseline_variant":"a","candidate_variant":"b"}'):format(made.id), archived)
  end)

  it("a runner that is not there is recorded as a run that did not happen", function()
    for _, body in ipairs({ { runner = "gvisor" }, { runner = "gvisor", wait = false } }) do
      local ran = engine.owner:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", body)
      assert.same({ "gvisor", "error", false, true, 0 },
        { ran.runner, ran.status, ran.isolated, ran.destroyed, ran.steps_total })
      assert.same({ code = "isolation_unavailable",
        message = "The runner 'gvisor' is not available: missing the gVisor runner. The runner \"gvisor\" is not part "
          .. "of this engine: it needs the gVisor runner. No other runner was used instead." }, ran.reason)
      assert.is_nil(ran.outputs_hash)
      assert.same(ran, engine.owner:must(200, "GET", root .. "/runs/" .. ran.id))
      assert.same({}, engine.owner:all(root .. "/runs/" .. ran.id .. "/outputs"))
    end
  end)

  each("POST", root .. "/replay", {
    { "no session", "{}", bad("Member 'session_ref' is missing.", "session_ref") },
    { "an empty session", '{"session_ref":""}', bad("Must not be empty.", "session_ref") },
    { "an unknown source of mocks", '{"session_ref":"s","mock_from":"history"}',
      bad("Unknown value 'history'; expected one of none.", "mock_from") },
    { "an unknown runner", '{"session_ref":"s","runner":"docker"}',
      bad("There is no runner 'docker'; GET /v1/m/sandbox/runners lists all.", "runner") },
    { "a mock of nothing", '{"session_ref":"s","mocks":[{}]}',
      bad(answers_nothing, "mocks[0]") },
  })

  local which = "Say what to compare by exactly one of scenario_ref, session_ref, or baseline_run_ref with "
    .. "candidate_run_ref."
  local function arms(text) return "{" .. text:gsub("ID", absent_id) .. "}" end
  each("POST", root .. "/compare", {
    { "no arms", "{}", bad(which) },
    { "variants of nothing", arms('"baseline_variant":"a","candidate_variant":"b"'), bad(which) },
    { "scenario and session",
      arms('"scenario_ref":"ID","session_ref":"s","baseline_variant":"a","candidate_variant":"b"'), bad(which) },
    { "scenario and runs", arms('"scenario_ref":"ID","baseline_run_ref":"ID","candidate_run_ref":"ID"'), bad(which) },
    { "half of the runs", arms('"baseline_run_ref":"ID"'),
      bad("Stored runs are compared in pairs: both run references are needed.", "candidate_run_ref") },
    { "the other half", arms('"candidate_run_ref":"ID"'),
      bad("Stored runs are compared in pairs: both run references are needed.", "baseline_run_ref") },
    { "runs with a variant", arms('"baseline_run_ref":"ID","candidate_run_ref":"ID","candidate_variant":"b"'),
      bad("Stored runs have their variants; leave this out.", "candidate_variant") },
    { "runs with a suite", arms('"baseline_run_ref":"ID","candidate_run_ref":"ID","suite_ref":"s"'),
      bad("Stored runs are compared as they are; leave this out.", "suite_ref") },
    { "a scenario without a baseline", arms('"scenario_ref":"ID","candidate_variant":"b"'),
      bad("Member 'baseline_variant' is missing.", "baseline_variant") },
    { "a scenario without a candidate", arms('"scenario_ref":"ID","baseline_variant":"a"'),
      bad("Member 'candidate_variant' is missing.", "candidate_variant") },
    { "a scenario with mocks", arms('"scenario_ref":"ID","baseline_variant":"a","candidate_variant":"b","mocks":[]'),
      bad("Mocks go with session_ref; a scenario has its own, by variant.", "mocks") },
    { "an unknown rule", arms('"session_ref":"s","baseline_variant":"a","candidate_variant":"b","rule_ref":"mine"'),
      bad("Unknown value 'mine'; expected one of default.", "rule_ref") },
    { "a repetition", arms('"session_ref":"s","baseline_variant":"a","candidate_variant":"b","repeat":2'),
      bad("Expected an integer from 1 to 1, found 2.", "repeat") },
    { "a reference that is no id", '{"scenario_ref":"x","baseline_variant":"a","candidate_variant":"b"}',
      bad("Expected a lower-case UUIDv7.", "scenario_ref") },
    { "a scenario that is not there", arms('"scenario_ref":"ID","baseline_variant":"a","candidate_variant":"b"'),
      404, "not_found", "There is no scenario with this id." },
  })

  it("a comparison names the run that is not there", function()
    local function of(baseline, candidate)
      return cjson.encode({ baseline_run_ref = baseline, candidate_run_ref = candidate })
    end
    local message = "There is no run with this id."
    refused("POST", root .. "/compare", of(absent_id, run.id), { 404, "not_found", message, "baseline_run_ref" })
    refused("POST", root .. "/compare", of(run.id, absent_id), { 404, "not_found", message, "candidate_run_ref" })
  end)

  it("verifying a run that did not execute", function()
    local ran = engine.owner:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", { runner = "process" })
    refused("POST", root .. "/runs/" .. ran.id .. "/verify", nil,
      { 409, "conflict", "There is nothing to verify: the run did not complete (status 'error')." })
  end)

  -- ---- synthetic data ----

  local marks = ("{{index}}"):rep(911) -- 8199 bytes
  each("POST", root .. "/synthetic-data", {
    { "101 samples", '{"count":101}', bad("Expected an integer from 0 to 100, found 101.", "count") },
    { "-1 samples", '{"count":-1}', bad("Expected an integer from 0 to 100, found -1.", "count") },
    { "a subject kind of 201 bytes", ('{"subject_kind":"%s"}'):format(("s"):rep(201)),
      bad("Expected at most 200 bytes, found 201.", "subject_kind") },
    { "a seed of 8193 bytes", ('{"seed":"%s"}'):format(("s"):rep(8193)),
      bad("Expected at most 8192 bytes, found 8193.", "seed") },
    { "a seed of 8199 bytes that would expand to less", ('{"seed":"%s"}'):format(marks),
      bad("Expected at most 8192 bytes, found 8199.", "seed") },
    { "a seed that expands to 8193 bytes", ('{"count":1,"subject_kind":"%s","seed":"%s{{subject_kind}}"}'):format(
      ("s"):rep(200), ("x"):rep(7993)),
      bad("Sample 1 would be longer than 8192 bytes; shorten the seed or subject_kind.", "seed") },
    { "a seed that expands to 8193 bytes from sample 10 on",
      ('{"count":10,"subject_kind":"%s","seed":"%s{{subject_kind}}{{index}}"}'):format(("s"):rep(200), ("x"):rep(7991)),
      bad("Sample 10 would be longer than 8192 bytes; shorten the seed or subject_kind.", "seed") },
    { "a batch that is over 1 MiB once it is escaped", ('{"count":22,"seed":"%s"}'):format(("\\u0001"):rep(8192)),
      bad("The batch would not fit into one scenario request of 1048576 bytes; ask for fewer samples or shorten the "
        .. "seed.", "count") },
  })

  it("synthetic data just within its bounds is a scenario that is taken", function()
    local longest = { description = ("\1"):rep(1024), subject_kind = ("\1"):rep(200) }
    local subject_kind = ("s"):rep(200)
    for count, template in pairs({ [1] = ("x"):rep(7992) .. "{{subject_kind}}", [21] = ("\1"):rep(8192) }) do
      local ledger = engine:stored().ledger
      local made = engine.owner:must(200, "POST", root .. "/synthetic-data",
        { count = count, subject_kind = subject_kind, seed = template })
      assert.equal(count, #made.samples)
      assert.equal(8192, #made.samples[1].input)
      assert.equal(ledger + 1, engine:stored().ledger)
      longest.name, longest.steps = ("\1"):rep(200 - #tostring(count)) .. count, made.samples
      assert.is_true(#cjson.encode(longest) <= MIB)
      engine.owner:must(201, "POST", root .. "/scenarios", longest)
    end
  end)

  it("a placeholder that comes out of a substitution stays as it is", function()
    local made = engine.owner:must(200, "POST", root .. "/synthetic-data",
      { count = 2, subject_kind = "{{index}}", seed = "{{{index}}}/{{subject_kind}}/{{ index }}/{{Index}}/{{" })
    assert.same({
      { key = "sample-0001", input = "{1}/{{index}}/{{ index }}/{{Index}}/{{" },
      { key = "sample-0002", input = "{2}/{{index}}/{{ index }}/{{Index}}/{{" },
    }, made.samples)
  end)

  -- ---- size ----

  local head, tail = '{"name":"full","steps":[{"input":"', '"}]}'
  local function document_of(bytes) return head .. ("x"):rep(bytes - #head - #tail) .. tail end
  local too_large = { 413, "request_body_too_large", "The body is longer than 1048576 bytes." }

  local function chunked(pieces)
    local bytes = {}
    for _, piece in ipairs(pieces) do bytes[#bytes + 1] = ("%x\r\n%s\r\n"):format(#piece, piece) end
    return table.concat(bytes) .. "0\r\n\r\n"
  end

  local function send_raw(body_head, body)
    local connection = clients.connect(engine.server.url)
    connection:write(("POST %s/scenarios HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n%s"):format(
      root, engine.owner.token, body_head, body))
    local answer = connection:answer()
    connection:close()
    return answer
  end

  local oversized = {
    ["one byte too many, by Content-Length"] = { document_of(MIB + 1) },
    ["one byte too many, chunked"] = { document_of(MIB + 1), chunked = true },
    ["a document of 1 MiB and a blank, by Content-Length"] = { document_of(MIB), " " },
    ["a document of 1 MiB and a blank, chunked"] = { document_of(MIB), " ", chunked = true },
    ["a document of 1 MiB and another one, chunked"] = { document_of(MIB), document_of(MIB), chunked = true },
  }
  for name, pieces in pairs(oversized) do
    it("refuses " .. name, function()
      local before = engine:stored()
      local body = table.concat(pieces)
      local answer = pieces.chunked and send_raw("Transfer-Encoding: chunked", chunked(pieces))
        or send_raw("Content-Length: " .. #body, body)
      refusal.check(too_large, answer)
      assert.same(before, engine:stored())
    end)
  end

  it("takes exactly 1 MiB, by Content-Length and chunked", function()
    local body = document_of(MIB)
    local made = send_raw("Content-Length: " .. MIB, body)
    assert.same({ 201, 8192 }, { made.status, #made.json.steps[1].input })
    local pieces = { body:sub(1, 1), body:sub(2, MIB // 2), body:sub(MIB // 2 + 1) }
    refusal.check({ 409, "conflict", ("A scenario named 'full' exists already: %s."):format(made.json.id), "name" },
      send_raw("Transfer-Encoding: chunked", chunked(pieces)))
  end)

  it("refuses a body where none is taken", function()
    local token = engine:client("viewer", engine.tenant)
    refused("DELETE", "/v1/tokens/" .. token.token_id, "{}", { bad("This route takes no body.") })
  end)

  it("takes no member where none is known", function()
    refused("POST", root .. "/runs/{run}/verify", '{"strict":true}',
      { bad("Unknown member 'strict'; none is known here.", "strict") })
  end)
end)
