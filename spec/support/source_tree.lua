-- SPDX-License-Identifier: Apache-2.0
-- Runs a tool of tools/ on a small source tree made for the occasion.

local lfs = require("lfs")

local M = {}

local source = os.getenv("OLIVARES_SRC") or "."

local function write(root, path, text)
  local folder = root
  lfs.mkdir(root)
  for part in (path:match("^(.*)/") or ""):gmatch("[^/]+") do
    folder = folder .. "/" .. part
    lfs.mkdir(folder)
  end
  local file <close> = assert(io.open(root .. "/" .. path, "w"))
  assert(file:write(text))
end

---@param tool string name of a Lua file in tools/
---@param files table<string, string> path -> text
---@return boolean ok the tool's exit status was 0
---@return string output
function M.check(tool, files)
  local root = os.tmpname()
  assert(os.remove(root))
  for path, text in pairs(files) do write(root, path, text) end
  local pipe <close> = assert(io.popen(("lua5.4 '%s/tools/%s' '%s' 2>&1"):format(source, tool, root)))
  local output = pipe:read("a")
  local ok = pipe:close()
  os.execute(("rm -r '%s'"):format(root))
  return ok == true, output
end

return M
