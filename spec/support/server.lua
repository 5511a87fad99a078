-- SPDX-License-Identifier: Apache-2.0
-- A real `olivares serve` on a port of the system's choice, and requests to it over curl(1), so that a spec sees the
-- exact bytes of an answer.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local uv = require("luv")

local M = {}

local Server = {}
Server.__index = Server

M.email = "ada@example.com"
M.password = "correct horse battery"

local END_WITHIN_MS = 60000

---Turns the event loop until `reached` says so; fails when it says that it never will, or the time is over.
local function turn_until(self, reached, what)
  local over = false
  local timer = uv.new_timer()
  timer:start(END_WITHIN_MS, 0, function() over = true end)
  local is_reached, never = reached()
  while not is_reached and not never and not over do
    uv.run("once")
    is_reached, never = reached()
  end
  timer:close()
  if not is_reached then error(("the server %s: %s%s"):format(what, self.shown, self:log()), 3) end
end

---Whether the process is gone and all that it printed was read.
local function gone(self) return self.ended and self.out:is_closing() end

local function launch(self, more)
  local out = uv.new_pipe()
  local arguments = { "serve", "--listen", "127.0.0.1:0", table.unpack(more.arguments or {}) }
  local command = "exec " .. self.box:command(arguments, more.env) .. " 2>>" .. cli.quote(self.box.root .. "/log")
  self.shown, self.ended = "", nil
  self.process, self.pid = uv.spawn("/bin/sh", {
    args = { "-c", more.wrap and more.wrap(command) or command },
    stdio = { nil, out, nil },
  }, function(code, signal)
    self.ended = { code = code, signal = signal }
    self.process:close()
  end)
  assert(self.process, self.pid)
  self.out = out
  out:read_start(function(_, bytes)
    if bytes then self.shown = self.shown .. bytes else out:close() end
  end)
  turn_until(self, function() return self.shown:find("listening on http://%S+\n"), gone(self) end, "did not start")
  self.url = self.shown:match("listening on (http://%S+)\n")
end

---Starts a server. Fields of what is returned: url, data (its directory), box (spec.support.cli), pid; and when it was
---set up: token (of the first user's login session), tenant, user, organization.
---@param more { setup: boolean?, box: table?, env: table?, arguments: string[]?, wrap: function? }? setup: false leaves
---  the engine as it starts; box: the one of a server that was stopped, to start again on its data
---@return table server
function M.start(more)
  more = more or {}
  local self = setmetatable({ box = more.box or cli.new() }, Server)
  self.data = self.box.data
  launch(self, more)
  if more.setup ~= false and not more.box then self:set_up() end
  return self
end

---@return string? the one-time token; nil when it is used up
function Server:setup_token()
  local file <close> = io.open(self.data .. "/setup-token", "rb")
  return file and file:read("l")
end

function Server:set_up()
  local answer = self:request("POST", "/v1/setup",
    { json = { token = self:setup_token(), email = M.email, password = M.password, organization = "Example" } })
  assert(answer.status == 201, answer.body)
  self.token, self.tenant = answer.json.token, answer.json.organization.tenant_id
  self.user, self.organization = answer.json.user, answer.json.organization
end

---What the server wrote to its standard error, over all its starts.
---@return string
function Server:log()
  local file <close> = io.open(self.box.root .. "/log", "rb")
  return file and file:read("a") or ""
end

local function headers_of(text)
  local headers = {}
  for name, value in text:gmatch("([^:\r\n]+): *([^\r\n]*)\r\n") do headers[name:lower()] = value end
  return headers
end

local function curl_command(self, method, path, more, files)
  local words = { "curl", "--silent", "--show-error", "--http1.1", "--noproxy", "'*'", "--path-as-is", "--globoff",
    "--max-time", "30", "--request", method, "--dump-header", files.head, "--output", files.body,
    "--write-out", "'%{http_code}'", "--header", "'Expect:'" }
  local function header(name, value)
    words[#words + 1] = "--header"
    words[#words + 1] = cli.quote(name .. ": " .. value)
  end
  local token = more.token == nil and self.token or more.token
  if token then header("Authorization", "Bearer " .. token) end
  if more.tenant then header("X-Olivares-Tenant", more.tenant) end
  for name, value in pairs(more.headers or {}) do header(name, value) end
  if files.sent then
    words[#words + 1] = "--header 'Content-Type: application/json' --data-binary @" .. files.sent
  end
  words[#words + 1] = cli.quote(self.url .. path)
  return table.concat(words, " ")
end

---One request.
---@param method string
---@param path string with its query
---@param more { json: any?, body: string?, token: string|false?, tenant: string?, headers: table?, wrap: function? }?
---  json: a body to encode; body: one as it is; token: another than the first user's, or none
---@return { status: integer, headers: table<string, string>, body: string, json: any } answer headers by their names in
---  lower case; json when the answer is JSON
function Server:request(method, path, more)
  more = more or {}
  local sent = more.body or more.json ~= nil and cjson.encode(more.json) or nil
  local root = self.box.root
  local files = { head = cli.quote(root .. "/head"), body = cli.quote(root .. "/body"),
    sent = sent and cli.quote(self.box:write("sent", sent)) }
  os.remove(root .. "/body")
  local pipe = assert(io.popen(curl_command(self, method, path, more, files), "r"))
  local status = pipe:read("a")
  local ok, how, code = pipe:close()
  if not ok then error(("%s %s: curl ended with %s %d\n%s"):format(method, path, how, code, self:log()), 2) end
  local answer = { status = math.tointeger(tonumber(status)), headers = headers_of(cli.read(root .. "/head")) }
  local file <close> = io.open(root .. "/body", "rb") -- curl makes none for an empty body
  answer.body = file and file:read("a") or ""
  if (answer.headers["content-type"] or ""):find("^application/json") then answer.json = cjson.decode(answer.body) end
  return answer
end

function Server:get(path, more) return self:request("GET", path, more) end

---@param json any? the body
function Server:post(path, json, more)
  more = more or {}
  return self:request("POST", path, setmetatable({ json = json }, { __index = more }))
end

---A statement on the database file, behind the engine's back.
---@param sql string
---@return string what sqlite3(1) printed
function Server:sql(sql)
  local path = self.box:write("sql", ".timeout 10000\n" .. sql .. "\n")
  local result = self.box:shell(("sqlite3 -batch -bail %s <%s"):format(
    cli.quote(self.data .. "/olivares.db"), cli.quote(path)))
  assert(result.status == 0, result.err)
  return (result.out:gsub("\n$", ""))
end

---Asks the server to end and waits until it has.
---@param signal string? "sigterm" when absent
---@return integer code of its exit
---@return integer signal that ended it, or 0
function Server:stop(signal)
  if not self.ended then self.process:kill(signal or "sigterm") end
  turn_until(self, function() return gone(self) end, "did not end")
  return self.ended.code, self.ended.signal
end

---Stops it and starts it again on the same data, on another port; tokens stay valid.
function Server:restart()
  self:stop()
  launch(self, {})
end

---Ends it, if it has not ended, and removes its directory. An end that is not a clean one (a sanitizer's report too) is
---an error, unless a signal was what it was asked for.
function Server:remove()
  local code, signal = self:stop()
  uv.run("nowait") -- closes the handles
  local log = self:log()
  self.box:remove()
  if code ~= 0 and signal == 0 then error(("the server ended with status %d\n%s"):format(code, log), 2) end
end

return M
