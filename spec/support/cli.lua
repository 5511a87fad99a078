-- SPDX-License-Identifier: Apache-2.0
-- Runs the program as a person would: with a data directory of its own, and what came back on both streams.

local lfs = require("lfs")

local M = {}

M.program = os.getenv("OLIVARES_BIN") or "build/dev/olivares"
if M.program:sub(1, 1) ~= "/" then M.program = lfs.currentdir() .. "/" .. M.program end

-- What the person running the specs has set must not show in them.
local unset = { "OLIVARES_SERVER_URL", "OLIVARES_TOKEN", "OLIVARES_TENANT", "OLIVARES_DATA", "COLUMNS", "NO_COLOR",
  "XDG_DATA_HOME", "http_proxy", "https_proxy", "all_proxy", "no_proxy" }

---@param word string
---@return string quoted for the shell
function M.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---A shell command that runs another on a terminal, types each of `lines` when a colon has appeared there (the end of a
---prompt), and gives what the terminal showed and the other's status.
---@param command string
---@param lines string[]
---@return string
function M.typing(command, lines)
  local steps = {}
  for _, line in ipairs(lines) do
    steps[#steps + 1] = ([[IFS= read -r -d : shown <&"${T[0]}"; printf '%%s:' "$shown"; printf %%s %s >&"${T[1]}"]])
      :format(M.quote(line))
  end
  local script = ([[exec 2>/dev/null; coproc T { script -qec %s /dev/null; }; pid=$T_PID; %s; ]]
    .. [[cat <&"${T[0]}"; wait $pid]]):format(M.quote(command), table.concat(steps, "; "))
  return "bash -c " .. M.quote(script)
end

---@param path string
---@return string
function M.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return assert(file:read("a"))
end

local Box = {}
Box.__index = Box

---A folder for one example: data directory, files, a home.
---@return table box
function M.new()
  local root = os.tmpname()
  assert(os.remove(root))
  assert(lfs.mkdir(root))
  return setmetatable({ root = root, data = root .. "/data" }, Box)
end

function Box:remove()
  os.execute("rm -rf " .. M.quote(self.root))
end

---@param name string
---@param content string
---@return string path
function Box:write(name, content)
  local path = self.root .. "/" .. name
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(content))
  return path
end

local function environment_of(box, env)
  local words = { "env" }
  for _, name in ipairs(unset) do words[#words + 1] = "-u " .. name end
  words[#words + 1] = "HOME=" .. M.quote(box.root)
  words[#words + 1] = "OLIVARES_DATA=" .. M.quote(box.data)
  for name, value in pairs(env or {}) do words[#words + 1] = name .. "=" .. M.quote(value) end
  return table.concat(words, " ")
end

---The shell command for a call of the program.
---@param arguments string[]
---@param env table<string, string>?
---@return string
function Box:command(arguments, env)
  local words = { environment_of(self, env), M.quote(M.program) }
  for _, argument in ipairs(arguments) do words[#words + 1] = M.quote(argument) end
  return table.concat(words, " ")
end

---Runs a shell command in the box.
---@param command string
---@param input string? standard input; none when absent
---@return { status: integer, out: string, err: string }
function Box:shell(command, input)
  local stdin = input and self:write("stdin", input) or "/dev/null"
  local out, err = self.root .. "/stdout", self.root .. "/stderr"
  local _, how, code = os.execute(("{ %s\n} <%s >%s 2>%s"):format(
    command, M.quote(stdin), M.quote(out), M.quote(err)))
  return { status = how == "signal" and 128 + code or code, out = M.read(out), err = M.read(err) }
end

---@param arguments string[]
---@param more { input: string?, env: table<string, string>? }?
---@return { status: integer, out: string, err: string }
function Box:run(arguments, more)
  more = more or {}
  return self:shell(self:command(arguments, more.env), more.input)
end

---Runs a command that must succeed, with -o json.
---@param arguments string[]
---@param more table?
---@return any document
---@return string text as printed
function Box:json(arguments, more)
  local with = table.move(arguments, 1, #arguments, 1, {})
  table.move({ "-o", "json" }, 1, 2, #with + 1, with)
  local result = self:run(with, more)
  if result.status ~= 0 then
    error(("%s: status %d: %s"):format(table.concat(with, " "), result.status, result.err), 2)
  end
  return require("cjson").decode(result.out), result.out
end

return M
