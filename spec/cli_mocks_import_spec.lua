-- SPDX-License-Identifier: Apache-2.0
-- `sandbox mocks import`: exact output for the files of spec/fixtures/mocks (FILE.mocks is standard output, FILE.told
-- standard error), and command lines and files that can't be used.

local cli = require("spec.support.cli")
local lfs = require("lfs")

local fixtures = (os.getenv("OLIVARES_SRC") or ".") .. "/spec/fixtures/mocks/"

local cases = {
  ["hoverfly_matchers.json"] = "hoverfly", ["hoverfly_state.json"] = "hoverfly",
  ["hoverfly_v5_sequence.json"] = "hoverfly", ["mountebank_imposter.json"] = "mountebank",
  ["mountebank_predicates.json"] = "mountebank", ["vcr_cassette.yml"] = "vcr", ["vcr_ruby.json"] = "vcr",
  ["vcr_ruby.yml"] = "vcr", ["vcrpy.yml"] = "vcr", ["wiremock_bodies.json"] = "wiremock",
  ["wiremock_export.json"] = "wiremock", ["wiremock_lost.json"] = "wiremock",
  ["wiremock_scenarios.json"] = "wiremock", ["wiremock_single.json"] = "wiremock",
  ["wiremock_urls.json"] = "wiremock",
}

describe("mocks import", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local function import(...)
    return box:run({ "sandbox", "mocks", "import", ... })
  end

  for name, format in pairs(cases) do
    it("carries over " .. name .. ", its format named or not", function()
      local expected = { status = 0, out = cli.read(fixtures .. name .. ".mocks"),
        err = cli.read(fixtures .. name .. ".told") }
      assert.same(expected, import(fixtures .. name))
      assert.same(expected, import("--format", format, fixtures .. name))
      assert.same(expected, box:run({ "sandbox", "mocks", "import", "-", "-o", "json" },
        { input = cli.read(fixtures .. name) }))
    end)
  end

  it("has an expectation for every file", function()
    for name in lfs.dir(fixtures) do
      if name:sub(1, 1) ~= "." and not name:find("%.mocks$") and not name:find("%.told$") then
        assert.is_truthy(cases[name], name)
      end
    end
  end)

  it("needs neither an engine nor a data directory", function()
    local env = { OLIVARES_SERVER_URL = "http://127.0.0.1:1", OLIVARES_TOKEN = "t" }
    local result = box:run({ "sandbox", "mocks", "import", fixtures .. "vcr_cassette.yml" }, { env = env })
    assert.equal(0, result.status)
    assert.is_nil(lfs.attributes(box.data))
  end)

  it("prints an empty array when nothing can be carried over", function()
    local result = box:run({ "sandbox", "mocks", "import", "-" }, { input = '{"mappings":[{"request":{}}]}' })
    assert.same({ status = 0, out = "[]\n", err = "olivares: mappings[0].response: there is no response; the mock is "
      .. "left out\n0 mocks, 1 thing not carried over\n" }, result)
    assert.same({ status = 0, out = "[]\n", err = "0 mocks, 0 things not carried over\n" },
      box:run({ "sandbox", "mocks", "import", "-" }, { input = '{"mappings":[]}' }))
  end)

  local unrecognised = "its format is not recognised; tried: wiremock, hoverfly, mountebank, vcr. If it is one of "
    .. "them, name it with --format to be told more (usage)\n"
  local faults = {
    { "", "auto", "There is no document. (usage, at line 1, column 1)\n" },
    { "{}", "auto", unrecognised },
    { "hello\n", "auto", unrecognised },
    { "- 1\n- 2\n", "auto", unrecognised },
    { "[1]", "auto", unrecognised },
    { '{"mappings":1}', "auto", unrecognised },
    { "{}", "wiremock", "it is no document of wiremock: an object with mappings, or a stub with request and response "
      .. "is expected (usage)\n" },
    { '{"mappings":[]}', "hoverfly", "it is no document of hoverfly: an object with data.pairs is expected (usage)\n" },
    { '{"mappings":[]}', "mountebank", "it is no document of mountebank: an object with imposters, or an imposter with "
      .. "protocol and stubs is expected (usage)\n" },
    { "a: 1", "vcr",
      "it is no document of vcr: an object with http_interactions or interactions is expected (usage)\n" },
    { '{"mappings":[', "auto", "(usage, at line 1, column 14)\n" },
    { "interactions: [", "auto",
      "The text is no YAML: did not find expected node content. (usage, at line 2, column 1)\n" },
    { "interactions: []", "wiremock", "(usage, at line 1, column 1)\n" },
    { "a: &a [*a]", "vcr", "The alias names an anchor that is not there, or that it is part of. (usage, at line 1, "
      .. "column 8)\n" },
    { '{"data":{"pairs":[]},"meta":{"schemaVersion":"v3"}}', "auto",
      "it has schema version v3; only v5 can be read (Hoverfly writes it when it exports) (usage)\n" },
    { "\xff", "auto", "it is not UTF-8 text (usage, at byte 1)\n" },
  }
  for _, fault in ipairs(faults) do
    it(("refuses as %s: %q"):format(fault[2], fault[1]), function()
      local path = box:write("mocks", fault[1])
      local result = import("--format", fault[2], path)
      assert.same({ 2, "" }, { result.status, result.out })
      local head, tail = "olivares: FILE " .. path .. ": ", fault[3]
      assert.equal(head, result.err:sub(1, #head))
      assert.equal(tail, result.err:sub(-#tail))
      assert.is_nil(lfs.attributes(box.data))
    end)
  end

  it("refuses a file that can't be read, and another word for the format", function()
    local missing = import(box.root .. "/missing")
    assert.same({ 2, "" }, { missing.status, missing.out })
    assert.matches("^olivares: FILE .*/missing: can't open it: ", missing.err)
    local other = import("--format", "pact", fixtures .. "vcr_cassette.yml")
    assert.equal(2, other.status)
    assert.matches("must be one of 'auto', 'wiremock', 'hoverfly', 'mountebank', 'vcr'", other.err, 1, true)
    assert.matches("missing argument 'file'", import().err, 1, true)
  end)

  it("neutralises what it repeats of the file", function()
    local result = box:run({ "sandbox", "mocks", "import", "-" },
      { input = '{"mappings":[],"\\u001b[31mred\\nolivares: ":1}' })
    assert.equal("olivares: \\x1b[31mred\\nolivares: : is not known, and not carried\n"
      .. "0 mocks, 1 thing not carried over\n", result.err)
  end)
end)
