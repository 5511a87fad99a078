-- SPDX-License-Identifier: Apache-2.0
-- The dry run of resolution: it says what a run would get, in the same words, and leaves no trace.

local clients = require("spec.support.client")
local digest = require("spec.support.digest")
local refusal = require("spec.support.refusal")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

describe("match:", function()
  local server, client, scenario

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    scenario = client:must(201, "POST", root .. "/scenarios", { name = "m", steps = { { input = "a" } },
      mocks = { { resource = "a", response = "1" }, { resource = "b", response = "" },
        { resource = "a", response = "2" } },
      variants = { candidate = { mocks = { { resource = "b", response = "new" } } } } })
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local made = 0
  local function create(mocks, more)
    made = made + 1
    local body = { name = "made " .. made, steps = { { input = "a" } }, mocks = mocks }
    for member, value in pairs(more or {}) do body[member] = value end
    return client:must(201, "POST", root .. "/scenarios", body)
  end

  ---What is said of the answer, without what says which scenario was asked.
  local function ask(stored, input, variant)
    local found = client:must(200, "POST", root .. "/scenarios/" .. stored.id .. "/match",
      { input = input, variant = variant })
    assert.same({ stored.id, stored.revision, input, variant },
      { found.scenario_ref, found.scenario_revision, found.resource, found.variant })
    found.scenario_ref, found.scenario_revision, found.resource, found.variant = nil, nil, nil, nil
    return found
  end

  it("the first mock answers, every one that matches is a candidate, in order", function()
    assert.same({ mock_hit = true, mock = "mocks[0]", matched_by = "resource", response = "1", candidates = {
      { mock = "mocks[0]", matched_by = "resource", outcome = "answered" },
      { mock = "mocks[2]", matched_by = "resource", outcome = "behind" } } }, ask(scenario, "a"))
  end)

  it("one that answers alone is not listed, and an empty response is an answer", function()
    assert.same({ mock_hit = true, mock = "mocks[1]", matched_by = "resource", response = "" }, ask(scenario, "b"))
  end)

  it("a miss is the marker, and says what nearly answered", function()
    assert.same({ mock_hit = false, response = "[[mock-miss:a\n]]", near_misses = {
      { mock = "mocks[0]", criterion = "resource", why = "It is equal after trimming.", expected = "a⟦⟧",
        got = "a⟦\n⟧", at = 1, equal_after = { "trimming" } },
      { mock = "mocks[2]", criterion = "resource", why = "It is equal after trimming.", expected = "a⟦⟧",
        got = "a⟦\n⟧", at = 1, equal_after = { "trimming" } } } }, ask(scenario, "a\n"))
    assert.same({ mock_hit = false, response = "[[mock-miss:?]]" }, ask(scenario, "?"))
  end)

  it("a variant answers as its runs would, and a label changes nothing", function()
    assert.same({ variant_kind = "overlay", mock_hit = true, mock = "variants.candidate.mocks[0]",
      matched_by = "resource", response = "new" }, ask(scenario, "b", "candidate"))
    assert.same({ variant_kind = "label", mock_hit = true, mock = "mocks[1]", matched_by = "resource", response = "" },
      ask(scenario, "b", "nobody"))
  end)

  it("says which answer of a sequence it is, its fault and its delay, and consumes none", function()
    local stored = create({ { prefix = "a", delay_ms = 7, responses = {
      { fault = "error", text = "503", delay_ms = 20 }, "then" } } })
    for _ = 1, 3 do
      assert.same({ mock_hit = true, mock = "mocks[0]", matched_by = "prefix", use = 1, fault = "error", delay_ms = 20,
        response = "[[mock-fault:error:503]]" }, ask(stored, "abc"))
    end
  end)

  it("an answer that is longer than an output is cut, with its length", function()
    local found = ask(create({ { resource = "h", response = { fault = "huge", text = "é" } } }), "h")
    assert.same({ 65536, 1048576, "huge" }, { #found.response, found.response_bytes, found.fault })
    assert.equal(("é"):rep(32768), found.response)
  end)

  it("lists 16 candidates and counts the others", function()
    local mocks, expected = {}, {}
    for i = 1, 20 do mocks[i] = { glob = "a*", response = tostring(i) } end
    for i = 1, 16 do
      expected[i] = { mock = ("mocks[%d]"):format(i - 1), matched_by = "glob",
        outcome = i == 1 and "answered" or "behind" }
    end
    assert.same({ mock_hit = true, mock = "mocks[0]", matched_by = "glob", response = "1", candidates = expected,
      candidates_omitted = 4 }, ask(create(mocks), "a"))
  end)

  it("a matcher that can't be decided ends the question as a miss, and those behind it are told", function()
    local stored = create({ { regex = "^(a+)+$", response = "r" }, { prefix = "aa", response = "p" },
      { resource = ("a"):rep(40) .. "!", response = "exact" } })
    local input = ("a"):rep(39) .. "!"
    assert.same({ mock_hit = false, matcher_limit = "mocks[0]", response = "[[mock-miss:" .. input .. "]]",
      candidates = { { mock = "mocks[0]", matched_by = "regex", outcome = "matcher_limit" },
        { mock = "mocks[1]", matched_by = "prefix", outcome = "behind" } } }, ask(stored, input))
    assert.same({ mock_hit = true, mock = "mocks[2]", matched_by = "resource", response = "exact", candidates = {
      { mock = "mocks[2]", matched_by = "resource", outcome = "answered" },
      { mock = "mocks[0]", matched_by = "regex", outcome = "matcher_limit" },
      { mock = "mocks[1]", matched_by = "prefix", outcome = "behind" } } }, ask(stored, "a" .. input))
  end)

  it("says what a run records", function()
    local stored = create({ { contains = "pay", responses = { "one", { fault = "timeout" } } },
      { json = { partial = { id = 1 } }, response = "j", times = 1 }, { glob = "*", response = "g" } },
      { steps = { { input = "pay" }, { input = '{"id":1}' }, { input = '{"id":2}\n' } } })
    local run = client:must(201, "POST", root .. "/scenarios/" .. stored.id .. "/run", {})
    for _, output in ipairs(client:all(root .. "/runs/" .. run.id .. "/outputs")) do
      local call = output.calls[1]
      local dry = ask(stored, call.resource)
      assert.equal(output.output, dry.response)
      call.resource, dry.response = nil, nil
      assert.same(call, dry)
    end
  end)

  it("an input over its limit is cut, marked, and no mock of its beginning answers", function()
    local long = ("x"):rep(8193)
    local stored = client:must(201, "POST", root .. "/scenarios", { name = "long", steps = { { input = "a" } },
      mocks = { { resource = long:sub(1, 8192), response = "short" }, { resource = long, response = "long" },
        { prefix = "x", response = "prefix" } } })
    local path = root .. "/scenarios/" .. stored.id .. "/match"
    local found = client:must(200, "POST", path, { input = long })
    assert.same({ "long", "mocks[1]", { "input" }, digest.sha256(long) },
      { found.response, found.mock, found.clamped, found.resource_whole })
    assert.is_nil(found.candidates)
    found = client:must(200, "POST", path, { input = long .. "y" })
    local cut = ("x"):rep(120) .. "…"
    local kept = "It is equal as far as it was kept; the whole texts, which were cut, differ."
    local shorter = "It is equal as far as it was kept; the request was longer and was cut."
    assert.same({ false, {
      { mock = "mocks[0]", criterion = "resource", why = shorter, expected = cut, got = cut,
        equal_after = { "cutting" } },
      { mock = "mocks[1]", criterion = "resource", why = kept, expected = cut, got = cut, equal_after = { "cutting" } },
      { mock = "mocks[2]", criterion = "match", got = cut, expected = "a request that was not cut",
        why = "The request was cut to its limit; only an exact mock answers such a one." },
    } }, { found.mock_hit, found.near_misses })
    assert.is_nil(found.candidates)
    refusal.check({ 400, "bad_request",
      "The text has 8193 bytes, the limit is 8192; shorten it or leave out strict=true.", "input" },
      client:request("POST", path .. "?strict=true", { json = { input = long } }))
  end)

  it("an archived scenario is answered too, and nothing is recorded", function()
    local stored = create({ { resource = "a", response = "1" } })
    client:must(200, "POST", root .. "/scenarios/" .. stored.id .. "/archive")
    local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
    assert.equal("1", ask(stored, "a").response)
    assert.equal(before, client:must(200, "GET", "/v1/audit?limit=1").items[1].seq)
    assert.equal(0, #client:all(root .. "/runs?scenario_ref=" .. stored.id))
  end)

  it("an input is needed", function()
    refusal.check({ 400, "bad_request", "Member 'input' is missing.", "input" },
      client:request("POST", root .. "/scenarios/" .. scenario.id .. "/match", { json = { variant = "candidate" } }))
  end)
end)
