-- SPDX-License-Identifier: Apache-2.0
-- Holds docs/mocks.md against the program: its lists of words are the API's, its numbers are the engine's, and there is
-- an example of everything. The examples themselves are run by docs_examples_spec.lua.

local cjson = require("cjson")
local cli = require("spec.support.cli")

local source = os.getenv("OLIVARES_SRC") or "."
local text = cli.read(source .. "/docs/mocks.md")
local schemas = cjson.decode(cli.read(source .. "/docs/openapi.json")).components.schemas

-- ---- reading the document ----

local function cells_of(line)
  local cells = {}
  for cell in line:match("^|(.*)|%s*$"):gmatch("[^|]+") do cells[#cells + 1] = cell:match("^%s*(.-)%s*$") end
  return cells
end

---The rows of the first table of a section, without its head.
---@param title string
---@return string[][]
local function rows_of(title)
  local _, from = text:find("\n#+ " .. title:gsub("%p", "%%%0") .. "\n")
  local rows, in_table = {}, false
  for line in text:sub(assert(from, "no section " .. title) + 1):gmatch("(.-)\n") do
    if line:find("^|") then
      in_table = true
      rows[#rows + 1] = cells_of(line)
    elseif in_table or line:find("^#") then
      break
    end
  end
  assert(#rows > 2, title .. " has no table")
  return table.move(rows, 3, #rows, 1, {})
end

local function words_of(rows)
  local words = {}
  for _, row in ipairs(rows) do
    for word in row[1]:gmatch("`([^`]+)`") do words[#words + 1] = word end
  end
  table.sort(words)
  return words
end

local function sorted(list)
  local words = table.move(list, 1, #list, 1, {})
  table.sort(words)
  return words
end

---What the examples show: all blocks of their output.
local shown = {}
for block in text:gmatch("\n```output\n(.-)\n```") do shown[#shown + 1] = block end
shown = table.concat(shown, "\n")

local function is_shown(words) assert.is_truthy(shown:find(words, 1, true), "no example shows " .. words) end

-- ---- words ----

describe("docs/mocks.md", function()
  local candidate, call, near = schemas.Candidate.properties, schemas.Call.properties, schemas.NearMiss.properties
  local faults = schemas.MockAnswer.properties.fault.enum
  local exhausted = schemas.Mock.properties.exhausted.enum

  it("has the API's words in its lists", function()
    assert.same(sorted(candidate.outcome.enum), words_of(rows_of("Who answers")))
    assert.same(sorted(exhausted), words_of(rows_of("responses, exhausted")))
    assert.same(sorted(faults), words_of(rows_of("fault")))
    assert.same(sorted(near.equal_after.items.enum), words_of(rows_of("equal_after")))
    local members = {}
    for name in pairs(near) do members[#members + 1] = name end
    assert.same(sorted(members), words_of(rows_of("When nobody answers")))
  end)

  it("names every member of a mock at its start", function()
    local named, members = {}, {}
    for line in text:match("^(.-)\n#+ What it answers\n"):gmatch("(.-)\n") do
      if line:find("^| `") then
        for word in cells_of(line)[1]:gmatch("`([^`]+)`") do named[#named + 1] = word end
      end
    end
    for name in pairs(schemas.Mock.properties) do members[#members + 1] = name end
    assert.same(sorted(members), sorted(named))
  end)

  it("has an example of everything", function()
    for _, matcher in ipairs(call.matched_by.enum) do
      if matcher ~= "none" then is_shown((" (%s)"):format(matcher)) end
    end
    is_shown("match.all[1].none[0].suffix: ") -- alone it would answer nearly everything
    for _, outcome in ipairs({ "answered", "behind the one that answered", "behind the undecided one", "used up",
      "undecided, its matcher reached the limit" }) do
      is_shown("): " .. outcome)
    end
    for _, fault in ipairs(faults) do is_shown(fault == "huge" and '"fault":"huge"' or "fault " .. fault) end
    for _, word in ipairs(exhausted) do
      if word ~= "miss" then assert.matches(('"exhausted": "%s"'):format(word), text, 1, true) end
    end
    for _, word in ipairs(near.equal_after.items.enum) do is_shown(('["%s"]'):format(word)) end
    for member in pairs(near) do is_shown(('"%s":'):format(member)) end
    for _, words in ipairs({ "answer 3", "delay 9000 ms", "virtual ms:        10500", "unused required:   mocks[0]",
      '"response_bytes":1048576', '"resource_whole":"', '"clamped":["input"]', "variant kind:      label",
      "variants.candidate.mocks[0] (resource)" }) do
      is_shown(words)
    end
  end)

  -- ---- numbers ----

  ---Every constant of a header or a source file.
  local function constants_of(path)
    local constants = {}
    for name, value in cli.read(source .. "/" .. path):gmatch("([A-Z][A-Z0-9_]+) = ([%d *]+)") do
      local product = 1
      for factor in value:gmatch("%d+") do product = product * math.tointeger(tonumber(factor)) end
      constants[name] = product
    end
    return constants
  end

  local constants = {}
  for _, path in ipairs({ "core/mock/match.h", "core/mock/mock.h", "core/mock/matcher.h", "core/mock/json_path.h",
    "core/sandbox/drive.c", "core/sandbox/limits.h" }) do
    for name, value in pairs(constants_of(path)) do constants[name] = value end
  end

  ---What a row must say, by its label.
  local numbers = {
    ["Matcher limits"] = {
      ["steps of one mock for one request"] = "MATCH_STEPS_MAX",
      ["steps of an item of a regular expression"] = "MATCH_REGEX_ITEM_STEPS",
      ["depth of a regular expression"] = "MATCH_REGEX_DEPTH_MAX",
      ["memory of a regular expression"] = { "MATCH_REGEX_HEAP_KIB", "%d KiB" },
    },
    Limits = {
      ["`resource`"] = { "MOCK_RESOURCE_MAX_BYTES", "%d bytes" },
      ["text of an answer"] = { "MOCK_RESPONSE_MAX_BYTES", "%d bytes" },
      ["`prefix`, `suffix`, `contains`, a `resource` in a matcher"] = { "MOCK_RESOURCE_MAX_BYTES", "%d bytes" },
      ["`glob`, `regex`"] = { "MOCK_PATTERN_MAX_BYTES", "%d bytes" },
      ["steps of a JSON path"] = "JSON_PATH_SEGMENTS_MAX",
      ["depth of `all`, `any`, `none`"] = "MATCHER_DEPTH_MAX",
      ["matchers and JSON paths of one mock"] = { "MATCHER_PARTS_MAX", "%d, all levels together" },
      ["matchers of one scenario"] = { "MOCK_MATCHERS_MAX_BYTES", "%d MiB of memory", 1024 * 1024 },
      ["`times`"] = { "MOCK_TIMES_MAX", "1 to %d" },
      ["`delay_ms`"] = { "MOCK_DELAY_MAX_MS", "0 to %d, one day" },
      ["a huge answer"] = { "MOCK_HUGE_BYTES", "%d bytes" },
      ["delay of a timeout"] = { "MOCK_TIMEOUT_MS", "%d ms" },
      ["candidates listed"] = "MOCK_CANDIDATES_MAX",
      ["near-misses of a request"] = "MOCK_NEAR_MAX",
      ["misses explained in a run"] = "NEAR_MISSES_EXPLAINED_MAX",
      ["evidence of one step's requests"] = { "CALLS_MAX_BYTES", "%d MiB", 1024 * 1024 },
    },
  }
  for title, expected in pairs(numbers) do
    it("has the engine's numbers: " .. title, function()
      local said, existing = {}, {}
      for _, row in ipairs(rows_of(title)) do
        if row[1] ~= "steps of a glob" then said[row[1]] = row[2] end
      end
      for label, constant in pairs(expected) do
        local name, form, unit = constant, "%d", 1
        if type(constant) == "table" then name, form, unit = constant[1], constant[2], constant[3] or 1 end
        existing[label] = form:format(assert(constants[name], name) // unit)
      end
      assert.same(existing, said)
    end)
  end

  it("says the same numbers in its sentences", function()
    for _, sentence in ipairs({
      ("after %d ms unless a `delay_ms` is given"):format(constants.MOCK_TIMEOUT_MS),
      ("1 MiB (%d bytes) in all"):format(constants.MOCK_HUGE_BYTES),
      ("has at most %d bytes. A longer one is cut"):format(constants.INPUT_MAX_BYTES),
      ("explains its first %d misses"):format(constants.NEAR_MISSES_EXPLAINED_MAX),
      ("They can be nested, at most %d deep"):format(constants.MATCHER_DEPTH_MAX),
      ("A path has at most %d steps"):format(constants.JSON_PATH_SEGMENTS_MAX),
      ("At most %d are listed"):format(constants.MOCK_CANDIDATES_MAX),
    }) do
      assert.is_truthy(text:gsub("\n", " "):find(sentence, 1, true), sentence)
    end
  end)
end)
