-- SPDX-License-Identifier: Apache-2.0
-- The dry run of resolution: it says what a run would get, and leaves no trace.

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

  local function match(input, variant, status)
    return client:must(status or 200, "POST", root .. "/scenarios/" .. scenario.id .. "/match",
      { input = input, variant = variant })
  end

  it("the first mock answers, every one that matches is a candidate, in order", function()
    assert.same({ scenario_ref = scenario.id, scenario_revision = 1, resource = "a", mock_hit = true, mock = "mocks[0]",
      response = "1", candidates = { { mock = "mocks[0]", answers = true, response = "1" },
        { mock = "mocks[2]", answers = false, response = "2" } } }, match("a"))
  end)

  it("an empty response is an answer, nothing is the marker without candidates", function()
    local found = match("b")
    assert.same({ true, "mocks[1]", "" }, { found.mock_hit, found.mock, found.response })
    found = match("a\n")
    assert.same({ false, "[[mock-miss:a\n]]", 0 }, { found.mock_hit, found.response, #found.candidates })
    assert.is_nil(found.mock)
  end)

  it("a variant answers as its runs would", function()
    local found = match("b", "candidate")
    assert.same({ "candidate", "variants.candidate.mocks[0]", "new" }, { found.variant, found.mock, found.response })
  end)

  it("an input over its limit is cut, marked, and no mock of its beginning answers", function()
    local long = ("x"):rep(8193)
    local stored = client:must(201, "POST", root .. "/scenarios", { name = "long", steps = { { input = "a" } },
      mocks = { { resource = long:sub(1, 8192), response = "short" }, { resource = long, response = "long" } } })
    local path = root .. "/scenarios/" .. stored.id .. "/match"
    local found = client:must(200, "POST", path, { input = long })
    assert.same({ "long", "mocks[1]", { "input" }, digest.sha256(long), 1 },
      { found.response, found.mock, found.clamped, found.resource_whole, #found.candidates })
    found = client:must(200, "POST", path, { input = long .. "y" })
    assert.same({ false, 0 }, { found.mock_hit, #found.candidates })
    refusal.check({ 400, "bad_request",
      "The text has 8193 bytes, the limit is 8192; shorten it or leave out strict=true.", "input" },
      client:request("POST", path .. "?strict=true", { json = { input = long } }))
  end)

  it("an archived scenario is answered too, and nothing is recorded", function()
    client:must(200, "POST", root .. "/scenarios/" .. scenario.id .. "/archive")
    local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
    assert.equal("1", match("a").response)
    assert.equal(before, client:must(200, "GET", "/v1/audit?limit=1").items[1].seq)
    assert.equal(0, #client:all(root .. "/runs"))
  end)

  it("an input is needed", function()
    refusal.check({ 400, "bad_request", "Member 'input' is missing.", "input" },
      client:request("POST", root .. "/scenarios/" .. scenario.id .. "/match", { json = { variant = "candidate" } }))
  end)
end)
