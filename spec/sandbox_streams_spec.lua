-- SPDX-License-Identifier: Apache-2.0
-- Runs that are watched while they go on: event streams, live and from the record, and cancelling.

local clients = require("spec.support.client")
local digest = require("spec.support.digest")
local refusal = require("spec.support.refusal")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"
local MIB = 1024 * 1024

describe("streams:", function()
  local server, client, small, big, big_steps, endless
  local endless_steps = 80000

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    small = client:must(201, "POST", root .. "/scenarios", { name = "small",
      steps = { { key = "a", input = "one" }, { key = "b", input = "two" }, { key = "c", input = "three" } },
      mocks = { { resource = "two", response = "line\nline" } } })
    -- As many steps as fit into a request.
    local head = '{"name":"big","mocks":[{"resource":"payments:refund?order=00007","response":"y"}],"steps":['
    local tail = "]}"
    local step = '{"input":"payments:refund?order=%05d"}'
    big_steps = (MIB - #head - #tail + 1) // (#step:format(0) + 1)
    local steps = {}
    for i = 1, big_steps do steps[i] = step:format(i) end
    local answer = client:request("POST", root .. "/scenarios", { body = head .. table.concat(steps, ",") .. tail })
    assert(answer.status == 201, answer.body)
    big = { id = answer.json.id }
    assert(big_steps > 20000)
    answer = client:request("POST", root .. "/scenarios", { body = '{"name":"endless","steps":[{"input":""}'
      .. (',{"input":""}'):rep(endless_steps - 1) .. "]}" })
    endless = { id = answer.json.id }
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local function run(scenario, more)
    local status = more and more.wait == false and 202 or 201
    return client:must(status, "POST", root .. "/scenarios/" .. scenario.id .. "/run", more)
  end

  local function get(ran) return client:must(200, "GET", root .. "/runs/" .. ran.id) end

  local function open(ran, last_event_id)
    local connection = clients.connect(server.url)
    local headers = client:headers({ headers = { ["Last-Event-ID"] = last_event_id } })
    return connection, connection:stream(root .. "/runs/" .. ran.id .. "/stream", { headers = headers })
  end

  ---@param most integer? to read; then the connection is left
  local function events_of(ran, last_event_id, most)
    local connection = open(ran, last_event_id)
    local events = {}
    while #events < (most or math.huge) do
      local event = connection:event()
      if not event then break end
      events[#events + 1] = event
    end
    connection:close()
    return events
  end

  -- ---- from the record ----

  it("show a recorded run: outputs, summary, done", function()
    local ran = run(small)
    local connection, head = open(ran)
    assert.same({ 200, "text/event-stream", "no-store" },
      { head.status, head.headers["content-type"], head.headers["cache-control"] })
    connection:close()
    local outputs = client:all(root .. "/runs/" .. ran.id .. "/outputs")
    local events = events_of(ran)
    local seen = {}
    for i, event in ipairs(events) do seen[i] = { event.id, event.event, event.data } end
    assert.same({
      { 0, "output", outputs[1] }, { 1, "output", outputs[2] }, { 2, "output", outputs[3] },
      { 3, "summary", ran }, { 4, "done", { run_ref = ran.id, status = "completed" } },
    }, seen)
  end)

  it("go on behind every event", function()
    local ran = run(small)
    local all = events_of(ran)
    for last = 0, 4 do
      assert.same({ table.unpack(all, last + 2) }, events_of(ran, last), "behind " .. last)
    end
  end)

  it("of runs without outputs are a summary and the end", function()
    for _, ran in ipairs({ run(small, { runner = "gvisor" }),
      client:must(201, "POST", root .. "/replay", { session_ref = "s" }) }) do
      local events = events_of(ran)
      assert.same({ { 0, "summary", ran }, { 1, "done", { run_ref = ran.id, status = ran.status } } },
        { { events[1].id, events[1].event, events[1].data }, { events[2].id, events[2].event, events[2].data } })
      assert.equal(2, #events)
    end
  end)

  local not_an_event = { 400, "bad_request",
    "This is not the id of an event of this run; leave the header out to read from the start.", "Last-Event-ID" }
  local function refused(ran, last)
    refusal.check(not_an_event,
      client:get(root .. "/runs/" .. ran.id .. "/stream", { headers = { ["Last-Event-ID"] = last } }))
  end

  it("refuse what is not the id of an event", function()
    local ran = run(small)
    local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
    for _, last in ipairs({ "5", "6", "-1", "x", "1.5", "1 2", "0x1", "1e0", "9223372036854775807",
      "99999999999999999999" }) do
      refused(ran, last)
    end
    assert.equal(before, client:must(200, "GET", "/v1/audit?limit=1").items[1].seq)
  end)

  it("are in the ledger, each one", function()
    local ran = run(small)
    for _ = 1, 2 do
      local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
      events_of(ran)
      local entry = client:must(200, "GET", "/v1/audit?limit=1").items[1]
      assert.same({ before + 1, "run.stream", "run:" .. ran.id }, { entry.seq, entry.action, entry.target })
    end
  end)

  -- ---- live ----

  ---Checks that events are all outputs once and in order, then the summary, then the end.
  local function check_whole(ran, events)
    assert.equal(big_steps + 2, #events)
    for i = 1, big_steps do
      local event = events[i]
      local data = event.data
      if event.id ~= i - 1 or event.event ~= "output" or data.seq ~= i - 1 or data.step_key ~= "step-" .. i then
        error(("event %d is %s %d"):format(i - 1, event.event, event.id))
      end
    end
    local summary, done = events[big_steps + 1], events[big_steps + 2]
    assert.same({ big_steps, "summary", get(ran) }, { summary.id, summary.event, summary.data })
    assert.same({ big_steps + 1, "done", { run_ref = ran.id, status = "completed" } },
      { done.id, done.event, done.data })
  end

  it("show a run of 1 MiB of steps while it goes on, to every watcher, over cuts", function()
    local ran = run(big, { wait = false })
    assert.same({ "running", 0 }, { ran.status, ran.steps_total })
    assert.is_nil(ran.finished_at)
    assert.is_nil(ran.outputs_hash)
    local seen = clients.together(3, function(index)
      local events = events_of(ran, nil, index == 1 and math.huge or index == 2 and 1 or 300)
      if index == 1 then return events end
      -- Those who were cut off go on behind what they have.
      if index == 2 then assert.equal("running", get(ran).status) end
      repeat
        local more = events_of(ran, events[#events].id, index == 2 and 3000 or math.huge)
        table.move(more, 1, #more, #events + 1, events)
      until #more == 0 or events[#events].event == "done"
      return events
    end)
    for _, events in ipairs(seen) do check_whole(ran, events) end
    local ended = get(ran)
    assert.same({ "completed", big_steps, 1, big_steps - 1, 0, {} }, { ended.status, ended.steps_total, ended.steps_ok,
      ended.steps_error, ended.unused_mock_count, ended.unused_mocks })
    local outputs = {}
    for i = 1, big_steps do outputs[i] = seen[1][i].data end
    assert.equal(digest.outputs(outputs), ended.outputs_hash)
  end)

  it("a client that goes away loses nothing of its run", function()
    local before = #client:all(root .. "/runs?scenario_ref=" .. big.id)
    local connection = clients.connect(server.url)
    connection:write(clients.request_bytes("POST", root .. "/scenarios/" .. big.id .. "/run",
      { json = { variant = "left" }, headers = client:headers() }))
    local ran = clients.poll(function() return client:all(root .. "/runs?variant=left")[1] end,
      "the run to be recorded")
    connection:close()
    ran = clients.poll(function() return get(ran).status ~= "running" and get(ran) end, "the run to end")
    assert.same({ "completed", big_steps }, { ran.status, ran.steps_total })
    assert.equal(before + 1, #client:all(root .. "/runs?scenario_ref=" .. big.id))
  end)

  -- ---- cancelling ----

  local function cancel(ran) return client:post(root .. "/runs/" .. ran.id .. "/cancel") end

  it("cancelling ends a run and keeps its outputs", function()
    local ran = run(endless, { wait = false })
    local watcher = open(ran)
    local first = watcher:event()
    assert.equal("output", first.event)
    refused(ran, tostring(endless_steps))
    refusal.check({ 409, "conflict", ("The run %s has not ended yet."):format(ran.id), "candidate_run_ref" },
      client:post(root .. "/compare", { baseline_run_ref = run(small).id, candidate_run_ref = ran.id }))
    refusal.check({ 409, "conflict", "There is nothing to verify: the run did not complete (status 'running')." },
      client:post(root .. "/runs/" .. ran.id .. "/verify"))

    local answers = clients.together(3, function() return cancel(ran) end)
    local canceled = answers[1].json
    assert.same({ 200, "canceled", true, true, "canceled_by_request", "The run was canceled by request." },
      { answers[1].status, canceled.status, canceled.isolated, canceled.destroyed, canceled.reason.code,
        canceled.reason.message })
    for i = 2, 3 do assert.same({ 200, answers[1].body }, { answers[i].status, answers[i].body }) end
    assert.equal(answers[1].body, cancel(ran).body)
    assert.same(canceled, get(ran))

    local outputs = client:all(root .. "/runs/" .. ran.id .. "/outputs")
    assert.equal(canceled.steps_total, #outputs)
    assert.is_true(#outputs > 0 and #outputs < endless_steps)
    assert.equal(canceled.steps_total, canceled.steps_ok + canceled.steps_error)
    assert.equal(digest.outputs(outputs), canceled.outputs_hash)

    local ids, last = { first.id }, nil
    for event in function() return watcher:event() end do
      ids[#ids + 1] = event.id
      last = event
    end
    watcher:close()
    assert.same({ "done", { run_ref = ran.id, status = "canceled" } }, { last.event, last.data })
    for i, id in ipairs(ids) do assert.equal(i - 1, id) end
    assert.equal(#outputs + 2, #ids)

    local function of_this(action) return client:all("/v1/audit?action=" .. action)[1] end
    assert.equal("run:" .. ran.id, of_this("run.cancel").target)
    assert.same({ kind = "scenario", runner = "inproc-mock", status = "canceled" }, of_this("run.end").details)
    refusal.check({ 409, "conflict", "There is nothing to verify: the run did not complete (status 'canceled')." },
      client:post(root .. "/runs/" .. ran.id .. "/verify"))
  end)

  it("cancelling what has ended otherwise is a conflict, and is no entry in the ledger", function()
    local ended = { completed = run(small), degraded = run(small, { suite_ref = "s" }),
      error = run(small, { runner = "process" }) }
    local before = client:must(200, "GET", "/v1/audit?limit=1").items[1].seq
    for status, ran in pairs(ended) do
      refusal.check({ 409, "conflict", ("The run is not under way: its status is '%s'."):format(status) }, cancel(ran))
      assert.same(ran, get(ran))
    end
    assert.equal(before, client:must(200, "GET", "/v1/audit?limit=1").items[1].seq)
  end)

  it("outputs as large as they may be, all escapes, are streamed and paged whole", function()
    local text = ("\1"):rep(65536)
    local steps = {}
    for i = 1, 200 do steps[i] = { input = "a" } end
    local heavy = client:must(201, "POST", root .. "/scenarios",
      { name = "heavy", steps = steps, mocks = { { resource = "a", response = text } } })
    local ran = client:must(201, "POST", root .. "/scenarios/" .. heavy.id .. "/run")
    local path, seen, query = root .. "/runs/" .. ran.id .. "/outputs?limit=1000", 0, ""
    repeat
      local page = client:must(200, "GET", path .. query)
      for _, output in ipairs(page.items) do
        assert.equal(seen, output.seq)
        assert.is_true(output.output == text)
        seen = seen + 1
      end
      assert.is_true(#page.items > 0 and #page.items < 20)
      query = "&cursor=" .. (page.cursor or "")
    until not page.has_more
    assert.equal(200, seen)
    local shown = server.box:shell(("curl -s -m 60 -H 'Authorization: Bearer %s' %s%s/runs/%s/stream | grep -c '^id: '")
      :format(client.token, server.url, root, ran.id))
    assert.equal("202\n", shown.out)
  end)
end)
