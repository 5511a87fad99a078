-- SPDX-License-Identifier: Apache-2.0
-- Scenarios and their runs over HTTP: every value is what the scenario says it must be, hashes are recomputed by other
-- means, and what is stored stays as it was.

local answers = require("spec.support.answer")
local clients = require("spec.support.client")
local digest = require("spec.support.digest")
local refusal = require("spec.support.refusal")
local routes = require("spec.support.routes")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

describe("runs:", function()
  local server, client

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local made = 0
  local function create(scenario)
    made = made + 1
    scenario.name = scenario.name or "scenario " .. made
    return client:must(201, "POST", root .. "/scenarios", scenario)
  end

  local function run(scenario, more)
    return client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", more)
  end

  local function outputs_of(ran)
    return client:all(root .. "/runs/" .. ran.id .. "/outputs")
  end

  ---A document without what differs from one time to the next, after a look at its form.
  local function settled(document, volatile)
    local rest = {}
    for member, value in pairs(document) do
      local form = volatile[member]
      if form then
        assert.is_truthy(tostring(value):find(form), ("%s is %s"):format(member, value))
      else
        rest[member] = value
      end
    end
    return rest
  end

  -- ---- the walk-through ----

  local walk_through = {
    name = "refund", description = "A refund", seed = 7,
    steps = { { key = "lookup", input = "crm:customer/42" }, { input = "payments:refund?order=7" } },
    mocks = { { resource = "crm:customer/42", response = "Ada" }, { resource = "never:asked", response = "x" } },
    variants = { candidate = { mocks = { { resource = "crm:customer/42", response = "Grace" } } },
      longer = { steps = { { key = "only", input = "never:asked" } } } },
  }
  local lookup = { step_key = "lookup", output = "Ada", mock_hit = true }
  local refund = { step_key = "step-2", output = "[[mock-miss:payments:refund?order=7]]", mock_hit = false }
  local canonical = '{"mocks":[{"resource":"crm:customer/42","response":"Ada"},'
    .. '{"resource":"never:asked","response":"x"}],"seed":7,"steps":[{"input":"crm:customer/42","key":"lookup"},'
    .. '{"input":"payments:refund?order=7","key":"step-2"}]}'

  describe("the walk-through", function()
    local scenario

    setup(function() scenario = create(walk_through) end)

    it("stores what was sent, with its defaults", function()
      local volatile = { id = answers.uuid, created_at = answers.time, updated_at = answers.time }
      assert.same({
        name = "refund", description = "A refund", subject_kind = "agent", status = "active", revision = 1, seed = 7,
        steps_count = 2, mocks_count = 2, created_by = "user:" .. server.user.id, spec_hash = digest.spec(canonical),
        steps = { { key = "lookup", input = "crm:customer/42" },
          { key = "step-2", input = "payments:refund?order=7" } },
        mocks = walk_through.mocks, variants = walk_through.variants,
      }, settled(scenario, volatile))
      assert.same(scenario, client:must(200, "GET", root .. "/scenarios/" .. scenario.id))
    end)

    it("runs: a hit, a miss, nothing made up", function()
      local ran = run(scenario)
      local volatile = { id = answers.uuid, started_at = answers.time, finished_at = answers.time,
        duration_ms = "^%d+%.?0?$" }
      assert.same({
        kind = "scenario", scenario_ref = scenario.id, scenario_revision = 1, spec_hash = scenario.spec_hash,
        subject_ref = "agent:refund", seed = 7, runner = "inproc-mock", isolated = true, destroyed = true,
        status = "completed", steps_total = 2, steps_ok = 1, steps_error = 1, unused_mocks = {},
        unused_mock_count = 1, virtual_ms = 0,
        outputs_hash = digest.outputs({ lookup, refund }), launched_by = "user:" .. server.user.id,
        attestation = { runner = "inproc-mock", isolation = "by_construction", reaches = { "steps", "mocks" },
          measured = {} },
      }, settled(ran, volatile))
      assert.same(ran, client:must(200, "GET", root .. "/runs/" .. ran.id))
      assert.same(ran, client:all(root .. "/runs")[1])
    end)

    it("leaves evidence of every step and request", function()
      local ran = run(scenario)
      local volatile = { id = answers.uuid, occurred_at = answers.time }
      local outputs = outputs_of(ran)
      for i, output in ipairs(outputs) do outputs[i] = settled(output, volatile) end
      assert.same({
        { run_ref = ran.id, seq = 0, step_key = "lookup", output = "Ada", mock_hit = true,
          calls = { { resource = "crm:customer/42", mock_hit = true, mock = "mocks[0]", matched_by = "resource" } } },
        { run_ref = ran.id, seq = 1, step_key = "step-2", output = refund.output, mock_hit = false,
          calls = { { resource = "payments:refund?order=7", mock_hit = false } } },
      }, outputs)
    end)

    it("puts a variant's mocks in front and its steps in place of the scenario's", function()
      local ran = run(scenario, { variant = "candidate" })
      assert.same({ "candidate", "overlay", 2, 1, 1, 1 },
        { ran.variant, ran.variant_kind, ran.steps_total, ran.steps_ok, ran.steps_error, ran.unused_mock_count })
      assert.equal(digest.spec((canonical:gsub('"Ada"', '"Grace"'))), ran.spec_hash)
      assert.equal("variants.candidate.mocks[0]", outputs_of(ran)[1].calls[1].mock)
      assert.equal("Grace", outputs_of(ran)[1].output)

      ran = run(scenario, { variant = "longer" })
      assert.equal(digest.spec((canonical:gsub('"steps":.*$', '"steps":[{"input":"never:asked","key":"only"}]}'))),
        ran.spec_hash)
      assert.equal(digest.outputs({ { step_key = "only", output = "x", mock_hit = true } }), ran.outputs_hash)
      assert.equal("mocks[1]", outputs_of(ran)[1].calls[1].mock)
    end)

    it("takes a variant that overlays nothing for a label", function()
      local ran = run(scenario, { variant = "baseline" })
      assert.same({ "baseline", "label", scenario.spec_hash }, { ran.variant, ran.variant_kind, ran.spec_hash })
    end)

    it("takes another seed into the hash", function()
      for _, seed in ipairs({ "0", "9007199254740991" }) do
        local answer = client:request("POST", root .. "/scenarios/" .. scenario.id .. "/run",
          { body = ('{"seed":%s}'):format(seed) })
        assert.equal(201, answer.status)
        assert.equal(digest.spec((canonical:gsub('"seed":7', '"seed":' .. seed))), answer.json.spec_hash)
        assert.equal(seed, answer.body:match('"seed":(%d+),'))
      end
    end)

    it("is in the ledger", function()
      local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
      local ran = run(scenario)
      local entries = client:must(200, "GET", "/v1/audit?limit=10").items
      assert.equal(before + 1, entries[1].seq)
      assert.same({ "run.launch", "run:" .. ran.id,
        { kind = "scenario", runner = "inproc-mock", status = "completed" } },
        { entries[1].action, entries[1].target, entries[1].details })
    end)
  end)

  it("hashes are over text as it is, whatever characters it has", function()
    local text = 'é "quoted" \\ \8\12\n\r\t\1\127 / 𝄞 \u{2028}'
    local scenario = create({ steps = { { key = text, input = text } },
      mocks = { { resource = text, response = text } } })
    local quoted = '"é \\"quoted\\" \\\\ \\b\\f\\n\\r\\t\\u0001\127 / 𝄞 \u{2028}"'
    local canonical_text = '{"mocks":[{"resource":TEXT,"response":TEXT}],"seed":0,"steps":[{"input":TEXT,"key":TEXT}]}'
    assert.equal(digest.spec((canonical_text:gsub("TEXT", function() return quoted end))), scenario.spec_hash)
    local ran = run(scenario)
    assert.equal(digest.outputs({ { step_key = text, output = text, mock_hit = true } }), ran.outputs_hash)
    assert.same({ text, text }, { outputs_of(ran)[1].step_key, outputs_of(ran)[1].output })
  end)

  it("text is never trimmed, folded or normalised to match", function()
    local resources = { "a", " a", "a ", "A", "a\n", "\u{e9}", "e\u{301}", "" }
    local steps, mocks = {}, {}
    for i, text in ipairs(resources) do
      steps[i] = { input = text }
      if text ~= "" then mocks[i] = { resource = text, response = "answer " .. i } end
    end
    local outputs = outputs_of(run(create({ steps = steps, mocks = mocks })))
    for i, output in ipairs(outputs) do
      assert.equal(resources[i] == "" and "[[mock-miss:]]" or "answer " .. i, output.output)
    end
    assert.equal(#resources, #outputs)
  end)

  it("an empty response is an answer, and of equal resources the first one answers", function()
    local ran = run(create({ steps = { { input = "a" }, { input = "b" } }, mocks = { { resource = "a", response = "" },
      { resource = "b", response = "first" }, { resource = "b", response = "second" } } }))
    assert.same({ 2, 0, 1 }, { ran.steps_ok, ran.steps_error, ran.unused_mock_count })
    local outputs = outputs_of(ran)
    assert.same({ "", "first", true, true },
      { outputs[1].output, outputs[2].output, outputs[1].mock_hit, outputs[2].mock_hit })
  end)

  -- ---- limits of text ----

  describe("over-long text", function()
    local function long(bytes) return ("x"):rep(bytes) end

    local function oversized()
      return {
        name = long(199) .. "é", description = long(1025), subject_kind = long(201),
        steps = { { key = "short", input = "short" }, { key = long(201), input = long(8193) } },
        mocks = { { resource = long(8193), response = long(65537) } },
        variants = { v = { steps = { { input = long(8194) } },
          mocks = { { resource = long(8194), response = "y" } } } },
      }
    end
    local places = { "name", "description", "subject_kind", "steps[1].key", "steps[1].input", "mocks[0].resource",
      "mocks[0].response", "variants.v.steps[0].input", "variants.v.mocks[0].resource" }

    it("is cut between characters, and the answer says where", function()
      local scenario = create(oversized())
      assert.same(places, scenario.clamped)
      assert.same({ long(199), long(1024), long(200) }, { scenario.name, scenario.description, scenario.subject_kind })
      local whole = digest.sha256(long(8193))
      assert.same({ { key = "short", input = "short" }, { key = long(200), input = long(8192), input_whole = whole } },
        scenario.steps)
      assert.same({ { resource = long(8192), response = long(65536), resource_whole = whole } }, scenario.mocks)
      local variant_whole = digest.sha256(long(8194))
      assert.same({ v = { steps = { { key = "step-1", input = long(8192), input_whole = variant_whole } },
        mocks = { { resource = long(8192), response = "y", resource_whole = variant_whole } } } }, scenario.variants)
      assert.same(scenario, client:must(200, "GET", root .. "/scenarios/" .. scenario.id))
    end)

    it("is refused when asked to be strict, at the first place", function()
      local limits = { name = 200, description = 1024, subject_kind = 200 }
      for member, limit in pairs(limits) do
        local json = { name = "strict", steps = { { input = "x" } } }
        json[member] = long(limit + 1)
        local refused = { 400, "bad_request", ("The text has %d bytes, the limit is %d; shorten it or leave out "
          .. "strict=true."):format(limit + 1, limit), member }
        refusal.check(refused, client:post(root .. "/scenarios?strict=true", json))
        json[member] = long(limit)
        local scenario = client:must(201, "POST", root .. "/scenarios?strict=true", json)
        assert.is_nil(scenario.clamped)
        json[member] = long(limit + 1)
        refusal.check(refused,
          client:request("PUT", root .. "/scenarios/" .. scenario.id .. "?strict=true", { json = json }))
        assert.equal(1, client:must(200, "GET", root .. "/scenarios/" .. scenario.id).revision)
        client:must(200, "PUT", root .. "/scenarios/" .. scenario.id .. "?strict=false",
          { name = "strict " .. member, steps = { { input = "x" } } })
      end
      local json = oversized()
      json.name, json.description, json.subject_kind = "short", nil, nil
      refusal.check({ 400, "bad_request",
        "The text has 201 bytes, the limit is 200; shorten it or leave out strict=true.",
        "steps[1].key" }, client:post(root .. "/scenarios?strict=true", json))
    end)

    it("is refused in a run, a replay and a comparison likewise, or cut", function()
      local scenario = create({ steps = { { input = "x" } } })
      local labels = { variant = long(201), suite_ref = long(1025) }
      local ran = run(scenario, labels)
      assert.same({ "variant", "suite_ref" }, ran.clamped)
      assert.same({ long(200), long(1024) }, { ran.variant, ran.suite_ref })
      assert.is_nil(client:must(200, "GET", root .. "/runs/" .. ran.id).clamped)
      local replayed = client:must(201, "POST", root .. "/replay",
        { session_ref = long(1025), mocks = { { resource = long(8193), response = "y" } } })
      assert.same({ "session_ref", "mocks[0].resource" }, replayed.clamped)
      local compared = client:must(201, "POST", root .. "/compare",
        { scenario_ref = scenario.id, baseline_variant = long(201), candidate_variant = "b" })
      assert.same({ "baseline_variant" }, compared.clamped)

      local before = #client:all(root .. "/runs")
      local cases = {
        { "/scenarios/" .. scenario.id .. "/run", { variant = long(201) }, "variant", 200 },
        { "/scenarios/" .. scenario.id .. "/run", { suite_ref = long(1025) }, "suite_ref", 1024 },
        { "/replay", { session_ref = long(1025) }, "session_ref", 1024 },
        { "/replay", { session_ref = "s", mocks = { { resource = long(8193), response = "" } } }, "mocks[0].resource",
          8192 },
        { "/compare", { scenario_ref = scenario.id, baseline_variant = "a", candidate_variant = long(201) },
          "candidate_variant", 200 },
      }
      for _, case in ipairs(cases) do
        refusal.check({ 400, "bad_request", ("The text has %d bytes, the limit is %d; shorten it or leave out "
          .. "strict=true."):format(case[4] + 1, case[4]), case[3] },
            client:post(root .. case[1] .. "?strict=true", case[2]))
      end
      assert.equal(before, #client:all(root .. "/runs"))
    end)

    it("with a common beginning does not answer for another", function()
      local beginning = long(8192)
      local ran = run(create({
        steps = { { input = beginning .. "1" }, { input = beginning .. "2" }, { input = beginning },
          { input = beginning .. "3" } },
        mocks = { { resource = beginning .. "2", response = "two" }, { resource = beginning .. "1", response = "one" },
          { resource = beginning, response = "none" } },
      }))
      local outputs = outputs_of(ran)
      assert.same({ "one", "two", "none", "[[mock-miss:" .. beginning .. "]]" },
        { outputs[1].output, outputs[2].output, outputs[3].output, outputs[4].output })
      local function near(mock, why)
        return { mock = mock, criterion = "resource", equal_after = { "cutting" },
          why = "It is equal as far as it was kept; " .. (why or "the whole texts, which were cut, differ."),
          expected = long(120) .. "…", got = long(120) .. "…" }
      end
      assert.same({ { resource = beginning, resource_whole = digest.sha256(beginning .. "3"), mock_hit = false,
        near_misses = { near("mocks[0]"), near("mocks[1]"),
          near("mocks[2]", "the request was longer and was cut.") } } }, outputs[4].calls)
      assert.same({ { resource = beginning, mock_hit = true, mock = "mocks[2]", matched_by = "resource" } },
        outputs[3].calls)
      assert.same({ 3, 1, 0 }, { ran.steps_ok, ran.steps_error, ran.unused_mock_count })
    end)
  end)

  -- ---- revisions, archive, module ----

  it("a new revision leaves earlier runs what they were", function()
    local scenario = create({ steps = { { input = "x" } }, description = "first", subject_kind = "bot", seed = 3 })
    local first = run(scenario)
    local path = root .. "/scenarios/" .. scenario.id
    local second = client:must(200, "PUT", path, { name = scenario.name, steps = { { input = "y" } } })
    assert.same({ 2, "agent", 0, scenario.id, scenario.created_at },
      { second.revision, second.subject_kind, second.seed,
      second.id, second.created_at })
    assert.is_nil(second.description)
    assert.not_equal(scenario.spec_hash, second.spec_hash)
    assert.is_true(second.updated_at > scenario.updated_at)
    assert.same(second, client:must(200, "GET", path))
    assert.same(first, client:must(200, "GET", root .. "/runs/" .. first.id))
    assert.same({ 1, scenario.spec_hash }, { first.scenario_revision, first.spec_hash })
    local ran = run(scenario)
    assert.same({ 2, second.spec_hash, "agent:" .. scenario.name },
      { ran.scenario_revision, ran.spec_hash, ran.subject_ref })
    assert.equal("[[mock-miss:y]]", outputs_of(ran)[1].output)
    assert.equal("identical", client:must(200, "POST", root .. "/runs/" .. first.id .. "/verify").result)
    assert.equal(3, client:must(200, "PUT", path, { name = scenario.name, steps = { { input = "y" } } }).revision)
  end)

  it("archiving and restoring again changes nothing", function()
    local scenario = create({ steps = { { input = "x" } } })
    local path = root .. "/scenarios/" .. scenario.id
    local ledger = function() return client:must(200, "GET", "/v1/audit?limit=1").items[1] end
    for _, case in ipairs({ { "archive", "archived" }, { "restore", "active" } }) do
      local once = client:must(200, "POST", path .. "/" .. case[1])
      local entry = ledger()
      assert.same({ case[2], "scenario." .. case[1], "scenario:" .. scenario.id },
        { once.status, entry.action, entry.target })
      assert.same(once, client:must(200, "POST", path .. "/" .. case[1], {}))
      assert.same(once, client:must(200, "GET", path))
      assert.equal(entry.seq, ledger().seq)
      assert.equal(1, once.revision)
    end
    client:must(200, "POST", path .. "/archive")
    local changed = client:must(200, "PUT", path, { name = scenario.name, steps = { { input = "y" } } })
    assert.same({ "archived", 2 }, { changed.status, changed.revision })
    assert.equal("active", client:must(200, "POST", path .. "/restore").status)
    run(scenario)
  end)

  it("a module that is off answers nothing and keeps everything", function()
    local scenario = create({ steps = { { input = "x" } } })
    local ran = run(scenario)
    local paths = { "/scenarios/" .. scenario.id, "/runs/" .. ran.id, "/runs/" .. ran.id .. "/outputs", "/scenarios",
      "/runs" }
    local before = {}
    for i, path in ipairs(paths) do before[i] = client:get(root .. path).body end

    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = false } })
    local count = 0
    for _, route in ipairs(routes.read(client:must(200, "GET", "/openapi.json"))) do
      if route.path:find(root, 1, true) then
        count = count + 1
        refusal.check({ 404, "module_off", "The module 'sandbox' is off for this tenant; switch it on with "
          .. "`olivares modules on sandbox`." }, client:request(route.method, (route.path:gsub("{id}", ran.id))))
      end
    end
    assert.is_true(count >= 20)

    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    for i, path in ipairs(paths) do assert.equal(before[i], client:get(root .. path).body) end
  end)

  -- ---- degraded ----

  it("a replay without a timeline is degraded and makes nothing up", function()
    local replayed = client:must(201, "POST", root .. "/replay", { session_ref = "s-1", suite_ref = "suite",
      variant = "v", runner = "firecracker", mocks = { { resource = "a", response = "b" } } })
    assert.same({ "replay", "degraded", "firecracker", "session:s-1", "v", "suite", false, true, 0, 0, 0 },
      { replayed.kind, replayed.status, replayed.runner, replayed.subject_ref, replayed.variant, replayed.suite_ref,
        replayed.isolated, replayed.destroyed, replayed.steps_total, replayed.steps_ok, replayed.steps_error })
    assert.same({ code = "timeline_unavailable",
      message = "The timeline of session 's-1' can't be rebuilt: this engine "
      .. "has no history source. Nothing was executed." }, replayed.reason)
    assert.equal(digest.spec('{"mocks":[{"resource":"a","response":"b"}],"seed":0,"steps":[]}'), replayed.spec_hash)
    for _, member in ipairs({ "outputs_hash", "score", "passed", "scenario_ref", "scenario_revision" }) do
      assert.is_nil(replayed[member])
    end
    assert.same({}, outputs_of(replayed))
    assert.same({ replayed }, client:all(root .. "/runs?subject_ref=session:s-1"))
  end)

  it("a run with a suite is executed and degraded, since nothing scores it", function()
    local scenario = create({ steps = { { input = "x" } }, mocks = { { resource = "x", response = "y" } } })
    local ran = run(scenario, { suite_ref = "smoke" })
    assert.same({ "degraded", "smoke", 1, 1, 0, true }, { ran.status, ran.suite_ref, ran.steps_total, ran.steps_ok,
      ran.steps_error, ran.isolated })
    assert.same({ code = "not_scored",
      message = "A suite was named and this engine has no scorer: the run was executed "
      .. "but not scored." }, ran.reason)
    assert.is_nil(ran.score)
    assert.is_nil(ran.passed)
    assert.equal(run(scenario).outputs_hash, ran.outputs_hash)
  end)
end)
