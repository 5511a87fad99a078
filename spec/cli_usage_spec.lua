-- SPDX-License-Identifier: Apache-2.0
-- Command lines that can't be carried out: status 2, one line that names what is wrong and what was probably meant,
-- nothing on standard output, no data directory made.

local cli = require("spec.support.cli")

local cases = {
  { "", "a command is needed; there are: serve, setup" },
  { "sandbox", "a command is needed; there are: generate, scenarios, mocks, runs" },
  { "sandbxo", "unknown command 'sandbxo'; did you mean 'sandbox'?" },
  { "sandbox scenario ls", "unknown command 'scenario' of 'sandbox'; did you mean 'scenarios'?" },
  { "sandbox runs lst", "unknown command 'lst' of 'sandbox runs'; did you mean 'ls'?" },
  { "sandbox repl", "unknown command 'repl' of 'sandbox'" },
  { "repl", "unknown command 'repl'" },
  { "sandbox runs ls --limt 5", "unknown option '--limt'; did you mean '--limit'?" },
  { "sandbox runs ls --limt=5", "unknown option '--limt'; did you mean '--limit'?" },
  { "sandbox runs ls -x", "unknown option '-x'" },
  { "--sever http://127.0.0.1:1 whoami", "unknown option '--sever'; did you mean '--server'?" },
  { "--limit 5 sandbox runs ls", "unknown option '--limit'" },
  { "whoami --server", "option '--server' requires an argument" },
  { "--server", "option '--server' requires an argument" },
  { "whoami --server=", "option '--server' is empty" },
  { "whoami now", "too many arguments" },
  { "whoami -o xml", "must be one of 'text', 'json'" },
  { "whoami -o json -o text", "option '-o' must be used at most 1 time" },
  { "sandbox runs get", "missing argument 'id'" },
  { "sandbox runs get ''", "argument 'ID' is empty" },
  { "sandbox runs get a b", "too many arguments" },
  { "sandbox runs ls --limit 0", "option '--limit' takes an integer from 1 to 1000, not '0'" },
  { "sandbox runs ls --limit 1001", "option '--limit' takes an integer from 1 to 1000, not '1001'" },
  { "sandbox runs ls --limit 5x", "option '--limit' takes an integer from 1 to 1000, not '5x'" },
  { "sandbox runs ls --limit 99999999999999999999", "option '--limit' takes an integer" },
  { "sandbox runs ls --order up", "must be one of 'desc', 'asc'" },
  { "sandbox runs ls --status done", "must be one of 'running', 'completed', 'degraded', 'error', 'canceled'" },
  { "sandbox scenarios run x --seed 9007199254740992", "option '--seed' takes an integer from 0 to 9007199254740991" },
  { "sandbox scenarios run x --seed=-1", "option '--seed' takes an integer from 0" },
  { "sandbox scenarios run x --no-wait", "--no-wait needs a server" },
  { "sandbox scenarios update x", "nothing to change: give at least one of --name, --description, --subject-kind, "
    .. "--steps-file, --mocks-file, --variants-file, --seed, --from-file (usage)" },
  { "sandbox scenarios update x --strict", "nothing to change: give at least one of --name" },
  { "whoami --tenant zz", "option '--tenant' takes an id (a lower-case UUIDv7) like "
    .. "0190a0b0-0000-7000-8000-000000000001, not 'zz' (usage)" },
  { "whoami --tenant 0190A0B0-0000-7000-8000-000000000001", "option '--tenant' takes an id (a lower-case UUIDv7)" },
  { "whoami --tenant 0190a0b0-0000-4000-8000-000000000001", "option '--tenant' takes an id (a lower-case UUIDv7)" },
  { "serve --listen foo", "option '--listen' takes ADDR:PORT, such as 127.0.0.1:8440 or [::1]:8440, with a port from "
    .. "0 to 65535, not 'foo' (usage)" },
  { "serve --listen 127.0.0.1:99999", "option '--listen' takes ADDR:PORT" },
  { "serve --listen 127.0.0.1:", "option '--listen' takes ADDR:PORT" },
  { "serve --listen :80", "option '--listen' takes ADDR:PORT" },
  { "serve --listen ::1:80", "option '--listen' takes ADDR:PORT" },
  { "serve --listen '[127.0.0.1]:80'", "option '--listen' takes ADDR:PORT" },
  { "sandbox scenarios create", "option '--name' or '--from-file' is needed" },
  { "sandbox scenarios create --name n --steps-file - --mocks-file -",
    "--steps-file and --mocks-file can't both be '-'" },
  { "sandbox scenarios create --name n --from-file f", "--from-file gives the whole; it can't be used with --name" },
  { "sandbox scenarios create --name n --steps-file - --token-file -",
    "--steps-file and --token-file can't both be '-'" },
  { "sandbox scenarios run x --seed -1", "option '--seed' takes an integer from 0 to 9007199254740991, not '-1'" },
  { "sandbox runs ls --limit -5 --order asc", "option '--limit' takes an integer from 1 to 1000, not '-5'" },
  { "sandbox runs ls --limit -x", "unknown option '-x'" },
  { "sandbox runs ls -5", "unknown option '-5'" },
  { "sandbox generate --count -1", "option '--count' takes an integer from 0 to 100, not '-1'" },
  { "whoami -o -1", "must be one of 'text', 'json'" },
  { "sandbox generate --count 101", "option '--count' takes an integer from 0 to 100, not '101'" },
  { "sandbox compare --baseline-variant a --candidate-variant b", "give exactly one of: --scenario-ref, --session-ref, "
    .. "--baseline-run with --candidate-run" },
  { "sandbox compare --scenario-ref x --session-ref y --baseline-variant a --candidate-variant b",
    "give exactly one of" },
  { "sandbox compare --baseline-run x --candidate-variant b", "--baseline-run and --candidate-run belong together" },
  { "sandbox compare --scenario-ref x --baseline-variant a",
    "option '--candidate-variant' is needed with '--scenario-ref'" },
  { "sandbox gate", "give exactly one of: --subject-ref, --scenario-ref" },
  { "sandbox replay", "missing option '--session-ref'" },
  { "login --email a@example.com", "there is no terminal to ask for the password: use --password-file" },
  { "users create --email a@example.com --role boss --password-file -", "must be one of 'viewer', 'editor'" },
  { "whoami --token t --token-file f", "give --token or --token-file, not both", server = true },
  { "whoami --token t", "a token is for a server: give --server too" },
  { "whoami --server ftp://127.0.0.1", "'ftp://127.0.0.1' is no server address" },
  { "whoami --server 'http://a b'", "is no server address" },
  { "whoami --server http://user:pw@127.0.0.1", "is no server address" },
  { "whoami --server 'http://127.0.0.1/?a=b'", "is no server address" },
  { "setup --email a@example.com --setup-token t --setup-token-file f --password-file -",
    "give --setup-token or --setup-token-file, not both" },
  { "completion", "missing argument 'shell'" },
}

describe("usage errors", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  for _, case in ipairs(cases) do
    it("refuses: olivares " .. case[1], function()
      local command = box:command({}, case.server and { OLIVARES_SERVER_URL = "http://127.0.0.1:1" })
      local result = box:shell(command .. " " .. case[1])
      assert.equal(2, result.status)
      assert.equal("", result.out)
      local line = result.err:match("^[^\n]*\n")
      assert.equal("olivares: ", line:sub(1, 10))
      assert.matches(case[2], line, 1, true)
      assert.matches(" %(usage[^%)]*%)\n$", line)
      assert.is_nil(require("lfs").attributes(box.data))
    end)
  end

  it("points to the command's help", function()
    assert.matches("\nSee `olivares help sandbox runs get`.\n$", box:run({ "sandbox", "runs", "get" }).err)
  end)

  it("names a whole word behind an option, even one that looks like a command", function()
    local result = box:run({ "--data", "sandbox", "sandbox", "runs", "lst" })
    assert.matches("unknown command 'lst' of 'sandbox runs'", result.err, 1, true)
  end)

  it("neutralises what it repeats", function()
    local result = box:run({ "sandbox", "runs", "ls", "--limit", "\27[31m5" })
    assert.matches("not '\\x1b[31m5'", result.err, 1, true)
    assert.is_nil(result.err:find("\27", 1, true))
  end)
end)
