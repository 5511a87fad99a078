-- SPDX-License-Identifier: Apache-2.0
-- Organizations, users, memberships and API tokens over HTTP: who may do what in which tenant.

local answer = require("spec.support.answer")
local server = require("spec.support.server")

local given, refused, members = answer.given, answer.refused, answer.members

local unknown_id = "01890000-0000-7000-8000-000000000000"

local function no_role_in(tenant)
  return ("You have no role in a tenant %s, or there is none; GET /v1/whoami lists the tenants you can enter."):format(
    tenant)
end

describe("the platform's accounts", function()
  local engine, other -- `other` is a second organization

  setup(function()
    engine = server.start()
    other = given(engine:post("/v1/system/orgs", { name = "Other", slug = "other" }), 201)
  end)
  teardown(function() engine:remove() end)

  ---As the first user, in the first tenant: a superadmin with two tenants has to name one.
  local function post(path, json, more)
    more = more or {}
    return engine:post(path, json, { token = more.token, tenant = more.tenant or engine.tenant })
  end

  local function token_of(role, tenant)
    return given(post("/v1/tokens", { name = role, role = role }, { tenant = tenant }), 201).token
  end

  local function login(email)
    local body = { email = email, password = server.password }
    return given(engine:post("/v1/auth/login", body, { token = false }), 200).token
  end

  local function user(email, role, tenant)
    return given(post("/v1/users", { email = email, password = server.password, role = role, tenant = tenant }), 201)
  end

  describe("tenants", function()
    it("have to be named by who can enter several", function()
      refused(engine:get("/v1/tokens"), 400, "bad_request",
        "You can enter several tenants: say which one with the header X-Olivares-Tenant (on the command line: "
        .. "--tenant); GET /v1/whoami lists them.", "X-Olivares-Tenant")
      assert.is_nil(given(engine:get("/v1/whoami"), 200).tenant)
      assert.equal(2, #given(engine:get("/v1/whoami"), 200).memberships)
      assert.equal(other.tenant_id, given(engine:get("/v1/whoami", { tenant = other.tenant_id }), 200).tenant)
      given(engine:get("/v1/tokens", { tenant = other.tenant_id }), 200)
    end)

    it("that are foreign and that do not exist are refused in the same words", function()
      local token = token_of("owner")
      for _, tenant in ipairs({ other.tenant_id, unknown_id }) do
        for _, path in ipairs({ "/v1/tokens", "/v1/whoami", "/v1/m/sandbox/runs" }) do
          refused(engine:get(path, { token = token, tenant = tenant }), 403, "forbidden", no_role_in(tenant))
        end
      end
      refused(engine:get("/v1/tokens", { tenant = "NOT-AN-ID" }), 400, "bad_request",
        "The tenant is not an id (a lower-case UUIDv7); GET /v1/whoami lists the tenants you can enter.",
        "X-Olivares-Tenant")
    end)

    it("keep their records apart", function()
      local made = given(post("/v1/tokens", { name = "hidden", role = "viewer" }), 201)
      local elsewhere = token_of("owner", other.tenant_id)
      for _, token in ipairs(given(engine:get("/v1/tokens", { token = elsewhere }), 200).items) do
        assert.are_not.equal(made.id, token.id)
      end
      refused(engine:request("DELETE", "/v1/tokens/" .. made.id, { token = elsewhere }), 404, "not_found",
        "There is no token with this id.")
      given(engine:get("/v1/whoami", { token = made.token }), 200)
    end)
  end)

  describe("organizations", function()
    it("have a slug of their own", function()
      assert.equal("created_at id name slug tenant_id", members(other))
      refused(post("/v1/system/orgs", { name = "Second", slug = "other" }), 409, "conflict",
        "The slug 'other' is taken by another organization; choose another.", "slug")
      for _, slug in ipairs({ "Other", "-x", "x-", "x_y" }) do
        refused(post("/v1/system/orgs", { name = "X", slug = slug }), 400, "bad_request",
          "The slug must have 1 to 63 characters out of a-z, 0-9 and, not at its ends, hyphens.", "slug")
      end
      refused(post("/v1/system/orgs", { name = "", slug = "x" }), 400, "bad_request", "Must not be empty.", "name")
    end)

    it("are listed in pages, newest first", function()
      local first = given(engine:get("/v1/system/orgs?limit=1"), 200)
      assert.equal("other", first.items[1].slug)
      assert.is_true(first.has_more)
      local second = given(engine:get("/v1/system/orgs?limit=1&cursor=" .. first.cursor), 200)
      assert.equal("example", second.items[1].slug)
      assert.equal("has_more items", members(second))
      assert.is_false(second.has_more)
      local oldest = given(engine:get("/v1/system/orgs?order=asc"), 200)
      assert.equal("example other", oldest.items[1].slug .. " " .. oldest.items[2].slug)
      refused(engine:get("/v1/system/orgs?order=asc&cursor=" .. first.cursor), 400, "bad_request",
        "The cursor is not one of this list: it goes with the route, tenant, filters and order it was answered for. "
        .. "Start again without it.", "cursor")
      assert.equal("cursor", engine:get("/v1/tokens?cursor=" .. first.cursor, { tenant = engine.tenant })
        .json.error.details.place)
    end)

    it("are a superadmin's", function()
      local owner = token_of("owner")
      refused(engine:get("/v1/system/orgs", { token = owner }), 403, "forbidden", "This needs a superadmin.")
      refused(post("/v1/system/orgs", { name = "X", slug = "x" }, { token = owner }), 403, "forbidden",
        "This needs a superadmin.")
    end)
  end)

  describe("users", function()
    it("are viewers unless it is said otherwise", function()
      local made = given(post("/v1/users",
        { email = "Vera@Example.com", password = server.password, display_name = "Vera" }), 201)
      assert.equal("created_at display_name email id role superadmin tenant", members(made))
      assert.equal("vera@example.com", made.email)
      assert.equal("viewer", made.role)
      assert.equal(engine.tenant, made.tenant)
      assert.is_false(made.superadmin)
      local who = given(engine:get("/v1/whoami", { token = login("vera@example.com") }), 200)
      assert.equal(engine.tenant, who.tenant)
      assert.equal("viewer", who.role)
      assert.equal("Vera", who.user.display_name)
    end)

    it("have one account an e-mail", function()
      user("eva@example.com", "viewer")
      local again = { email = "EVA@example.com", password = server.password, tenant = other.tenant_id }
      refused(post("/v1/users", again), 409, "conflict",
        "The e-mail eva@example.com has an account already; give that user a role with POST /v1/memberships.", "email")
    end)

    it("are made in another tenant only by who is an admin there", function()
      local made = user("otto@example.com", "admin", other.tenant_id)
      assert.equal(other.tenant_id, made.tenant)
      local otto = login("otto@example.com")
      refused(post("/v1/users", { email = "x@example.com", password = server.password, tenant = engine.tenant },
        { token = otto, tenant = other.tenant_id }), 403, "forbidden", no_role_in(engine.tenant))
      refused(post("/v1/users", { email = "x@example.com", password = server.password, tenant = "x" }), 400,
        "bad_request", "Expected a lower-case UUIDv7.", "tenant")
    end)

    it("are made in the tenant that the body names when no header names one", function()
      local body = { email = "nora@example.com", password = server.password, tenant = other.tenant_id }
      assert.equal(other.tenant_id, given(engine:post("/v1/users", body), 201).tenant)
      local both = given(engine:post("/v1/users",
        { email = "both@example.com", password = server.password, tenant = engine.tenant, role = "admin" }), 201)
      given(engine:post("/v1/memberships", { user_id = both.id, role = "editor", tenant = other.tenant_id }), 200)
      local token = login("both@example.com")
      local function by_both(path, json, tenant)
        return engine:post(path, json, { token = token, tenant = tenant })
      end
      body = { email = "paul@example.com", password = server.password, tenant = engine.tenant }
      local several = "You can enter several tenants: say which one with the header X-Olivares-Tenant (on the command "
        .. "line: --tenant); GET /v1/whoami lists them."
      local made = given(by_both("/v1/users", body), 201)
      assert.same({ engine.tenant, "viewer" }, { made.tenant, made.role })
      given(by_both("/v1/memberships", { user_id = made.id, role = "editor", tenant = engine.tenant }), 200)
      assert.equal(engine.tenant,
        given(by_both("/v1/tokens", { name = "t", role = "viewer", tenant = engine.tenant }), 201).tenant)

      body.tenant, body.email = other.tenant_id, "rita@example.com"
      local editor = "This takes the role admin in this tenant; yours is editor. Ask an admin or owner of it."
      refused(by_both("/v1/users", body), 403, "forbidden", editor)
      refused(by_both("/v1/memberships", { user_id = made.id, role = "viewer", tenant = other.tenant_id }), 403,
        "forbidden", editor)
      refused(by_both("/v1/tokens", { name = "t", role = "viewer", tenant = other.tenant_id }), 403, "forbidden",
        editor)
      refused(by_both("/v1/users", body, other.tenant_id), 403, "forbidden", editor)
      body.tenant = unknown_id
      refused(by_both("/v1/users", body), 403, "forbidden", no_role_in(unknown_id))
      for _, nowhere in ipairs({ "x", 1 }) do
        body.tenant = nowhere
        refused(by_both("/v1/users", body), 400, "bad_request", several, "X-Olivares-Tenant")
      end
      body.tenant = nil
      refused(by_both("/v1/users", body), 400, "bad_request", several, "X-Olivares-Tenant")
      refused(engine:request("POST", "/v1/users", { token = token, body = "{" }), 400, "bad_request", several,
        "X-Olivares-Tenant")
      refused(engine:post("/v1/users", { email = "r@example.com", password = server.password,
        tenant = engine.tenant }, { token = false }), 401, "unauthenticated",
        "No credentials were sent; send `Authorization: Bearer <token>` (on the command line: --token) with an API "
        .. "token or the token of a login.")
    end)

    it("get no role that their maker does not have", function()
      local body = { email = "y@example.com", password = server.password, role = "owner" }
      refused(post("/v1/users", body, { token = token_of("admin") }), 403, "forbidden",
        "The role owner can't be given by the role admin, which is less. Ask an owner.")
      refused(post("/v1/users", body, { token = token_of("editor") }), 403, "forbidden",
        "This takes the role admin in this tenant; yours is editor. Ask an admin or owner of it.")
      body.role = "king"
      refused(post("/v1/users", body), 400, "bad_request",
        "Unknown value 'king'; expected one of viewer, editor, admin, owner.", "role")
    end)
  end)

  describe("memberships", function()
    it("give and change a role, at once", function()
      local made = user("mia@example.com", "viewer")
      local mia = login("mia@example.com")
      local tokens = { token = mia, tenant = engine.tenant }
      assert.equal(403, engine:get("/v1/tokens", tokens).status)
      local changed = given(post("/v1/memberships", { user_id = made.id, role = "admin" }), 200)
      assert.same({ user_id = made.id, tenant = engine.tenant, role = "admin" }, changed)
      given(engine:get("/v1/tokens", tokens), 200)
      given(post("/v1/memberships", { user_id = made.id, role = "editor", tenant = other.tenant_id }), 200)
      assert.equal(2, #given(engine:get("/v1/whoami", { token = mia }), 200).memberships)
      given(post("/v1/memberships", { user_id = made.id, role = "viewer" }), 200)
      assert.equal(403, engine:get("/v1/tokens", tokens).status)
    end)

    it("leave a tenant its last owner", function()
      refused(post("/v1/memberships", { user_id = engine.user.id, role = "admin" }), 409, "conflict",
        "This is the last owner of the tenant; make somebody else an owner first.")
    end)

    it("are somebody's", function()
      refused(post("/v1/memberships", { user_id = unknown_id, role = "viewer" }), 404, "not_found",
        ("There is no user %s."):format(unknown_id), "user_id")
      refused(post("/v1/memberships", { user_id = "x", role = "viewer" }), 400, "bad_request",
        "Expected a lower-case UUIDv7.", "user_id")
      refused(post("/v1/memberships", { user_id = unknown_id }), 400, "bad_request", "Member 'role' is missing.",
        "role")
    end)
  end)

  describe("API tokens", function()
    it("show their secret once and act with their role", function()
      local made = given(post("/v1/tokens", { name = "ci", role = "editor" }), 201)
      assert.equal("created_at created_by id name role tenant token", members(made))
      assert.matches("^olv_[%w_-]+$", made.token)
      assert.equal("user:" .. engine.user.id, made.created_by)
      local who = given(engine:get("/v1/whoami", { token = made.token }), 200)
      assert.same({
        kind = "token", actor = "token:" .. made.id, superadmin = false, tenant = engine.tenant, role = "editor",
        memberships = { { tenant = engine.tenant, organization = "Example", slug = "example", role = "editor" } },
      }, who)
      local listed = engine:get("/v1/tokens", { tenant = engine.tenant })
      assert.equal(made.id, given(listed, 200).items[1].id)
      assert.is_nil(listed.body:find(made.token, 1, true))
      assert.is_nil(listed.body:find("olv_", 1, true))
    end)

    it("are stored as a hash", function()
      local made = given(post("/v1/tokens", { name = "stored", role = "viewer" }), 201)
      assert.equal("0", engine:sql(("SELECT count(*) FROM tokens WHERE instr(digest, '%s')"):format(made.token)))
      assert.equal("", engine.box:shell("grep -l -- " .. made.token .. " " .. engine.data .. "/*").out)
    end)

    it("expire", function()
      local made = given(post("/v1/tokens", { name = "short", role = "viewer", expires_in_s = 86400 }), 201)
      assert.equal(made.created_at:sub(11), made.expires_at:sub(11))
      given(engine:get("/v1/whoami", { token = made.token }), 200)
      engine:sql("UPDATE tokens SET expires_at = 1767225600000000000 WHERE name = 'short'")
      refused(engine:get("/v1/whoami", { token = made.token }), 401, "unauthenticated",
        "This API token expired at 2026-01-01T00:00:00.000000000Z; make another one with `olivares tokens create`.")
      for _, bad in ipairs({ 0, -1, 100 * 365 * 86400 + 1 }) do
        local found = post("/v1/tokens", { name = "x", role = "viewer", expires_in_s = bad })
        refused(found, 400, "bad_request", ("Expected an integer from 1 to 3153600000, found %d."):format(bad),
          "expires_in_s")
      end
    end)

    it("are revoked at once and for good", function()
      local made = given(post("/v1/tokens", { name = "gone", role = "admin" }), 201)
      local path = "/v1/tokens/" .. made.id
      local revoked = given(engine:request("DELETE", path, { tenant = engine.tenant }), 200)
      assert.equal("created_at created_by id name revoked_at role tenant", members(revoked))
      refused(engine:get("/v1/whoami", { token = made.token }), 401, "unauthenticated",
        ("This API token was revoked at %s; make another one with `olivares tokens create`."):format(
          revoked.revoked_at))
      assert.same(revoked, given(engine:request("DELETE", path, { tenant = engine.tenant }), 200))
      refused(engine:request("DELETE", "/v1/tokens/" .. unknown_id, { tenant = engine.tenant }), 404, "not_found",
        "There is no token with this id.")
      refused(engine:request("DELETE", "/v1/tokens/x", { tenant = engine.tenant }), 400, "bad_request",
        "The id in the path is not a lower-case UUIDv7.", "id")
    end)

    it("are made in another tenant only by who can enter it, and never above one's own role", function()
      local made = given(post("/v1/tokens", { name = "there", role = "viewer", tenant = other.tenant_id }), 201)
      assert.equal(other.tenant_id, made.tenant)
      local admin = token_of("admin")
      refused(post("/v1/tokens", { name = "x", role = "viewer", tenant = other.tenant_id }, { token = admin }), 403,
        "forbidden", no_role_in(other.tenant_id))
      refused(post("/v1/tokens", { name = "x", role = "owner" }, { token = admin }), 403, "forbidden",
        "The role owner can't be given by the role admin, which is less. Ask an owner.")
    end)
  end)

  it("roles below the one that a route takes are refused, the higher ones are not", function()
    local order = { "viewer", "editor", "admin", "owner" }
    local routes = {
      { "GET", "/v1/tokens", "admin" }, { "GET", "/v1/audit", "admin" }, { "POST", "/v1/audit/verify", "admin" },
      { "GET", "/v1/console/modules", "owner" },
    }
    for held, role in ipairs(order) do
      local token = token_of(role)
      for _, route in ipairs(routes) do
        local needed = route[3] == "admin" and 3 or 4
        local found = engine:request(route[1], route[2], { token = token })
        if held >= needed then
          given(found, 200)
        else
          refused(found, 403, "forbidden",
            ("This takes the role %s in this tenant; yours is %s. Ask an admin or owner of it."):format(route[3], role))
        end
      end
    end
  end)
end)
