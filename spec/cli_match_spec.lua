-- SPDX-License-Identifier: Apache-2.0
-- Why a request was answered as it was, for people: the dry run, a run's outputs, and what a run says of its mocks.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local fake = require("spec.support.fake_server")

describe("text about mocks", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local function show(arguments, document, width)
    local result = fake.run(box, arguments, function(exchange) exchange:reply(200, cjson.encode(document)) end,
      { env = { COLUMNS = width and tostring(width) } })
    assert.equal(0, result.status, result.err)
    return result.out
  end

  local function match(document, width)
    return show({ "sandbox", "scenarios", "match", "x", "--input", "x" }, document, width)
  end

  local function outputs(calls, width)
    return show({ "sandbox", "runs", "outputs", "x" }, { has_more = false, items = {
      { seq = 0, step_key = "k", output = "o", mock_hit = calls[1].mock_hit, calls = calls } } }, width)
  end

  it("names the mock that answered, by what, which answer, fault and delay", function()
    assert.equal([[
scenario ref:      s
scenario revision: 3
variant:           candidate
variant kind:      overlay
resource:          pay:1
clamped:           input
hit: variants.candidate.mocks[0] (glob), answer 2, fault error, delay 30 ms
mocks that match:
  mocks[4] (resource): used up
  variants.candidate.mocks[0] (glob): answered
  mocks[1] (regex): undecided, its matcher reached the limit
  mocks[2] (json.path): behind the one that answered
  and 7 more
response:
  | [[mock-fault:error:503
  | ]].."]]\n", match({ scenario_ref = "s", scenario_revision = 3, variant = "candidate",
      variant_kind = "overlay", resource = "pay:1", clamped = { "input" }, mock_hit = true,
      mock = "variants.candidate.mocks[0]", matched_by = "glob", use = 2, fault = "error", delay_ms = 30,
      response = "[[mock-fault:error:503\n]]", candidates_omitted = 7, candidates = {
        { mock = "mocks[4]", matched_by = "resource", outcome = "used_up" },
        { mock = "variants.candidate.mocks[0]", matched_by = "glob", outcome = "answered" },
        { mock = "mocks[1]", matched_by = "regex", outcome = "matcher_limit" },
        { mock = "mocks[2]", matched_by = "json.path", outcome = "behind" } } }))
  end)

  it("says no more than there is to say", function()
    assert.equal("resource: a\nhit: mocks[0] (resource)\nresponse:\n  |\n",
      match({ resource = "a", mock_hit = true, mock = "mocks[0]", matched_by = "resource", response = "" }))
    assert.equal("resource: a\nmiss: no mock\nresponse:\n  | [[mock-miss:a]]\n",
      match({ resource = "a", mock_hit = false, response = "[[mock-miss:a]]" }))
  end)

  it("says of a miss what nearly answered, and where it differs", function()
    assert.equal([[
resource: crm:AdaX
miss: no mock
near misses:
  mocks[3], resource: It differs from byte 4 on.
    expected: crm:⟦a⟧da
    got:      crm:⟦A⟧daX
  mocks[7], match.all[1].json.path: There is nothing at $.id.
    expected: 42
response:
  | [[mock-miss:crm:AdaX]].."]]\n", match({ resource = "crm:AdaX", mock_hit = false,
      response = "[[mock-miss:crm:AdaX]]", near_misses = {
        { mock = "mocks[3]", criterion = "resource", why = "It differs from byte 4 on.",
          expected = "crm:⟦a⟧da", got = "crm:⟦A⟧daX", at = 4 },
        { mock = "mocks[7]", criterion = "match.all[1].json.path", why = "There is nothing at $.id.",
          expected = "42" } } }))
  end)

  it("says which matcher reached its limit, and that those behind it did not come to answer", function()
    assert.equal([[
resource: aaa
miss: no mock: the matcher of mocks[0] reached its limit
mocks that match:
  mocks[0] (regex): undecided, its matcher reached the limit
  mocks[1] (prefix): behind the undecided one
response:
  | [[mock-miss:aaa]].."]]\n", match({ resource = "aaa", mock_hit = false, response = "[[mock-miss:aaa]]",
      matcher_limit = "mocks[0]", candidates = {
        { mock = "mocks[0]", matched_by = "regex", outcome = "matcher_limit" },
        { mock = "mocks[1]", matched_by = "prefix", outcome = "behind" } } }))
  end)

  it("says the same of every call of a step", function()
    assert.equal([[
#0 k  miss
    a <- no mock
      near misses:
        mocks[0], match.prefix: It begins so after case folding.
          expected: ⟦A⟧b
          got:      ⟦a⟧
    b <- mocks[1] (contains), answer 1, delay 5 ms
      mocks that match:
        mocks[1] (contains): answered
        mocks[2] (suffix): behind the one that answered
    c <- no mock: the matcher of mocks[9] reached its limit
      mocks that match:
        mocks[9] (glob): undecided, its matcher reached the limit
    d <- no mock
      near misses: not looked for after so many misses; `olivares sandbox scenarios match` does
    e <- a mock
    | o
]], outputs({
      { resource = "a", mock_hit = false, near_misses = { { mock = "mocks[0]", criterion = "match.prefix",
        why = "It begins so after case folding.", expected = "⟦A⟧b", got = "⟦a⟧", at = 0 } } },
      { resource = "b", mock_hit = true, mock = "mocks[1]", matched_by = "contains", use = 1, delay_ms = 5,
        candidates = { { mock = "mocks[1]", matched_by = "contains", outcome = "answered" },
          { mock = "mocks[2]", matched_by = "suffix", outcome = "behind" } } },
      { resource = "c", mock_hit = false, matcher_limit = "mocks[9]",
        candidates = { { mock = "mocks[9]", matched_by = "glob", outcome = "matcher_limit" } } },
      { resource = "d", mock_hit = false, near_misses_omitted = true },
      { resource = "e", mock_hit = true } }))
  end)

  -- Everything in it is longer than the terminal is wide.
  local long = "payments:refund?" .. ("order=7&"):rep(12) .. "z"
  local wide = { resource = long, mock_hit = false,
    candidates = { { mock = "variants." .. ("v"):rep(90) .. ".mocks[0]", matched_by = "all", outcome = "used_up" } },
    near_misses = { { mock = "mocks[0]", criterion = "match" .. (".any[10]"):rep(8) .. ".prefix",
      why = "The request has it nowhere; the longest beginning of it that is there has 12 bytes.",
      expected = "  " .. ("日本"):rep(30) .. "⟦ ⟧", got = ("e\u{301}"):rep(100) } } }

  it("breaks what does not fit at the width, and loses nothing", function()
    assert.equal([[
#0 k  miss
    payments:refund?order=7&order=7&orde
    r=7&order=7&order=7&order=7&order=7&
    order=7&order=7&order=7&order=7&orde
    r=7&z <- no mock
      mocks that match:
        variants.vvvvvvvvvvvvvvvvvvvvvvv
        vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv
        vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv
        vvv.mocks[0]
        (all): used up
      near misses:
        mocks[0],
        match.any[10].any[10].any[10].an
        y[10].any[10].any[10].any[10].an
        y[10].prefix:
        The request has it nowhere; the
        longest beginning of it that is
        there has 12 bytes.
          expected:   日本日本日本日本日
                    本日本日本日本日本日
                    本日本日本日本日本日
                    本日本日本日本日本日
                    本日本日本日本日本日
                    本日本日本日本日本日
                    本⟦ ⟧
          got:      ]] .. ("e\u{301}"):rep(20) .. ("\n" .. (" "):rep(20) .. ("e\u{301}"):rep(20)):rep(4) .. "\n"
      .. "    | o\n", outputs({ wide }, 40))
  end)

  for _, width in ipairs({ 24, 40, 60, 80, 120 }) do
    it(("fits %d columns"):format(width), function()
      for line in outputs({ wide }, width):gmatch("[^\n]+") do
        local cells = 0
        for _, code in utf8.codes(line) do
          cells = cells + (code == 0x301 and 0 or code > 0x3000 and 2 or 1)
        end
        assert.is_true(cells <= width, line)
      end
    end)
  end

  it("neutralises what a terminal would obey, wherever it stands", function()
    local bad, shown = "\27[2J\u{202e}\n", "\\x1b[2J\\u{202e}\\n"
    local resolution = { resource = bad, mock_hit = false, matcher_limit = bad, response = bad,
      candidates = { { mock = bad, matched_by = bad, outcome = bad } }, candidates_omitted = bad,
      near_misses = { { mock = bad, criterion = bad, why = bad, expected = bad, got = bad } } }
    local answer = ([[
    BAD <- no mock: the matcher of BAD reached its limit
      mocks that match:
        BAD (BAD): BAD
        and BAD more
      near misses:
        BAD, BAD: BAD
          expected: BAD
          got:      BAD
]]):gsub("BAD", (shown:gsub("%%", "%%%%")))
    assert.equal("#0 k  miss\n" .. answer .. "    | o\n", outputs({ resolution }, 200))
    for _, text in ipairs({ match(resolution, 200),
      match({ resource = "x", mock_hit = true, mock = bad, matched_by = bad, use = bad, fault = bad, delay_ms = bad,
        response = bad }, 200) }) do
      assert.is_nil(text:gsub("\n", ""):find("%c"))
      assert.is_nil(text:find("\u{202e}", 1, true))
    end
    assert.matches(("\nhit: BAD (BAD), answer BAD, fault BAD, delay BAD ms\n"):gsub("BAD", shown),
      match({ resource = "x", mock_hit = true, mock = bad, matched_by = bad, use = bad, fault = bad, delay_ms = bad,
        response = "" }, 200), 1, true)
  end)

  it("has colour for hit and miss on a terminal only", function()
    local function on_terminal(command) return "script -qec " .. cli.quote(command) .. " /dev/null" end
    local document = cjson.encode({ resource = "x", mock_hit = false, response = "" })
    local result = fake.run(box, { "sandbox", "scenarios", "match", "x", "--input", "x" },
      function(exchange) exchange:reply(200, document) end, { wrap = on_terminal, env = { TERM = "xterm" } })
    assert.matches("\27[31mmiss\27[0m: no mock", result.out, 1, true)
    assert.is_nil(match({ resource = "x", mock_hit = false, response = "" }):find("\27", 1, true))
  end)

  -- ---- runs and scenarios ----

  it("lists a run's required mocks that answered nothing, within the width, and its virtual time", function()
    local places = {}
    for index = 1, 12 do places[index] = ("mocks[%d]"):format(index * 10) end
    assert.equal([[
variant:         candidate
variant kind:    label
unused required: mocks[10], mocks[20],
                 mocks[30], mocks[40],
                 mocks[50], mocks[60],
                 mocks[70], mocks[80],
                 mocks[90], mocks[100],
                 mocks[110], mocks[120]
unused mocks:    40
virtual ms:      30200
]], show({ "sandbox", "runs", "get", "x" }, { variant = "candidate", variant_kind = "label", unused_mocks = places,
      unused_mock_count = 40, virtual_ms = 30200 }, 40))
    assert.equal("unused required: none\nunused mocks:    0\nvirtual ms:      0\n",
      fake.run(box, { "sandbox", "runs", "get", "x" }, function(exchange)
        exchange:reply(200, '{"unused_mocks":[],"unused_mock_count":0,"virtual_ms":0}')
      end).out)
  end)

  it("shows a mock's matcher as its JSON, and every answer on a line of its own", function()
    local body = '{"mocks":[{"responses":["a, b",{"fault":"error","text":"503","delay_ms":20},"c\\n"],'
      .. '"match":{"all":[{"prefix":"x\\u001b"},{"json":{"equal":{"n":1.50,"t":null,"l":[]}}}]},"exhausted":"cycle"},'
      .. '{"resource":"r","response":{"text":"t","delay_ms":1},"required":true}]}'
    assert.equal([[
mocks (2):
  - match:     {"all":[{"prefix":"x\u001b"},{"json":{"equal":{"l":[],"n":1.5,"t":null}}}]}
    responses (3):
      - a, b
      - fault:    error
        delay ms: 20
        text:     503
      - c\n
    exhausted: cycle
  - resource: r
    response:
      delay ms: 1
      text:     t
    required: yes
]], fake.run(box, { "sandbox", "scenarios", "get", "x" }, function(exchange) exchange:reply(200, body) end).out)
  end)
end)
