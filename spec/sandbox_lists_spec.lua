-- SPDX-License-Identifier: Apache-2.0
-- Lists: what a query may say, cursors that only fit where they came from, and pages that lose and repeat nothing.

local clients = require("spec.support.client")
local refusal = require("spec.support.refusal")
local routes = require("spec.support.routes")
local tenants = require("spec.support.tenants")

local root = "/v1/m/sandbox"

describe("lists:", function()
  local engine, owner, all, scenarios, runs

  setup(function()
    engine = tenants.start()
    owner = engine.owner
    all = routes.read(owner:must(200, "GET", "/openapi.json"))
    scenarios, runs = {}, {}
    for i = 1, 7 do
      scenarios[i] = owner:must(201, "POST", root .. "/scenarios", { name = "s" .. i,
        subject_kind = i % 2 == 1 and "odd" or "even",
        steps = { { input = "1" }, { input = "2" }, { input = "3" }, { input = "4" }, { input = "5" } } })
      runs[i] = owner:must(201, "POST", root .. "/scenarios/" .. scenarios[i].id .. "/run",
        { variant = i < 4 and "few" or "rest" })
    end
    owner:must(200, "POST", root .. "/scenarios/" .. scenarios[7].id .. "/archive")
    engine.stranger:must(201, "POST", root .. "/scenarios", { name = "theirs", steps = { { input = "x" } } })
  end)
  teardown(function() engine:remove() end)

  local function refused(path, message, place)
    refusal.check({ 400, "bad_request", message, place }, owner:get(path))
  end

  ---Paths of all lists, with an id where they take one.
  local function each_list(check)
    local count = 0
    for _, route in ipairs(all) do
      if route.paged and not route.superadmin then
        count = count + 1
        check((route.path:gsub("{id}", runs[1].id)), route)
      end
    end
    assert.is_true(count >= 6)
  end

  local function ids_of(items)
    local ids = {}
    for i, item in ipairs(items) do ids[i] = item.id end
    return ids
  end

  local function reversed(list)
    local back = {}
    for i = #list, 1, -1 do back[#back + 1] = list[i] end
    return back
  end

  -- ---- what a query may say ----

  describe("a query", function()
    it("has a limit from 1 to 1000", function()
      local message = "Expected an integer from 1 to 1000."
      each_list(function(path)
        for _, limit in ipairs({ "0", "1001", "-1", "x", "", "1.5", "%201", "1x", "0x10", "1e2",
          "99999999999999999999" }) do
          refused(path .. "?limit=" .. limit, message, "limit")
        end
        for _, limit in ipairs({ "1", "1000" }) do
          assert.equal(200, owner:get(path .. "?limit=" .. limit).status, path)
        end
      end)
    end)

    it("has an order of asc or desc", function()
      each_list(function(path)
        for _, order in ipairs({ "up", "ASC", "" }) do
          refused(path .. "?order=" .. order, "Expected asc or desc.", "order")
        end
      end)
    end)

    it("says everything once", function()
      each_list(function(path, route)
        refused(path .. "?limit=1&limit=1", "The parameter is given twice.", "limit")
        refused(path .. "?order=asc&limit=1&order=asc", "The parameter is given twice.", "order")
        for name, schema in pairs(route.query) do
          local value = schema.enum and schema.enum[1] or schema.format == "uuid" and runs[1].id or "local"
          refused(("%s?%s=%s&%s=%s"):format(path, name, value, name, value), "The parameter is given twice.", name)
        end
      end)
    end)

    it("names nothing that the route does not know", function()
      each_list(function(path)
        refused(path .. "?limt=1", "Unknown parameter 'limt'; did you mean 'limit'?", "limt")
        refused(path .. "?Limit=1", "Unknown parameter 'Limit'; did you mean 'limit'?", "Limit")
      end)
      refused(root .. "/scenarios?state=active", "Unknown parameter 'state'; did you mean 'status'?", "state")
      refused(root .. "/scenarios?wibble=1",
        "Unknown parameter 'wibble'; this route takes status, name, subject_kind, limit, order, cursor.", "wibble")
      refused(root .. "/runners?limit=1", "Unknown parameter 'limit'; this route takes none.", "limit")
      refused(root .. "/runs/" .. runs[1].id .. "?verbose", "Unknown parameter 'verbose'; this route takes none.",
        "verbose")
    end)

    it("has values that exist", function()
      local count = 0
      for _, route in ipairs(all) do
        for name, schema in pairs(route.query) do
          if schema.enum then
            count = count + 1
            for _, value in ipairs({ "wibble", schema.enum[1]:upper(), "" }) do
              refused(("%s?%s=%s"):format(route.path, name, value), ("Unknown value '%s'; expected one of %s."):format(
                value, table.concat(schema.enum, ", ")), name)
            end
          end
        end
      end
      assert.equal(4, count) -- status of scenarios and of runs, kind, verdict
    end)

    it("has texts that can be there", function()
      for _, filter in ipairs({ "/scenarios?name", "/scenarios?subject_kind", "/runs?variant", "/runs?subject_ref",
        "/comparisons?subject_ref", "/gate?subject_ref", "/gate?candidate_variant" }) do
        local name = filter:match("%?(.*)$")
        local limit = name == "subject_ref" and 1024 or 200
        refused(root .. filter .. "=", "Must not be empty.", name)
        refused(root .. filter .. "=" .. ("x"):rep(limit + 1),
          ("The text has %d bytes, the limit is %d."):format(limit + 1, limit), name)
      end
      refused("/v1/audit?actor=ada", "Expected user:<id>, token:<id>, local or engine.", "actor")
    end)

    it("is well-formed", function()
      local message = "The query is not well-formed: bad percent-encoding, not UTF-8, an empty parameter, or too many "
        .. "parameters."
      each_list(function(path)
        for _, query in ipairs({ "limit=%zz", "limit=%3", "%=1", "limit=1%00", "name=%ff", "name=%c0%80",
          ("a=1&"):rep(64) .. "a=1" }) do
          refused(path .. "?" .. query, message, "query")
        end
      end)
    end)

    it("is checked on routes that store something, too", function()
      local before = engine:stored()
      for _, path in ipairs({ root .. "/scenarios", root .. "/scenarios/" .. scenarios[1].id .. "/run",
        root .. "/replay", root .. "/compare" }) do
        local json = { name = "n", steps = { { input = "x" } } }
        refusal.check({ 400, "bad_request", "Expected true or false.", "strict" },
          owner:post(path .. "?strict=yes", json))
        refusal.check({ 400, "bad_request", "Unknown parameter 'dry_run'; this route takes strict.", "dry_run" },
          owner:post(path .. "?dry_run=true", json))
      end
      assert.same(before, engine:stored())
    end)

    it("to the gate names one thing and an age that can be", function()
      local one = "Name what is to go by exactly one of subject_ref and scenario_ref."
      refused(root .. "/gate", one)
      refused(root .. "/gate?candidate_variant=v", one)
      refused(root .. "/gate?subject_ref=a&scenario_ref=" .. scenarios[1].id, one)
      for _, age in ipairs({ "0", "-1", "x", "3153600001" }) do
        refused(root .. "/gate?subject_ref=a&max_age_s=" .. age, "Expected an integer from 1 to 3153600000.",
          "max_age_s")
      end
    end)
  end)

  -- ---- filters ----

  it("filters select what they say", function()
    local s, r = ids_of(scenarios), ids_of(runs)
    local cases = {
      { "/scenarios", { s[1], s[2], s[3], s[4], s[5], s[6], s[7] } },
      { "/scenarios?status=archived", { s[7] } },
      { "/scenarios?status=active", { s[1], s[2], s[3], s[4], s[5], s[6] } },
      { "/scenarios?subject_kind=odd", { s[1], s[3], s[5], s[7] } },
      { "/scenarios?subject_kind=odd&status=active", { s[1], s[3], s[5] } },
      { "/scenarios?name=s4", { s[4] } },
      { "/scenarios?name=S4", {} },
      { "/scenarios?name=theirs", {} },
      { "/runs?variant=few", { r[1], r[2], r[3] } },
      { "/runs?scenario_ref=" .. s[5], { r[5] } },
      { "/runs?subject_ref=odd:s3", { r[3] } },
      { "/runs?kind=scenario", r },
      { "/runs?kind=replay", {} },
      { "/runs?status=completed&variant=rest", { r[4], r[5], r[6], r[7] } },
      { "/runs?status=error", {} },
    }
    for _, case in ipairs(cases) do
      local join = case[1]:find("?", 1, true) and "&" or "?"
      assert.same(case[2], ids_of(owner:all(root .. case[1] .. join .. "order=asc")), case[1])
      assert.same(reversed(case[2]), ids_of(owner:all(root .. case[1])), case[1])
    end
  end)

  it("items of scenarios leave out the content", function()
    local item = owner:all(root .. "/scenarios?name=s1")[1]
    assert.same({}, item.variant_names)
    assert.is_nil(item.steps or item.mocks or item.variants)
    assert.equal(5, item.steps_count)
  end)

  -- ---- cursors ----

  describe("a cursor", function()
    local taken_from, cursor

    setup(function()
      taken_from = root .. "/scenarios?limit=2&subject_kind=odd"
      cursor = owner:must(200, "GET", taken_from).cursor
    end)

    local message = "The cursor is not one of this list: it goes with the route, tenant, filters and order it was "
      .. "answered for. Start again without it."

    local function refused_cursor(path, forged)
      refused(("%s%scursor=%s"):format(path, path:find("?", 1, true) and "&" or "?", forged), message, "cursor")
    end

    it("goes on where its page ended, at any limit", function()
      for limit = 1, 3 do
        local path = ("%s/scenarios?limit=%d&subject_kind=odd&cursor=%s"):format(root, limit, cursor)
        local expected = { scenarios[3].id, scenarios[1].id }
        assert.same({ table.unpack(expected, 1, limit) }, ids_of(owner:must(200, "GET", path).items))
      end
    end)

    it("is refused by every list that did not make it", function()
      each_list(function(path)
        for _, forged in ipairs({ cursor, "", "x", ("A"):rep(43), ("A"):rep(44), ("_"):rep(43), ("A"):rep(100000 // 43),
          "%2e%2e", "null", "0" }) do
          refused_cursor(path, forged)
        end
      end)
    end)

    it("is refused with other filters, another order, in another tenant", function()
      refused_cursor(root .. "/scenarios", cursor)
      refused_cursor(root .. "/scenarios?subject_kind=even", cursor)
      refused_cursor(root .. "/scenarios?name=odd", cursor)
      refused_cursor(root .. "/scenarios?subject_kind=odd&status=active", cursor)
      refused_cursor(root .. "/scenarios?subject_kind=odd&order=asc", cursor)
      assert.equal(200, owner:get(root .. "/scenarios?subject_kind=odd&order=desc&cursor=" .. cursor).status)
      refusal.check({ 400, "bad_request", message, "cursor" }, engine.stranger:get(taken_from .. "&cursor=" .. cursor))
    end)

    it("of one run's outputs is not one of another's", function()
      local of_first = owner:must(200, "GET", ("%s/runs/%s/outputs?limit=2"):format(root, runs[1].id)).cursor
      refused_cursor(("%s/runs/%s/outputs"):format(root, runs[2].id), of_first)
    end)

    it("is refused when any of it was changed or is missing", function()
      local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      for at = 1, #cursor do
        local value = alphabet:find(cursor:sub(at, at), 1, true) - 1
        for bit = 0, 5 do
          local other = (value ~ (1 << bit)) + 1
          refused_cursor(taken_from, cursor:sub(1, at - 1) .. alphabet:sub(other, other) .. cursor:sub(at + 1))
        end
        refused_cursor(taken_from, cursor:sub(1, at - 1))
      end
      refused_cursor(taken_from, cursor .. "A")
      refused_cursor(taken_from, cursor .. "=")
      refused_cursor(taken_from, cursor .. "%0a")
    end)
  end)

  -- ---- pages ----

  ---Follows the cursors and checks the shape of every page.
  local function walk(path, limit, expected)
    local cursor
    local join = path:find("?", 1, true) and "&" or "?"
    local found = {}
    repeat
      local page = owner:must(200, "GET",
        ("%s%slimit=%d%s"):format(path, join, limit, cursor and "&cursor=" .. cursor or ""))
      table.move(page.items, 1, #page.items, #found + 1, found)
      local left = #expected - #found
      assert.same({ left > 0, left > 0 }, { page.has_more, page.cursor ~= nil })
      assert.is_true(left == 0 or #page.items == limit)
      cursor = page.cursor
    until not cursor
    assert.same(expected, ids_of(found), path .. " limit " .. limit)
    return found
  end

  it("pages of every size give all items once and in order", function()
    local outputs = root .. "/runs/" .. runs[1].id .. "/outputs"
    for _, path in ipairs({ outputs, root .. "/scenarios", root .. "/runs", root .. "/runs?variant=rest",
      "/v1/tokens" }) do
      local join = path:find("?", 1, true) and "&" or "?"
      local ascending = ids_of(owner:must(200, "GET", path .. join .. "order=asc").items)
      assert.is_true(#ascending >= 4)
      local descending = reversed(ascending)
      for limit = 1, #ascending + 1 do
        walk(path .. join .. "order=asc", limit, ascending)
        walk(path .. join .. "order=desc", limit, descending)
        walk(path, limit, path == outputs and ascending or descending)
      end
    end
  end)

  it("outputs come by seq", function()
    local outputs = owner:all(root .. "/runs/" .. runs[1].id .. "/outputs", 2)
    local seen = {}
    for i, output in ipairs(outputs) do seen[i] = { output.seq, output.step_key, output.run_ref } end
    local expected = {}
    for i = 1, 5 do expected[i] = { i - 1, "step-" .. i, runs[1].id } end
    assert.same(expected, seen)
  end)

  it("an empty list is a page without a cursor", function()
    local answer = owner:get(root .. "/comparisons")
    assert.same({ 200, '{"items":[],"has_more":false}' }, { answer.status, answer.body })
  end)

  it("lose and repeat nothing while others write", function()
    local scenario = scenarios[2].id
    local path = root .. "/runs?scenario_ref=" .. scenario
    local function run() return owner:must(201, "POST", root .. "/scenarios/" .. scenario .. "/run").id end
    clients.together(20, run)
    local before = ids_of(owner:must(200, "GET", path .. "&order=asc").items)
    assert.equal(21, #before)

    -- One reader in each direction, and writers who go on meanwhile.
    local reading, written = 2, 0
    local seen = clients.together(6, function(index)
      if index > 2 then
        while reading > 0 and written < 200 do
          run()
          written = written + 1
        end
        return nil
      end
      local items = owner:all(path .. (index == 1 and "&order=asc" or "&order=desc"), 2)
      reading = reading - 1
      return ids_of(items)
    end)
    assert.is_true(written > 0)

    for index, expected in ipairs({ before, reversed(before) }) do
      local known, old, times = {}, {}, {}
      for _, id in ipairs(before) do known[id] = true end
      for _, id in ipairs(seen[index]) do
        times[id] = (times[id] or 0) + 1
        assert.equal(1, times[id], "an item twice")
        if known[id] then old[#old + 1] = id end
      end
      assert.same(expected, old)
      local sorted = table.move(seen[index], 1, #seen[index], 1, {})
      table.sort(sorted)
      assert.same(index == 1 and sorted or reversed(sorted), seen[index])
    end
  end)
end)
