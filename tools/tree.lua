-- SPDX-License-Identifier: Apache-2.0
-- Walks the files of a source tree in a stable order, for the checks beside this file.

local lfs = require("lfs")

local M = {}

local skipped = { ["."] = true, [".."] = true, [".git"] = true, build = true }

---@param root string
---@param folder string relative to root; "" for all of it
---@param pattern string Lua pattern a file's name must match
---@param visit fun(path: string) given each path relative to root
function M.each_file(root, folder, pattern, visit)
  local prefix = folder == "" and "" or folder .. "/"
  if lfs.attributes(root .. "/" .. folder, "mode") ~= "directory" then return end
  local names = {}
  for name in lfs.dir(root .. "/" .. folder) do
    if not skipped[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local mode = lfs.symlinkattributes(root .. "/" .. prefix .. name, "mode")
    if mode == "directory" then
      M.each_file(root, prefix .. name, pattern, visit)
    elseif mode == "file" and name:match(pattern) then
      visit(prefix .. name)
    end
  end
end

---@param root string
---@param path string relative to root
---@return string
function M.read(root, path)
  local file <close> = assert(io.open(root .. "/" .. path, "rb"))
  return assert(file:read("a"))
end

---@param root string
---@param path string relative to root
---@return boolean
function M.exists(root, path)
  return lfs.attributes(root .. "/" .. path, "mode") ~= nil
end

return M
