-- SPDX-License-Identifier: Apache-2.0
-- What several have to share: a port, a data directory, the engine's attention.

local cli = require("spec.support.cli")
local clients = require("spec.support.client")
local servers = require("spec.support.server")
local uv = require("luv")

describe("with an engine that serves,", function()
  local server, address

  setup(function()
    server = servers.start()
    address = server.url:match("^http://(.*)$")
  end)
  teardown(function() server:remove() end)

  it("another one on the same port is refused, and makes no use of its directory", function()
    local box = cli.new()
    finally(function() box:remove() end)
    local ended = box:shell("exec timeout 20 " .. box:command({ "serve", "--listen", address }))
    local taken = "olivares: %s is in use by another program; stop it or listen on another port (unavailable)\n"
    assert.same({ 6, "", taken:format(address) }, { ended.status, ended.out, ended.err })
    assert.equal(0, box:run({ "whoami" }).status)
  end)

  it("another one on the same directory is told who has it, and where", function()
    local held = "olivares: the data directory '%s' is in use (pid %d, serving http://%s); use that server with "
      .. "--server, stop it, or name another directory with --data (unavailable)\n"
    held = held:format(server.data, server.pid, address)
    local before = server:get("/v1/whoami").body
    for _, words in ipairs({ { "serve", "--listen", "127.0.0.1:0" }, { "whoami" }, { "sandbox", "scenarios", "ls" },
      { "modules", "on", "sandbox" } }) do
      local ended = server.box:shell("exec timeout 20 " .. server.box:command(words))
      assert.same({ 6, "", held }, { ended.status, ended.out, ended.err })
    end
    assert.equal(before, server:get("/v1/whoami").body)
  end)

  it("a killed one's directory is free at once", function()
    local other = servers.start()
    finally(function() other:remove() end)
    assert.same({ 0, 9 }, { other:stop("sigkill") })
    assert.equal(0, other.box:run({ "whoami" }).status)
    local again = servers.start({ box = other.box })
    assert.same({ 0, 0 }, { again:stop() })
  end)

  it("200 clients that send half a request stop nobody else", function()
    local client = clients.new(server)
    client:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
    local request = clients.request_bytes("POST", "/v1/m/sandbox/synthetic-data",
      { json = { count = 1 }, headers = client:headers() })
    local body_at = request:find("\r\n\r\n", 1, true) + 4
    local halves = clients.together(200, function(index)
      local connection = clients.connect(server.url)
      -- Nothing, half of the request line, half of the head, the head, half of the body.
      local sent = ({ 0, 8, body_at // 2, body_at - 1, #request - 3 })[index % 5 + 1]
      connection:write(request:sub(1, sent))
      connection.rest = request:sub(sent + 1)
      return connection
    end)
    clients.poll(function()
      return tonumber(client:get("/metrics").body:match("\nolivares_http_connections (%d+)")) >= 200
    end, "the clients to be connected")

    local slowest = 0
    for _ = 1, 50 do
      local begun = uv.hrtime()
      client:must(200, "GET", "/v1/whoami")
      client:must(200, "POST", "/v1/m/sandbox/synthetic-data", { count = 1 })
      slowest = math.max(slowest, (uv.hrtime() - begun) // 1000000)
    end
    assert.is_true(slowest < 2000, "a request took " .. slowest .. " ms")

    clients.together(200, function(index)
      local connection = halves[index]
      connection:write(connection.rest)
      local answer = connection:answer()
      assert.same({ 200, "agent-sample-1" }, { answer.status, answer.json.samples[1].input })
      connection:close()
    end)
    client:close()
  end)

  it("200 clients that go away in the middle of a request leave nothing behind", function()
    local client = clients.new(server)
    local function count(name)
      return tonumber(client:get("/metrics").body:match("\nolivares_" .. name .. " (%d+)"))
    end
    local halves = clients.together(200, function()
      local connection = clients.connect(server.url)
      connection:write("POST /v1/m/sandbox/scenarios HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
      return connection
    end)
    clients.poll(function() return count("http_exchanges") == 201 end, "the requests to have begun")
    for _, connection in ipairs(halves) do connection:close() end
    clients.poll(function() return count("http_connections") == 1 and count("http_exchanges") == 1 end,
      "the connections to be gone")
    client:close()
  end)
end)

describe("commands on one data directory", function()
  it("wait for each other", function()
    local box = cli.new()
    finally(function() box:remove() end)
    assert.equal(0, box:run({ "modules", "on", "sandbox" }).status)
    local create = box:command({ "sandbox", "scenarios", "create", "--steps-file",
      box:write("steps", '[{"input":"x"}]'), "--name" })
    local commands = {}
    for i = 1, 6 do commands[i] = ("{ %s n%d || echo failed; } &"):format(create, i) end
    local ended = box:shell(table.concat(commands, "\n") .. "\nwait")
    assert.is_nil(ended.out:find("failed", 1, true), ended.err)
    assert.equal(6, #box:json({ "sandbox", "scenarios", "ls" }).items)
  end)
end)
