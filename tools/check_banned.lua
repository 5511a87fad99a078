-- SPDX-License-Identifier: Apache-2.0
-- Refuses calls of functions that have a safer equivalent here: unbounded copies, parsers without an error, a buffer on
-- the stack of a size the caller chose, a shell.
-- Usage: lua5.4 tools/check_banned.lua [ROOT]      Prints "file:line: rule"; exit status 1 when there is one.

package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local tree = require("tree")

local banned = {
  strcpy = "buf_ or snprintf",
  strcat = "buf_",
  strncpy = "memcpy with a checked length",
  sprintf = "snprintf",
  vsprintf = "vsnprintf",
  strtok = "a loop over struct str",
  atoi = "strtol with its end pointer and errno",
  gets = "getline",
  alloca = "an arena or the heap",
  system = "a spawned process without a shell",
}

-- Blanks comments, strings and characters, and keeps every newline, so that line numbers stay right.
local function code_only(text)
  local out, position = {}, 1
  local function blank(last)
    out[#out + 1] = text:sub(position, last):gsub("[^\n]", " ")
    position = last + 1
  end
  while position <= #text do
    local start = text:find("[/\"']", position)
    if not start then break end
    out[#out + 1] = text:sub(position, start - 1)
    position = start
    local two = text:sub(start, start + 1)
    if two == "//" then
      blank((text:find("\n", start, true) or #text + 1) - 1)
    elseif two == "/*" then
      local _, last = text:find("*/", start + 2, true)
      blank(last or #text)
    elseif text:sub(start, start) == "/" then
      out[#out + 1] = "/"
      position = start + 1
    else
      local quote, last = text:sub(start, start), start + 1
      while last <= #text and text:sub(last, last) ~= quote do
        last = last + (text:sub(last, last) == "\\" and 2 or 1)
      end
      blank(math.min(last, #text))
    end
  end
  out[#out + 1] = text:sub(position)
  return table.concat(out)
end

local function check_file(root, path)
  local code = code_only(tree.read(root, path))
  local violations, number = 0, 0
  for line in (code .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    for name in line:gmatch("%f[%w_]([%a_][%w_]*)%s*%(") do
      if banned[name] then
        violations = violations + 1
        print(("%s:%d: %s() is banned: use %s"):format(path, number, name, banned[name]))
      end
    end
  end
  return violations
end

local root = arg[1] or "."
local files, violations = 0, 0
for _, top in ipairs({ "core", "runners" }) do
  tree.each_file(root, top, "%.[ch]$", function(path)
    files = files + 1
    violations = violations + check_file(root, path)
  end)
end
print(("check_banned: %d files, %d violations"):format(files, violations))
os.exit(files > 0 and violations == 0)
