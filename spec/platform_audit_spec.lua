-- SPDX-License-Identifier: Apache-2.0
-- The ledger and the module switches over HTTP.

local answer = require("spec.support.answer")
local server = require("spec.support.server")

local given, refused, members = answer.given, answer.refused, answer.members

describe("the ledger", function()
  local engine

  setup(function()
    engine = server.start()
    for i = 1, 5 do given(engine:post("/v1/tokens", { name = "token " .. i, role = "viewer" }), 201) end
  end)
  teardown(function() engine:remove() end)

  local function list(query) return given(engine:get("/v1/audit" .. (query or "")), 200) end

  it("says who did what, newest first, each entry chained to the one before", function()
    local entries = list().items
    local first = entries[#entries]
    assert.equal(1, first.seq)
    assert.equal(("0"):rep(64), first.previous_hash)
    assert.equal("token.create", entries[1].action)
    assert.equal("action actor details hash id occurred_at previous_hash seq target", members(entries[1]))
    assert.equal("user:" .. engine.user.id, entries[1].actor)
    assert.same({ role = "viewer" }, entries[1].details)
    for i = 1, #entries - 1 do
      assert.equal(entries[i + 1].seq + 1, entries[i].seq)
      assert.equal(entries[i + 1].hash, entries[i].previous_hash)
    end
  end)

  it("is read in pages that fit together, in both orders", function()
    local whole = list().items
    for _, order in ipairs({ "desc", "asc" }) do
      local seqs, cursor = {}, nil
      repeat
        local page = list("?limit=2&order=" .. order .. (cursor and "&cursor=" .. cursor or ""))
        for _, entry in ipairs(page.items) do seqs[#seqs + 1] = entry.seq end
        cursor = page.cursor
        assert.equal(cursor ~= nil, page.has_more)
      until not cursor
      assert.equal(#whole, #seqs)
      for i, seq in ipairs(seqs) do assert.equal(order == "asc" and i or #whole + 1 - i, seq) end
    end
  end)

  it("is filtered by action and actor", function()
    assert.equal(5, #list("?action=token.create").items)
    assert.equal(0, #list("?action=token.revoke").items)
    assert.equal("setup", list("?action=setup&actor=user:" .. engine.user.id).items[1].action)
    assert.equal(0, #list("?actor=local").items)
    for _, actor in ipairs({ "nobody", "user:x", "user:", "token", "engine:" .. engine.user.id }) do
      refused(engine:get("/v1/audit?actor=" .. actor), 400, "bad_request",
        "Expected user:<id>, token:<id>, local or engine.", "actor")
    end
    refused(engine:get("/v1/audit?action="), 400, "bad_request", "Must not be empty.", "action")
    refused(engine:get("/v1/audit?target=x"), 400, "bad_request",
      "Unknown parameter 'target'; this route takes action, actor, limit, order, cursor.", "target")
    local page = list("?action=token.create&limit=1")
    assert.equal("cursor", engine:get("/v1/audit?limit=1&cursor=" .. page.cursor).json.error.details.place)
  end)

  it("is another tenant's nowhere", function()
    local other = given(engine:post("/v1/system/orgs", { name = "Other", slug = "other" }), 201)
    local entries = given(engine:get("/v1/audit", { tenant = other.tenant_id }), 200).items
    assert.equal(1, #entries)
    assert.equal("organization.create", entries[1].action)
  end)
end)

describe("verifying the ledger", function()
  local engine

  before_each(function()
    engine = server.start()
    for i = 1, 4 do given(engine:post("/v1/tokens", { name = "token " .. i, role = "viewer" }), 201) end
  end)
  after_each(function() engine:remove() end)

  ---Tampers with the file of the engine that was stopped, and lets the next start verify.
  local function verify_after(sql)
    engine:stop()
    engine:sql("DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete; DROP TRIGGER audit_no_replace;"
      .. "DROP TRIGGER audit_heads_forward;" .. sql)
    engine:restart()
    return given(engine:post("/v1/audit/verify"), 200)
  end

  local function newest() return given(engine:get("/v1/audit?limit=1"), 200).items[1] end

  it("finds it intact and names its head", function()
    local head = newest()
    local report = given(engine:post("/v1/audit/verify", {}), 200)
    assert.equal("entries fault head intact message", members(report))
    assert.is_true(report.intact)
    assert.equal("intact", report.fault)
    assert.equal(head.seq, report.entries)
    assert.equal(head.hash, report.head)
    assert.equal(report.entries, newest().seq) -- verifying adds nothing
  end)

  it("finds an entry that was edited", function()
    local entry = given(engine:get("/v1/audit?order=asc"), 200).items[3]
    local report = verify_after("UPDATE audit SET details = '{\"role\":\"owner\"}' WHERE seq = 3;")
    assert.is_false(report.intact)
    assert.equal("edited", report.fault)
    assert.same({ seq = 3, id = entry.id }, report.first_bad)
    assert.equal("Entry 3 was edited: its hash is not the hash of its fields.", report.message)
  end)

  it("finds an entry that is gone", function()
    local entries = newest().seq
    local report = verify_after("DELETE FROM audit WHERE seq = 2;")
    assert.equal("missing", report.fault)
    assert.same({ seq = 2 }, report.first_bad)
    assert.equal(entries - 1, report.entries)
    assert.equal("Entry 2 is missing.", report.message)
  end)

  it("finds entries that changed places", function()
    local report = verify_after(
      "UPDATE audit SET seq = 1000 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4;"
      .. "UPDATE audit SET seq = 4 WHERE seq = 1000;")
    assert.equal("reordered", report.fault)
    assert.equal(3, report.first_bad.seq)
  end)

  it("finds a tail that was cut off", function()
    local entries = newest().seq
    local report = verify_after(("DELETE FROM audit WHERE seq > %d;"):format(entries - 2))
    assert.equal("tail_removed", report.fault)
    assert.same({ seq = entries - 1 }, report.first_bad)
    assert.equal(entries - 2, report.entries)
  end)
end)

describe("modules", function()
  local engine

  setup(function() engine = server.start() end)
  teardown(function() engine:remove() end)

  local function switch(modules, token)
    return engine:request("PUT", "/v1/console/modules", { json = { modules = modules }, token = token })
  end

  local off = {
    name = "sandbox", enabled = false, summary = "scenarios, runs, replay and comparison of agents on mocks",
  }

  it("are off at first, and say how they are switched on", function()
    assert.same({ items = { off }, has_more = false }, given(engine:get("/v1/console/modules"), 200))
    refused(engine:get("/v1/m/sandbox/runs"), 404, "module_off",
      "The module 'sandbox' is off for this tenant; switch it on with `olivares modules on sandbox`.")
  end)

  it("are on as soon as they were switched, and keep their data when they are off", function()
    assert.is_true(given(switch({ sandbox = true }), 200).items[1].enabled)
    given(engine:post("/v1/m/sandbox/scenarios", { name = "kept", steps = { { input = "a" } } }), 201)
    assert.is_false(given(switch({ sandbox = false }), 200).items[1].enabled)
    assert.equal("module_off", engine:get("/v1/m/sandbox/scenarios").json.error.code)
    given(switch({ sandbox = true }), 200)
    assert.equal("kept", given(engine:get("/v1/m/sandbox/scenarios"), 200).items[1].name)
    given(switch({ sandbox = true }), 200)
    local switches = given(engine:get("/v1/audit?action=module.on"), 200).items
    assert.equal(2, #switches) -- switching on what is on is no act
    assert.equal("module:sandbox", switches[1].target)
  end)

  it("are known ones", function()
    refused(switch({ sandbox = false, sandbix = true }), 400, "bad_request",
      "There is no module 'sandbix'; GET /v1/console/modules lists all.", "modules.sandbix")
    assert.is_true(given(engine:get("/v1/console/modules"), 200).items[1].enabled) -- nothing was switched
    refused(switch({ sandbox = 1 }), 400, "bad_request", "Expected a boolean, found an integer.", "modules.sandbox")
    refused(engine:request("PUT", "/v1/console/modules", { body = "{}" }), 400, "bad_request",
      "Member 'modules' is missing.", "modules")
  end)

  it("are an owner's to switch", function()
    local token = given(engine:post("/v1/tokens", { name = "admin", role = "admin" }), 201).token
    refused(switch({ sandbox = false }, token), 403, "forbidden",
      "This takes the role owner in this tenant; yours is admin. Ask an admin or owner of it.")
  end)
end)
