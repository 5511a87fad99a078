-- SPDX-License-Identifier: Apache-2.0
-- A client that holds its connections in hand: bytes as they are, several requests at a time, a stream left half-way.
-- For single requests spec.support.server does; this is for what curl(1) can't be asked for, and for many requests.

local cjson = require("cjson")
local uv = require("luv")

local M = {}

local Connection = {}
Connection.__index = Connection

local WITHIN_MS = 30000

-- Coroutines that `together` runs. Anything else waits by turning the event loop itself.
local tasks = setmetatable({}, { __mode = "k" })

---Waits until `reached` answers true, within a deadline. Inside of `together` the others go on meanwhile.
---@param reached function
---@param what string for the message when it does not come
function M.wait_until(reached, what)
  if tasks[coroutine.running()] then
    while not reached() do coroutine.yield(reached) end
    return
  end
  local over = false
  local timer = uv.new_timer()
  timer:start(WITHIN_MS, 0, function() over = true end)
  while not reached() and not over do uv.run("once") end
  timer:close()
  if not reached() then error(("waited too long for %s"):format(what), 2) end
end

---Asks again and again until the answer is not nil or false, within a deadline.
---@param ask function
---@param what string
---@return any answer
function M.poll(ask, what)
  local deadline = uv.hrtime() + WITHIN_MS * 1000000
  repeat
    local answer = ask()
    if answer then return answer end
    local due = false
    local timer = uv.new_timer()
    timer:start(5, 0, function() due = true end)
    M.wait_until(function() return due end, what)
    timer:close()
  until uv.hrtime() > deadline
  error(("waited too long for %s"):format(what), 2)
end

---Runs `each(1)` to `each(count)` side by side until all have returned.
---@param count integer
---@param each fun(index: integer)
---@return any[] results by index
function M.together(count, each)
  local results, waiting, left = {}, {}, count
  local function go_on(index, co)
    local ok, value = coroutine.resume(co)
    if not ok then error(debug.traceback(co, tostring(value)), 0) end
    if coroutine.status(co) ~= "dead" then
      waiting[index] = { co = co, reached = value }
    else
      waiting[index], results[index], left = nil, value, left - 1
    end
  end
  for index = 1, count do
    local co = coroutine.create(function() return each(index) end)
    tasks[co] = true
    go_on(index, co)
  end
  local over = false
  local timer = uv.new_timer()
  timer:start(2 * WITHIN_MS, 0, function() over = true end)
  while left > 0 and not over do
    uv.run("once")
    for index = 1, count do
      local task = waiting[index]
      if task and task.reached() then go_on(index, task.co) end
    end
  end
  timer:close()
  assert(left == 0, "some of them never came to an end")
  return results
end

---@param url string "http://127.0.0.1:PORT"
---@return table connection
function M.connect(url)
  local host, port = url:match("^http://([%d.]+):(%d+)$")
  local self = setmetatable({ socket = uv.new_tcp(), received = "", ended = false }, Connection)
  local connected
  self.socket:connect(host, math.tointeger(tonumber(port)), function(failed) connected = failed or true end)
  M.wait_until(function() return connected end, "a connection to " .. url)
  if connected ~= true then
    self:close()
    return nil, connected
  end
  self.socket:read_start(function(failed, bytes)
    if bytes then self.received = self.received .. bytes else self.ended = failed or true end
  end)
  return self
end

function Connection:close()
  if not self.socket:is_closing() then self.socket:close() end
  self.ended = self.ended or true
end

---@param bytes string as they go over the wire
function Connection:write(bytes)
  if not self.socket:is_closing() then self.socket:write(bytes) end
end

-- What `length` bytes, or the bytes up to `mark`, are; nil when the connection ended before.
local function take(self, length)
  M.wait_until(function() return #self.received >= length or self.ended end, "an answer")
  if #self.received < length then return nil end
  local taken = self.received:sub(1, length)
  self.received = self.received:sub(length + 1)
  return taken
end

local function take_to(self, mark)
  local stop
  M.wait_until(function()
    stop = stop or select(2, self.received:find(mark, 1, true))
    return stop or self.ended
  end, "an answer")
  return stop and take(self, stop)
end

local function read_head(self)
  local head = take_to(self, "\r\n\r\n")
  if not head then return nil end
  local answer = { status = math.tointeger(tonumber(head:match("^HTTP/1.1 (%d%d%d) "))), headers = {} }
  for name, value in head:gmatch("\r\n([^:\r\n]+): *([^\r\n]*)") do answer.headers[name:lower()] = value end
  return answer
end

-- The next piece of a chunked body; "" at its end, nil when the connection ended before that.
local function read_chunk(self)
  local size = take_to(self, "\r\n")
  if not size then return nil end
  local length = tonumber(size:match("^%x+"), 16)
  local piece = take(self, length + 2)
  return piece and piece:sub(1, length)
end

local function read_chunks(self)
  local pieces = {}
  repeat
    local piece = read_chunk(self)
    if not piece then return nil end
    pieces[#pieces + 1] = piece
  until piece == ""
  return table.concat(pieces)
end

---The next answer that comes.
---@return { status: integer, headers: table<string, string>, body: string, json: any }? answer nil when the connection
---  ended before it was complete
function Connection:answer()
  local answer = read_head(self)
  if not answer then return nil end
  if answer.headers["transfer-encoding"] == "chunked" then
    answer.body = read_chunks(self)
  else
    answer.body = take(self, math.tointeger(tonumber(answer.headers["content-length"] or 0)))
  end
  if not answer.body then return nil end
  if (answer.headers["content-type"] or ""):find("^application/json") then answer.json = cjson.decode(answer.body) end
  return answer
end

---@param method string
---@param path string with its query
---@param more { json: any?, body: string?, headers: table? }?
---@return string request its bytes
function M.request_bytes(method, path, more)
  more = more or {}
  local body = more.body or more.json ~= nil and cjson.encode(more.json) or nil
  local lines = { ("%s %s HTTP/1.1"):format(method, path), "Host: x" }
  for name, value in pairs(more.headers or {}) do lines[#lines + 1] = name .. ": " .. value end
  if body then lines[#lines + 1] = "Content-Length: " .. #body end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. (body or "")
end

---One request and its answer.
function Connection:request(method, path, more)
  self:write(M.request_bytes(method, path, more))
  return self:answer()
end

---Begins to read a stream of events. Its events are then read with `event`.
---@return { status: integer, headers: table, body: string? } head
function Connection:stream(path, more)
  self:write(M.request_bytes("GET", path, more))
  local head = read_head(self)
  self.events = ""
  return head
end

---@return { id: integer?, event: string, raw: string, data: any }? event nil at the end of the stream
function Connection:event()
  while true do
    local block, behind = self.events:match("^(.-)\n\n()")
    if block then
      self.events = self.events:sub(behind)
      local id, event, data = block:match("^id: (%d+)\nevent: (%l+)\ndata: ([^\n]*)$")
      if not id then event, data = block:match("^event: (error)\ndata: ([^\n]*)$") end
      if event then
        return { id = math.tointeger(tonumber(id)), event = event, raw = data, data = cjson.decode(data) }
      end
      assert(block:sub(1, 1) == ":", block)
    else
      local piece = read_chunk(self)
      if not piece or piece == "" then return nil end
      self.events = self.events .. piece
    end
  end
end

local Client = {}
Client.__index = Client

---Requests as the server's first user, or as who `token` belongs to, over connections that are kept.
---@param server table of spec.support.server
---@param token string?
---@return table client
function M.new(server, token)
  return setmetatable({ server = server, token = token or server.token, idle = {} }, Client)
end

function Client:headers(more)
  local headers = { Authorization = self.token and "Bearer " .. self.token }
  for name, value in pairs(more and more.headers or {}) do headers[name] = value end
  return headers
end

---One request; a connection of its own when several are under way.
---@return table? answer nil when the server went away before it answered
function Client:request(method, path, more)
  local connection = table.remove(self.idle)
  if not connection or connection.ended or connection.url ~= self.server.url then
    if connection then connection:close() end
    connection = M.connect(self.server.url)
    if not connection then return nil end
    connection.url = self.server.url
  end
  more = setmetatable({ headers = self:headers(more) }, { __index = more })
  local answer = connection:request(method, path, more)
  if not answer or answer.headers.connection == "close" then
    connection:close()
  else
    self.idle[#self.idle + 1] = connection
  end
  return answer
end

function Client:get(path, more) return self:request("GET", path, more) end

---@param json any? the body
function Client:post(path, json, more)
  return self:request("POST", path, setmetatable({ json = json }, { __index = more }))
end

---A request that must be answered with a status.
---@return any document
function Client:must(status, method, path, json)
  local answer = self:request(method, path, { json = json })
  if not answer then error(("%s %s: no answer"):format(method, path), 2) end
  if answer.status ~= status then error(("%s %s: %d %s"):format(method, path, answer.status, answer.body), 2) end
  return answer.json
end

---All items of a list, page by page.
---@param path string without limit and cursor
---@param limit integer?
---@return any[] items
---@return integer pages
function Client:all(path, limit)
  local items, pages, cursor = {}, 0, nil
  local join = path:find("?", 1, true) and "&" or "?"
  repeat
    local page = self:must(200, "GET",
      ("%s%slimit=%d%s"):format(path, join, limit or 1000, cursor and "&cursor=" .. cursor or ""))
    table.move(page.items, 1, #page.items, #items + 1, items)
    pages, cursor = pages + 1, page.cursor
  until not page.has_more
  return items, pages
end

function Client:close()
  for _, connection in ipairs(self.idle) do connection:close() end
  self.idle = {}
end

return M
