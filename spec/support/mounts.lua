-- SPDX-License-Identifier: Apache-2.0
-- A private mount namespace: file systems that only the commands of a spec see, and that go with it. It is held by a
-- process of its own, so that an engine in it can end and start again.

local cli = require("spec.support.cli")
local uv = require("luv")

local M = {}

local Space = {}
Space.__index = Space

local HOLD = "exec unshare --mount --propagation private sh -c %s"

---Whether this machine lets us; the specs say pending where it does not.
---@return string? why not
function M.unavailable()
  local made = os.execute("unshare --mount --propagation private mount -t tmpfs tmpfs /tmp >/dev/null 2>&1")
  return not made and "needs mount namespaces: run as root" or nil
end

---Makes a namespace and runs a command in it first, which mounts what is wanted.
---@param mount string shell command
---@return table space
function M.open(mount)
  local self = setmetatable({ shown = "" }, Space)
  local input, output = uv.new_pipe(), uv.new_pipe()
  self.process, self.pid = uv.spawn("/bin/sh", {
    args = { "-c", HOLD:format(cli.quote(mount .. " && echo ready && exec cat")) },
    stdio = { input, output, 2 },
  }, function() self.process:close() end)
  self.input = input
  output:read_start(function(_, bytes)
    if bytes then self.shown = self.shown .. bytes else output:close() end
  end)
  while not self.shown:find("ready\n", 1, true) and not output:is_closing() do uv.run("once") end
  assert(self.shown:find("ready\n", 1, true), "the file systems were not mounted")
  return self
end

---@param command string of the shell
---@return string command that runs it in the namespace, in the same process
function Space:wrap(command)
  return ("exec nsenter --target %d --mount sh -c %s"):format(self.pid, cli.quote(command))
end

---@param path string in the namespace
---@return string path from outside of it
function Space:path(path)
  return ("/proc/%d/root%s"):format(self.pid, path)
end

function Space:close()
  self.input:close() -- ends the cat, and with it the namespace
  while not self.process:is_closing() do uv.run("once") end
end

return M
