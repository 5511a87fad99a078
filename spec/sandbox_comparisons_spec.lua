-- SPDX-License-Identifier: Apache-2.0
-- Comparisons and the gate: what differs is listed step by step, nothing unscored is ever better or worse, and only a
-- comparison that says so lets a candidate go.

local clients = require("spec.support.client")
local refusal = require("spec.support.refusal")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

describe("comparing:", function()
  local server, client, scenario

  setup(function()
    server = servers.start()
    client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    local function answers(all)
      local mocks = {}
      for resource, response in pairs(all) do mocks[#mocks + 1] = { resource = resource, response = response } end
      return { mocks = mocks }
    end
    scenario = client:must(201, "POST", root .. "/scenarios", {
      name = "n", subject_kind = "bot",
      steps = { { key = "same", input = "s" }, { key = "changes", input = "c" }, { key = "found", input = "f" },
        { key = "lost", input = "l" }, { key = "never", input = "n" } },
      mocks = { { resource = "s", response = "S" } },
      variants = {
        base = answers({ c = "1", l = "L" }), twin = answers({ l = "L", c = "1" }),
        candidate = answers({ c = "2", f = "F" }),
        longer = { steps = { { key = "same", input = "s" }, { key = "new", input = "x" } } },
        verbose = answers({ c = ("é"):rep(700), l = "L" }),
      },
    })
  end)
  teardown(function()
    client:close()
    server:remove()
  end)

  local function run(more, of)
    return client:must(201, "POST", root .. "/scenarios/" .. (of or scenario).id .. "/run", more)
  end

  local function compare(baseline, candidate, more)
    local json = { scenario_ref = scenario.id, baseline_variant = baseline, candidate_variant = candidate }
    for name, value in pairs(more or {}) do json[name] = value end
    return client:must(201, "POST", root .. "/compare", json)
  end

  local function compare_runs(baseline, candidate)
    return client:must(201, "POST", root .. "/compare",
      { baseline_run_ref = baseline.id, candidate_run_ref = candidate.id })
  end

  local function decided(comparison)
    return { comparison.verdict, comparison.reason.code, comparison.comparable, comparison.reason.message }
  end

  local identical = { "unchanged", "outputs_identical", true, "Every output of the arms is the same." }
  local different = { "inconclusive", "outputs_differ_unscored", true,
    "The outputs differ and nothing scored them: that proves a difference, not which arm is better." }

  -- ---- verdicts ----

  it("arms with the same outputs are unchanged", function()
    local compared = compare("base", "twin")
    assert.same(identical, decided(compared))
    assert.same({}, compared.differences)
    assert.same({ false, 0, scenario.id, "bot:n", "base", "twin", "user:" .. server.user.id, "default" },
      { compared.scored, compared.differences_omitted, compared.scenario_ref, compared.subject_ref,
        compared.baseline_variant, compared.candidate_variant, compared.decided_by, compared.rule.ref })
    for _, member in ipairs({ "baseline_score", "candidate_score", "delta", "session_ref", "suite_ref", "clamped" }) do
      assert.is_nil(compared[member])
    end
    assert.same(compared, client:must(200, "GET", root .. "/comparisons/" .. compared.id))
  end)

  it("a comparison has the two runs it was made from", function()
    local before = #client:all(root .. "/runs?kind=compare")
    local compared = compare("base", "candidate")
    local arms = client:all(root .. "/runs?kind=compare")
    assert.equal(before + 2, #arms)
    for i, arm in ipairs({ { compared.candidate_run_ref, "candidate" }, { compared.baseline_run_ref, "base" } }) do
      assert.same({ arm[1], arm[2], "compare", "completed", scenario.id }, { arms[i].id, arms[i].variant, arms[i].kind,
        arms[i].status, arms[i].scenario_ref })
    end
    local ledger = client:must(200, "GET", "/v1/audit?limit=3").items
    assert.same({ "comparison.decide", "comparison:" .. compared.id,
      { verdict = "inconclusive", reason = "outputs_differ_unscored" } },
        { ledger[1].action, ledger[1].target, ledger[1].details })
    assert.same({ "run.launch", "run.launch" }, { ledger[2].action, ledger[3].action })
  end)

  it("arms with other outputs are inconclusive, with every difference in execution order", function()
    local compared = compare("base", "candidate")
    assert.same(different, decided(compared))
    assert.same({
      { step_key = "changes", kind = "changed", baseline = "1", candidate = "2" },
      { step_key = "found", kind = "miss_to_hit", baseline = "[[mock-miss:f]]", candidate = "F" },
      { step_key = "lost", kind = "hit_to_miss", baseline = "L", candidate = "[[mock-miss:l]]" },
    }, compared.differences)
  end)

  it("every step of the arms is counted and named, also those that are the same", function()
    local compared = compare("base", "candidate")
    assert.same({ same = 2, changed = 1, miss_to_hit = 1, hit_to_miss = 1, only_baseline = 0, only_candidate = 0 },
      compared.counts)
    assert.same({ { step_key = "same", kind = "same" }, { step_key = "changes", kind = "changed" },
      { step_key = "found", kind = "miss_to_hit" }, { step_key = "lost", kind = "hit_to_miss" },
      { step_key = "never", kind = "same" } }, compared.pairs)
    assert.same({ 0, {}, false, false }, { compared.pairs_omitted, compared.not_comparable, compared.same_spec,
      compared.self_check })
    local listed = client:must(200, "GET", root .. "/comparisons?limit=1").items[1]
    assert.equal(compared.id, listed.id)
    assert.is_nil(listed.pairs)
    assert.same(compared.counts, listed.counts)
  end)

  it("identical arms are refused, unless they are a self-check", function()
    local ran, one = run(), { { resource = "x", response = "1" } }
    local cases = {
      { { scenario_ref = scenario.id, baseline_variant = "base", candidate_variant = "base" }, "candidate_variant" },
      { { baseline_run_ref = ran.id, candidate_run_ref = ran.id }, "candidate_run_ref" },
      { { session_ref = "s", baseline_variant = "v", candidate_variant = "v" }, "candidate_variant" },
      { { session_ref = "s", mocks = one, candidate_mocks = one }, "candidate_variant" },
    }
    local before = #client:all(root .. "/runs")
    for _, case in ipairs(cases) do
      refusal.check({ 400, "bad_request", "Both arms are the same and nothing else differs: they would be compared "
        .. "with themselves. Name two different ones, or ask for a self check (self_check: true).", case[2] },
        client:post(root .. "/compare", case[1]))
    end
    assert.equal(before, #client:all(root .. "/runs"))
    for i = 1, 2 do
      cases[i][1].self_check = true
      local check = client:must(201, "POST", root .. "/compare", cases[i][1])
      assert.same(identical, decided(check))
      assert.same({ true, true }, { check.self_check, check.same_spec })
    end
    refusal.check({ 400, "bad_request", "A self check has two identical arms; these differ.", "self_check" },
      client:post(root .. "/compare", { scenario_ref = scenario.id, baseline_variant = "base",
        candidate_variant = "twin", self_check = true }))
  end)

  it("a session is compared under two sets of mocks", function()
    local x, y = { { resource = "x", response = "1" } }, { { resource = "x", response = "2" } }
    local compared = client:must(201, "POST", root .. "/compare",
      { session_ref = "s-2", baseline_mocks = x, candidate_mocks = y })
    local arms = {}
    for i, name in ipairs({ "baseline", "candidate" }) do
      arms[i] = client:must(200, "GET", root .. "/runs/" .. compared[name .. "_run_ref"]).spec_hash
    end
    assert.are_not.equal(arms[1], arms[2])
    assert.same({ false, "inconclusive", "no_steps" }, { compared.same_spec, compared.verdict, compared.reason.code })
    refusal.check({ 400, "bad_request", "Mocks go with session_ref; a scenario has its own, by variant.",
      "candidate_mocks" }, client:post(root .. "/compare", { scenario_ref = scenario.id, baseline_variant = "base",
      candidate_variant = "twin", candidate_mocks = y }))
  end)

  it("arms that ran other steps are not comparable", function()
    local compared = compare("base", "longer")
    assert.same({ { code = "steps", message = "The arms ran different steps." } }, compared.not_comparable)
    assert.same({ "inconclusive", "not_comparable", false, "The arms ran different steps." }, decided(compared))
    local kinds = {}
    for i, difference in ipairs(compared.differences) do
      kinds[i] = { difference.step_key, difference.kind, difference.baseline, difference.candidate }
    end
    assert.same({
      { "changes", "only_baseline", "1" }, { "found", "only_baseline", "[[mock-miss:f]]" },
      { "lost", "only_baseline", "L" }, { "never", "only_baseline", "[[mock-miss:n]]" },
      { "new", "only_candidate", nil, "[[mock-miss:x]]" },
    }, kinds)
  end)

  it("runs of different scenarios are not comparable, even with the same outputs", function()
    local other = client:must(201, "POST", root .. "/scenarios",
      { name = "other", steps = scenario.steps, mocks = scenario.mocks })
    local mine, theirs = run(), run(nil, other)
    assert.equal(mine.outputs_hash, theirs.outputs_hash)
    local compared = compare_runs(mine, theirs)
    assert.same({ "inconclusive", "not_comparable", false, "The arms are runs of different scenarios." },
      decided(compared))
    assert.is_nil(compared.scenario_ref)
    assert.same({ "agent:other", {} }, { compared.subject_ref, compared.differences })
  end)

  it("runs of different revisions are compared by what they ran", function()
    local changing = client:must(201, "POST", root .. "/scenarios",
      { name = "changing", steps = { { key = "a", input = "x" } } })
    local first = run(nil, changing)
    local path = root .. "/scenarios/" .. changing.id
    client:must(200, "PUT", path, { name = "changing", steps = { { key = "a", input = "x" } },
      mocks = { { resource = "x", response = "y" } } })
    local second = run(nil, changing)
    client:must(200, "PUT", path, { name = "changing", steps = { { key = "b", input = "x" } } })
    local third = run(nil, changing)
    assert.same(different, decided(compare_runs(first, second)))
    assert.same({ "inconclusive", "not_comparable", false, "The arms ran different steps." },
      decided(compare_runs(first, third)))
    assert.same(identical, decided(compare_runs(second, run(nil, client:must(200, "PUT", path, { name = "changing",
      steps = { { key = "a", input = "x" } }, mocks = { { resource = "x", response = "y" } } })))))
  end)

  it("an arm that did not execute decides nothing", function()
    local ran, absent = run(), run({ runner = "gvisor" })
    local compared = compare_runs(ran, absent)
    assert.same({ "inconclusive", "arm_not_executed", false, "An arm did not execute: baseline completed; candidate "
      .. "error, isolation_unavailable." }, decided(compared))
    compared = compare_runs(absent, ran)
    assert.same({ "inconclusive", "arm_not_executed", false, "An arm did not execute: baseline error, "
      .. "isolation_unavailable; candidate completed." }, decided(compared))
    local kinds = {}
    for _, difference in ipairs(compared.differences) do kinds[difference.kind] = (kinds[difference.kind] or 0) + 1 end
    assert.same({ only_candidate = 5 }, kinds)
  end)

  it("arms without a step decide nothing, however equal they are", function()
    local sessions = client:must(201, "POST", root .. "/compare", { session_ref = "s-1", baseline_variant = "a",
      candidate_variant = "b", mocks = { { resource = "x", response = "y" } } })
    assert.same({ "inconclusive", "no_steps", "Neither arm has a step: baseline degraded, timeline_unavailable; "
      .. "candidate degraded, timeline_unavailable." },
      { sessions.verdict, sessions.reason.code, sessions.reason.message })
    assert.same({ "s-1", "session:s-1", "a", "b", {} }, { sessions.session_ref, sessions.subject_ref,
      sessions.baseline_variant, sessions.candidate_variant, sessions.differences })
    assert.is_nil(sessions.scenario_ref)
    local absent = compare("base", "twin", { runner = "firecracker" })
    assert.same({ "inconclusive", "no_steps", "Neither arm has a step: baseline error, isolation_unavailable; "
      .. "candidate error, isolation_unavailable." }, { absent.verdict, absent.reason.code, absent.reason.message })
  end)

  it("a suite that nobody scores leaves it at the outputs", function()
    local compared = compare("base", "twin", { suite_ref = "smoke", rule_ref = "default" })
    assert.same(identical, decided(compared))
    assert.same({ "smoke", false }, { compared.suite_ref, compared.scored })
    local arm = client:must(200, "GET", root .. "/runs/" .. compared.candidate_run_ref)
    assert.same({ "degraded", "not_scored" }, { arm.status, arm.reason.code })
    assert.same(different, decided(compare("base", "candidate", { suite_ref = "smoke" })))
  end)

  -- ---- size ----

  it("long texts are shown up to a mark that says how much is missing", function()
    local compared = compare("base", "verbose")
    assert.same({ { step_key = "changes", kind = "changed", baseline = "1",
      candidate = ("é"):rep(512) .. "… (376 more bytes)" } }, compared.differences)
  end)

  it("of many differences the first 1000 are listed and the others counted", function()
    local steps, mocks = {}, {}
    for i = 1, 1100 do
      steps[i] = { input = "i" .. i }
      mocks[i] = { resource = "i" .. i, response = "r" .. i }
    end
    local many = client:must(201, "POST", root .. "/scenarios",
      { name = "many", steps = steps, variants = { candidate = { mocks = mocks } } })
    local compared = compare("base", "candidate", { scenario_ref = many.id })
    assert.same({ 1000, 100 }, { #compared.differences, compared.differences_omitted })
    for i, difference in ipairs(compared.differences) do
      assert.same({ "step-" .. i, "miss_to_hit", "r" .. i },
        { difference.step_key, difference.kind, difference.candidate })
    end
    assert.same(compared, client:must(200, "GET", root .. "/comparisons/" .. compared.id))
  end)

  -- ---- lists ----

  it("lists select what they say, and no unscored comparison is better or worse", function()
    local all = client:all(root .. "/comparisons")
    assert.is_true(#all > 10)
    local function check(query, selects)
      local expected, found = {}, {}
      for _, comparison in ipairs(all) do
        if selects(comparison) then expected[#expected + 1] = comparison.id end
      end
      for i, comparison in ipairs(client:all(root .. "/comparisons?" .. query, 2)) do found[i] = comparison.id end
      assert.same(expected, found, query)
      return #found
    end
    local total = 0
    for _, verdict in ipairs({ "improved", "regressed", "unchanged", "inconclusive" }) do
      local count = check("verdict=" .. verdict, function(c) return c.verdict == verdict end)
      assert.equal(verdict == "improved" or verdict == "regressed", count == 0)
      total = total + count
    end
    assert.equal(#all, total)
    check("scenario_ref=" .. scenario.id, function(c) return c.scenario_ref == scenario.id end)
    check("subject_ref=session:s-1", function(c) return c.session_ref == "s-1" end)
    check("subject_ref=bot:n&verdict=unchanged",
      function(c) return c.subject_ref == "bot:n" and c.verdict == "unchanged" end)
    check("subject_ref=nobody", function() return false end)
  end)

  -- ---- the gate ----

  describe("the gate", function()
    local gated, content

    setup(function()
      local unused = { mocks = { { resource = "never asked", response = "y" } } }
      content = { name = "gated", steps = { { input = "x" } }, variants = {
        worse = { mocks = { { resource = "x", response = "y" } } }, twin = unused, fresh = unused } }
      gated = client:must(201, "POST", root .. "/scenarios", content)
    end)

    local function gate(query)
      local found = client:must(200, "GET", root .. "/gate?" .. query)
      if found.age_s then
        assert.is_true(found.age_s >= 0 and found.age_s < 60)
        found.age_s = nil
      end
      return found
    end

    local function by_scenario(variant)
      return gate("scenario_ref=" .. gated.id .. (variant and "&candidate_variant=" .. variant or ""))
    end

    local nothing = { decision = "hold",
      reason = { code = "no_comparison", message = "No comparison matches; run one first." } }
    local function of(compared, decision)
      return { decision = decision, comparison_ref = compared.id, baseline_run_ref = compared.baseline_run_ref,
        candidate_run_ref = compared.candidate_run_ref, verdict = compared.verdict, reason = {
        code = "verdict",
        message = ("The newest comparison is %s: %s"):format(compared.verdict, compared.reason.message) } }
    end

    it("holds as long as there is no comparison", function()
      assert.same(nothing, by_scenario())
      assert.same(nothing, gate("subject_ref=agent:gated"))
      run(nil, gated)
      assert.same(nothing, by_scenario())
    end)

    it("goes by the newest comparison that matches", function()
      local same = compare("base", "twin", { scenario_ref = gated.id })
      assert.same(of(same, "go"), by_scenario())
      assert.same(of(same, "go"), gate("subject_ref=agent:gated"))
      local other = compare("base", "worse", { scenario_ref = gated.id })
      assert.same(of(other, "hold"), by_scenario())
      assert.same(of(other, "hold"), by_scenario("worse"))
      assert.same(of(same, "go"), by_scenario("twin"))
      assert.same(nothing, by_scenario("base"))
      assert.same(of(other, "hold"), gate("subject_ref=agent:gated"))
      assert.same(of(same, "go"), gate("subject_ref=agent:gated&candidate_variant=twin&max_age_s=60"))
    end)

    it("holds when the newest comparison is too old", function()
      local same = compare("base", "fresh", { scenario_ref = gated.id })
      local path = root .. "/gate?scenario_ref=" .. gated.id .. "&candidate_variant=fresh"
      assert.equal("go", client:must(200, "GET", path .. "&max_age_s=1").decision)
      local stale = clients.poll(function()
        local found = client:must(200, "GET", path .. "&max_age_s=1")
        return found.decision ~= "go" and found
      end, "the comparison to grow old")
      assert.same({ decision = "hold", comparison_ref = same.id, baseline_run_ref = same.baseline_run_ref,
        candidate_run_ref = same.candidate_run_ref, verdict = "unchanged", age_s = 2, reason = {
        code = "comparison_stale",
        message = "The newest comparison is 2 s old, at most 1 s are allowed; run a new one." } }, stale)
      assert.equal("go", client:must(200, "GET", path).decision)
      assert.equal("go", client:must(200, "GET", path .. "&max_age_s=60").decision)
    end)

    it("does not go by a candidate that is only a name where the scenario has variants", function()
      local mistyped = compare("base", "twinn", { scenario_ref = gated.id })
      assert.same({ "unchanged", true, true }, { mistyped.verdict, mistyped.same_spec, mistyped.variant_unknown })
      local held = by_scenario("twinn")
      assert.same({ "hold", "variant_unknown" }, { held.decision, held.reason.code })
      local names = held.reason.message:match("^The candidate 'twinn' is no variant of the scenario, which has "
        .. "([%a, ]+): both arms ran the same%. Name one of those and run a new comparison%.$")
      local sorted = {}
      for name in names:gmatch("%a+") do sorted[#sorted + 1] = name end
      table.sort(sorted)
      assert.same({ "fresh", "twin", "worse" }, sorted)
      -- A scenario without variants has labels only: what they stand for is outside of it.
      local plain = client:must(201, "POST", root .. "/scenarios", { name = "plain", steps = { { input = "x" } } })
      assert.is_false(compare("v1", "v2", { scenario_ref = plain.id }).variant_unknown)
      assert.equal("go", gate("scenario_ref=" .. plain.id).decision)
    end)

    it("does not go by a self-check", function()
      local compared = compare("base", "twin", { scenario_ref = gated.id })
      local check = compare("twin", "twin", { scenario_ref = gated.id, self_check = true })
      assert.same({ "unchanged", true, true }, { check.verdict, check.self_check, check.same_spec })
      assert.equal(compared.id, by_scenario("twin").comparison_ref)
    end)

    it("holds once what the arms ran is not what they would run now", function()
      local compared = compare("base", "twin", { scenario_ref = gated.id })
      local path = root .. "/scenarios/" .. gated.id
      local function put(change)
        local changed = {}
        for name, value in pairs(content) do changed[name] = value end
        for name, value in pairs(change) do changed[name] = value end
        client:must(200, "PUT", path, changed)
        local found = by_scenario("twin")
        assert.equal(compared.id, found.comparison_ref)
        return { found.decision, found.reason.code }
      end
      assert.same({ "go", "verdict" }, put({ description = "Nothing that runs is different." }))
      local variants = { worse = content.variants.worse, fresh = content.variants.fresh,
        twin = { mocks = { { resource = "x", response = "other" } } } }
      assert.same({ "hold", "scenario_changed" }, put({ variants = variants }))
      assert.equal("The scenario was changed since the newest comparison: the candidate would run something else now. "
        .. "Run a new comparison.", by_scenario("twin").reason.message)
      assert.same({ "go", "verdict" }, put({}))
      assert.same({ "hold", "scenario_changed" }, put({ steps = { { input = "y" } } }))
    end)
  end)
end)
