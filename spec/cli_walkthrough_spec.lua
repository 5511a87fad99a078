-- SPDX-License-Identifier: Apache-2.0
-- One person's way through the module on a data directory, without a server: every value they see is what the scenario
-- says it must be.

local cli = require("spec.support.cli")

local steps = '[{"key":"lookup","input":"crm:customer/42"},{"key":"refund","input":"payments:refund?order=7"}]'
local mocks = '[{"resource":"crm:customer/42","response":"Ada"},{"resource":"never:asked","response":"x"}]'
local variants = '{"base":{},"twin":{},"candidate":{"mocks":[{"resource":"crm:customer/42","response":"Grace"}]}}'

local missing = "0190a0b0-0000-7000-8000-000000000001"

describe("on a data directory", function()
  local box, scenario, create

  setup(function()
    box = cli.new()
    create = { "sandbox", "scenarios", "create", "--name", "refund", "--steps-file", box:write("steps.json", steps),
      "--mocks-file", box:write("mocks.json", mocks), "--variants-file", box:write("variants.json", variants),
      "--seed", "7", "--description", "A refund" }
    box:json({ "modules", "on", "sandbox" })
    scenario = box:json(create)
  end)
  teardown(function() box:remove() end)

  local function run(variant)
    local more = variant and { "--variant", variant } or {}
    return box:json({ "sandbox", "scenarios", "run", scenario.id, table.unpack(more) })
  end

  it("acts as its owner", function()
    local who = box:json({ "whoami" })
    assert.same({ "local", "owner" }, { who.kind, who.role })
  end)

  it("shows how the engine is", function()
    local status = box:json({ "status" })
    assert.equal("olivares", status.server.name)
    assert.equal("ready", status.ready.status)
    assert.equal("sandbox", status.modules[1].name)
    local text = box:run({ "status" })
    assert.equal(0, text.status)
    assert.matches("\n  status: +ready\n", text.out)
    assert.matches("\n    inproc%-mock +yes\n", text.out)
  end)

  it("stores the scenario as it was given", function()
    assert.same({ "refund", "A refund", "agent", "active", 1, 7, 2, 2 }, { scenario.name, scenario.description,
      scenario.subject_kind, scenario.status, scenario.revision, scenario.seed, scenario.steps_count,
      scenario.mocks_count })
    assert.same(scenario, box:json({ "sandbox", "scenarios", "get", scenario.id }))
    assert.equal(scenario.id, box:json({ "sandbox", "scenarios", "ls", "--name", "refund" }).items[1].id)
  end)

  it("runs it: a hit, a miss, nothing made up", function()
    local ran = run()
    assert.same({ "completed", "scenario", "inproc-mock", 2, 1, 1, 1, {}, 0, 7 }, { ran.status, ran.kind, ran.runner,
      ran.steps_total, ran.steps_ok, ran.steps_error, ran.unused_mock_count, ran.unused_mocks, ran.virtual_ms,
      ran.seed })
    assert.same(ran, box:json({ "sandbox", "runs", "get", ran.id }))
    assert.equal("#0 lookup  hit\n    crm:customer/42 <- mocks[0] (resource)\n    | Ada\n#1 refund  miss\n"
      .. "    payments:refund?order=7 <- no mock\n    | [[mock-miss:payments:refund?order=7]]\n",
      box:run({ "sandbox", "runs", "outputs", ran.id }).out)
  end)

  it("gives the same run from another seed option", function()
    local ran = box:json({ "sandbox", "scenarios", "run", scenario.id, "--seed", "9007199254740991" })
    assert.equal("9007199254740991", ("%d"):format(ran.seed))
  end)

  it("streams a recorded run and goes on behind an event", function()
    local ran = run("candidate")
    local stream = box:run({ "sandbox", "runs", "stream", ran.id })
    assert.same({ 0, "" }, { stream.status, stream.err })
    assert.matches("^#0 lookup  hit\n    crm:customer/42 <%- variants.candidate.mocks%[0%] %(resource%)\n    | Grace\n"
      .. "#1 refund  miss\n", stream.out)
    assert.matches("\nid: +" .. ran.id:gsub("%-", "%%-") .. "\n", stream.out)
    stream = box:run({ "sandbox", "runs", "stream", ran.id, "--last-event-id", "0" })
    assert.matches("^#1 refund  miss\n", stream.out)
  end)

  it("verifies that a run repeats itself", function()
    local verified = box:json({ "sandbox", "runs", "verify", run().id })
    assert.same({ "identical", 2, verified.recorded_outputs_hash },
      { verified.result, verified.steps, verified.outputs_hash })
  end)

  it("compares variants, and the gate reads the verdict", function()
    local compare = { "sandbox", "compare", "--scenario-ref", scenario.id, "--baseline-variant", "base", "--gate",
      "--candidate-variant" }
    local with = function(variant) return { table.unpack(table.move({ variant }, 1, 1, #compare + 1,
      table.move(compare, 1, #compare, 1, {}))) } end
    local same = box:run(with("twin"))
    assert.equal(0, same.status, same.err)
    assert.matches("\nverdict: +unchanged\n", same.out)
    local mistyped = box:run(with("candidat"))
    assert.equal(21, mistyped.status)
    assert.matches("\nbeware: the candidate is no variant of the scenario, which has others; both arms ran the same\n",
      mistyped.out)
    local other = box:run(with("candidate"))
    assert.equal(21, other.status)
    assert.matches("\nverdict: +inconclusive\n", other.out)
    assert.matches("\nsteps: 1 the same, 1 changed\n\nlookup: changed\n  %- Ada\n  %+ Grace\n$", other.out)

    local listed = box:json({ "sandbox", "comparisons", "ls", "--verdict", "inconclusive" }).items
    assert.equal(1, #listed)
    local got = box:json({ "sandbox", "comparisons", "get", listed[1].id })
    assert.same({ "changed", "same" }, { got.pairs[1].kind, got.pairs[2].kind })
    got.pairs, got.pairs_omitted = nil, nil
    assert.same(listed[1], got)

    local gate = { "sandbox", "gate", "--scenario-ref", scenario.id, "--candidate-variant" }
    gate[6] = "candidate"
    local hold = box:run(gate)
    assert.equal(21, hold.status)
    assert.matches("^decision: +hold\n", hold.out)
    gate[6] = "nobody"
    assert.equal(21, box:run(gate).status)
  end)

  it("compares stored runs", function()
    local compared = box:run({ "sandbox", "compare", "--baseline-run", run("base").id,
      "--candidate-run", run("twin").id })
    assert.equal(0, compared.status, compared.err)
    assert.matches("\nverdict: +unchanged\n", compared.out)
  end)

  it("records a replay it can't make as degraded", function()
    local replayed = box:run({ "sandbox", "replay", "--session-ref", "s-1" })
    assert.equal(7, replayed.status)
    assert.matches("\nstatus: +degraded\nreason:\n  code: +timeline_unavailable\n", replayed.out)
  end)

  it("records a run in a backend that isn't there as an error", function()
    local asked = box:run({ "sandbox", "scenarios", "run", scenario.id, "--runner", "firecracker" })
    assert.equal(7, asked.status)
    assert.matches("\n  code: +isolation_unavailable\n", asked.out)
  end)

  it("lists the backends", function()
    local listed = box:json({ "sandbox", "runners" }).items
    assert.same({ "inproc-mock", true }, { listed[1].name, listed[1].available })
    assert.equal(0, box:run({ "sandbox", "runners" }).status)
  end)

  it("stores new revisions and keeps what is not named", function()
    local first = box:json({ "sandbox", "scenarios", "create", "--name", "revised",
      "--steps-file", box.root .. "/steps.json", "--mocks-file", box.root .. "/mocks.json" })
    local second = box:json({ "sandbox", "scenarios", "update", first.id, "--description", "Again" })
    assert.same({ 2, "Again", first.spec_hash }, { second.revision, second.description, second.spec_hash })
    assert.same(first.steps, second.steps)
    local third = box:json({ "sandbox", "scenarios", "update", first.id, "--mocks-file", "-" }, { input = "[]" })
    assert.same({ 3, 0, "Again" }, { third.revision, third.mocks_count, third.description })
    assert.not_equal(first.spec_hash, third.spec_hash)
  end)

  it("does not run what is archived until it is restored", function()
    local made = box:json({ "sandbox", "scenarios", "create", "--name", "old",
      "--steps-file", box.root .. "/steps.json" })
    assert.equal("archived", box:json({ "sandbox", "scenarios", "archive", made.id }).status)
    local refused = box:run({ "sandbox", "scenarios", "run", made.id })
    assert.same({ 5, "" }, { refused.status, refused.out })
    assert.matches("%(conflict%)\n$", refused.err)
    assert.equal("active", box:json({ "sandbox", "scenarios", "restore", made.id }).status)
    assert.equal(0, box:run({ "sandbox", "scenarios", "run", made.id }).status)
  end)

  it("pipes generated steps into a scenario", function()
    local generated = box:run({ "sandbox", "generate", "--count", "3", "-o", "json" })
    assert.equal(0, generated.status)
    local made = box:json({ "sandbox", "scenarios", "create", "--name", "load", "--steps-file", "-" },
      { input = generated.out })
    assert.same({ { key = "sample-0001", input = "agent-sample-1" }, { key = "sample-0002", input = "agent-sample-2" },
      { key = "sample-0003", input = "agent-sample-3" } }, made.steps)
    local seed = "{{index}}: {{subject_kind}}\n"
    local _, text = box:json({ "sandbox", "generate", "--count", "1", "--subject-kind", "{{index}}",
      "--seed-file", "-" }, { input = seed })
    assert.equal('[{"key":"sample-0001","input":"1: {{index}}\\n"}]\n', text)
  end)

  it("shows how far a run is to a person, and cancels it on Ctrl-C", function()
    local many = {}
    for index = 1, 30000 do many[index] = '{"input":"x"}' end
    local made = box:json({ "sandbox", "scenarios", "create", "--name", "long", "--steps-file", "-" },
      { input = "[" .. table.concat(many, ",") .. "]" })
    local command = box:command({ "sandbox", "scenarios", "run", made.id }, { TERM = "xterm" })
    local result = box:shell(cli.typing(command, { "\3" })) -- the colon is that of the progress line
    assert.equal(130, result.status)
    assert.matches("run %x+%-[%x%-]+: step %d+ of ", result.out)
    assert.matches("status: +[^\n]*canceled", result.out)
    assert.equal("canceled", box:json({ "sandbox", "runs", "ls", "--limit", "1" }).items[1].status)
  end)

  it("pages through lists", function()
    local total = #box:json({ "sandbox", "runs", "ls", "--all" }).items
    assert.is_true(total > 3)
    local page = box:run({ "sandbox", "runs", "ls", "--limit", "2" })
    assert.equal(0, page.status)
    local again = page.err:match("^There is more: olivares (.*)\n$")
    assert.equal("sandbox runs ls --limit 2 --cursor ", again:match("^.*%-%-cursor "))
    local _, rows = page.out:gsub("\n", "")
    assert.equal(3, rows)
    local next_page = box:shell(box:command({}) .. " " .. again)
    assert.equal(0, next_page.status, next_page.err)
    assert.not_equal(page.out, next_page.out)
    assert.same(total, #box:json({ "sandbox", "runs", "ls", "--all", "--limit", "1", "--order", "asc" }).items)
  end)

  local failures = {
    { { "sandbox", "runs", "get", missing }, 4, "not_found" },
    { { "sandbox", "runs", "get", "nonsense" }, 1, "bad_request" },
    { { "sandbox", "scenarios", "run", missing }, 4, "not_found" },
    { { "sandbox", "runs", "ls", "--cursor", "nonsense" }, 1, "bad_request, at cursor" },
    { { "modules", "on", "nonsense" }, 1, "bad_request, at modules.nonsense" },
    { { "sandbox", "compare", "--scenario-ref", missing, "--baseline-variant", "a", "--candidate-variant", "b" }, 4,
      "not_found" },
  }
  for _, case in ipairs(failures) do
    it("ends with " .. case[2] .. " for: " .. table.concat(case[1], " "), function()
      local result = box:run(case[1])
      assert.same({ case[2], "" }, { result.status, result.out })
      assert.matches("^olivares: .* %(" .. case[3] .. ".*%)\n$", result.err)
    end)
  end

  it("refuses a second scenario of the same name", function()
    local result = box:run(create)
    assert.same({ 5, "" }, { result.status, result.out })
  end)

  it("cuts over-long text and says where, or refuses with --strict", function()
    local long = { "sandbox", "scenarios", "create", "--name", ("n"):rep(300),
      "--steps-file", box.root .. "/steps.json" }
    local made = box:json(long)
    assert.same({ 200, { "name" } }, { #made.name, made.clamped })
    long[#long + 1] = "--strict"
    local refused = box:run(long)
    assert.equal(1, refused.status)
    assert.matches("(bad_request, at name)", refused.err, 1, true)
  end)

  it("switches the module off and on, and keeps its data", function()
    assert.equal(0, box:run({ "modules", "off", "sandbox" }).status)
    local refused = box:run({ "sandbox", "scenarios", "ls" })
    assert.equal(4, refused.status)
    assert.equal("olivares: The module 'sandbox' is off for this tenant; switch it on with "
      .. "`olivares modules on sandbox`. (module_off)\n", refused.err)
    local on = box:run({ "modules", "on", "sandbox" })
    assert.matches("\nsandbox +yes", on.out)
    assert.equal(0, box:run({ "sandbox", "scenarios", "get", scenario.id }).status)
  end)

  it("keeps a ledger that proves itself, until somebody edits it", function()
    local verified = box:json({ "audit", "verify" })
    assert.is_true(verified.intact)
    assert.equal(0, box:run({ "audit", "ls", "--limit", "5" }).status)
    local edit = [[sqlite3 %s/olivares.db "DROP TRIGGER audit_no_update; UPDATE audit SET action = 'x' WHERE seq = 2"]]
    assert.same({ status = 0, out = "", err = "" }, box:shell(edit:format(cli.quote(box.data))))
    local broken = box:run({ "audit", "verify" })
    assert.equal(1, broken.status)
    assert.matches("^intact: +no\nfault: +edited\n", broken.out)
    assert.matches("first bad:\n  id: .*\n  seq: +2\n", broken.out)
  end)
end)
