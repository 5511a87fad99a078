-- SPDX-License-Identifier: Apache-2.0
-- Verifying a run: the same spec again, compared with what was recorded. Evidence that was edited behind the engine's
-- back is found, at the step where it was.

local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

describe("verifying:", function()
  local server, client, scenario

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    scenario = client:must(201, "POST", root .. "/scenarios", { name = "n",
      steps = { { key = "a", input = "one" }, { key = "b", input = "two" }, { key = "c", input = "three" } },
      mocks = { { resource = "two", response = "2" } } })
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local function run(more) return client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run", more) end
  local function verify(who, ran) return who:must(200, "POST", root .. "/runs/" .. ran.id .. "/verify") end

  it("a run that repeats itself is identical, records nothing, and is in the ledger", function()
    local kinds = { run(), run({ variant = "v" }), run({ seed = 9 }), run({ suite_ref = "s" }) }
    local before = #client:all(root .. "/runs")
    for _, ran in ipairs(kinds) do
      assert.same({ run_ref = ran.id, result = "identical", steps = 3, outputs_hash = ran.outputs_hash,
        recorded_outputs_hash = ran.outputs_hash }, verify(client, ran))
      local entry = client:must(200, "GET", "/v1/audit?limit=1").items[1]
      assert.same({ "run.verify", "run:" .. ran.id, { result = "identical" } },
        { entry.action, entry.target, entry.details })
      assert.same(ran, client:must(200, "GET", root .. "/runs/" .. ran.id))
    end
    assert.equal(before, #client:all(root .. "/runs"))
  end)

  -- { edit of the recorded outputs of run %s, first_difference }
  local edits = {
    { "UPDATE outputs SET output = 'edited' WHERE run_id = %s AND seq = 0",
      { seq = 0, step_key = "a", field = "output", recorded = "edited", again = "[[mock-miss:one]]" } },
    { "UPDATE outputs SET output = output || ' ' WHERE run_id = %s AND seq > 0",
      { seq = 1, step_key = "b", field = "output", recorded = "2 ", again = "2" } },
    { "UPDATE outputs SET mock_hit = 1 WHERE run_id = %s AND seq = 2",
      { seq = 2, step_key = "c", field = "mock_hit", recorded = "true", again = "false" } },
    { "UPDATE outputs SET step_key = 'z' WHERE run_id = %s AND seq = 1",
      { seq = 1, step_key = "z", field = "step_key", recorded = "z", again = "b" } },
    { "DELETE FROM outputs WHERE run_id = %s AND seq = 2",
      { seq = 2, step_key = "c", field = "extra", recorded = "", again = "[[mock-miss:three]]" } },
    { "DELETE FROM outputs WHERE run_id = %s AND seq = 0",
      { seq = 0, step_key = "a", field = "extra", recorded = "", again = "[[mock-miss:one]]" } },
    { "UPDATE runs SET steps_total = 4 WHERE id = %s",
      { seq = 3, step_key = "", field = "missing", recorded = "a step was recorded here", again = "" } },
    { "UPDATE outputs SET output = replace(hex(zeroblob(600)), '0', 'x') WHERE run_id = %s AND seq = 0",
      { seq = 0, step_key = "a", field = "output", recorded = ("x"):rep(1024) .. "… (176 more bytes)",
        again = "[[mock-miss:one]]" } },
    { "UPDATE runs SET outputs_hash = zeroblob(32) WHERE id = %s",
      { seq = 3, step_key = "", field = "outputs_hash", recorded = ("0"):rep(64) } },
  }

  it("evidence that was edited in the database is different, at the step that was edited", function()
    local runs, sql = {}, { "DROP TRIGGER outputs_no_update;", "DROP TRIGGER outputs_no_delete;",
      "DROP TRIGGER runs_ended_no_update;" }
    for i, case in ipairs(edits) do
      runs[i] = run()
      sql[#sql + 1] = case[1]:format("x'" .. runs[i].id:gsub("-", "") .. "'") .. ";"
    end
    local untouched = run()
    server:stop()

    local copy = cli.new()
    finally(function() copy:remove() end)
    assert.equal(0, copy:shell(("cp -r %s %s"):format(cli.quote(server.data), cli.quote(copy.data))).status)
    server:restart()
    local edited = servers.start({ box = copy })
    edited:stop()
    edited:sql(table.concat(sql, "\n"))
    edited:restart()
    local other = clients.new(edited, client.token)

    for i, case in ipairs(edits) do
      local found = verify(other, runs[i])
      local difference, of_hash = case[2], case[2].field == "outputs_hash"
      if of_hash then difference.again = runs[i].outputs_hash end
      local recorded = of_hash and difference.recorded or runs[i].outputs_hash
      assert.same({ "different", recorded, runs[i].outputs_hash },
        { found.result, found.recorded_outputs_hash, found.outputs_hash }, case[1])
      assert.same(case[2], found.first_difference, case[1])
      assert.equal(math.min(case[2].seq + 1, 3), found.steps)
      local entry = other:must(200, "GET", "/v1/audit?limit=1").items[1]
      assert.same({ "run.verify", { result = "different" } }, { entry.action, entry.details })
      assert.equal("identical", verify(client, runs[i]).result)
    end
    assert.equal("identical", verify(other, untouched).result)
    other:close()
    edited:remove()
  end)

  it("evidence can't be edited as long as its triggers are there", function()
    local ran = run()
    local id = "x'" .. ran.id:gsub("-", "") .. "'"
    for statement, message in pairs({
      ["UPDATE outputs SET output = 'x' WHERE run_id = "] = "outputs is append-only",
      ["DELETE FROM outputs WHERE run_id = "] = "outputs is append-only",
      ["UPDATE runs SET steps_ok = 3 WHERE id = "] = "a run that has ended is not changed",
      ["DELETE FROM runs WHERE id = "] = "runs are not deleted",
    }) do
      local refused = server.box:shell(("sqlite3 -batch -cmd '.timeout 10000' %s \"%s\""):format(
        cli.quote(server.data .. "/olivares.db"), statement .. id))
      assert.equal(1, math.min(refused.status, 1), statement)
      assert.is_truthy(refused.err:find(message, 1, true), refused.err)
    end
    assert.equal("identical", verify(client, ran).result)
  end)
end)
