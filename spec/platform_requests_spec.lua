-- SPDX-License-Identifier: Apache-2.0
-- Requests as bytes on the wire: headers that are there twice, queries that are not quite right, methods that nobody
-- knows, and what is refused before a route is looked for.

local clients = require("spec.support.client")
local refusal = require("spec.support.refusal")
local tenants = require("spec.support.tenants")

local absent_id = "0190a0b0-0000-7000-8000-000000000001"

describe("a request on the wire:", function()
  local engine, run

  setup(function()
    engine = tenants.start()
    local scenario = engine.owner:must(201, "POST", "/v1/m/sandbox/scenarios",
      { name = "one", steps = { { input = "x" } } })
    run = engine.owner:must(201, "POST", "/v1/m/sandbox/scenarios/" .. scenario.id .. "/run")
  end)
  teardown(function() engine:remove() end)

  local function bearer(client) return "Authorization: Bearer " .. client.token .. "\r\n" end

  ---Sends a head with these fields; the answer, and the connection it came over.
  local function send(line, fields, body)
    local connection = clients.connect(engine.server.url)
    connection:write(("%s HTTP/1.1\r\nHost: x\r\n%s\r\n%s"):format(line, fields or "", body or ""))
    local answer = connection:answer()
    return answer, connection
  end

  local function refused(expected, line, fields, body)
    local answer, connection = send(line, fields, body)
    connection:close()
    refusal.check(expected, answer)
  end

  -- ---- headers ----

  local function twice(name) return { 400, "bad_request", ("The header %s is given twice."):format(name), name } end

  it("a header that says who asks, and where, is there once", function()
    local owner, viewer = bearer(engine.owner), bearer(engine.viewer)
    local here = "X-Olivares-Tenant: " .. engine.tenant .. "\r\n"
    refused(twice("Authorization"), "GET /v1/whoami", owner .. viewer)
    refused(twice("Authorization"), "GET /v1/whoami", owner .. owner)
    refused(twice("Authorization"), "GET /v1/whoami", "Authorization: Basic eDp5\r\n" .. owner)
    refused(twice("Authorization"), "GET /v1/whoami", (owner .. owner):lower())
    refused(twice("X-Olivares-Tenant"), "GET /v1/tokens", owner .. here .. here)
    refused(twice("X-Olivares-Tenant"), "GET /v1/tokens",
      owner .. here .. "x-olivares-tenant: " .. absent_id .. "\r\n")
    refused(twice("Last-Event-ID"), "GET /v1/m/sandbox/runs/" .. run.id .. "/stream",
      owner .. "Last-Event-ID: 0\r\nLast-Event-ID: 1\r\n")
    refused(twice("Content-Type"), "POST /v1/m/sandbox/synthetic-data",
      owner .. "Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n", "{}")
  end)

  it("also where nobody has to say who it is", function()
    refused(twice("Authorization"), "GET /healthz", "Authorization: a\r\nAuthorization: b\r\n")
    refused({ 404, "not_found", "There is no route GET /nothing; GET /openapi.json lists all." }, "GET /nothing",
      "Authorization: a\r\nAuthorization: b\r\n")
  end)

  it("other headers may be there as often as they like", function()
    local answer, connection = send("GET /healthz", "Accept: a/b\r\nAccept: c/d\r\nCookie: a=b\r\nCookie: c=d\r\n")
    connection:close()
    assert.same({ 200, { status = "ok" } }, { answer.status, answer.json })
  end)

  -- ---- the query ----

  local malformed = { 400, "bad_request",
    "The query is not well-formed: bad percent-encoding, not UTF-8, an empty parameter, or too many parameters.",
    "query" }

  it("an empty parameter is refused, an empty query is none", function()
    for _, query in ipairs({ "limit=5&", "&limit=5", "limit=5&&order=asc", "&", "&&" }) do
      refusal.check(malformed, engine.owner:get("/v1/tokens?" .. query))
    end
    assert.equal(200, engine.owner:get("/v1/tokens?").status)
    refusal.check({ 400, "bad_request", "Unknown parameter ''; this route takes limit, order, cursor.", nil },
      engine.owner:get("/v1/tokens?=5"))
  end)

  it("a number has one form", function()
    local limit = { 400, "bad_request", "Expected an integer from 1 to 1000.", "limit" }
    for _, value in ipairs({ "01", "005", "+5", "%2B5", "-0", "-01", "5.0", "5e0", "0x5", "%205", "5%20", "", "0",
      "1001", "99999999999999999999" }) do
      refusal.check(limit, engine.owner:get("/v1/tokens?limit=" .. value))
    end
    local gate = "/v1/m/sandbox/gate?scenario_ref=" .. run.scenario_ref .. "&candidate_variant=v&max_age_s="
    for _, value in ipairs({ "060", "+60", "-0" }) do
      refusal.check({ 400, "bad_request", "Expected an integer from 1 to 3153600000.", "max_age_s" },
        engine.owner:get(gate .. value))
    end
    assert.equal(200, engine.owner:get(gate .. "60").status)
    assert.equal(200, engine.owner:get("/v1/tokens?limit=5").status)
  end)

  it("an event's id has one form", function()
    local path = "/v1/m/sandbox/runs/" .. run.id .. "/stream"
    for _, value in ipairs({ "00", "+0", "-0", "01", "0x0", "-1", "x", "7", "" }) do
      refused({ 400, "bad_request",
        "This is not the id of an event of this run; leave the header out to read from the start.", "Last-Event-ID" },
        "GET " .. path, bearer(engine.owner) .. "Last-Event-ID: " .. value .. "\r\n")
    end
    assert.equal(200, engine.owner:get(path, { headers = { ["Last-Event-ID"] = "0",
      Authorization = "Bearer " .. engine.owner.token } }).status)
  end)

  -- ---- methods ----

  it("a method is called what it is", function()
    local function no_route(method, path)
      return { 404, "not_found", ("There is no route %s %s; GET /openapi.json lists all."):format(method, path) }
    end
    refused(no_route("OPTIONS", "*"), "OPTIONS *")
    refused(no_route("BREW", "/pot"), "BREW /pot")
    refused(no_route("get", "/nothing"), "get /nothing")
    refused(no_route("(not UTF-8)", "/nothing"), "\xff /nothing")
    refused({ 405, "bad_request", "This path takes GET." }, "BREW /healthz")
  end)

  -- ---- what is refused before a route is looked for ----

  ---Sends bytes and reads all there is until the connection ends: status line, media type, body.
  local function exchange(bytes)
    local connection = clients.connect(engine.server.url)
    connection:write(bytes)
    clients.wait_until(function() return connection.ended end, "the end of the connection")
    local line, head, body = connection.received:match("^(HTTP/1%.1 [^\r\n]*)\r\n(.-\r\n)\r\n(.*)$")
    connection:close()
    if not line then return { bytes = connection.received } end
    assert.equal(#body, math.tointeger(tonumber(head:match("Content%-Length: (%d+)\r\n"))))
    assert.is_truthy(head:find("Connection: close\r\n", 1, true))
    return { line = line, type = head:match("Content%-Type: ([^\r\n]*)") or "none", body = body }
  end

  local function document(code, message)
    return ('{"error":{"code":"%s","message":"%s"}}'):format(code, message)
  end

  local function ends_with(line, body, bytes)
    assert.same({ line = "HTTP/1.1 " .. line, type = "application/json", body = body }, exchange(bytes))
  end

  local login = "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n"
  local unclear = document("bad_request",
    "The length of the body is not clear: send one Content-Length, or Transfer-Encoding: chunked.")

  it("a length that is none is one 400", function()
    for _, fields in ipairs({ "Content-Length: abc", "Content-Length: -1", "Content-Length: +2", "Content-Length:",
      "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nContent-Length: 2",
      "Content-Length: abc\r\nContent-Length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: gzip" }) do
      ends_with("400 Bad Request", unclear, login .. fields .. "\r\n\r\n{}")
    end
  end)

  it("a length that no number holds is one 413", function()
    ends_with("413 Content Too Large", document("request_body_too_large", "The body is longer than 1048576 bytes."),
      login .. "Content-Length: 18446744073709551616\r\n\r\n")
  end)

  it("a head that can be read in two ways is one 400", function()
    local host = document("bad_request", "Send one Host header: HTTP/1.1 takes neither none nor several.")
    ends_with("400 Bad Request", host, "GET /healthz HTTP/1.1\r\n\r\n")
    ends_with("400 Bad Request", host, "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    ends_with("400 Bad Request", document("bad_request", "A header's name holds a blank."),
      login .. "Content-Length : 2\r\n\r\n{}")
    ends_with("400 Bad Request", document("bad_request", "The request target holds a blank; write it as %20."),
      "GET /health z HTTP/1.1\r\nHost: x\r\n\r\n")
  end)

  it("cookies that are too long are one 431", function()
    ends_with("431 Request Header Fields Too Large", document("bad_request", "The header fields are too long."),
      login .. "Cookie: a=" .. ("x"):rep(17000) .. "\r\n\r\n")
  end)

  it("what the HTTP library refuses is one page of HTML", function()
    local long = ("x"):rep(33000)
    local cases = {
      { "400 Bad Request", "GET /healthz\r\n\r\n" },
      { "400 Bad Request", "GET /healthz HTTP/1\r\nHost: x\r\n\r\n" },
      { "400 Bad Request", "GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n" },
      { "400 Bad Request", login .. "Transfer-Encoding: chunked\r\n\r\nzz\r\n" },
      { "413 Content Too Large", login .. "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n" },
      { "414 URI Too Long", "GET /" .. long .. " HTTP/1.1\r\nHost: x\r\n\r\n" },
      { "431 Request Header Fields Too Large", login .. "X-Long: " .. long .. "\r\n\r\n" },
      { "505 HTTP Version Not Supported", "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n" },
    }
    for _, case in ipairs(cases) do
      local found = exchange(case[2])
      assert.same({ "HTTP/1.1 " .. case[1], "none" }, { found.line, found.type })
      assert.matches("^<html>.*</html>$", found.body)
    end
    assert.same({ bytes = "" }, exchange("GARBAGE\r\n\r\n"))
  end)

  it("and none of it harms the next request", function()
    assert.equal(200, engine.owner:get("/v1/whoami").status)
  end)
end)
