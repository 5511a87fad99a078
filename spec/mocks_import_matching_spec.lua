-- SPDX-License-Identifier: Apache-2.0
-- Imported mocks in the engine: they answer the requests the original tool answered, and no others.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local servers = require("spec.support.server")

local fixtures = (os.getenv("OLIVARES_SRC") or ".") .. "/spec/fixtures/mocks/"
local root = "/v1/m/sandbox"
local miss = false

local function fault(text)
  return ("[[mock-fault:error:%s]]"):format(text)
end

-- File -> { request, what answers }: the text of the answer, or miss.
local cases = {
  ["wiremock_urls.json"] = {
    { "GET /orders/A-17?full=1", "one" },
    { "GET /orders/A-17", fault("404") },
    { "POST /orders", '{"id":"A-18","lines":[]}' },
    { "POST /orders\n{}", '{"id":"A-18","lines":[]}' },
    { "POST /orders?x=1", fault("404") },
    { "POST /echo\nping", "pong" },
    { "POST /echo\nping ", fault("404") },
    { "GET /items?q=blue%20shoes", "shoes" },
    { "GET /items?sort=up&q=blue+shoes", "shoes" },
    { "GET /items?q=blue+shoes&page=2", fault("404") },
    { "GET /items?q=blue", fault("404") },
    { "GET /items?xq=blue+shoes", fault("404") },
    { "GET /items/12", "item" },
    { "GET /items/12.json?x=/items/a", "item" },
    { "GET /items/12x", fault("404") },
    { "GET /items/7", "item" },
    { "PUT /users/u%201/orders?x=1\nbody", "orders" },
    { "PUT /users/a/b/orders", fault("404") },
    { "PUT /users/?/orders", fault("404") },
    { "GET /search?q=anything", "found" },
    { "GET /search?p=anything", fault("404") },
    { "DELETE /items/9", "" },
  },
  ["wiremock_bodies.json"] = {
    { "POST /a\nhot tea", "tea" },
    { "POST /a?tea=1\nwater", miss },
    { "POST /a\ntea with\nmilk", miss },
    { "POST /b\norder-12\nmore", "order" },
    { "POST /b\nan order-12", miss },
    { "POST /b\norder-", miss },
    { 'POST /c\n{"id":"A/17","n":2}', "json" },
    { 'POST /c\n { "n" : 2.0 ,\n "id":"A\\/17" } ', "json" },
    { 'POST /c\n{"id":"A/17","n":2,"x":1}', miss },
    { 'POST /c\n{"id":"A/17","id":"A/17"}', miss },
    { 'POST /c\n{"id":"A/17"}', miss },
    { 'POST /c\n{"id":"A/17","n":3}', miss },
    { 'POST /c\n{"id":"A/17","n":2},', miss },
    { 'POST /d\n{"more":{"a":[1,{"b":"]"}]},"tags":["z","y",{"q":1},"x"]}', "tags" },
    { 'POST /d\n{"tags":["y"]}', miss },
    { 'POST /d\n{"other":{"tags":["x","y"]}}', miss },
    { 'POST /e\n{"a":"\\"","order":{"lines":[{"sku":"1"},{"n":1,"sku":"42"},{}],"z":0}}', "path" },
    { 'POST /e\n{"order":{"lines":[{"sku":"1"},{"sku":42}]}}', "path" },
    { 'POST /e\n{"order":{"lines":[{"sku":"42"},{"sku":"1"}]}}', miss },
    { 'POST /e\n{"lines":[{"sku":"1"},{"sku":"42"}]}', miss },
    { 'POST /f\n{"name":[]}', "named" },
    { 'POST /f\n{"name":null}', miss },
    { 'POST /f\n{"x":{"name":1}}', miss },
    { "POST /g\nyes", "agreed" },
    { "POST /g\nok", "agreed" },
    { "POST /g\nOK", miss },
    { "POST /h\ntwelve", "no number" },
    { "POST /h\n12", miss },
    { "POST /h", "no number" },
  },
  ["hoverfly_matchers.json"] = {
    { "GET /exact", "exact" },
    { "GET /exact?x=1", fault("nothing else") },
    { "GET /glob/a/b.txt", "glob" },
    { "GET /glob/a?x=.txt", fault("nothing else") },
    { "GET /a?PAGE=2&q=shoes", "page" },
    { "GET /a?page=2&q=shoe", fault("nothing else") },
    { "GET /a?page=22&q=shs", fault("nothing else") },
    { "GET /ab?page=2&q=shs", fault("nothing else") },
    { 'POST /json\n{"a":null,"b":[1,2]}', "json" },
    { 'POST /json\n{"a":null,"b":[2,1]}', fault("nothing else") },
    { 'POST /part\n[{"x":{"n":1,"sku":"A-17"}}]', "part" },
    { 'POST /part\n[{"x":{"n":1,"sku":"A-18"}}]', fault("nothing else") },
    { 'POST /path\n{"order":{"id":"7"}}', "path" },
    { "GET /old?a=1&b=2", fault("500") },
    { "GET /never", miss },
  },
  ["mountebank_predicates.json"] = {
    { "GET /orders?Page=2", '{"orders":[1,2]}' },
    { "GET /orders?page=20", miss },
    { "POST /orders?page=2", miss },
    { "PUT /deep/er?a=1", "deep" },
    { "PUT /deep/er?a=1&b=2", miss },
    { "PUT /DEEP?a=1", miss },
    { "PUT /deep", miss },
    { "GET /x/A.TXT?raw", "or" },
    { "GET /x?raw=1\nsome Text", "or" },
    { "GET /x.txt?raw=1&X=2", miss },
    { "GET /x.txt", miss },
    { "GET /LOST", "lost" },
    { 'POST /json\n{"N":"2","more":[],"ID":"a-17"}', "json" },
    { 'POST /json\n{"n":2}', miss },
    { 'POST /path\n{"order":{"x":1,"id":7}}', "path" },
    { "GET /default/", miss },
    { "GET /default", "nothing" },
  },
  ["mountebank_imposter.json"] = {
    { "POST /any\norder-12", "first" },
    { "POST /any\nORDER-12", "[[mock-fault:error]]" },
    { "POST /any\norder-12 test", "[[mock-fault:error]]" },
    { "PUT /any\norder-12", "[[mock-fault:error]]" },
  },
  ["vcr_ruby.yml"] = {
    { 'POST /v1/charges?dry=yes\n{"amount":100}', fault("1.0") },
    { "GET /v1/status", "grün" },
    { "GET /logo.png", miss },
  },
  ["wiremock_lost.json"] = {
    { "GET /a", "a" },
    { "GET /d", "" },
    { "GET /c", fault("500") },
    { "GET /b", fault("busy") },
  },
}

describe("imported mocks:", function()
  local server, client, box

  setup(function()
    server, box = servers.start(), cli.new()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
  end)
  teardown(function()
    client:close()
    server:remove()
    box:remove()
  end)

  local function scenario_with(name, file, steps)
    local result = box:run({ "sandbox", "mocks", "import", fixtures .. file })
    assert.equal(0, result.status, result.err)
    return client:must(201, "POST", root .. "/scenarios?strict=true",
      { name = name, mocks = cjson.decode(result.out), steps = steps })
  end

  for file, requests in pairs(cases) do
    it(file .. " answers what the original answered", function()
      local scenario = scenario_with(file, file, { { input = "GET /" } })
      for _, case in ipairs(requests) do
        local found = client:must(200, "POST", root .. "/scenarios/" .. scenario.id .. "/match", { input = case[1] })
        assert.equal(case[2] or ("[[mock-miss:%s]]"):format(case[1]), found.response, case[1])
        assert.equal(case[2] ~= miss, found.mock_hit, case[1])
      end
    end)
  end

  -- File -> resource, and what a run gets that asks for it again and again.
  local sequences = {
    { "wiremock_scenarios.json", "GET /parcel", { "ordered", "packed", "sent", "sent" } },
    { "wiremock_scenarios.json", "GET /light", { "on", "off", "on", "off" } },
    { "wiremock_scenarios.json", "GET /once", { "once", "[[mock-miss:GET /once]]" } },
    { "hoverfly_v5_sequence.json", "GET /orders/A-17", { "packed", "shipped", "shipped" } },
    { "mountebank_imposter.json", "POST /x\norder-1", { "first", "first", fault("busy"), "first" } },
    { "vcr_ruby.yml", "GET /v1/status", { "grün", "rot", "grün", "[[mock-miss:GET /v1/status]]" } },
    { "vcr_cassette.yml", "GET /foo", { "example.com response", "[[mock-miss:GET /foo]]" } },
  }
  for number, case in ipairs(sequences) do
    it(("%s gives a run its answers in order: %s"):format(case[1], case[2]), function()
      local steps = {}
      for index = 1, #case[3] do steps[index] = { key = number .. "-" .. index, input = case[2] } end
      local scenario = scenario_with("sequence " .. number, case[1], steps)
      local run = client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", {})
      local outputs = client:must(200, "GET", root .. "/runs/" .. run.id .. "/outputs").items
      local got = {}
      for index, output in ipairs(outputs) do got[index] = output.output end
      assert.same(case[3], got)
    end)
  end
end)
