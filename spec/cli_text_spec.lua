-- SPDX-License-Identifier: Apache-2.0
-- What people see: tables that fit, whole documents, and nothing in either that a terminal would obey.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local fake = require("spec.support.fake_server")

local id = "0190a0b0-0000-7000-8000-00000000000%d"

local function rows(change)
  local items = {}
  for index = 1, 2 do
    local item = { id = id:format(index), name = "n" .. index, status = "active", revision = index * 10,
      steps_count = 3, mocks_count = 2, variant_names = { "base", "candidate" },
      updated_at = "2026-01-31T23:59:59.000000001Z" }
    for name, value in pairs(change or {}) do item[name] = value end
    items[index] = item
  end
  return { items = items, has_more = false }
end

describe("text", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local function show(arguments, document, more)
    local body = type(document) == "string" and document or cjson.encode(document)
    local result = fake.run(box, arguments, function(exchange) exchange:reply(200, body) end, more)
    assert.equal(0, result.status, result.err)
    return result.out
  end

  local list = { "sandbox", "scenarios", "ls" }

  it("is a table in lists, with times to the second and lists in one cell", function()
    assert.equal(table.concat({
      "ID                                    NAME  STATUS  REV  STEPS  MOCKS  VARIANTS         UPDATED",
      id:format(1) .. "  n1    active   10      3      2  base, candidate  2026-01-31T23:59:59Z",
      id:format(2) .. "  n2    active   20      3      2  base, candidate  2026-01-31T23:59:59Z",
      "",
    }, "\n"), show(list, rows(), { env = { COLUMNS = "120" } }))
  end)

  it("is a table with its head alone when there is nothing", function()
    assert.equal("ID  NAME  STATUS  REV  STEPS  MOCKS  VARIANTS  UPDATED\n",
      show(list, '{"items":[],"has_more":false}'))
  end)

  for _, width in ipairs({ 20, 40, 60, 80, 100, 200 }) do
    it(("fits %d columns, and cuts no id"):format(width), function()
      local text = show(list, rows({ name = ("wörd "):rep(40), variant_names = { ("v"):rep(90) } }),
        { env = { COLUMNS = tostring(width) } })
      for line in text:gmatch("[^\n]+") do
        assert.is_true(utf8.len(line) <= math.max(width, #id - 1), line)
      end
      assert.matches("\n" .. id:format(1), text, 1, true)
    end)
  end

  it("uses 100 columns when it can't know better, and cuts with a mark", function()
    local text = show(list, rows({ name = ("x"):rep(300) }))
    local longest = 0
    for line in text:gmatch("[^\n]+") do longest = math.max(longest, utf8.len(line)) end
    assert.equal(100, longest)
    assert.matches("x…  active", text, 1, true)
  end)

  it("counts wide characters as two cells and combining ones as none", function()
    local text = show(list, { items = { rows({ name = "日本" }).items[1], rows({ name = "e\u{301}" }).items[1] },
      has_more = false }, { env = { COLUMNS = "60" } })
    assert.matches("  日本  active", text, 1, true)
    assert.matches("  e\u{301}     active", text, 1, true)
  end)

  local hostile = {
    { "\27[2J\27]0;t\7", "\\x1b[2J\\x1b]0;t\\x07" },
    { "a\rb\tc\nd\8", "a\\rb\\tc\\nd\\x08" },
    { "\u{9b}31m\127", "\\x9b31m\\x7f" },
    { "\u{202e}abc\u{2066}\u{200f}", "\\u{202e}abc\\u{2066}\\u{200f}" },
    { "a\u{200b}b\u{feff}\u{2028}", "a\\u{200b}b\\u{feff}\\u{2028}" },
    { "\u{e0041}", "\\u{e0041}" },
  }
  for index, case in ipairs(hostile) do
    it("neutralises what a terminal would obey, " .. index, function()
      local wide = { env = { COLUMNS = "200" } }
      assert.matches("  " .. case[2] .. "  ", show(list, rows({ name = case[1] }), wide), 1, true)
      local text = show({ "sandbox", "scenarios", "get", "x" }, { name = "n", [case[1]:gsub("\n", "")] = "v",
        steps = { { key = "k", input = case[1]:gsub("\n", "") } } })
      local flat = case[2]:gsub("\\n", "")
      assert.matches("input: " .. flat .. "\n", text, 1, true)
      assert.matches("\n" .. flat .. ":", text, 1, true)
      text = show({ "sandbox", "runs", "outputs", "x" }, { has_more = false, items = {
        { seq = 0, step_key = case[1], output = case[1], mock_hit = false,
          calls = { { resource = case[1], mock_hit = false } } } } })
      assert.matches("#0 " .. case[2] .. "  miss\n    " .. case[2] .. " <- no mock\n    | "
        .. case[2]:gsub("\\n", "\n    | ") .. "\n", text, 1, true)
    end)
  end

  it("shows a document as aligned lines, whole, in an order that suits a reader", function()
    assert.equal([[
id:           x
name:         n
status:       active
seed:         9007199254740991
unused mocks: 2
score:        0.8333
passed:       no
clamped:      steps[0].input, name
steps (2):
  - key:   a
    input: ]] .. ("long "):rep(60) .. "\n" .. [[
  - key:   b
    input:
      | one
      | two
      |
mocks:        none
variants:
  candidate:
    mocks (1):
      - resource: r
        response: s
]], show({ "sandbox", "scenarios", "get", "x" }, '{'
      .. '"variants":{"candidate":{"mocks":[{"response":"s","resource":"r"}]}},'
      .. '"mocks":[],"steps":[{"input":"' .. ("long "):rep(60) .. '","key":"a"},{"key":"b","input":"one\\ntwo\\n"}],'
      .. '"clamped":["steps[0].input","name"],"passed":false,"score":0.83333333,"unused_mock_count":2,'
      .. '"seed":9007199254740991,"status":"active","name":"n","id":"x"}'))
  end)

  local runners = { items = {
    { name = "inproc-mock", available = true, strength = "by construction", attests = { "one", "two" } },
    { name = "qemu-microvm", available = false, strength = "own kernel", missing = "the QEMU microvm runner",
      reason = "The runner \"qemu-microvm\" is not part of this engine: it needs the QEMU microvm runner.",
      attests = {} } }, has_more = false }

  it("shows what the runners lack below them, whole", function()
    assert.equal([[
NAME          AVAILABLE  STRENGTH
inproc-mock   yes        by construction
  attests: one, two
qemu-microvm  no         own kernel
  missing: the QEMU microvm runner
  reason: The runner "qemu-microvm" is not part of this
          engine: it needs the QEMU microvm runner.
]], show({ "sandbox", "runners" }, runners, { env = { COLUMNS = "60" } }))
  end)

  it("loses nothing of a reason, however narrow the terminal", function()
    local text = show({ "sandbox", "runners" }, runners, { env = { COLUMNS = "20" } })
    assert.matches(runners.items[2].reason, text:gsub("\n +", " "), 1, true)
    assert.is_nil(text:find("The runner[^\n]*…"))
  end)

  it("shows the reasons of the status whole", function()
    local engine = { name = "olivares", version = "0.1.0" }
    local result = fake.run(box, { "status" }, function(exchange)
      local answers = { ["/v1/server-info"] = engine, ["/readyz"] = { status = "ready", runners = runners.items },
        ["/v1/console/modules"] = { items = {}, has_more = false } }
      exchange:reply(200, cjson.encode(answers[exchange.request.path]))
    end, { env = { COLUMNS = "60" } })
    assert.matches([[
    qemu-microvm  no
      reason: The runner "qemu-microvm" is not part of this
              engine: it needs the QEMU microvm runner.
]], result.out, 1, true)
  end)

  it("shows every difference of a comparison as a diff", function()
    assert.equal([==[
verdict:    inconclusive
reason:
  code:    outputs_differ_unscored
  message: They differ.
comparable: yes
steps: 7 the same, 2 changed, 1 miss to hit, 1 hit to miss, 1 only in the
       baseline, 1 only in the candidate

lookup: changed
  - {"name":"Ada","tier":"⟦gold⟧"}
  + {"name":"Ada","tier":"⟦silver⟧"}

letter: changed
    (2 common lines)
    3
    4
  - five
  + 5
  + 5½
    6
    7
    (1 common line)

found: miss to hit
  - [[mock-miss:kb]]
  + article

other: hit to miss
  | the same text

more: only in the baseline
  - x

less: only in the candidate
  + \x1b[31m
]==], (show({ "sandbox", "comparisons", "get", "x" }, {
      verdict = "inconclusive", reason = { code = "outputs_differ_unscored", message = "They differ." },
      comparable = true, not_comparable = cjson.empty_array, self_check = false,
      counts = { same = 7, changed = 2, miss_to_hit = 1, hit_to_miss = 1, only_baseline = 1, only_candidate = 1 },
      pairs = { { step_key = "a", kind = "same" } }, pairs_omitted = 0, differences_omitted = 0,
      differences = {
        { step_key = "lookup", kind = "changed", baseline = '{"name":"Ada","tier":"gold"}',
          candidate = '{"name":"Ada","tier":"silver"}' },
        { step_key = "letter", kind = "changed", baseline = "1\n2\n3\n4\nfive\n6\n7\n8",
          candidate = "1\n2\n3\n4\n5\n5½\n6\n7\n8" },
        { step_key = "found", kind = "miss_to_hit", baseline = "[[mock-miss:kb]]", candidate = "article" },
        { step_key = "other", kind = "hit_to_miss", baseline = "the same text", candidate = "the same text" },
        { step_key = "more", kind = "only_baseline", baseline = "x" },
        { step_key = "less", kind = "only_candidate", candidate = "\27[31m" },
      },
    }, { env = { COLUMNS = "74" } })))
  end)

  it("says what sets arms apart, and what is not listed", function()
    assert.equal([[
verdict:    inconclusive
comparable: no
self check: yes
not comparable: The arms ran different steps.
not comparable: The arms ran in different runners: a and b.
steps: none

… and 100 more differences, which are counted above but not kept; the
outputs of both runs have them all
]], (show({ "sandbox", "comparisons", "get", "x" }, {
      verdict = "inconclusive", comparable = false, self_check = true, differences = cjson.empty_array,
      differences_omitted = 100, not_comparable = {
        { code = "steps", message = "The arms ran different steps." },
        { code = "runner", message = "The arms ran in different runners: a and b." } },
    }, { env = { COLUMNS = "74" } })))
  end)

  -- A terminal of 70 columns, which sees what a person would see.
  local function on_terminal(command)
    return "script -qec " .. cli.quote("stty cols 70; " .. command) .. " /dev/null"
  end

  it("has colour on a terminal only, and not when NO_COLOR is set", function()
    local get = { "sandbox", "runs", "ls" }
    local document = { items = { { id = id:format(1), status = "error", kind = "scenario" } }, has_more = false }
    local text = show(get, document, { wrap = on_terminal, env = { TERM = "xterm" } })
    assert.matches("\27[31merror   \27[0m", text:gsub("error +", "error   "), 1, true)
    for _, env in ipairs({ { TERM = "xterm", NO_COLOR = "1" }, { TERM = "dumb" } }) do
      assert.is_nil(show(get, document, { wrap = on_terminal, env = env }):find("\27", 1, true))
    end
    assert.is_nil(show(get, document, { env = { TERM = "xterm" } }):find("\27", 1, true))
  end)

  it("takes the terminal's width before COLUMNS", function()
    local text = show(list, rows({ name = ("x"):rep(300) }),
      { wrap = on_terminal, env = { TERM = "dumb", COLUMNS = "200" } })
    local longest = 0
    for line in text:gmatch("[^\r\n]+") do longest = math.max(longest, utf8.len(line)) end
    assert.equal(70, longest)
  end)

  it("ends quietly when its reader has gone", function()
    local result = box:shell("{ " .. box:command({ "man" }) .. "; echo $? >&2; } | head -n 1")
    assert.equal(".Dd ", result.out:sub(1, 4))
    assert.matches("^%d+\n$", result.err)
  end)

  it("does not call lost output a success", function()
    local result = box:shell(box:command({ "help" }) .. " >/dev/full")
    assert.equal(1, result.status)
    assert.matches("^olivares: Standard output can't be written: .* %(internal%)\n$", result.err)
  end)
end)

describe("the password prompt", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local arguments = { "users", "create", "--email", "a@example.com", "-o", "json" }

  it("asks twice without showing what is typed", function()
    local result, requests = fake.run(box, arguments, function(exchange) exchange:reply(201, "{}") end,
      { wrap = function(command) return cli.typing(command, { "s3cret-s3cret\n", "s3cret-s3cret\n" }) end })
    assert.same({ 0, "Password: \r\nPassword again: \r\n{}\r\n" }, { result.status, result.out })
    assert.equal("s3cret-s3cret", cjson.decode(requests[1].body).password)
  end)

  it("refuses two different answers", function()
    local result, requests = fake.run(box, arguments, function() end,
      { wrap = function(command) return cli.typing(command, { "one\n", "two\n" }) end })
    assert.equal(2, result.status)
    assert.matches("olivares: the two passwords differ (usage)\r\n", result.out, 1, true)
    assert.equal(0, #requests)
  end)

  it("ends on Ctrl-C with the terminal as it was", function()
    local result = fake.run(box, arguments, function() end, { wrap = function(command)
      return cli.typing("sh -c " .. cli.quote("trap : INT; " .. command .. "; echo status $?; stty -a"), { "half\3" })
    end })
    assert.matches("status 130\r\n", result.out, 1, true)
    assert.matches(" echo ", result.out, 1, true)
    assert.is_nil(result.out:find("half", 1, true))
  end)
end)
