-- SPDX-License-Identifier: Apache-2.0
-- The platform over HTTP: an engine before and after setup, logging in and out, and what every route refuses alike.

local answer = require("spec.support.answer")
local cli = require("spec.support.cli")
local server = require("spec.support.server")

local given, refused, members = answer.given, answer.refused, answer.members

local not_set_up =
  "Nobody has set up this engine yet: run `olivares setup`, or POST /v1/setup with the token that it printed."

describe("an engine that nobody has set up", function()
  local engine

  setup(function() engine = server.start({ setup = false }) end)
  teardown(function() engine:remove() end)

  it("says how it is", function()
    assert.equal('{"status":"ok"}', engine:get("/healthz").body)
    local ready = given(engine:get("/readyz"), 200)
    assert.equal("ready", ready.status)
    assert.same({ writable = true, queue = 0 }, ready.store)
    assert.same({ name = "inproc-mock", available = true }, ready.runners[1])
    local info = given(engine:get("/v1/server-info"), 200)
    assert.equal("olivares", info.name)
    assert.equal("v1", info.api)
    assert.equal(ready.schema_version, info.schema_version)
    assert.is_true(info.setup_required)
    assert.same({ body_bytes = 1048576, page_items = 1000, name_bytes = 200, ref_bytes = 1024, input_bytes = 8192,
      output_bytes = 65536, evidence_bytes = 268435456 }, info.limits)
  end)

  it("refuses every route that needs somebody, token or not", function()
    local document = given(engine:get("/openapi.json"), 200)
    local asked = 0
    for path, methods in pairs(document.paths) do
      for method, operation in pairs(methods) do
        if #operation.security > 0 then
          asked = asked + 1
          refused(engine:request(method:upper(), path), 409, "setup_required", not_set_up)
        end
      end
    end
    assert.is_true(asked >= 25)
    refused(engine:post("/v1/auth/login", { email = "a@b.c", password = "0123456789" }), 409, "setup_required",
      not_set_up)
  end)

  it("keeps the setup token where only its owner reads it", function()
    local result = engine.box:shell("stat -c '%a' " .. cli.quote(engine.data .. "/setup-token"))
    assert.equal("600\n", result.out)
    assert.is_truthy(engine.shown:find(engine:setup_token(), 1, true))
  end)

  it("refuses a setup that is not right", function()
    local message = "This is not the setup token; `olivares serve` prints it and keeps it in the file setup-token of "
      .. "its data directory."
    local right = engine:setup_token()
    for _, token in ipairs({ "x", "", right .. "\n", right:sub(1, -2), right:sub(1, -2) .. "*" }) do
      local body = { token = token, email = "a@b.c", password = "0123456789" }
      refused(engine:post("/v1/setup", body), 401, "unauthenticated", message)
    end
    refused(engine:post("/v1/setup", { email = "a@b.c", password = "0123456789" }), 401, "unauthenticated", message)
    refused(engine:post("/v1/setup", { token = right, email = "ab.c", password = "0123456789" }), 400, "bad_request",
      "The e-mail must look like name@example.org: one @, no blanks, at most 254 bytes.", "email")
    refused(engine:post("/v1/setup", { token = right, email = "a@b.c", password = "012345678" }), 400, "bad_request",
      "The password must have 10 to 1024 bytes; this one has 9.", "password")
    refused(engine:post("/v1/setup", { token = right, email = "a@b.c" }), 400, "bad_request",
      "Member 'password' is missing.", "password")
    assert.equal(right, engine:setup_token())
  end)

  it("is set up once", function()
    local token = engine:setup_token()
    local body = { token = token, email = "Ada@Example.com", password = "correct horse", organization = "Ex Ample" }
    local made = given(engine:post("/v1/setup", body), 201)
    assert.equal("expires_at organization token user", members(made))
    assert.equal("created_at email id superadmin", members(made.user))
    assert.equal("ada@example.com", made.user.email)
    assert.is_true(made.user.superadmin)
    assert.equal("Ex Ample", made.organization.name)
    assert.equal("ex-ample", made.organization.slug)
    assert.matches(answer.uuid, made.organization.tenant_id)
    assert.matches("^ols_[%w_-]+$", made.token)
    assert.matches(answer.time, made.expires_at)

    assert.is_nil(engine:setup_token())
    refused(engine:post("/v1/setup", body), 409, "setup_complete",
      "This engine is set up already; log in, or ask an admin for an account.")
    assert.is_false(given(engine:get("/v1/server-info"), 200).setup_required)
    assert.equal("user:" .. made.user.id, given(engine:get("/v1/whoami", { token = made.token }), 200).actor)
    engine:restart()
    assert.is_nil(engine:setup_token())
    assert.is_nil(engine.shown:find("setup token", 1, true))
  end)
end)

describe("an engine that was set up", function()
  local engine

  setup(function() engine = server.start() end)
  teardown(function() engine:remove() end)

  local function login(email, password)
    return engine:post("/v1/auth/login", { email = email, password = password }, { token = false })
  end

  local wrong = "There is no account with this e-mail and password."

  describe("logging in", function()
    it("opens a session that lasts twelve hours", function()
      local session = given(login(server.email:upper(), server.password), 200)
      assert.equal("expires_at token user", members(session))
      assert.same(engine.user, session.user)
      local day, hour = os.date("!%Y-%m-%d", os.time() + 12 * 3600), session.expires_at:sub(1, 10)
      assert.equal(day, hour)
      assert.equal("user", given(engine:get("/v1/whoami", { token = session.token }), 200).kind)
    end)

    it("refuses a wrong password and an unknown e-mail in the same words", function()
      refused(login(server.email, "correct horse batterx"), 401, "unauthenticated", wrong)
      refused(login("nobody@example.com", server.password), 401, "unauthenticated", wrong)
      given(login(server.email, server.password), 200) -- and forgets the failure
    end)

    it("locks an e-mail after five failures, known or not, across a restart", function()
      for _, email in ipairs({ "eve@example.com", "bob@example.com" }) do
        if email:find("bob") then
          given(engine:post("/v1/users", { email = email, password = server.password }), 201)
        end
        for _ = 1, 5 do refused(login(email, "wrong password"), 401, "unauthenticated", wrong) end
        local locked = login(email, server.password)
        local wait_s = math.tointeger(locked.json.error.details.retry_after_s)
        assert.is_true(wait_s > 890 and wait_s <= 900)
        refused(locked, 429, "rate_limited",
          ("Too many failed logins for this e-mail; try again in %d s."):format(wait_s))
        assert.equal(tostring(wait_s), locked.headers["retry-after"])
      end
      engine:restart()
      assert.equal(429, login("bob@example.com", server.password).status)
      given(login(server.email, server.password), 200)
    end)

    it("takes no more work than it can do soon", function()
      local words = { "curl --silent --parallel --parallel-immediate --parallel-max 60" }
      local body = engine.box:write("login", ('{"email":"%s","password":"%s"}'):format(server.email, server.password))
      for i = 1, 60 do
        words[#words + 1] = ("%s --max-time 60 --data @%s --write-out '%%{http_code}\\n' --output /dev/null %s"):format(
          i > 1 and "--next" or "", cli.quote(body), engine.url .. "/v1/auth/login")
      end
      local counts = { ["200"] = 0, ["429"] = 0 }
      for status in engine.box:shell(table.concat(words, " ")).out:gmatch("%d+") do
        counts[status] = counts[status] + 1
      end
      assert.equal(60, counts["200"] + counts["429"])
      assert.is_true(counts["200"] >= 16)
    end)
  end)

  describe("who is asking", function()
    it("is told to a user", function()
      local who = given(engine:get("/v1/whoami"), 200)
      assert.same({
        kind = "user", actor = "user:" .. engine.user.id, user = engine.user, superadmin = true,
        tenant = engine.tenant, role = "owner",
        memberships = { { tenant = engine.tenant, organization = "Example", slug = "example", role = "owner" } },
      }, who)
    end)

    it("is refused to who shows nothing, nonsense, or a token nobody has", function()
      refused(engine:get("/v1/whoami", { token = false }), 401, "unauthenticated",
        "No credentials were sent; send `Authorization: Bearer <token>` (on the command line: --token) with an API "
        .. "token or the token of a login.")
      refused(engine:get("/v1/whoami", { token = false, headers = { Authorization = "Basic YTpi" } }), 401,
        "unauthenticated", "The Authorization header is not `Bearer` and a token (olv_… or ols_…); check that the "
        .. "token was copied whole.")
      refused(engine:get("/v1/whoami", { token = "olv_" .. ("A"):rep(43) }), 401, "unauthenticated",
        "This API token is unknown here; check the server's address, or make another one with "
        .. "`olivares tokens create`.")
    end)

    it("is refused for a tenant that can't be entered", function()
      refused(engine:get("/v1/whoami", { tenant = "x" }), 400, "bad_request",
        "The tenant is not an id (a lower-case UUIDv7); GET /v1/whoami lists the tenants you can enter.",
        "X-Olivares-Tenant")
    end)
  end)

  describe("logging out", function()
    it("ends the session at once, and only it", function()
      local token = given(login(server.email, server.password), 200).token
      assert.equal('{"logged_out":true}', engine:post("/v1/auth/logout", nil, { token = token }).body)
      local after = engine:get("/v1/whoami", { token = token })
      assert.matches("^This login session was ended by a logout at %d[%d-]+T[%d:.]+Z; log in again%.$",
        after.json.error.message)
      assert.equal("unauthenticated", after.json.error.code)
      given(engine:get("/v1/whoami"), 200)
    end)

    it("is not for API tokens", function()
      local made = given(engine:post("/v1/tokens", { name = "ci", role = "viewer" }), 201)
      local out = engine:post("/v1/auth/logout", {}, { token = made.token })
      assert.equal(400, out.status)
      assert.equal("bad_request", out.json.error.code)
      given(engine:get("/v1/whoami", { token = made.token }), 200)
    end)
  end)

  describe("whatever the route", function()
    it("an unknown path is not found", function()
      for _, path in ipairs({ "/", "/v1/nope", "/healthz/", "//healthz", "/v1/whoam%69", "/v1/tokens/" }) do
        refused(engine:get(path), 404, "not_found",
          ("There is no route GET %s; GET /openapi.json lists all."):format(path))
      end
    end)

    it("a method that a path does not have is answered with those it has", function()
      local cases = {
        { "PUT", "/healthz", "GET" }, { "PATCH", "/v1/tokens", "GET, POST" }, { "GET", "/v1/setup", "POST" },
        { "OPTIONS", "/v1/console/modules", "GET, PUT" },
        { "GET", "/v1/tokens/01890000-0000-7000-8000-000000000000", "DELETE" },
      }
      for _, case in ipairs(cases) do
        local found = engine:request(case[1], case[2])
        refused(found, 405, "bad_request", ("This path takes %s."):format(case[3]))
        assert.equal(case[3], found.headers.allow)
      end
    end)

    it("parameters are known ones, given once", function()
      refused(engine:get("/v1/whoami?x=1"), 400, "bad_request", "Unknown parameter 'x'; this route takes none.", "x")
      refused(engine:get("/v1/tokens?limt=1"), 400, "bad_request", "Unknown parameter 'limt'; did you mean 'limit'?",
        "limt")
      refused(engine:get("/v1/tokens?limit=1&limit=1"), 400, "bad_request", "The parameter is given twice.", "limit")
      for _, limit in ipairs({ "0", "1001", "", "-1", "1.5" }) do
        refused(engine:get("/v1/tokens?limit=" .. limit), 400, "bad_request", "Expected an integer from 1 to 1000.",
          "limit")
      end
      refused(engine:get("/v1/tokens?order=newest"), 400, "bad_request", "Expected asc or desc.", "order")
      assert.equal("cursor", engine:get("/v1/tokens?cursor=AAAA").json.error.details.place)
      assert.equal("query", engine:get("/v1/tokens?limit=%zz").json.error.details.place)
    end)

    it("a body is one JSON document that fits", function()
      local function post(body) return engine:request("POST", "/v1/system/orgs", { body = body }) end
      assert.equal("line 1, column 2", post("{").json.error.details.place)
      assert.equal("bad_request", post("").json.error.code)
      assert.matches("name", post('{"name":"a","name":"b","slug":"c"}').json.error.message)
      assert.equal("bad_request", post('{"name":"a","slug":"c"}{}').json.error.code)
      refused(post('{"name":"a","slug":"c","nmae":1}'), 400, "bad_request",
        "Unknown member 'nmae'; did you mean 'name'?", "nmae")
      refused(post('{"name":1,"slug":"c"}'), 400, "bad_request", "Expected a string, found an integer.", "name")
      refused(post(('{"name":"%s","slug":"c"}'):format(("x"):rep(201))), 400, "bad_request",
        "Expected at most 200 bytes, found 201.", "name")
      refused(post((" "):rep(1024 * 1024 + 1)), 413, "request_body_too_large", "The body is longer than 1048576 bytes.")
      refused(engine:request("DELETE", "/v1/tokens/01890000-0000-7000-8000-000000000000", { body = "{}" }), 400,
        "bad_request", "This route takes no body.")
    end)

    it("who may not is told before what is wrong with the request", function()
      assert.equal(401, engine:request("DELETE", "/v1/tokens/x", { token = false }).status)
      assert.equal(401, engine:request("POST", "/v1/tokens?x=1", { token = false, body = "{" }).status)
    end)
  end)

  it("gives its numbers to Prometheus", function()
    local function read()
      local found = engine:get("/metrics", { token = false })
      assert.equal("text/plain; version=0.0.4; charset=utf-8", found.headers["content-type"])
      local values = {}
      for name, value in found.body:gmatch("\n([%w_]+) (%d+)") do values[name] = math.tointeger(value) end
      return values
    end
    local before = read()
    given(engine:post("/v1/tokens", { name = "counted", role = "viewer" }), 201)
    local after = read()
    assert.equal(before.olivares_http_requests_total + 2, after.olivares_http_requests_total)
    assert.equal(before.olivares_store_ops_total + 1, after.olivares_store_ops_total)
    assert.equal(before.olivares_store_commits_total + 1, after.olivares_store_commits_total)
    assert.equal(before.olivares_store_ops_failed_total, after.olivares_store_ops_failed_total)
    assert.equal(1, after.olivares_http_exchanges)
    assert.is_true(after.process_resident_memory_bytes > 1024 * 1024)
    assert.is_true(after.process_open_fds > 3)
  end)
end)
