-- SPDX-License-Identifier: Apache-2.0
-- The same commands against a server of the same program: setting it up, logging in, tokens and what they may do.

local cli = require("spec.support.cli")
local uv = require("luv")

local password = "correct horse battery"

describe("with a server", function()
  local box, server, url, announced, token, tenant

  setup(function()
    box = cli.new()
    local out = uv.new_pipe()
    local shown = ""
    server = uv.spawn("/bin/sh", {
      args = { "-c", "exec " .. box:command({ "serve", "--listen", "127.0.0.1:0" }) .. " 2>" .. box.root .. "/log" },
      stdio = { nil, out, nil },
    }, function() server:close() end)
    out:read_start(function(_, bytes)
      shown = shown .. (bytes or "")
      if not bytes or shown:find("olivares: run: [^\n]*\n") then out:close() end
    end)
    while not out:is_closing() do uv.run("once") end
    url, announced = assert(shown:match("listening on (http://%S+)\n"), shown), shown
  end)

  teardown(function()
    server:kill("sigterm")
    while not server:is_closing() do uv.run("once") end
    uv.run()
    box:remove()
  end)

  local function on_server(arguments, more)
    more = more or {}
    more.env = more.env or {}
    more.env.OLIVARES_SERVER_URL = url
    more.env.OLIVARES_TOKEN = more.env.OLIVARES_TOKEN or token
    more.env.OLIVARES_TENANT = tenant
    return box:run(arguments, more)
  end

  local function json(arguments, more)
    local result = on_server(table.move(arguments, 1, #arguments, 3, { "-o", "json" }), more)
    assert.equal(0, result.status, result.err)
    return require("cjson").decode(result.out)
  end

  it("says at its first start how it is set up, with no secret on a command line", function()
    local file = box.data .. "/setup-token"
    assert.equal(("olivares: listening on %s\n"
      .. "olivares: nobody has set up this engine yet; the one-time setup token is %s\n"
      .. "olivares: run: olivares --server %s setup --email YOU@EXAMPLE --setup-token-file '%s'\n")
      :format(url, cli.read(file), url, file), announced)
  end)

  it("refuses everything but setup at first, and says what to do", function()
    local refused = on_server({ "whoami" })
    assert.equal(3, refused.status)
    assert.matches("olivares setup", refused.err, 1, true)
    assert.matches("%(setup_required%)\n$", refused.err)
    assert.equal(0, on_server({ "status" }).status)
  end)

  it("is set up with the token it printed, once", function()
    local wrong = on_server({ "setup", "--email", "ada@example.com", "--setup-token", "x", "--password-file", "-" },
      { input = password })
    assert.equal(3, wrong.status)
    local arguments = { "setup", "--email", "ada@example.com", "--organization", "Example", "--password-file",
      box:write("password", password), "--setup-token-file", "-", "--save", box.root .. "/token" }
    local done = on_server(arguments, { input = cli.read(box.data .. "/setup-token") .. "\n" })
    assert.equal(0, done.status, done.err)
    assert.matches("email: +ada@example.com\n", done.out)
    assert.is_nil(done.out:find("ols_", 1, true))
    token = cli.read(box.root .. "/token"):match("^%S+")
    assert.equal("ols_", token:sub(1, 4))
    tenant = json({ "whoami" }).tenant
    local again = on_server({ "setup", "--email", "eve@example.com", "--setup-token", "x", "--password-file", "-" },
      { input = password })
    assert.equal(5, again.status)
    assert.matches("%(setup_complete%)\n$", again.err)
  end)

  it("logs in and out", function()
    local refused = on_server({ "login", "--email", "ada@example.com", "--password-file", "-" },
      { input = "wrong word" })
    assert.same({ 3, "" }, { refused.status, refused.out })
    local session = json({ "login", "--email", "ada@example.com", "--password-file", "-" }, { input = password })
    local mine = { env = { OLIVARES_TOKEN = session.token } }
    assert.equal("ada@example.com", json({ "whoami" }, mine).user.email)
    assert.equal(0, on_server({ "logout" }, mine).status)
    assert.equal(3, on_server({ "whoami" }, mine).status)
  end)

  it("gives and takes rights", function()
    assert.equal(0, on_server({ "modules", "on", "sandbox" }).status)
    local viewer = json({ "tokens", "create", "--name", "ci", "--role", "viewer", "--expires-in", "3600" })
    local reading = { env = { OLIVARES_TOKEN = viewer.token } }
    assert.equal(0, on_server({ "sandbox", "scenarios", "ls" }, reading).status)
    local steps = { "sandbox", "scenarios", "create", "--name", "n", "--steps-file", "-" }
    local refused = on_server(steps, { input = '[{"input":"x"}]', env = reading.env })
    assert.equal(3, refused.status)
    assert.matches("%(forbidden", refused.err)
    local listed = json({ "tokens", "ls" }).items
    assert.same({ "ci", "viewer", nil }, { listed[1].name, listed[1].role, listed[1].token })
    assert.equal(0, on_server({ "tokens", "revoke", viewer.id }).status)
    assert.equal(3, on_server({ "sandbox", "scenarios", "ls" }, reading).status)
  end)

  it("makes users, organizations and memberships", function()
    local user = json({ "users", "create", "--email", "grace@example.com", "--role", "editor",
      "--display-name", "Grace", "--password-file", "-" }, { input = password })
    assert.same({ "grace@example.com", "editor" }, { user.email, user.role })
    local org = json({ "orgs", "create", "--name", "Other", "--slug", "other" })
    assert.equal(2, #json({ "orgs", "ls" }).items)
    local member = json({ "memberships", "set", user.id, "--role", "viewer", "--tenant", org.tenant_id })
    assert.same({ org.tenant_id, "viewer" }, { member.tenant, member.role })
    assert.equal(5, on_server({ "orgs", "create", "--name", "Other", "--slug", "other" }).status)
  end)

  it("runs a scenario, waiting or not, with a progress line for nobody", function()
    local made = json({ "sandbox", "scenarios", "create", "--name", "n", "--steps-file", "-" },
      { input = '[{"key":"a","input":"x"}]' })
    local ran = on_server({ "sandbox", "scenarios", "run", made.id })
    assert.same({ 0, "" }, { ran.status, ran.err })
    assert.matches("\nstatus: +completed\n", ran.out)
    local started = json({ "sandbox", "scenarios", "run", made.id, "--no-wait" })
    local followed = on_server({ "sandbox", "runs", "stream", started.id })
    assert.equal(0, followed.status)
    assert.matches("^#0 a  miss\n    x <%- no mock\n    | %[%[mock%-miss:x%]%]\n", followed.out)
    local too_late = on_server({ "sandbox", "runs", "cancel", started.id })
    assert.equal(5, too_late.status)
  end)

  it("does not start on an address that is taken", function()
    local other = cli.new()
    local refused = other:run({ "serve", "--listen", url:match("//(.*)$") })
    other:remove()
    assert.same({ 6, "" }, { refused.status, refused.out })
    assert.matches(" is in use by another program; stop it or listen on another port (unavailable)\n", refused.err, 1,
      true)
  end)

  it("keeps commands without a server off its data directory", function()
    local refused = box:run({ "whoami" })
    assert.equal(6, refused.status)
    assert.matches(url, refused.err, 1, true)
  end)
end)
