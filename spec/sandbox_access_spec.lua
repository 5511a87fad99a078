-- SPDX-License-Identifier: Apache-2.0
-- Who may ask what: held for every route that the engine lists. A tenant never learns whether an id that is not its own
-- exists.

local clients = require("spec.support.client")
local refusal = require("spec.support.refusal")
local routes = require("spec.support.routes")
local tenants = require("spec.support.tenants")

local root = "/v1/m/sandbox"
local absent_id = "0190a0b0-0000-7000-8000-000000000001"

-- What to send to the routes that take no less than a body.
local steps = { { input = "x" } }
local bodies = {
  ["scenarios.update"] = { name = "stolen", steps = steps },
  ["scenarios.match"] = { input = "x" },
}

-- References in bodies: where the id stands in a request that is in order otherwise.
local references = {
  { root .. "/compare", "scenario_ref", { baseline_variant = "a", candidate_variant = "b" }, kind = "scenario" },
  { root .. "/compare", "baseline_run_ref", {}, own = "candidate_run_ref", kind = "run" },
  { root .. "/compare", "candidate_run_ref", {}, own = "baseline_run_ref", kind = "run" },
  { "/v1/tokens", "tenant", { name = "n", role = "viewer" }, kind = "tenant" },
  { "/v1/users", "tenant", { email = "eve@example.com", password = "correct horse battery" }, kind = "tenant" },
  { "/v1/memberships", "tenant", { role = "viewer" }, own = "user_id", kind = "tenant" },
}

describe("access:", function()
  local engine, all
  local own, foreign -- ids by kind, in the first tenant and in the other

  ---One of everything that has an id.
  local function make(client)
    local scenario = client:must(201, "POST", root .. "/scenarios",
      { name = "one", steps = steps, variants = { a = { mocks = { { resource = "x", response = "y" } } } } })
    local run = client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run")
    local comparison = client:must(201, "POST", root .. "/compare",
      { scenario_ref = scenario.id, baseline_variant = "a", candidate_variant = "b" })
    return { scenario = scenario.id, run = run.id, comparison = comparison.id, token = client.token_id }
  end

  setup(function()
    engine = tenants.start()
    own, foreign = make(engine.owner), make(engine.stranger)
    own.tenant, foreign.tenant = engine.tenant, engine.other_tenant
    own.user_id, own.candidate_run_ref, own.baseline_run_ref = engine.server.user.id, own.run, own.run
    all = routes.read(engine.owner:must(200, "GET", "/openapi.json"))
  end)
  teardown(function() engine:remove() end)

  local function path_of(route, id)
    return (route.path:gsub("{id}", function() return id end))
  end

  local function each_with_id(check)
    local count = 0
    for _, route in ipairs(all) do
      if route.path:find("{id}", 1, true) then
        count = count + 1
        check(route, function(client, id)
          local json = bodies[route.operation]
          assert(json or not route.needs_body, "say in `bodies` what to send to " .. route.name)
          return client:request(route.method, path_of(route, id), { json = json })
        end)
      end
    end
    assert.is_true(count >= 12, "routes with an id")
  end

  describe("ids", function()
    local bad_ids = { "x", absent_id:upper(), absent_id:gsub("-7", "-4"), absent_id:gsub("-8", "-c"), absent_id .. "0",
      absent_id:sub(1, -2), (absent_id:gsub("-", "")), "%30" .. absent_id:sub(2), "0", "null", "..%2f" .. absent_id }

    it("that are none are refused by every route that takes one", function()
      local before = engine:stored()
      each_with_id(function(_, send)
        for _, id in ipairs(bad_ids) do
          refusal.check({ 400, "bad_request", "The id in the path is not a lower-case UUIDv7.", "id" },
            send(engine.owner, id))
        end
      end)
      assert.same(before, engine:stored())
    end)

    it("of another tenant are answered like absent ones, to the last byte, by every route that takes one", function()
      local before, theirs = engine:stored(), engine.stranger:all("/v1/audit")
      each_with_id(function(route, send)
        local absent = send(engine.owner, absent_id)
        assert.same({ 404, "not_found" }, { absent.status, absent.json.error.code }, route.name)
        for kind, id in pairs(foreign) do
          local answer = send(engine.owner, id)
          assert.same({ absent.status, absent.body }, { answer.status, answer.body }, route.name .. " of a " .. kind)
        end
      end)
      assert.same(before, engine:stored())
      assert.same(theirs, engine.stranger:all("/v1/audit"))
    end)

    it("of another kind are absent too", function()
      each_with_id(function(route, send)
        local absent = send(engine.owner, absent_id)
        for kind, id in pairs({ scenario = own.scenario, run = own.run, comparison = own.comparison,
          token = own.token }) do
          if not route.path:find("/" .. kind .. "s/", 1, true) then
            assert.equal(absent.body, send(engine.owner, id).body, route.name .. " of a " .. kind)
          end
        end
      end)
    end)

    it("of another tenant in a query select nothing, like absent ones", function()
      local count = 0
      for _, route in ipairs(all) do
        for name, schema in pairs(route.query) do
          if schema.format == "uuid" then
            count = count + 1
            local function answer_to(id)
              local answer = engine.owner:get(("%s?%s=%s"):format(route.path, name, id))
              return { answer.status, answer.body }
            end
            assert.same({ 200, answer_to(absent_id)[2] }, answer_to(foreign.scenario), route.name)
            assert.not_same(answer_to(absent_id), answer_to(own.scenario), route.name)
            refusal.check({ 400, "bad_request", "Expected a lower-case UUIDv7.", name },
              engine.owner:get(("%s?%s=%s"):format(route.path, name, absent_id:upper())))
          end
        end
      end
      assert.is_true(count >= 3)
    end)

    it("of another tenant in a body are answered like absent ones", function()
      local before = engine:stored()
      for _, case in ipairs(references) do
        local path, member, rest = table.unpack(case)
        local function ask(id)
          local json = { [member] = id }
          for name, value in pairs(rest) do json[name] = value end
          if case.own then json[case.own] = own[case.own] end
          return engine.owner:post(path, json)
        end
        local function told_of(id) -- the message may say what was sent
          local answer = ask(id)
          return { answer.status, (answer.body:gsub((id:gsub("%-", "%%-")), "ID")) }
        end
        local absent = told_of(absent_id)
        assert.is_true(absent[1] == 404 or absent[1] == 403, path .. " " .. absent[2])
        assert.same(absent, told_of(foreign[case.kind]), path)
        refusal.check({ 400, "bad_request", "Expected a lower-case UUIDv7.", member }, ask("x"))
      end
      assert.same(before, engine:stored())
    end)
  end)

  describe("tenants", function()
    it("that are foreign are refused like those that do not exist, by every route that takes a tenant", function()
      local count = 0
      for _, route in ipairs(all) do
        if route.role then
          count = count + 1
          for _, tenant in ipairs({ absent_id, engine.other_tenant }) do
            local answer = engine.owner:request(route.method, path_of(route, absent_id),
              { headers = { ["X-Olivares-Tenant"] = tenant } })
            refusal.check({ 403, "forbidden", ("You have no role in a tenant %s, or there is none; "
              .. "GET /v1/whoami lists the tenants you can enter."):format(tenant) }, answer)
          end
        end
      end
      assert.is_true(count >= 25)
    end)
  end)

  describe("roles", function()
    local rank = { viewer = 1, editor = 2, admin = 3, owner = 4 }

    it("below the one that a route takes are refused, and nothing is stored", function()
      local before = engine:stored()
      local count = 0
      for _, route in ipairs(all) do
        for _, role in ipairs(tenants.roles) do
          if route.superadmin or route.role and rank[role] < rank[route.role] then
            count = count + 1
            local answer = engine[role]:request(route.method, path_of(route, own.scenario),
              { json = bodies[route.operation] })
            refusal.check({ 403, "forbidden", route.superadmin and "This needs a superadmin."
              or ("This takes the role %s in this tenant; yours is %s. Ask an admin or owner of it."):format(
                route.role, role) }, answer)
          end
        end
      end
      assert.is_true(count >= 40)
      assert.same(before, engine:stored())
    end)

    it("of a viewer reads, of an editor writes, of an admin compares", function()
      local expected = {
        viewer = { "comparisons.get", "comparisons.list", "gate.get", "runners.list", "runs.get", "runs.list",
          "runs.outputs", "runs.stream", "scenarios.get", "scenarios.list", "scenarios.match" },
        editor = { "runs.cancel", "runs.replay", "runs.verify", "scenarios.create", "scenarios.run",
          "scenarios.update", "synthetic_data.generate" },
        admin = { "comparisons.create", "scenarios.archive", "scenarios.restore" },
      }
      local found = { viewer = {}, editor = {}, admin = {} }
      for _, route in ipairs(all) do
        if route.path:find(root, 1, true) then table.insert(found[route.role], route.operation) end
      end
      for _, operations in pairs(found) do table.sort(operations) end
      assert.same(expected, found)
    end)
  end)

  describe("tokens", function()
    local function refused_everywhere(authorization, message)
      local count, body = 0, nil
      for _, route in ipairs(all) do
        if route.token then
          count = count + 1
          local connection = clients.connect(engine.server.url)
          local answer = connection:request(route.method, path_of(route, own.scenario),
            { json = bodies[route.operation], headers = { Authorization = authorization } })
          connection:close()
          refusal.check({ 401, "unauthenticated", message }, answer)
          body = body or answer.body
          assert.equal(body, answer.body, route.name)
        end
      end
      assert.is_true(count >= 30)
    end

    it("are needed by every route that asks for one", function()
      refused_everywhere(nil, "No credentials were sent; send `Authorization: Bearer <token>` (on the command line: "
        .. "--token) with an API token or the token of a login.")
    end)

    it("are bearer tokens in their form", function()
      local message = "The Authorization header is not `Bearer` and a token (olv_… or ols_…); check that the token was "
        .. "copied whole."
      for _, authorization in ipairs({ "Basic YTpi", "Bearer", "Bearer x", "Bearer olv_", "Bearer olv_x y",
        engine.owner.token, "Bearer " .. engine.owner.token:sub(1, -2), "Bearer " .. engine.owner.token .. "A" }) do
        refused_everywhere(authorization, message)
      end
    end)

    it("that nobody was given are unknown", function()
      local token = engine.owner.token
      local other = token:sub(1, 8) .. (token:sub(9, 9) == "A" and "B" or "A") .. token:sub(10)
      refused_everywhere("Bearer " .. other, "This API token is unknown here; check the server's address, or make "
        .. "another one with `olivares tokens create`.")
    end)

    it("that were revoked are refused at once", function()
      local client = engine:client("owner", engine.tenant)
      client:must(200, "GET", root .. "/runs")
      local revoked = engine.owner:must(200, "DELETE", "/v1/tokens/" .. client.token_id)
      refused_everywhere("Bearer " .. client.token, ("This API token was revoked at %s; make another one with "
        .. "`olivares tokens create`."):format(revoked.revoked_at))
    end)

    it("that expired are refused", function()
      local client = engine:client("owner", engine.tenant, 1)
      client:must(200, "GET", root .. "/runs")
      local expires_at
      for _, token in ipairs(engine.owner:all("/v1/tokens")) do
        if token.id == client.token_id then expires_at = token.expires_at end
      end
      clients.poll(function() return client:get(root .. "/runs").status == 401 end, "a token to expire")
      refused_everywhere("Bearer " .. client.token, ("This API token expired at %s; make another one with "
        .. "`olivares tokens create`."):format(expires_at))
    end)
  end)
end)
