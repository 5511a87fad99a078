-- SPDX-License-Identifier: Apache-2.0
-- What goes over the wire with --server, and what the program makes of every way in which an answer can fail to come.

local cli = require("spec.support.cli")
local fake = require("spec.support.fake_server")

local run_id = "0190a0b0-0000-7000-8000-000000000001"

local function event(id, name, data)
  return ("id: %d\nevent: %s\ndata: %s\n\n"):format(id, name, data)
end

local output = '{"seq":%d,"step_key":"s%d","output":"o%d","mock_hit":true,"calls":[]}'

describe("over a server", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  it("sends token, tenant and body, and prints the answer's own bytes", function()
    local answer, tenant = '{ "b" : 1,\n "a":[ ] }', "0190a0b0-0000-7000-8000-000000000001"
    local result, requests = fake.run(box,
      { "sandbox", "scenarios", "create", "--name", "n", "--seed", "5", "--strict", "--token", "t0",
        "--tenant", tenant, "-o", "json" },
      function(exchange) exchange:reply(201, answer) end)
    assert.same({ 0, answer .. "\n", "" }, { result.status, result.out, result.err })
    assert.equal(1, #requests)
    assert.equal("POST", requests[1].method)
    assert.equal("/v1/m/sandbox/scenarios?strict=true", requests[1].path)
    assert.equal('{"name":"n","seed":5}', requests[1].body)
    assert.equal("Bearer t0", requests[1].headers.authorization)
    assert.equal(tenant, requests[1].headers["x-olivares-tenant"])
    assert.equal("application/json", requests[1].headers["content-type"])
  end)

  it("encodes what stands in paths and parameters", function()
    local _, requests = fake.run(box, { "sandbox", "runs", "get", "a/b?c d" },
      function(exchange) exchange:reply(200, "{}") end)
    assert.equal("/v1/m/sandbox/runs/a%2Fb%3Fc%20d", requests[1].path)
    _, requests = fake.run(box, { "sandbox", "scenarios", "ls", "--name", "ü&x=1", "--limit", "7" },
      function(exchange) exchange:reply(200, '{"items":[],"has_more":false}') end)
    assert.equal("/v1/m/sandbox/scenarios?name=%C3%BC%26x%3D1&limit=7", requests[1].path)
  end)

  it("reads the token from a file, without its last line feed", function()
    local file = box:write("token", "t0ken\n")
    local _, requests = fake.run(box, { "whoami", "--token-file", file },
      function(exchange) exchange:reply(200, "{}") end)
    assert.equal("Bearer t0ken", requests[1].headers.authorization)
  end)

  it("fetches every page with --all and joins them", function()
    local pages = {
      ["/v1/m/sandbox/runs?limit=2"] = '{"items":[{"id":"1"}, {"id":"2"}],"cursor":"c/2","has_more":true}',
      ["/v1/m/sandbox/runs?limit=2&cursor=c%2F2"] = '{"items":[],"cursor":"c3","has_more":true}',
      ["/v1/m/sandbox/runs?limit=2&cursor=c3"] = '{"items":[{"id":"3"}],"has_more":false}',
    }
    local function serve(exchange) exchange:reply(200, pages[exchange.request.path]) end
    local result, requests = fake.run(box, { "sandbox", "runs", "ls", "--all", "--limit", "2", "-o", "json" }, serve)
    assert.equal('{"items":[{"id":"1"}, {"id":"2"},{"id":"3"}],"has_more":false}\n', result.out)
    assert.equal(3, #requests)
    result = fake.run(box, { "sandbox", "runs", "ls", "--all", "--limit", "2" }, serve)
    assert.equal("ID\n1\n2\n3\n", result.out:gsub(" +%u+", ""):gsub(" +\n", "\n"))
    assert.equal("", result.err)
  end)

  it("says how to go on when there is more, without the token", function()
    local result = fake.run(box, { "sandbox", "runs", "ls", "--token", "secret", "--status", "error" },
      function(exchange) exchange:reply(200, '{"items":[],"cursor":"a b","has_more":true}') end)
    assert.equal(0, result.status)
    local again = "There is more: olivares --server %s sandbox runs ls --status error --cursor 'a b'\n"
    assert.equal(again:format(result.url), result.err)
  end)

  it("gives the bare samples of generate with -o json", function()
    local result = fake.run(box, { "sandbox", "generate", "-o", "json" },
      function(exchange) exchange:reply(200, '{"samples": [{"key":"b","input":"\\u00e9"}, {"key":"a"}]}') end)
    assert.equal('[{"key":"b","input":"\\u00e9"}, {"key":"a"}]\n', result.out)
  end)

  it("follows an event stream that arrives in pieces", function()
    local text = ": hello\n\n" .. event(0, "output", output:format(0, 0, 0))
      .. event(1, "output", output:format(1, 1, 1))
      .. event(2, "summary", '{"id":"r","status":"error"}') .. event(3, "done", "{}")
    local function serve(exchange)
      assert.equal("text/event-stream", exchange.request.headers.accept)
      assert.equal("7", exchange.request.headers["last-event-id"])
      exchange:stream(text:sub(1, 30))
      exchange.client:write(text:sub(31, 200))
      exchange.client:write(text:sub(201))
      exchange:hang_up()
    end
    local stream = { "sandbox", "runs", "stream", "r", "--last-event-id", "7" }
    local result = fake.run(box, stream, serve)
    assert.same({ 7, "" }, { result.status, result.err })
    assert.equal("#0 s0  hit\n    | o0\n#1 s1  hit\n    | o1\nid:     r\nstatus: error\n", result.out)
    stream[#stream + 1] = "-ojson"
    result = fake.run(box, stream, serve)
    assert.equal(table.concat({
      '{"event":"output","id":"0","data":' .. output:format(0, 0, 0) .. "}",
      '{"event":"output","id":"1","data":' .. output:format(1, 1, 1) .. "}",
      '{"event":"summary","id":"2","data":{"id":"r","status":"error"}}',
      '{"event":"done","id":"3","data":{}}',
      "",
    }, "\n"), result.out)
  end)

  it("fails when a stream ends before the run does", function()
    local result = fake.run(box, { "sandbox", "runs", "stream", "r" }, function(exchange)
      exchange:stream(event(0, "output", output:format(0, 0, 0)))
      exchange:hang_up()
    end)
    assert.equal(6, result.status)
    assert.equal("#0 s0  hit\n    | o0\n", result.out)
    assert.equal("olivares: The stream ended before the run did. (transport)\n", result.err)
  end)

  local function running(exchange)
    if exchange.request.path:find("/run$") then
      exchange:reply(202, ('{"id":"%s","status":"running","steps_total":2}'):format(run_id))
      return true
    end
  end

  it("starts a run without waiting and follows it", function()
    local result, requests = fake.run(box, { "sandbox", "scenarios", "run", "s", "--variant", "v", "-o", "json" },
      function(exchange)
        if running(exchange) then return end
        exchange:stream(event(0, "output", output:format(0, 0, 0))
          .. event(1, "summary", '{"id": "r","status":"degraded"}') .. event(2, "done", "{}"))
        exchange:hang_up()
      end)
    assert.same({ 7, '{"id": "r","status":"degraded"}\n', "" }, { result.status, result.out, result.err })
    assert.equal('{"variant":"v","wait":false}', requests[1].body)
    assert.equal("/v1/m/sandbox/runs/" .. run_id .. "/stream", requests[2].path)
    assert.equal(2, #requests)
  end)

  it("doesn't follow with --no-wait", function()
    local result, requests = fake.run(box, { "sandbox", "scenarios", "run", "s", "--no-wait" }, running)
    assert.equal(0, result.status)
    assert.matches("status: +running\n", result.out)
    assert.equal(1, #requests)
  end)

  it("cancels the run it waits for when interrupted", function()
    local result, requests = fake.run(box, { "sandbox", "scenarios", "run", "s", "-o", "json" }, function(exchange)
      if running(exchange) then return end
      if exchange.request.method == "POST" then
        exchange:reply(200, '{"id":"r","status":"canceled"}')
      else
        exchange:stream(event(0, "output", output:format(0, 0, 0)))
        exchange.program:kill("sigint")
      end
    end)
    assert.same({ 130, 0, '{"id":"r","status":"canceled"}\n', "" },
      { result.status, result.signal, result.out, result.err })
    assert.equal("/v1/m/sandbox/runs/" .. run_id .. "/cancel", requests[3].path)
  end)

  it("says so when a second interrupt ends the cancelling", function()
    local result = fake.run(box, { "sandbox", "scenarios", "run", "s" }, function(exchange)
      if not running(exchange) then exchange.program:kill("sigint") end
    end)
    assert.same({ 130, "" }, { result.status, result.out })
    assert.equal(("olivares: Run %s may still be under way: Interrupted. (interrupted)\n"):format(run_id), result.err)
  end)

  it("shows a run that ended just before it could be canceled", function()
    local result = fake.run(box, { "sandbox", "scenarios", "run", "s", "-o", "json" }, function(exchange)
      if running(exchange) then return end
      local path = exchange.request.path
      if path:find("/stream$") then
        exchange.program:kill("sigint")
      elseif path:find("/cancel$") then
        exchange:reply(409, '{"error":{"code":"conflict","message":"It ended."}}')
      else
        exchange:reply(200, '{"id":"r","status":"completed"}')
      end
    end)
    assert.same({ 130, '{"id":"r","status":"completed"}\n', "" }, { result.status, result.out, result.err })
  end)

  it("follows no redirect", function()
    local result, requests = fake.run(box, { "whoami", "--token", "t" }, function(exchange)
      exchange:reply(302, "", { "Location: /elsewhere" })
    end)
    assert.equal(6, result.status)
    assert.equal("olivares: The server answered 302 with a redirect, which is not followed. (transport)\n", result.err)
    assert.equal(1, #requests)
  end)

  local errors = {
    { 400, "bad_request", 1 }, { 401, "unauthenticated", 3 }, { 403, "forbidden", 3 }, { 404, "not_found", 4 },
    { 409, "conflict", 5 }, { 409, "setup_required", 3 }, { 409, "setup_complete", 5 },
    { 413, "request_body_too_large", 1 }, { 422, "invalid_script", 1 }, { 429, "rate_limited", 1 },
    { 404, "module_off", 4 }, { 500, "internal", 6 }, { 503, "unavailable", 6 }, { 503, "isolation_unavailable", 6 },
  }
  for _, case in ipairs(errors) do
    it(("ends with %d for %s"):format(case[3], case[2]), function()
      local result = fake.run(box, { "whoami" }, function(exchange)
        local document = '{"error":{"code":"%s","message":"No\\u001b.","details":{"place":"x.y"}}}'
        exchange:reply(case[1], document:format(case[2]))
      end)
      assert.same({ case[3], "", ("olivares: No\\x1b. (%s, at x.y)\n"):format(case[2]) },
        { result.status, result.out, result.err })
    end)
  end

  it("does not take a foreign error page for an answer", function()
    local result = fake.run(box, { "whoami" }, function(exchange)
      exchange:reply(502, "<html>", { "Content-Type: text/html" })
    end)
    assert.same({ 6, "", "olivares: The server answered 502 with no error document. (transport)\n" },
      { result.status, result.out, result.err })
    result = fake.run(box, { "whoami" }, function(exchange) exchange:reply(200, "<html>") end)
    assert.equal(6, result.status)
    assert.matches("^olivares: The answer is no JSON document: .* %(transport%)\n$", result.err)
  end)

  it("reports a server that hangs up, and one that isn't there", function()
    local result = fake.run(box, { "whoami" }, function(exchange) exchange.client:shutdown() end)
    assert.equal(6, result.status)
    assert.matches("^olivares: No answer from http://127.0.0.1:%d+: .* %(transport%)\n$", result.err)
    result = box:run({ "whoami", "--server", result.url })
    assert.equal(6, result.status)
    assert.matches("^olivares: No answer from http://127.0.0.1:%d+: .*onnect.* %(transport%)\n$", result.err)
  end)

  it("uses no proxy for this machine", function()
    local server = fake.run(box, { "whoami" }, function(exchange) exchange:reply(200, "{}") end)
    assert.equal(0, server.status)
    local result = box:run({ "whoami", "--server", server.url }, { env = { http_proxy = "http://127.0.0.1:9" } })
    assert.matches("No answer from " .. server.url, result.err, 1, true)
    assert.is_nil(result.err:find("port 9 ", 1, true))
  end)

  it("warns when the token would travel in clear text", function()
    local result = box:run({ "whoami", "--server", "http://olivares.invalid:1", "--token", "t" },
      { env = { http_proxy = "http://127.0.0.1:9" } })
    assert.equal(6, result.status)
    assert.matches("^olivares: warning: the token travels unencrypted to http://olivares.invalid:1; use https\n",
      result.err)
  end)

  it("refuses a token that no header can carry", function()
    local result = box:run({ "whoami", "--server", "http://127.0.0.1:9", "--token", "a\r\nX: b" })
    assert.equal(2, result.status)
    assert.equal("olivares: A token has neither blanks nor control characters. (usage, at --token)\n", result.err)
  end)
end)
