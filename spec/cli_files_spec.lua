-- SPDX-License-Identifier: Apache-2.0
-- Files and standard input: what is in them reaches the request byte for byte, or the program says where it is wrong.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local fake = require("spec.support.fake_server")

describe("files", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local function body_of(arguments)
    local result, requests = fake.run(box, arguments, function(exchange) exchange:reply(200, "{}") end)
    assert.same({ 0, "" }, { result.status, result.err })
    return requests[#requests].body, requests
  end

  it("puts JSON into the body as it is written in the file", function()
    local steps = box:write("steps.json", ' [ {"input":"\\u00e9", "key":"a"},\n{"key":"b","input":"1.0e2"} ]\n')
    local mocks = box:write("mocks.json", '[{"resource":"x","response":"{\\"n\\":1.50}"}]')
    local variants = box:write("variants.json", "{}")
    assert.equal('{"mocks":[{"resource":"x","response":"{\\"n\\":1.50}"}],"name":"n","steps": [ {"input":"\\u00e9", '
      .. '"key":"a"},\n{"key":"b","input":"1.0e2"} ]\n,"variants":{}}',
      body_of({ "sandbox", "scenarios", "create", "--name", "n", "--steps-file", steps, "--mocks-file", mocks,
        "--variants-file", variants }))
  end)

  it("takes a whole scenario from one file", function()
    local whole = '{"name":"n","steps":[]}\n'
    local file = box:write("scenario.json", whole)
    assert.equal(whole, body_of({ "sandbox", "scenarios", "create", "--from-file", file }))
    local body, requests = body_of({ "sandbox", "scenarios", "update", "id", "--from-file", file, "--strict" })
    assert.equal(whole, body)
    assert.same({ 1, "PUT", "/v1/m/sandbox/scenarios/id?strict=true" },
      { #requests, requests[1].method, requests[1].path })
  end)

  it("keeps what an update does not name", function()
    local steps = box:write("steps.json", '[{"key":"new","input":"i"}]')
    local current = [[{"id":"i","name":"n","description":"d","subject_kind":"agent","status":"active","revision":3,
      "seed":9007199254740991,"steps":[{"key":"k","input":"x"}],"mocks":[],"variants":{"v":{"mocks":[]}},"clamped":[]}]]
    local update = { "sandbox", "scenarios", "update", "i", "--steps-file", steps, "--description", "" }
    local _, requests = fake.run(box, update, function(exchange) exchange:reply(200, current) end)
    assert.equal("GET", requests[1].method)
    assert.equal('{"description":"","mocks":[],"name":"n","seed":9007199254740991,"steps":[{"input":"i","key":"new"}],'
      .. '"subject_kind":"agent","variants":{"v":{"mocks":[]}}}', requests[2].body)
  end)

  it("refuses to write back text that was cut when it was stored", function()
    local result, requests = fake.run(box, { "sandbox", "scenarios", "update", "i", "--name", "m" }, function(exchange)
      exchange:reply(200, '{"name":"n","steps":[{"key":"k","input":"x","input_whole":"ab"}],"mocks":[],"variants":{}}')
    end)
    assert.same({ 2, "olivares: text of the steps was cut when it was stored: give the steps again (usage)\n", 1 },
      { result.status, result.err, #requests })
  end)

  it("takes seed text byte for byte", function()
    local seed = "\r\n a {{index}}\t\\ \"é\" \0042 \n\n"
    local file = box:write("seed", seed)
    local body = body_of({ "sandbox", "generate", "--seed-file", file, "--count", "3" })
    assert.same({ seed = seed, count = 3 }, cjson.decode(body))
  end)

  it("reads '-' from standard input", function()
    local result = box:run({ "sandbox", "generate", "--seed-file", "-" }, { input = "bad \xff" })
    assert.same({ 2, "olivares: --seed-file -: it is not UTF-8 text (usage, at byte 5)\n" },
      { result.status, result.err })
    result = box:run({ "sandbox", "scenarios", "create", "--name", "n", "--mocks-file", "-" }, { input = "[1}" })
    assert.equal(2, result.status)
    assert.matches("^olivares: %-%-mocks%-file %-: .*%(usage, at line 1, column 3%)\n$", result.err)
  end)

  local faults = {
    { "[1,\n 2,]", "at line 2, column 4" },
    { "", "at line 1" },
    { "[] []", "at line 1" },
    { '{"a":1,"a":2}', "at line 1" },
    { "[\"\xff\"]", "at line 1" },
    { '["\\u0000"]', "at line 1" },
    { "[1e999]", "at line 1" },
    { ("["):rep(100) .. ("]"):rep(100), "at line 1" },
  }
  for index, fault in ipairs(faults) do
    it("says where a file is no JSON, " .. index, function()
      local file = box:write("steps.json", fault[1])
      local result = box:run({ "sandbox", "scenarios", "create", "--name", "n", "--steps-file", file })
      assert.equal(2, result.status)
      local begin = "olivares: --steps-file " .. file .. ": "
      assert.equal(begin, result.err:sub(1, #begin))
      assert.matches("(usage, " .. fault[2], result.err, 1, true)
      assert.matches("%)\n$", result.err)
      assert.is_nil(require("lfs").attributes(box.data))
    end)
  end

  local create = { "sandbox", "scenarios", "create", "--name", "n" }
  local readers = {
    { "--seed-file", { "sandbox", "generate" } },
    { "--steps-file", create },
    { "--mocks-file", create },
    { "--variants-file", create },
    { "--from-file", { "sandbox", "scenarios", "create" } },
    { "--from-file", { "sandbox", "scenarios", "update", "x" } },
    { "--mocks-file", { "sandbox", "replay", "--session-ref", "s" } },
    { "--password-file", { "users", "create", "--email", "a@example.com" } },
    { "--password-file", { "login", "--email", "a@example.com" } },
    { "--setup-token-file", { "setup", "--email", "a@example.com", "--password-file", "-" } },
    { "--token-file", { "whoami", "--server", "http://127.0.0.1:9" } },
  }
  for _, reader in ipairs(readers) do
    local option, words = reader[1], reader[2]
    it(("names %s of %s and the file when it can't be read"):format(option, table.concat(words, " ")), function()
      for path, why in pairs({ [box.root .. "/none"] = "can't open it: No such file or directory",
        [box.root] = "can't read it: Is a directory" }) do
        local arguments = table.move({ option, path }, 1, 2, #words + 1, { table.unpack(words) })
        local result = box:run(arguments, { input = "password" })
        assert.same({ 2, ("olivares: %s %s: %s (usage)\n"):format(option, path, why) }, { result.status, result.err })
        assert.is_nil(require("lfs").attributes(box.data))
      end
    end)
  end

  local refused = {
    { "--seed-file", "", "Must not be empty. (bad_request, at seed)", { "sandbox", "generate" } },
    { "--steps-file", "{}", "Expected an array, found an object. (bad_request, at steps)", create },
    { "--steps-file", '[{"key":"a","input":5}]',
      "Expected a string, found an integer. (bad_request, at steps[0].input)", create },
    { "--from-file", "[]", "Expected an object, found an array. (bad_request)", { "sandbox", "scenarios", "create" } },
    { "--from-file", "{}", "Member 'name' is missing. (bad_request, at name)", { "sandbox", "scenarios", "create" } },
    { "--password-file", "short", "The password must have 10 to 1024 bytes; this one has 5. (bad_request, at password)",
      { "users", "create", "--email", "a@example.com" } },
  }
  for index, case in ipairs(refused) do
    it("names the option and the file when the engine refuses what is in it, " .. index, function()
      assert.equal(0, box:run({ "modules", "on", "sandbox" }).status)
      local option, content, message, words = table.unpack(case)
      local file = box:write("content", content)
      local result = box:run(table.move({ option, file }, 1, 2, #words + 1, { table.unpack(words) }))
      assert.same({ 2, ("olivares: %s %s: %s\n"):format(option, file, message) }, { result.status, result.err })
    end)
  end

  it("does not blame a file for another argument", function()
    assert.equal(0, box:run({ "modules", "on", "sandbox" }).status)
    local whole = box:write("scenario.json", '{"name":"n","steps":[{"input":"x"}]}')
    local result = box:run({ "sandbox", "scenarios", "update", "x", "--from-file", whole })
    assert.same({ 1, "olivares: The id in the path is not a lower-case UUIDv7. (bad_request, at id)\n" },
      { result.status, result.err })
  end)

  it("takes a value that begins with a hyphen and a digit", function()
    local steps = box:write("steps.json", "[]")
    assert.equal('{"description":"-1 %","name":"-5","steps":[]}', body_of({ "sandbox", "scenarios", "create", "--name",
      "-5", "--description", "-1 %", "--steps-file", steps }))
  end)

  it("refuses an argument that is not UTF-8", function()
    local result = box:run({ "sandbox", "scenarios", "create", "--name", "\xff" })
    assert.same({ 2, "olivares: an argument is not UTF-8 text (usage)\n" }, { result.status, result.err })
  end)

  local passwords = {
    { "secret\n", "secret" }, { "secret", "secret" }, { "secret\r\n", "secret" }, { " se cret \n", " se cret " },
  }
  for index, case in ipairs(passwords) do
    it("reads a password as one line, " .. index, function()
      local file = box:write("password", case[1])
      local body = body_of({ "users", "create", "--email", "a@example.com", "--password-file", file })
      assert.equal(case[2], cjson.decode(body).password)
    end)
  end

  it("refuses a password file with no line or several", function()
    for content, message in pairs({ ["\n"] = "it is empty", ["a\nb\n"] = "it holds more than one line" }) do
      local file = box:write("password", content)
      local result = box:run({ "users", "create", "--email", "a@example.com", "--password-file", file })
      assert.same({ 2, ("olivares: --password-file %s: %s (usage)\n"):format(file, message) },
        { result.status, result.err })
    end
  end)

  it("saves a token where only its owner reads it", function()
    local path = box.root .. "/token"
    local result = fake.run(box, { "login", "--email", "a@example.com", "--password-file", box:write("p", "pw"),
      "--save", path, "-o", "json" }, function(exchange) exchange:reply(200, '{"token":"ols_x","expires_at":"t"}') end)
    assert.same({ 0, '{"expires_at":"t"}\n' }, { result.status, result.out })
    assert.equal("The token is in " .. path .. "; use it with --token-file.\n", result.err)
    assert.equal("ols_x\n", cli.read(path))
    assert.equal("rw-------", require("lfs").attributes(path, "permissions"))
  end)

  it("finds the setup token in the data directory", function()
    require("lfs").mkdir(box.data)
    box:write("data/setup-token", "abc\n")
    local body = body_of({ "setup", "--email", "a@example.com", "--organization", "O", "--password-file",
      box:write("p", "pw") })
    assert.same({ token = "abc", email = "a@example.com", organization = "O", password = "pw" }, cjson.decode(body))
  end)

  it("asks for a setup token it can't find", function()
    local result = box:run({ "setup", "--email", "a@example.com", "--password-file", "-",
      "--server", "http://127.0.0.1:9" })
    assert.equal(2, result.status)
    assert.matches("use --setup-token or --setup-token-file", result.err, 1, true)
  end)
end)
