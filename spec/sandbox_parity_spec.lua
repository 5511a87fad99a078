-- SPDX-License-Identifier: Apache-2.0
-- One way in: a request that goes over HTTP and the same command on a data directory give the same document, byte for
-- byte, apart from ids, times and who did it.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local servers = require("spec.support.server")

local root = "/v1/m/sandbox"

local steps = '[{"key":"lookup","input":"crm:customer/42"},{"input":"payments:refund?order=7 \\u00e9\\n\\u0001"}]'
local mocks = '[{"resource":"crm:customer/42","response":"Ada"},{"resource":"never:asked","response":"x"}]'
local variants = '{"twin":{},"candidate":{"mocks":[{"resource":"crm:customer/42","response":"Grace"}]}}'

describe("the same over HTTP and on a data directory:", function()
  local server, client, box
  local ids = { http = {}, cli = {} } -- of what was made on either side, by name

  setup(function()
    server = servers.start()
    client = clients.new(server)
    box = cli.new()
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    box:json({ "modules", "on", "sandbox" })
  end)
  teardown(function()
    client:close()
    server:remove()
    box:remove()
  end)

  local function settled(text)
    return (text:gsub("%x%x%x%x%x%x%x%x%-%x%x%x%x%-7%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x", "ID")
      :gsub('"%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%d%d%d%d%d%d%dZ"', '"TIME"')
      :gsub('"user:ID"', '"ACTOR"'):gsub('"local"', '"ACTOR"')
      :gsub('"duration_ms":%d+', '"duration_ms":0'):gsub('"age_s":%d+', '"age_s":0'))
  end

  ---{ name, method, path, body?, command, keep? }: "{x}" in path, body and command is the id that was kept as x.
  local requests = {
    { "POST", "/scenarios", ('{"name":"n","description":"d","seed":7,"steps":%s,"mocks":%s,"variants":%s}'):format(
      steps, mocks, variants), { "scenarios", "create", "--name", "n", "--description", "d", "--seed", "7",
      "--steps-file", "steps", "--mocks-file", "mocks", "--variants-file", "variants" }, keep = "scenario" },
    { "GET", "/scenarios/{scenario}", nil, { "scenarios", "get", "{scenario}" } },
    { "GET", "/scenarios", nil, { "scenarios", "ls" } },
    { "POST", "/scenarios/{scenario}/run", "{}", { "scenarios", "run", "{scenario}" }, keep = "run" },
    { "POST", "/scenarios/{scenario}/run", '{"variant":"candidate","seed":3}',
      { "scenarios", "run", "{scenario}", "--variant", "candidate", "--seed", "3" }, keep = "other" },
    { "POST", "/scenarios/{scenario}/run", '{"suite_ref":"s"}',
      { "scenarios", "run", "{scenario}", "--suite-ref", "s" },
      status = 7 },
    { "POST", "/scenarios/{scenario}/run", '{"runner":"gvisor"}',
      { "scenarios", "run", "{scenario}", "--runner", "gvisor" },
      status = 7 },
    { "GET", "/runs/{run}", nil, { "runs", "get", "{run}" } },
    { "GET", "/runs/{run}/outputs", nil, { "runs", "outputs", "{run}" } },
    { "POST", "/runs/{run}/verify", "{}", { "runs", "verify", "{run}" } },
    { "POST", "/replay", '{"session_ref":"s"}', { "replay", "--session-ref", "s" }, status = 7 },
    { "POST", "/compare", '{"scenario_ref":"{scenario}","baseline_variant":"twin","candidate_variant":"candidate"}',
      { "compare", "--scenario-ref", "{scenario}", "--baseline-variant", "twin", "--candidate-variant", "candidate" },
      keep = "comparison" },
    { "POST", "/compare", '{"baseline_run_ref":"{run}","candidate_run_ref":"{other}"}',
      { "compare", "--baseline-run", "{run}", "--candidate-run", "{other}" } },
    { "GET", "/comparisons/{comparison}", nil, { "comparisons", "get", "{comparison}" } },
    { "GET", "/comparisons?verdict=inconclusive", nil, { "comparisons", "ls", "--verdict", "inconclusive" } },
    { "GET", "/gate?scenario_ref={scenario}", nil, { "gate", "--scenario-ref", "{scenario}" }, status = 21 },
    { "GET", "/runs?kind=compare&order=asc", nil, { "runs", "ls", "--kind", "compare", "--order", "asc" } },
    { "GET", "/runs", nil, { "runs", "ls" } },
    { "POST", "/scenarios/{scenario}/archive", nil, { "scenarios", "archive", "{scenario}" } },
    { "POST", "/scenarios/{scenario}/restore", nil, { "scenarios", "restore", "{scenario}" } },
    { "GET", "/runners", nil, { "runners" } },
  }

  it("every request of the module", function()
    for name, content in pairs({ steps = steps, mocks = mocks, variants = variants }) do box:write(name, content) end
    local function filled(text, kept)
      return text and (text:gsub("{(%l+)}", kept))
    end
    for _, case in ipairs(requests) do
      local method, path, body, words = table.unpack(case, 1, 4)
      local answer = client:request(method, root .. filled(path, ids.http), { body = filled(body, ids.http) })
      local arguments = { "-o", "json", "sandbox" }
      for i, word in ipairs(words) do
        local is_file = i > 1 and words[i - 1]:find("%-file$")
        arguments[#arguments + 1] = is_file and box.root .. "/" .. word or filled(word, ids.cli)
      end
      local result = box:run(arguments)
      assert.same({ case.status or 0, "" }, { result.status, result.err }, path)
      assert.equal(settled(answer.body) .. "\n", settled(result.out), path)
      if case.keep then
        ids.http[case.keep], ids.cli[case.keep] = answer.json.id, cjson.decode(result.out).id
      end
    end
  end)

  it("an event stream, as the command prints it", function()
    local connection = clients.connect(server.url)
    local events = {}
    connection:stream(root .. "/runs/" .. ids.http.run .. "/stream", { headers = client:headers() })
    for event in function() return connection:event() end do events[#events + 1] = event end
    connection:close()
    local result = box:run({ "-o", "json", "sandbox", "runs", "stream", ids.cli.run })
    assert.equal(0, result.status, result.err)
    local expected, printed = {}, {}
    for i, event in ipairs(events) do
      expected[i] = ('{"event":"%s","id":"%d","data":%s}'):format(event.event, event.id, settled(event.raw))
    end
    for line in result.out:gmatch("[^\n]+") do printed[#printed + 1] = settled(line) end
    assert.same(expected, printed)
  end)

  it("generated samples, as the bare list", function()
    local answer = client:post(root .. "/synthetic-data", { count = 3, subject_kind = "bot" })
    local result = box:run({ "-o", "json", "sandbox", "generate", "--count", "3", "--subject-kind", "bot" })
    assert.equal(answer.body:match('^{"samples":(.*)}$') .. "\n", result.out)
  end)
end)
