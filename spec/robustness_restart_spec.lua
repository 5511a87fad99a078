-- SPDX-License-Identifier: Apache-2.0
-- Ends of the engine, asked for and not: what was answered is there afterwards, and nothing is there in part.

local clients = require("spec.support.client")
local servers = require("spec.support.server")
local uv = require("luv")

local root = "/v1/m/sandbox"

local function steps_of(count)
  local steps = {}
  for i = 1, count do steps[i] = { input = "crm:customer/" .. i } end
  return steps
end

describe("the engine", function()
  local server, client, small, long, lengthy, endless
  local small_steps, long_steps, lengthy_steps, endless_steps = 5, 4000, 20000, 80000

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    local mocks = { { resource = "crm:customer/3", response = "Ada" } }
    small = client:must(201, "POST", root .. "/scenarios",
      { name = "small", steps = steps_of(small_steps), mocks = mocks, variants = { v = { mocks = mocks } } })
    long = client:must(201, "POST", root .. "/scenarios",
      { name = "long", steps = steps_of(long_steps), mocks = mocks })
    lengthy = client:must(201, "POST", root .. "/scenarios", { name = "lengthy", steps = steps_of(lengthy_steps) })
    endless = client:request("POST", root .. "/scenarios", { body = '{"name":"endless","steps":[{"input":""}'
      .. (',{"input":""}'):rep(endless_steps - 1) .. "]}" }).json
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local function run(scenario, more)
    local status = more and more.wait == false and 202 or 201
    return client:must(status, "POST", root .. "/scenarios/" .. scenario.id .. "/run", more)
  end

  local function check_ledger()
    local verified = client:must(200, "POST", "/v1/audit/verify")
    assert.same({ true, "intact" }, { verified.intact, verified.fault })
    return verified.entries
  end

  -- ---- asked for ----

  it("keeps everything over a restart, cursors and tokens too", function()
    local token = client:must(201, "POST", "/v1/tokens", { name = "kept", role = "viewer" })
    local ran = run(small, { variant = "v" })
    run(long)
    local compared = client:must(201, "POST", root .. "/compare",
      { scenario_ref = small.id, baseline_variant = "a", candidate_variant = "b" })
    local cursor = client:must(200, "GET", root .. "/runs?limit=1").cursor
    local paths = { "/v1/tokens", "/v1/audit", "/v1/whoami", "/v1/console/modules", root .. "/scenarios",
      root .. "/runs", root .. "/scenarios/" .. small.id, root .. "/runs/" .. ran.id,
      root .. "/runs/" .. ran.id .. "/outputs",
      root .. "/comparisons/" .. compared.id, root .. "/comparisons", root .. "/gate?scenario_ref=" .. small.id,
      root .. "/runs?limit=2&cursor=" .. cursor, "/openapi.json", "/v1/server-info" }
    local before = {}
    for i, path in ipairs(paths) do
      local answer = client:get(path)
      assert.equal(200, answer.status, path)
      before[i] = answer.body
    end
    server:restart()
    for i, path in ipairs(paths) do
      local settle = function(body) return (body:gsub('"age_s":%d+', '"age_s":0')) end
      assert.equal(settle(before[i]), settle(client:get(path).body), path)
    end
    local viewer = clients.new(server, token.token)
    assert.equal("viewer", viewer:must(200, "GET", "/v1/whoami").role)
    viewer:close()
    assert.equal("identical", client:must(200, "POST", root .. "/runs/" .. ran.id .. "/verify").result)
    check_ledger()
  end)

  local function metric(name)
    return tonumber(client:get("/metrics").body:match("\nolivares_" .. name .. " (%d+)"))
  end

  it("asked to end, lets what is under way come to its end", function()
    local started = run(lengthy, { wait = false })
    local watcher, waiting, half, idle = clients.connect(server.url), clients.connect(server.url),
      clients.connect(server.url), clients.connect(server.url)
    watcher:stream(root .. "/runs/" .. started.id .. "/stream", { headers = client:headers() })
    local request = clients.request_bytes("POST", root .. "/scenarios/" .. lengthy.id .. "/run",
      { json = { variant = "waited for" }, headers = client:headers() })
    waiting:write(request)
    half:write(request:sub(1, -10))
    clients.poll(function() return metric("sandbox_executions") == 2 and metric("http_exchanges") == 4 end,
      "the requests to be under way")
    server.process:kill("sigterm")
    clients.wait_until(function() return idle.ended end, "an idle connection to be closed")
    local refused = clients.connect(server.url)
    assert.is_nil(refused)
    half:write(request:sub(-9))

    for _, connection in ipairs({ waiting, half }) do
      local answer = connection:answer()
      assert.same({ 201, "completed", lengthy_steps }, { answer.status, answer.json.status, answer.json.steps_total })
      connection.answered = answer.json
      clients.wait_until(function() return connection.ended end, "a connection to be closed behind its answer")
    end
    local last
    for event in function() return watcher:event() end do last = event end
    assert.same({ "done", { run_ref = started.id, status = "completed" } }, { last.event, last.data })
    assert.same({ 0, 0 }, { server:stop() })
    for _, connection in ipairs({ watcher, waiting, half, idle }) do connection:close() end

    server:restart()
    for _, told in ipairs({ waiting.answered, half.answered }) do
      assert.same(told, client:must(200, "GET", root .. "/runs/" .. told.id))
    end
    local ended = client:must(200, "GET", root .. "/runs/" .. started.id)
    assert.same({ "completed", lengthy_steps }, { ended.status, ended.steps_total })
    assert.equal(lengthy_steps, #client:all(root .. "/runs/" .. started.id .. "/outputs"))
  end)

  it("asked to end as soon as it says where it listens, ends in order", function()
    for _ = 1, 5 do
      assert.same({ 0, 0 }, { server:stop() })
      server:restart()
    end
  end)

  it("asked again and again, stops what is under way and records that", function()
    local started = run(endless, { wait = false })
    assert.equal("running", started.status)
    clients.poll(function()
      if not server.ended then server.process:kill("sigterm") end
      return server.ended
    end, "the engine to end")
    assert.same({ 0, 0 }, { server:stop() })

    server:restart()
    local ended = client:must(200, "GET", root .. "/runs/" .. started.id)
    assert.same({ "canceled", "engine_stopping", "The engine was stopped before the run had ended." },
      { ended.status, ended.reason.code, ended.reason.message })
    local outputs = client:all(root .. "/runs/" .. started.id .. "/outputs")
    assert.equal(ended.steps_total, #outputs)
    assert.is_true(#outputs < endless_steps)
    assert.same(ended, client:must(200, "POST", root .. "/runs/" .. started.id .. "/cancel"))
    check_ledger()
  end)

  -- ---- not asked for ----

  ---What the store must say of itself, whatever happened: every query selects what must not be there.
  local impossible = {
    ["runs that go on"] = "SELECT count(*) FROM runs WHERE status = 'running'",
    ["ends that nothing here can have"] = [[SELECT count(*) FROM runs WHERE status <> 'completed'
      AND reason_code NOT IN ('engine_restarted', 'engine_stopping')]],
    ["runs with more or less outputs than they say"] = [[SELECT count(*) FROM runs r WHERE steps_total <>
      (SELECT count(*) FROM outputs o WHERE o.tenant_id = r.tenant_id AND o.run_id = r.id)]],
    ["outputs with gaps"] = [[SELECT count(*) FROM (SELECT count(*) AS n, max(seq) AS last FROM outputs
      GROUP BY tenant_id, run_id) WHERE n <> last + 1]],
    ["completed runs without their steps"] = [[SELECT count(*) FROM runs r JOIN scenarios s
      ON s.tenant_id = r.tenant_id AND s.id = r.scenario_id
      WHERE status = 'completed' AND steps_total <> s.steps_count]],
    ["outputs of no run"] = [[SELECT count(*) FROM outputs o WHERE NOT EXISTS
      (SELECT 1 FROM runs r WHERE r.tenant_id = o.tenant_id AND r.id = o.run_id)]],
    ["specs that are missing"] = [[SELECT count(*) FROM runs r WHERE NOT EXISTS
      (SELECT 1 FROM specs s WHERE s.tenant_id = r.tenant_id AND s.spec_hash = r.spec_hash)]],
    ["runs that gave another result than others of their spec"] = [[SELECT count(*) FROM (SELECT 1 FROM runs
      WHERE status = 'completed' GROUP BY spec_hash HAVING count(DISTINCT outputs_hash) <> 1)]],
    ["launches in the ledger without a run, or the other way round"] = [[SELECT
      (SELECT count(*) FROM audit WHERE action = 'run.launch') - (SELECT count(*) FROM runs)]],
  }

  local function check_store(moment)
    local queries, names = {}, {}
    for name, query in pairs(impossible) do
      names[#names + 1], queries[#queries + 1] = name, query .. ";"
    end
    local found, expected, line = {}, {}, 0
    for count in server:sql(table.concat(queries, "\n")):gmatch("%S+") do
      line = line + 1
      found[names[line]], expected[names[line]] = count, "0"
    end
    assert.equal(#names, line)
    assert.same(expected, found, moment)
  end

  ---Launches runs on several connections until the engine is gone.
  ---@param started function called when the first long run is under way
  ---@return table[] answered documents of what was answered
  local function load(started)
    local answered = {}
    clients.together(8, function(index)
      while true do
        local wait = index > 2
        local answer = client:post(root .. "/scenarios/" .. (wait and small or long).id .. "/run", { wait = wait })
        if not answer then return end
        assert.equal(wait and 201 or 202, answer.status, answer.body)
        answered[#answered + 1] = answer.json
        if not wait and started then started = started() end
      end
    end)
    return answered
  end

  local function check_answered(answered, moment)
    local next_one = 0
    clients.together(8, function()
      while next_one < #answered do
        next_one = next_one + 1
        local told = answered[next_one]
        local found = client:must(200, "GET", root .. "/runs/" .. told.id)
        -- That there are no gaps before the last one is for check_store.
        local last = client:must(200, "GET", root .. "/runs/" .. told.id .. "/outputs?order=desc&limit=1").items[1]
        local outputs = last and last.seq + 1 or 0
        assert.equal(found.steps_total, outputs, moment)
        if told.status == "completed" then
          assert.same(told, found, moment)
          assert.equal(small_steps, outputs, moment)
        else
          local whole = found.status == "completed" and outputs == long_steps
          local cut = found.status == "error" and found.reason.code == "engine_restarted" and found.destroyed
          assert.is_true(whole or cut, moment)
        end
      end
    end)
  end

  it("killed at any moment under load, has what it answered, and nothing in part", function()
    local total, all = 0, {}
    for round = 1, 20 do
      local after_ms = math.random(0, 100)
      local moment = ("round %d, killed after %d ms"):format(round, after_ms)
      local killer = uv.new_timer()
      local answered = load(function()
        killer:start(after_ms, 0, function() server.process:kill("sigkill") end)
      end)
      killer:close()
      assert.same({ 0, 9 }, { server:stop() })
      server:restart()
      check_store(moment)
      check_answered(answered, moment)
      total = total + #answered
      table.move(answered, 1, #answered, #all + 1, all)
    end
    assert.is_true(total >= 20)
    local cut = client:all(root .. "/runs?status=error")
    assert.is_true(#cut > 0)
    assert.same({ code = "engine_restarted", message = "The engine ended while this run was under way; the outputs "
      .. "recorded until then are kept." }, cut[1].reason)
    check_answered({ table.unpack(all, math.max(1, #all - 500)) }, "at the end")
    assert.is_true(check_ledger() > total)
    local ran = run(small)
    assert.equal("identical", client:must(200, "POST", root .. "/runs/" .. ran.id .. "/verify").result)
  end)
end)
