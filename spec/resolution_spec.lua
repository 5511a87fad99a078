-- SPDX-License-Identifier: Apache-2.0
-- Who answers a request, and why: a table of cases, each as the calls of a run and as a dry run, and what runs share.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local servers = require("spec.support.server")
local uv = require("luv")

local root = "/v1/m/sandbox"
local cases = cjson.decode(cli.read("spec/fixtures/resolution.json"))
local hostile = { input = ("a"):rep(40) .. "!", regex = "^(a+)+$" }

describe("resolution:", function()
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
  local function create(inputs, mocks)
    made = made + 1
    local steps = {}
    for i, input in ipairs(inputs) do steps[i] = { input = input } end
    return client:must(201, "POST", root .. "/scenarios",
      { name = "resolution " .. made, steps = steps, mocks = mocks })
  end

  local function run(scenario, by)
    local ran = (by or client):must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", {})
    assert.equal("completed", ran.status)
    return ran, client:all(root .. "/runs/" .. ran.id .. "/outputs")
  end

  local function match(scenario, input)
    return client:must(200, "POST", root .. "/scenarios/" .. scenario.id .. "/match", { input = input })
  end

  -- ---- the table ----

  local function candidates_of(call)
    if not call.candidates then return nil end
    local words = {}
    for i, candidate in ipairs(call.candidates) do words[i] = candidate.mock .. " " .. candidate.outcome end
    return words
  end

  local function check_near(expected, call, where)
    local near = call.near_misses and call.near_misses[1]
    if expected == false then assert.is_nil(near, where) end
    if not expected then return end
    assert.is_truthy(near, where)
    assert.same(expected, { criterion = near.criterion, equal_after = near.equal_after }, where)
  end

  ---All of what is said of one request: a member that is not expected must not be there.
  local function check(expected, call, response, where)
    local hit = expected.mock ~= cjson.null
    assert.same({
      resource = expected.input, mock_hit = hit, mock = hit and expected.mock or nil,
      response = hit and expected.response or ("[[mock-miss:%s]]"):format(expected.input),
      use = expected.use, fault = expected.fault, delay_ms = expected.delay_ms,
      matcher_limit = expected.matcher_limit, candidates = expected.candidates,
    }, {
      resource = call.resource, mock_hit = call.mock_hit, mock = call.mock, response = response, use = call.use,
      fault = call.fault, delay_ms = call.delay_ms, matcher_limit = call.matcher_limit,
      candidates = candidates_of(call),
    }, where)
    check_near(expected.near, call, where)
  end

  for _, case in ipairs(cases) do
    it(case.name, function()
      local inputs = {}
      for i, asked in ipairs(case.asked) do inputs[i] = asked.input end
      local scenario = create(inputs, case.mocks)
      local first = match(scenario, inputs[1])
      check(case.asked[1], first, first.response, "dry run")
      local _, outputs = run(scenario)
      assert.equal(#inputs, #outputs)
      for i, output in ipairs(outputs) do
        assert.equal(1, #output.calls)
        assert.equal(output.calls[1].mock_hit, output.mock_hit)
        check(case.asked[i], output.calls[1], output.output, ("request %d"):format(i))
      end
    end)
  end

  it("the table covers every matcher and every fault that has a short text", function()
    local text = cli.read("spec/fixtures/resolution.json")
    for _, word in ipairs({ "resource", "prefix", "suffix", "contains", "glob", "regex", "equal", "partial", "path",
      "all", "any", "none", "responses", "exhausted", "times", "delay_ms", "matcher_limit" }) do
      assert.is_truthy(text:find(('"%s": '):format(word), 1, true), word)
    end
    for _, fault in ipairs({ "error", "timeout", "empty", "malformed" }) do
      assert.is_truthy(text:find(('"fault": "%s"'):format(fault), 1, true), fault)
    end
    assert.is_true(#cases >= 70)
  end)

  it("a huge answer is a mebibyte for the agent; evidence keeps an output's length", function()
    local scenario = create({ "a" }, { { resource = "a", response = { fault = "huge", text = "ab" } } })
    local found = match(scenario, "a")
    assert.same({ ("ab"):rep(32768), 1048576, "huge" }, { found.response, found.response_bytes, found.fault })
    local _, outputs = run(scenario)
    assert.same({ ("ab"):rep(32768), true, "huge" },
      { outputs[1].output, outputs[1].clamped, outputs[1].calls[1].fault })
  end)

  -- ---- what runs share, and what they don't ----

  it("64 runs at once get each its own sequence, whole and in order", function()
    local inputs, responses = {}, {}
    for i = 1, 64 do inputs[i], responses[i] = "q", ("answer %d"):format(i) end
    local scenario = create(inputs, { { glob = "q*", responses = responses } })
    local ids = clients.together(64, function()
      return client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", {}).id
    end)
    local seen = {}
    for _, id in ipairs(ids) do
      local got = {}
      for i, output in ipairs(client:all(root .. "/runs/" .. id .. "/outputs")) do
        got[i] = output.output
        assert.equal(i, output.calls[1].use)
      end
      assert.same(responses, got)
      seen[id] = true
    end
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    assert.equal(64, count)
  end)

  it("a mock that is added after a miss answers in the next run", function()
    local scenario = create({ "a", "b" }, { { resource = "b", response = "B" } })
    local _, outputs = run(scenario)
    assert.same({ "[[mock-miss:a]]", "B" }, { outputs[1].output, outputs[2].output })
    client:must(200, "PUT", root .. "/scenarios/" .. scenario.id, { name = scenario.name,
      steps = { { input = "a" }, { input = "b" } },
      mocks = { { resource = "b", response = "B" }, { glob = "a*", response = "A" } } })
    _, outputs = run(scenario)
    assert.same({ "A", "B" }, { outputs[1].output, outputs[2].output })
    assert.equal("mocks[1]", outputs[1].calls[1].mock)
    assert.is_nil(outputs[1].calls[1].near_misses)
  end)

  it("a dry run consumes nothing, of itself or of runs", function()
    local scenario = create({ "a", "a" }, { { resource = "a", responses = { "1", "2" } } })
    for _ = 1, 3 do
      local found = match(scenario, "a")
      assert.same({ "1", 1 }, { found.response, found.use })
      local _, outputs = run(scenario)
      assert.same({ "1", "2" }, { outputs[1].output, outputs[2].output })
    end
  end)

  it("required mocks that answered nothing are named by the run, others are counted", function()
    local ran = run(create({ "a" }, { { resource = "a", response = "A", required = true },
      { prefix = "b", response = "B", required = true }, { resource = "c", response = "C" } }))
    assert.same({ { "mocks[1]" }, 2 }, { ran.unused_mocks, ran.unused_mock_count })
  end)

  it("delays pass on the run's own clock", function()
    local ran = run(create({ "a", "b", "x" }, { { resource = "a", response = "A", delay_ms = 86400000 },
      { resource = "b", response = { fault = "timeout" } } }))
    assert.equal(86430000, ran.virtual_ms)
    assert.is_true(ran.duration_ms < 30000)
  end)

  -- ---- patterns that are made to stall ----

  ---Runs a scenario while asking for the engine's health again and again.
  ---@return any[] outputs
  ---@return number worst time of an answer in milliseconds
  ---@return integer count of answers that came before the run had ended
  local function run_watched(scenario)
    local ended, worst, count, ran = false, 0, 0, nil
    clients.together(2, function(index)
      if index == 1 then
        ran = client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", {})
        ended = true
        return
      end
      while not ended do
        local before = uv.hrtime()
        assert(client:get("/healthz").status == 200)
        if ended then return end
        worst, count = math.max(worst, (uv.hrtime() - before) / 1e6), count + 1
      end
    end)
    assert.equal("completed", ran.status)
    return client:all(root .. "/runs/" .. ran.id .. "/outputs"), worst, count
  end

  it("1000 hostile patterns keep nobody from an answer within 200 ms", function()
    local mocks = {}
    for i = 1, 1000 do mocks[i] = { regex = hostile.regex, response = "never" } end
    local outputs, worst, count = run_watched(create({ hostile.input, hostile.input }, mocks))
    for _, output in ipairs(outputs) do
      local call = output.calls[1]
      assert.same({ false, "mocks[0]", 16, 984 },
        { call.mock_hit, call.matcher_limit, #call.candidates, call.candidates_omitted })
    end
    assert.is_true(count > 10)
    assert.is_true(worst < 200, ("the slowest answer took %.0f ms"):format(worst))
  end)

  it("nor do patterns that are hostile at every place of a long request, many in each mock", function()
    local parts, mocks = {}, {}
    for i = 1, 60 do parts[i] = { regex = "(?:a?){12}[bc]" } end
    for i = 1, 20 do mocks[i] = { any = parts, response = "never" } end
    local outputs, worst = run_watched(create({ ("a"):rep(8192) }, mocks))
    assert.equal("mocks[0]", outputs[1].calls[1].matcher_limit)
    assert.is_true(worst < 200, ("the slowest answer took %.0f ms"):format(worst))
  end)

  it("nor does a miss among mocks that are nearly matched at great length", function()
    local mocks = {}
    for i = 1, 64 do mocks[i] = { glob = "*" .. ("a"):rep(60) .. "b" .. i, response = "never" } end
    for i = 65, 100 do
      mocks[i] = { all = { { prefix = "a" }, { regex = "a{1,40}b" }, { contains = ("a"):rep(999) .. i } },
        response = "never" }
    end
    local outputs, worst = run_watched(create({ ("a"):rep(8191) .. "c", ("é"):rep(4000) }, mocks))
    assert.is_false(outputs[1].calls[1].mock_hit)
    assert.is_true(worst < 200, ("the slowest answer took %.0f ms"):format(worst))
  end)
end)
