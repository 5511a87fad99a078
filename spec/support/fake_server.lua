-- SPDX-License-Identifier: Apache-2.0
-- A server that answers what an example wants, and the program as its client, both driven by one event loop: what one
-- does when the other has come to some point needs no waiting.

local uv = require("luv")

local M = {}

local Exchange = {}
Exchange.__index = Exchange

local reasons = { [200] = "OK", [201] = "Created", [202] = "Accepted", [302] = "Found", [404] = "Not Found" }

---Sends a whole answer.
---@param status integer
---@param body string
---@param headers string[]? lines; Content-Type: application/json when absent
function Exchange:reply(status, body, headers)
  local lines = { ("HTTP/1.1 %d %s"):format(status, reasons[status] or "Other"), "Content-Length: " .. #body }
  table.move(headers or { "Content-Type: application/json" }, 1, #(headers or { 1 }), 3, lines)
  self.client:write(table.concat(lines, "\r\n") .. "\r\n\r\n" .. body)
end

---Begins an event stream that ends with the connection.
---@param events string
function Exchange:stream(events)
  self.client:write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" .. events)
end

---Ends the connection.
function Exchange:hang_up()
  self.client:shutdown()
end

local function read_request(text)
  local head, rest = text:match("^(.-\r\n)\r\n(.*)$")
  if not head then return nil, text end
  local method, path = head:match("^(%u+) (%S+)")
  local request = { method = method, path = path, headers = {} }
  for name, value in head:gmatch("\r\n([^:\r\n]+): *([^\r\n]*)") do request.headers[name:lower()] = value end
  local length = tonumber(request.headers["content-length"] or "0")
  if #rest < length then return nil, text end
  request.body = rest:sub(1, length)
  return request, rest:sub(length + 1)
end

local function listen(state, handler)
  local server = uv.new_tcp()
  assert(server:bind("127.0.0.1", 0))
  assert(server:listen(16, function()
    local client = uv.new_tcp()
    server:accept(client)
    state.clients[#state.clients + 1] = client
    local pending = ""
    client:read_start(function(_, bytes)
      if not bytes then return end
      local request
      pending = pending .. bytes
      request, pending = read_request(pending)
      if not request then return end
      state.requests[#state.requests + 1] = request
      handler(setmetatable({ request = request, client = client, program = state.program }, Exchange))
    end)
  end))
  return server
end

local function collect(into, name)
  local pipe = uv.new_pipe()
  into[name] = ""
  return pipe, function(_, bytes)
    if bytes then into[name] = into[name] .. bytes end
  end
end

---Runs the program against a server.
---@param box table of spec.support.cli
---@param arguments string[] the program's, to which --server is added
---@param handler fun(exchange: table) called for every request; exchange.program is the process handle
---@param more { env: table<string, string>?, wrap: (fun(command: string): string)? }? `wrap` turns the shell command
---  into another that runs it
---@return { status: integer, signal: integer, out: string, err: string } result
---@return table[] requests {method, path, headers, body}
function M.run(box, arguments, handler, more)
  more = more or {}
  local state = { clients = {}, requests = {} }
  local server = listen(state, handler)
  local url = ("http://127.0.0.1:%d"):format(server:getsockname().port)
  local result = {}
  local out, take_out = collect(result, "out")
  local err, take_err = collect(result, "err")
  local command = box:command({ "--server", url, table.unpack(arguments) }, more.env)
  command = "exec " .. (more.wrap and more.wrap(command) or command)
  state.program = uv.spawn("/bin/sh", { args = { "-c", command }, stdio = { nil, out, err } }, function(code, signal)
    result.status, result.signal = code, signal
    server:close()
    for _, client in ipairs(state.clients) do client:close() end
  end)
  out:read_start(take_out)
  err:read_start(take_err)
  uv.run()
  result.url = url
  return result, state.requests
end

return M
