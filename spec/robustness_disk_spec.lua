-- SPDX-License-Identifier: Apache-2.0
-- Disks that are full or read-only, and database files that are damaged, too new or another program's: the engine says
-- so, with a way out, and makes nothing worse.

local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local mounts = require("spec.support.mounts")
local refusal = require("spec.support.refusal")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

local function steps_of(count)
  local steps = {}
  for i = 1, count do steps[i] = { input = "crm:customer/" .. i } end
  return steps
end

---How both an engine and a command that opens the directory themselves end on it.
local function refused_to_open(box, message, wrap)
  wrap = wrap or function(command) return command end
  for _, words in ipairs({ { "serve", "--listen", "127.0.0.1:0" }, { "whoami" }, { "sandbox", "runs", "ls" } }) do
    local ended = box:shell(wrap("exec timeout 20 " .. box:command(words)))
    assert.same({ 6, "", ("olivares: %s (unavailable)\n"):format(message) }, { ended.status, ended.out, ended.err })
  end
end

describe("a data directory", function()
  local kept, box, token -- `kept` is as an engine left it; each example has a copy in `box`

  setup(function()
    kept = servers.start()
    local client = clients.new(kept)
    token = client.token
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    local scenario = client:must(201, "POST", root .. "/scenarios", { name = "n", steps = steps_of(300) })
    client:must(201, "POST", root .. "/scenarios/" .. scenario.id .. "/run")
    client:close()
    kept:stop()
  end)
  teardown(function() kept:remove() end)

  before_each(function()
    box = cli.new()
    assert(os.execute(("cp -r %s %s"):format(cli.quote(kept.data), cli.quote(box.data))))
  end)
  after_each(function() box:remove() end)

  local function files()
    return box:shell("cd " .. cli.quote(box.data) .. " && ls && sha256sum olivares.db*").out
  end

  it("that is read-only is refused and left alone", function()
    local why = mounts.unavailable()
    if why then pending(why) end
    local dir = cli.quote(box.data)
    local space = mounts.open(("mount --bind %s %s && mount -o remount,bind,ro %s"):format(dir, dir, dir))
    local before = files()
    refused_to_open(box, ("the data directory '%s' is read-only; name another one with --data"):format(box.data),
      function(command) return space:wrap(command) end)
    assert.equal(before, files())
    space:close()
    assert.equal(0, box:run({ "whoami" }).status)
  end)

  local damaged = "%s/olivares.db: The database is damaged or not a database (%s): restore it from a backup."
  local too_short = "%s/olivares.db: The database is damaged or not a database (it has %d bytes): restore it from a "
    .. "backup, or remove the file to start anew."
  -- { name, what is done to the file, message with the directory in it }
  local cases = {
    { "garbage for a header", "printf garbagegarbage | dd of=olivares.db conv=notrunc bs=1",
      damaged:format("%s", "file is not a database") },
    { "another file in its place", "seq 100000 >olivares.db", damaged:format("%s", "file is not a database") },
    { "half of its file", "truncate -s $(($(stat -c %%s olivares.db) / 2)) olivares.db",
      damaged:format("%s", "database disk image is malformed") },
    { "the first 100 bytes of its file", "truncate -s 100 olivares.db", too_short:format("%s", 100) },
    { "nothing left of its file", "truncate -s 0 olivares.db", too_short:format("%s", 0) },
    { "pages of garbage", "head -c 100000 /dev/urandom | dd of=olivares.db conv=notrunc bs=4096 seek=1",
      damaged:format("%s", "database disk image is malformed") },
    { "a newer schema", "sqlite3 olivares.db 'PRAGMA user_version = 99'",
      "%s/olivares.db has schema version 99, this engine knows 3: it was written by a newer engine. Use that one, or "
      .. "restore a backup from before the upgrade." },
    { "another program's database", "sqlite3 olivares.db 'PRAGMA application_id = 7'",
      "%s/olivares.db was made by another program (application id 7); choose another directory with --data." },
  }
  for _, case in ipairs(cases) do
    it("with " .. case[1] .. " is refused and left alone", function()
      local done = box:shell(("cd %s && %s"):format(cli.quote(box.data), (case[2]:gsub("%%%%", "%%"))))
      assert.equal(0, done.status, done.err)
      local before = files()
      refused_to_open(box, case[3]:format(box.data))
      assert.equal(before, files())
    end)
  end

  it("with one bad page serves what it can read, and says what it can't", function()
    local query = "SELECT pageno FROM dbstat WHERE name = 'outputs' AND pagetype = 'leaf' ORDER BY pageno LIMIT 3, 1"
    local page = box:shell(('sqlite3 %s/olivares.db "%s"'):format(cli.quote(box.data), query)).out
    assert.equal(0, box:shell(("head -c 4096 /dev/urandom | dd of=%s/olivares.db conv=notrunc bs=4096 seek=%d"):format(
      cli.quote(box.data), tonumber(page) - 1)).status)
    local server = servers.start({ box = box })
    finally(function() server:remove() end)
    local client = clients.new(server, token)
    local ran = client:all(root .. "/runs")[1]
    assert.equal("completed", ran.status)
    for _ = 1, 2 do
      refusal.check({ 503, "unavailable", "The database is damaged or not a database (database disk image is "
        .. "malformed): restore it from a backup." }, client:get(root .. "/runs/" .. ran.id .. "/outputs?limit=1000"))
    end
    local watching = clients.connect(server.url)
    watching:stream(root .. "/runs/" .. ran.id .. "/stream", { headers = client:headers() })
    local seen, event = 0, watching:event()
    while event.event == "output" do seen, event = seen + 1, watching:event() end
    assert.same({ "error", { error = { code = "unavailable", message = "The database is damaged or not a database "
      .. "(database disk image is malformed): restore it from a backup." } } }, { event.event, event.data })
    assert.is_nil(watching:event())
    assert.is_true(seen > 0 and seen < 300, seen)
    watching:close()
    assert.equal(1, #client:must(200, "GET", root .. "/runs/" .. ran.id .. "/outputs?limit=1").items)
    assert.equal(300, client:must(201, "POST", root .. "/scenarios/" .. ran.scenario_ref .. "/run").steps_total)
    client:close()
    assert.same({ 0, 0 }, { server:stop() })
  end)
end)

describe("a full disk", function()
  local space, box, server, client, small, lengthy
  local lengthy_steps = 20000
  local why = mounts.unavailable()

  local function launch()
    server = servers.start({ box = box, setup = false, wrap = function(command) return space:wrap(command) end })
    server.data = space:path(box.data)
  end

  setup(function()
    if why then return end
    box = cli.new()
    local dir = cli.quote(box.data)
    space = mounts.open(("mkdir %s && mount -t tmpfs -o size=64m,mode=700 tmpfs %s"):format(dir, dir))
    launch()
    server:set_up()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    small = client:must(201, "POST", root .. "/scenarios", { name = "small", steps = steps_of(5) })
    lengthy = client:must(201, "POST", root .. "/scenarios", { name = "lengthy", steps = steps_of(lengthy_steps) })
  end)
  teardown(function()
    if why then return end
    client:close()
    server:remove()
    space:close()
  end)

  local function needs_it()
    if why then pending(why) end
  end

  ---Fills the disk up to some bytes.
  local function fill(left)
    local filler = cli.quote(space:path(box.data) .. "/filler")
    os.execute(("dd if=/dev/zero of=%s bs=4k 2>/dev/null; truncate -s -%d %s"):format(filler, left, filler))
  end

  local function empty() os.remove(space:path(box.data) .. "/filler") end

  local function run(scenario, more) return client:post(root .. "/scenarios/" .. scenario.id .. "/run", more) end
  local function ready() return client:get("/readyz") end

  local full = { 503, "unavailable", "The disk is full: the database can't grow. Free some space and try again." }

  it("refuses what would be stored, goes on reading, and is over when there is space again", function()
    needs_it()
    local told = run(small)
    assert.equal(201, told.status)
    fill(0)
    local before = client:all("/v1/audit")
    for _ = 1, 3 do
      refusal.check(full, run(small))
      refusal.check(full, run(small, { wait = false }))
      refusal.check(full, run(lengthy))
      refusal.check(full, client:post(root .. "/scenarios", { name = "other", steps = steps_of(1) }))
      refusal.check(full, client:post(root .. "/compare",
        { scenario_ref = small.id, baseline_variant = "a", candidate_variant = "b" }))
      refusal.check(full, client:post(root .. "/scenarios/" .. small.id .. "/archive"))
    end
    assert.same({ 503, "unwritable", false }, { ready().status, ready().json.status, ready().json.store.writable })
    assert.same({ status = "ok" }, client:must(200, "GET", "/healthz"))
    assert.same(told.json, client:must(200, "GET", root .. "/runs/" .. told.json.id))
    assert.equal(1, #client:all(root .. "/runs"))
    assert.equal(2, #client:all(root .. "/scenarios"))
    assert.same(before, client:all("/v1/audit"))
    assert.is_nil(server.ended)

    empty()
    clients.poll(function() return ready().status == 200 end, "the engine to be ready again")
    assert.equal(201, run(small).status)
    assert.equal("active", client:must(200, "GET", root .. "/scenarios/" .. small.id).status)
    assert.same(told.json, client:must(200, "GET", root .. "/runs/" .. told.json.id))
    assert.equal("intact", client:must(200, "POST", "/v1/audit/verify").fault)
  end)

  ---A run that was announced and can't go on for want of space.
  local function stuck_run()
    fill(2 * 1024 * 1024)
    local started = run(lengthy, { wait = false })
    assert.equal(202, started.status)
    clients.poll(function() return ready().status == 503 end, "the disk to be full")
    local path = root .. "/runs/" .. started.json.id
    assert.equal("running", client:must(200, "GET", path).status)
    local recorded = #client:all(path .. "/outputs")
    assert.is_true(recorded > 0 and recorded < lengthy_steps)
    return path, recorded
  end

  it("halts a run, which goes on by itself when there is space again", function()
    needs_it()
    local path = stuck_run()
    empty()
    local ended = clients.poll(function()
      local found = client:must(200, "GET", path)
      return found.status ~= "running" and found
    end, "the run to end")
    assert.same({ "completed", lengthy_steps }, { ended.status, ended.steps_total })
    local outputs = client:all(path .. "/outputs")
    assert.equal(lengthy_steps, #outputs)
    for i, output in ipairs(outputs) do assert(output.seq == i - 1) end
    assert.equal(ended.outputs_hash, client:must(200, "POST", path .. "/verify").outputs_hash)
  end)

  it("keeps what a halted run has recorded over an end of the engine", function()
    needs_it()
    local path, recorded = stuck_run()
    assert.same({ 0, 0 }, { server:stop() })
    empty()
    launch()
    client = clients.new(server, client.token)
    local ended = client:must(200, "GET", path)
    assert.same({ "error", "engine_restarted", recorded }, { ended.status, ended.reason.code, ended.steps_total })
    assert.equal(recorded, #client:all(path .. "/outputs"))
    assert.equal("intact", client:must(200, "POST", "/v1/audit/verify").fault)
    assert.equal(201, run(small).status)
  end)
end)
