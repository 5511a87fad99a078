-- SPDX-License-Identifier: Apache-2.0
-- Holds the tables of the documents against the program: what is served, what the table of commands says, what the
-- engine counts and logs. Each comparison goes both ways: nothing undocumented, nothing documented that is not there.

local cli = require("spec.support.cli")
local cjson = require("cjson")
local server = require("spec.support.server")

local source = os.getenv("OLIVARES_SRC") or "."

-- ---- reading a document ----

local function cells_of(line)
  local cells = {}
  for cell in (line:gsub("\\|", "\1"):match("^|(.*)|%s*$") .. "|"):gmatch("(.-)|") do
    cells[#cells + 1] = cell:gsub("\1", "|"):match("^%s*(.-)%s*$")
  end
  return cells
end

---The document's headings with what stands below each, up to the next one of any level.
---@return { level: integer, title: string, lines: string[], tables: string[][][] }[]
local function sections_of(name)
  local sections, section, rows, fenced = {}, { level = 0, title = "", lines = {}, tables = {} }, nil, false
  for line in (cli.read(source .. "/docs/" .. name)):gmatch("(.-)\n") do
    if line:find("^```") then fenced = not fenced end
    local marks, title = line:match("^(#+) (.*)$")
    if marks and not fenced then
      section = { level = #marks, title = title:gsub("`", ""), lines = {}, tables = {} }
      sections[#sections + 1] = section
      rows = nil
    elseif line:find("^|") and not fenced then
      if not rows then
        rows = {}
        section.tables[#section.tables + 1] = rows
      end
      rows[#rows + 1] = cells_of(line)
    else
      rows = nil
      section.lines[#section.lines + 1] = line
    end
  end
  return sections
end

---@return table section the only one of that title
local function section_of(sections, title)
  local found
  for _, section in ipairs(sections) do
    if section.title == title then
      assert(not found, "two sections " .. title)
      found = section
    end
  end
  return assert(found, "no section " .. title)
end

---Sections below one, down to the next of its level or above.
local function below(sections, title)
  local found, level = {}, nil
  for _, section in ipairs(sections) do
    if level and section.level <= level then break end
    if level then found[#found + 1] = section end
    if section.title == title then level = section.level end
  end
  assert(level, "no section " .. title)
  return found
end

---Rows of a table without its head.
local function rows_of(rows)
  return table.move(rows or { {}, {} }, 3, #rows, 1, {})
end

local function code_in(cell)
  return (cell:match("`([^`]+)`"))
end

---@return table<string, boolean> what stands in backticks
local function codes_in(cell)
  local codes = {}
  for code in cell:gmatch("`([^`]+)`") do codes[code] = true end
  return codes
end

local function set_of(list)
  local set = {}
  for _, each in ipairs(list or {}) do set[each] = true end
  return set
end

local function words_of(set)
  local words = {}
  for word in pairs(set) do words[#words + 1] = word end
  table.sort(words)
  return table.concat(words, ", ")
end

---The list item "- <label>: …" of a section.
local function item_of(section, label)
  for _, line in ipairs(section.lines) do
    local value = line:match("^%- " .. label .. ": (.*)$")
    if value then return value end
  end
  return nil
end

---The table whose head begins with a word.
local function table_of(section, head)
  for _, rows in ipairs(section.tables) do
    if rows[1][1] == head then return rows_of(rows) end
  end
  return {}
end

local api = sections_of("http-api.md")
local operations = sections_of("operations.md")
local commands_document = sections_of("cli.md")

describe("docs/http-api.md", function()
  local engine, served

  setup(function()
    engine = server.start()
    served = engine:get("/openapi.json").json
  end)
  teardown(function() engine:remove() end)

  local function resolve(value)
    local kind, name = (value["$ref"] or ""):match("^#/components/(%w+)/(.*)$")
    return kind and served.components[kind][name] or value, name
  end

  local needs = {
    ["Open to everybody."] = "nothing", ["Needs a token."] = "a token", ["Needs a superadmin."] = "superadmin",
    ["Needs the role viewer."] = "viewer", ["Needs the role editor."] = "editor", ["Needs the role admin."] = "admin",
    ["Needs the role owner."] = "owner",
  }

  local function each_operation(visit)
    for path, methods in pairs(served.paths) do
      for method, operation in pairs(methods) do visit(method:upper() .. " " .. path, operation, path) end
    end
  end

  local function need_of(operation)
    local need = needs[operation.description:match("^.-%.")]
    return assert(need, operation.description)
  end

  ---Statuses of success, and "status code" of every error; without 405, which is the same everywhere.
  local function answers_of(operation)
    local successes, errors = {}, {}
    for status, response in pairs(operation.responses) do
      local _, name = resolve(response)
      if not name then successes[status] = true end
      for code in (status ~= "405" and name or ""):gmatch("[^.]+") do errors[status .. " " .. code] = true end
    end
    return successes, errors
  end

  local function parameters_of(operation, where)
    local names = {}
    for _, parameter in ipairs(operation.parameters) do
      parameter = resolve(parameter)
      if parameter["in"] == where then names[parameter.name] = parameter end
    end
    return names
  end

  ---The shape of a request's body, and its name when it has members.
  local function body_of(operation)
    local body = operation.requestBody
    if not body then return nil end
    local shape, name = resolve(body.content["application/json"].schema)
    return shape, name
  end

  local function names_of(map)
    local names = {}
    for name in pairs(map) do names[name] = true end
    return names
  end

  ---The words of a closed list, of a value or of an array's items.
  local function words_of_list(schema)
    return schema.enum or type(schema.items) == "table" and resolve(schema.items).enum or {}
  end

  ---The named shapes that a value, its items or its alternatives have.
  local function named_in(schema, found)
    local name = (schema["$ref"] or ""):match("^#/components/schemas/(.*)$")
    if name then found[#found + 1] = name end
    if type(schema.items) == "table" then named_in(schema.items, found) end
    for _, alternative in ipairs(schema.oneOf or {}) do named_in(alternative, found) end
    return found
  end

  ---What a table of members says against a schema: names, which must be there, words of closed lists, named shapes.
  local function check_members(rows, schema, title)
    local documented, required = {}, {}
    for _, row in ipairs(rows) do
      local name = code_in(row[1])
      documented[name] = true
      if row[3] == "yes" then required[name] = true else assert.equal("no", row[3], title .. "." .. name) end
      local declared = schema.properties[name] or error(title .. " has no member " .. name)
      local member = resolve(declared)
      for _, word in ipairs(words_of_list(member)) do
        assert.is_true(codes_in(row[2])[word], ("%s.%s: no `%s`"):format(title, name, word))
      end
      for _, named in ipairs(named_in(declared, {})) do
        assert.matches(("[%s](#%s)"):format(named, named:lower()), row[2], 1, true)
      end
    end
    assert.equal(words_of(names_of(schema.properties or {})), words_of(documented), title)
    assert.equal(words_of(set_of(schema.required)), words_of(required), title .. ": always there")
  end

  it("lists every route with its permission and statuses", function()
    local documented, existing = {}, {}
    for _, section in ipairs(below(api, "Routes")) do
      for _, row in ipairs(rows_of(section.tables[1])) do
        documented[("%s, needs %s, answers %s"):format(code_in(row[1]), row[2], row[3])] = true
      end
    end
    each_operation(function(route, operation)
      local successes = answers_of(operation)
      existing[("%s, needs %s, answers %s"):format(route, need_of(operation), words_of(successes))] = true
    end)
    assert.equal(words_of(existing), words_of(documented))
  end)

  it("describes every route: permission, answers, errors, parameters, body", function()
    local described = {}
    for _, title in ipairs({ "Platform routes", "Module routes" }) do
      for _, section in ipairs(below(api, title)) do
        section.part = title
        described[section.title] = section
      end
    end
    local existing = {}
    each_operation(function(route, operation, path)
      existing[route] = true
      local section = assert(described[route], "no section for " .. route)
      assert.equal(path:find("^/v1/m/") and "Module routes" or "Platform routes", section.part, route)
      assert.equal(need_of(operation), item_of(section, "needs"), route)
      local successes, errors = answers_of(operation)
      local documented = {}
      for status in item_of(section, "answers"):gmatch("%f[%d]%d%d%d%f[%D]") do documented[status] = true end
      assert.equal(words_of(successes), words_of(documented), route)
      documented = {}
      for status, code in item_of(section, "errors"):gmatch("(%d+) `([%w_]+)`") do
        documented[status .. " " .. code] = true
      end
      assert.equal(words_of(errors), words_of(documented), route)
      assert.equal(words_of(names_of(parameters_of(operation, "header"))),
        words_of(codes_in(item_of(section, "headers") or "")), route)
      documented = {}
      local query = parameters_of(operation, "query")
      for _, row in ipairs(table_of(section, "parameter")) do
        local name = code_in(row[1])
        documented[name] = true
        for _, word in ipairs(query[name] and query[name].schema.enum or {}) do
          assert.is_true(codes_in(row[2])[word], ("%s, %s: no `%s`"):format(route, name, word))
        end
      end
      assert.equal(words_of(names_of(query)), words_of(documented), route)
      local body, name = body_of(operation)
      local said = item_of(section, "body")
      if not body then
        assert.is_nil(said, route)
      else
        local expected = not name and "none, or `{}`"
          or operation.requestBody.required and "required, the members below" or "optional; none is the same as `{}`"
        assert.equal(expected, said, route)
        check_members(table_of(section, "member"), body, route)
      end
    end)
    assert.equal(words_of(existing), words_of(names_of(described)))
  end)

  it("describes every document that is answered", function()
    local requests, documented = {}, {}
    each_operation(function(_, operation)
      local _, name = body_of(operation)
      if name then requests[name] = true end
    end)
    for _, section in ipairs(below(api, "Documents")) do
      documented[section.title] = true
      check_members(table_of(section, "member"), served.components.schemas[section.title] or {}, section.title)
    end
    local existing = {}
    for name in pairs(served.components.schemas) do
      if not requests[name] then existing[name] = true end
    end
    assert.equal(words_of(existing), words_of(documented))
  end)

  it("lists every error code with its status", function()
    local statuses = {}
    each_operation(function(_, operation)
      local _, errors = answers_of(operation)
      for each in pairs(errors) do
        local status, code = each:match("^(%d+) (.*)$")
        statuses[code] = status
      end
    end)
    local documented = {}
    for _, row in ipairs(table_of(section_of(api, "Error codes"), "code")) do
      local code = code_in(row[1])
      documented[code] = true
      if statuses[code] then
        assert.equal(statuses[code], row[2], code)
      else
        assert.matches("No route of this version answers it", row[3], 1, true)
      end
    end
    assert.equal(words_of(set_of(served.components.schemas.ErrorBody.properties.code.enum)), words_of(documented))
  end)

  local reasons = { { "Run reasons", "RunReason", "Run", "status" }, { "Verdict reasons", "VerdictReason", "Comparison",
    "verdict" }, { "Gate reasons", "GateReason", "Gate", "decision" } }
  for _, case in ipairs(reasons) do
    it("lists the " .. case[1]:lower() .. ", each with what it goes with", function()
      local schemas, documented = served.components.schemas, {}
      local outcomes = set_of(schemas[case[3]].properties[case[4]].enum)
      for _, row in ipairs(table_of(section_of(api, case[1]), "code")) do
        documented[code_in(row[1])] = true
        for outcome in pairs(codes_in(row[2])) do assert.is_true(outcomes[outcome], outcome) end
      end
      assert.equal(words_of(set_of(schemas[case[2]].properties.code.enum)), words_of(documented))
    end)
  end

  it("lists the limits with their values", function()
    local documented, existing = {}, {}
    for _, row in ipairs(table_of(section_of(api, "Limits of requests"), "limit")) do
      documented[code_in(row[1]) .. " = " .. row[2]] = true
    end
    for name, value in pairs(engine:get("/v1/server-info").json.limits) do
      existing[("%s = %d"):format(name, value)] = true
    end
    assert.equal(words_of(existing), words_of(documented))
  end)

  it("lists what a verification of the ledger can find", function()
    local documented = {}
    for _, row in ipairs(table_of(section_of(api, "The ledger"), "fault")) do documented[code_in(row[1])] = true end
    assert.equal(words_of(set_of(served.components.schemas.AuditReport.properties.fault.enum)), words_of(documented))
  end)

  -- Actions are literals of the sources, "<thing>.<verb>"; words of other lists have other first parts.
  it("lists every action of the ledger", function()
    local documented, existing, things = {}, {}, {}
    for _, row in ipairs(table_of(section_of(api, "Ledger actions"), "action")) do
      local action = code_in(row[1])
      documented[action] = true
      if action:find(".", 1, true) then things[action:match("^[^.]+")] = true else existing[action] = true end
    end
    local files = io.popen(("ls %s/core/access/*.c %s/core/sandbox/*.c %s/core/api/*.c"):format(source, source, source))
    for path in files:lines() do
      local name = path:match("[^/]*$")
      if not name:find("^test_") and not name:find("_routes%.c$") then
        for thing, verb in cli.read(path):gmatch('"([a-z_]+)%.([a-z_]+)"') do
          if things[thing] then existing[thing .. "." .. verb] = true end
        end
      end
    end
    files:close()
    existing["setup.token_left"] = nil
    assert.equal(words_of(existing), words_of(documented))
  end)

  -- ---- hashes ----

  local function sha256(bytes)
    local path = engine.box:write("hashed", bytes)
    return engine.box:shell("sha256sum <" .. cli.quote(path)).out:match("^%x+")
  end

  local function field(bytes) return string.pack(">s8", bytes) end

  local function make(scenario)
    if not engine.made then
      local switched = engine:request("PUT", "/v1/console/modules", { json = { modules = { sandbox = true } } })
      assert.equal(200, switched.status)
    end
    engine.made = (engine.made or 0) + 1
    local answer = engine:request("POST", "/v1/m/sandbox/scenarios",
      { body = ('{"name":"hash-%d",%s}'):format(engine.made, scenario) })
    assert.equal(201, answer.status, answer.body)
    return answer.json
  end

  ---A scenario whose run gives these outputs.
  local function scenario_giving(outputs)
    local steps, mocks = {}, {}
    for index, output in ipairs(outputs) do
      local input = output[3] and "resource-" .. index or output[2]:match("^%[%[mock%-miss:(.*)%]%]$")
      steps[index] = cjson.encode({ key = output[1], input = input })
      if output[3] then mocks[#mocks + 1] = cjson.encode({ resource = input, response = output[2] }) end
    end
    return ('"steps":[%s],"mocks":[%s]'):format(table.concat(steps, ","), table.concat(mocks, ","))
  end

  it("gives outputs_hash values that the formula and the program give", function()
    local rows = rows_of(section_of(api, "outputs_hash").tables[1])
    assert.is_true(#rows >= 3)
    for _, row in ipairs(rows) do
      local bytes, outputs = {}, {}
      for text in row[1]:gmatch("`([^`]+)`") do
        local output = cjson.decode(text)
        outputs[#outputs + 1] = output
        bytes[#bytes + 1] = field(output[1]) .. field(output[2]) .. field(output[3] and "\1" or "\0")
      end
      local expected = code_in(row[2])
      assert.equal(expected, sha256(table.concat(bytes)))
      if #outputs > 0 then
        local scenario = make(scenario_giving(outputs))
        local run = engine:post("/v1/m/sandbox/scenarios/" .. scenario.id .. "/run").json
        assert.same({ expected, #outputs }, { run.outputs_hash, run.steps_total })
      end
    end
  end)

  it("gives spec_hash values that the formula and the program give", function()
    local rows = rows_of(section_of(api, "spec_hash").tables[1])
    assert.is_true(#rows >= 2)
    for _, row in ipairs(rows) do
      local canonical, expected = code_in(row[1]), code_in(row[2])
      assert.equal(expected, sha256(field(canonical)))
      local members = canonical:match("^{(.*)}$")
      assert.equal(expected, make(members).spec_hash)
      -- The same by way of a variant: other mocks below, its own steps and mocks in front.
      local spec = cjson.decode(canonical)
      local overlay = canonical:gsub('"seed":%d+,', "")
      local replaced = spec.mocks[1] and spec.mocks[1].resource
        and cjson.encode({ resource = spec.mocks[1].resource, response = "other" }) or ""
      local base = make(('"seed":%d,"steps":[{"input":"other"}],"mocks":[%s],"variants":{"v":%s}'):format(
        spec.seed, replaced, overlay))
      local run = engine:post("/v1/m/sandbox/scenarios/" .. base.id .. "/run", { variant = "v" }).json
      assert.equal(expected, run.spec_hash)
    end
  end)

  it("says how the ledger's hashes are made", function()
    local answer = engine:get("/v1/audit?order=asc&limit=1000")
    local tenant = engine.tenant:gsub("-", ""):gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
    local details = {}
    for text in answer.body:gmatch('"details":(%b{})') do details[#details + 1] = text end
    assert.is_true(#answer.json.items >= 2 and #details == #answer.json.items)
    for index, entry in ipairs(answer.json.items) do
      local previous = entry.previous_hash:gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
      assert.equal(entry.hash, sha256(field(previous) .. field(tenant) .. field(("%d"):format(entry.seq))
        .. field(entry.id) .. field(entry.occurred_at) .. field(entry.actor) .. field(entry.action)
        .. field(entry.target or "") .. field(details[index])), "entry " .. index)
    end
  end)

  -- ---- operations ----

  it("has its metrics in docs/operations.md, with their types", function()
    local documented, existing = {}, {}
    for _, row in ipairs(table_of(section_of(operations, "Metrics"), "metric")) do
      documented[code_in(row[1]) .. ", " .. row[2]] = true
    end
    for name, kind in engine:get("/metrics").body:gmatch("# TYPE (%S+) (%S+)") do
      existing[name .. ", " .. kind] = true
    end
    assert.equal(words_of(existing), words_of(documented))
  end)
end)

describe("docs/threat-model.md", function()
  it("names tests that exist", function()
    local named = 0
    for _, section in ipairs(below(sections_of("threat-model.md"), "What is defended")) do
      for _, row in ipairs(rows_of(section.tables[1])) do
        assert.matches("`[^`]+`", row[3], row[1])
        for path, names in row[3]:gmatch("`([^`]+)` (%b())") do
          local text = cli.read(source .. "/" .. path)
          for name in (names:sub(2, -2) .. "; "):gmatch("(.-); ") do
            named = named + 1
            assert.is_truthy(text:find(name, 1, true), ("%s has no test '%s'"):format(path, name))
          end
        end
      end
    end
    assert.is_true(named > 30)
  end)
end)

describe("docs/operations.md", function()
  it("lists every event of the log with its level", function()
    local documented, existing = {}, {}
    for _, row in ipairs(table_of(section_of(operations, "Log"), "event")) do
      documented[code_in(row[1]) .. ", " .. row[2]] = true
    end
    local files = io.popen(("find %s/core %s/runners -name '*.c' ! -name 'test_*'"):format(source, source))
    for path in files:lines() do
      for level, event in cli.read(path):gmatch('log_event%(LOG_LEVEL_(%u+),%s*"([^"]+)"') do
        existing[event .. ", " .. level:lower()] = true
      end
    end
    files:close()
    assert.equal(words_of(existing), words_of(documented))
  end)
end)

describe("docs/cli.md", function()
  local commands, options

  setup(function()
    commands, options = require("cli.commands"), require("cli.options")
  end)

  ---"`--name VALUE`, `-n VALUE`" of an option, and what its row must say.
  local function option_words(option)
    local words = {}
    for index, name in ipairs(option) do
      words[index] = "`" .. name .. (option.value and " " .. option.value or "") .. "`"
    end
    return table.concat(words, ", ")
  end

  local function check_options(rows, list, title)
    local documented, existing = {}, {}
    for _, row in ipairs(rows) do documented[row[1]] = row[2] end
    for _, option in ipairs(list) do
      local words = option_words(option)
      existing[words] = true
      local said = assert(documented[words], title .. " lacks " .. words)
      assert.equal(option.required or false, said:find("^Required%. ") ~= nil, title .. ", " .. words)
      assert.equal(option.required_unless or nil, said:match("^Required unless `([^`]+)`"), title .. ", " .. words)
      assert.equal(option.required_with or nil, said:match("^Required with `([^`]+)`"), title .. ", " .. words)
      for _, choice in ipairs(option.choices or {}) do
        assert.is_true(codes_in(said)[choice], title .. ", " .. words .. ": no " .. choice)
      end
      if option.env then assert.is_true(codes_in(said)[option.env], option.env) end
    end
    for words in pairs(documented) do assert.is_true(existing[words], title .. " has no " .. words) end
  end

  ---Sections of commands: those whose title is a command line.
  local function described()
    local found = {}
    for _, section in ipairs(commands_document) do
      local name = section.title:match("^olivares (.*)$")
      if name then found[name] = section end
    end
    return found
  end

  it("lists every command", function()
    local listed, existing = {}, {}
    for _, row in ipairs(table_of(section_of(commands_document, "Commands"), "command")) do
      listed[code_in(row[1])] = row[2]
    end
    for _, command in ipairs(commands.list) do
      local name = "olivares " .. command.name
      existing[name] = true
      assert.equal(command.summary .. ".", listed[name], name)
    end
    assert.equal(words_of(existing), words_of((function()
      local names = {}
      for name in pairs(listed) do names[name] = true end
      return names
    end)()))
  end)

  it("describes every command: arguments, options, route, exit statuses", function()
    local sections, existing = described(), {}
    for _, command in ipairs(commands.list) do
      existing[command.name] = true
      local section = assert(sections[command.name], "no section for " .. command.name)
      local values = {}
      for _, row in ipairs(table_of(section, "argument")) do values[#values + 1] = code_in(row[1]) end
      local expected = {}
      for index, argument in ipairs(command.arguments) do expected[index] = argument.value end
      assert.same(expected, values, command.name)
      check_options(table_of(section, "option"), command.options, command.name)
      local text = table.concat(section.lines, "\n")
      assert.equal(command.route and command.route:gsub("{[%w_]+}", "{id}"), text:match("Request: %[`([^`]+)`%]"),
        command.name)
      local statuses, said = {}, {}
      for _, status in ipairs(command.exits or {}) do
        statuses[tostring(type(status) == "table" and status[1] or status)] = true
      end
      for status in (text:match("Exit statuses beside the common ones: (.-)%.\n") or ""):gmatch("`(%d+)`") do
        said[status] = true
      end
      assert.equal(words_of(statuses), words_of(said), command.name)
    end
    for name in pairs(sections) do assert.is_true(existing[name], "there is no command " .. name) end
  end)

  it("lists the global options", function()
    check_options(table_of(section_of(commands_document, "Global options"), "option"), options.global, "global options")
  end)

  it("lists the exit statuses as the program does", function()
    local box = cli.new()
    local page = box:run({ "man" }).out:match("%.Sh EXIT STATUS(.-)%.El")
    box:remove()
    local existing, documented = {}, {}
    for status in page:gmatch("\n%.It (%d+)") do existing[status] = true end
    for _, row in ipairs(table_of(section_of(commands_document, "Exit statuses"), "status")) do
      documented[code_in(row[1])] = true
    end
    assert.equal(words_of(existing), words_of(documented))
  end)

  it("links each route it names to its description", function()
    local described_routes = {}
    for _, section in ipairs(api) do described_routes[section.title] = true end
    for _, command in ipairs(commands.list) do
      if command.route then
        assert.is_true(described_routes[(command.route:gsub("{[%w_]+}", "{id}"))], command.route)
      end
    end
  end)
end)
