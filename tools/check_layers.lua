-- SPDX-License-Identifier: Apache-2.0
-- The layer table of the architecture as data, and the check that every #include in core/ and runners/ keeps to it.
-- Usage: lua5.4 tools/check_layers.lua [ROOT]
-- Prints "file:line: rule" for each violation; exit status 1 when there is one.
--
-- Three rules:
--   * a quoted include names its folder ("base/err.h"), and the folder must be one the including folder may see;
--   * a third-party header is included only in the folder it is fenced to;
--   * any other <header> is the C library's or the kernel's, and is listed here, so that a new dependency is noticed.
-- test_*.c and fuzz_*.c see what their own layer sees; tests see cmocka besides.

package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local tree = require("tree")

-- Folder -> what it may include beside itself: folders, or single headers where that is all that is granted.
local layers = {
  ["core/base"] = {},
  ["core/sys"] = { "base" },
  ["core/loop"] = { "base", "sys" },
  ["core/store"] = { "base", "sys", "loop" },
  ["core/access"] = { "base", "store" },
  ["core/jail"] = { "base", "sys" },
  ["core/guest"] = { "base", "sys", "loop", "jail" },
  ["core/guest/inside"] = { "base/err.h", "guest/protocol.h" },
  ["core/mock"] = { "base" },
  ["core/sandbox"] = { "base", "store", "access", "mock" },
  ["core/evals"] = { "base", "store", "access" },
  ["core/sessions"] = { "base", "store", "access" },
  ["core/policy"] = { "base", "store", "access", "guest" },
  ["runners/*"] = { "base", "sys", "loop", "jail", "guest", "mock", "sandbox/runner.h" },
  ["core/http"] = { "base", "loop" },
  ["core/api"] = {
    "base", "sys", "loop", "store", "access", "jail", "guest", "mock", "sandbox", "evals", "sessions", "policy", "http",
  },
  ["core/app"] = {
    "base", "sys", "loop", "store", "access", "jail", "guest", "mock", "sandbox", "evals", "sessions", "policy", "http",
    "api", "runners/*",
  },
}

-- Third-party header (or the folder it comes in) -> the only layers that may include it.
local fences = {
  ["jansson.h"] = { "core/base" },
  ["sodium.h"] = { "core/base" },
  ["ev.h"] = { "core/loop" },
  ["sqlite3.h"] = { "core/store" },
  ["seccomp.h"] = { "core/jail" },
  ["pcre2.h"] = { "core/mock", "core/evals" },
  ["utf8proc.h"] = { "core/mock" },
  ["microhttpd.h"] = { "core/http" },
  ["lua.h"] = { "core/guest/inside", "core/app" },
  ["lauxlib.h"] = { "core/guest/inside", "core/app" },
  ["lualib.h"] = { "core/guest/inside", "core/app" },
  ["yaml.h"] = { "core/app" },
  ["curl/"] = { "core/app", "runners/firecracker" },
  ["histedit.h"] = { "core/app" },
  ["editline/"] = { "core/app" },
}

local function set_of(words)
  local set = {}
  for word in words:gmatch("%S+") do set[word] = true end
  return set
end

local system_headers = set_of([[
  assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
  stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h
  threads.h time.h uchar.h wchar.h wctype.h
  byteswap.h dirent.h dlfcn.h elf.h endian.h err.h execinfo.h fcntl.h fnmatch.h getopt.h glob.h grp.h ifaddrs.h
  langinfo.h libgen.h link.h malloc.h mntent.h netdb.h paths.h poll.h pthread.h pty.h pwd.h regex.h sched.h search.h
  semaphore.h spawn.h stdio_ext.h strings.h syslog.h termios.h ucontext.h unistd.h utime.h wait.h
]])
local system_folders = set_of("arpa asm linux net netinet sys sanitizer")

local function layer_of(folder)
  while folder do
    if layers[folder] then return folder, layers[folder] end
    if folder:match("^runners/[^/]+$") then return folder, layers["runners/*"] end
    folder = folder:match("^(.*)/[^/]*$")
  end
  return nil
end

-- "guest/inside/x.h" is core/guest/inside; runners are named from the root of the tree.
local function target_layer(header)
  local folder = header:match("^(.*)/[^/]+$")
  if not folder then return nil end
  return layer_of(folder:match("^runners/") and folder or "core/" .. folder)
end

local function quoted_violation(own_layer, allowed, header)
  if not header:find("/", 1, true) then
    return ('"%s" does not name its folder'):format(header)
  end
  if header:find("..", 1, true) then
    return ('"%s" climbs out of its folder'):format(header)
  end
  local target = target_layer(header)
  if not target then
    return ('"%s" is in no layer of the table'):format(header)
  end
  if target == own_layer then return nil end
  for _, grant in ipairs(allowed) do
    if grant == header or "core/" .. grant == target then return nil end
    if grant == "runners/*" and target:match("^runners/") then return nil end
  end
  return ('%s may not include "%s" (may include: %s)'):format(own_layer, header,
    #allowed > 0 and table.concat(allowed, ", ") or "nothing but itself")
end

local function angle_violation(own_layer, file_name, header)
  if header == "cmocka.h" then
    return not file_name:match("^test_") and "<cmocka.h> belongs in test_*.c" or nil
  end
  local folder = header:match("^([^/]+/)")
  local homes = fences[header] or (folder and fences[folder])
  if homes then
    for _, home in ipairs(homes) do
      if home == own_layer then return nil end
    end
    return ("<%s> is fenced to %s"):format(header, table.concat(homes, ", "))
  end
  if system_headers[header] or (folder and system_folders[folder:sub(1, -2)]) then return nil end
  return ("<%s> is not a known system header: give it a fence in tools/check_layers.lua"):format(header)
end

---@param root string
---@param path string relative to root
---@return string[] violations
local function check_file(root, path)
  local folder, file_name = path:match("^(.*)/([^/]+)$")
  local own_layer, allowed = layer_of(folder)
  if not own_layer then
    return { ("%s:1: %s is in no layer of the table"):format(path, folder) }
  end
  local violations, number = {}, 0
  for line in io.lines(root .. "/" .. path) do
    number = number + 1
    local kind, header = line:match('^%s*#%s*include%s*([<"])([^>"]+)[>"]')
    local rule
    if kind == '"' then
      rule = quoted_violation(own_layer, allowed, header)
    elseif kind == "<" then
      rule = angle_violation(own_layer, file_name, header)
    end
    if rule then violations[#violations + 1] = ("%s:%d: %s"):format(path, number, rule) end
  end
  return violations
end

local root = arg[1] or "."
local files, violations = 0, 0
for _, top in ipairs({ "core", "runners" }) do
  tree.each_file(root, top, "%.[ch]$", function(path)
    files = files + 1
    for _, violation in ipairs(check_file(root, path)) do
      violations = violations + 1
      print(violation)
    end
  end)
end
print(("check_layers: %d files, %d violations"):format(files, violations))
if files == 0 then
  io.stderr:write("check_layers: no C source under ", root, "\n")
end
os.exit(files > 0 and violations == 0)
