-- SPDX-License-Identifier: Apache-2.0
-- Mocks of another tool: the array on standard output, what could not be carried over on standard error.

local exit = require("cli.exit")
local import = require("import.init")
local input = require("cli.input")
local json = require("olivares.json")
local out = require("cli.out")
local text = require("olivares.text")

local M = { needs_no_engine = true }

---One mock on a line: still one JSON document, and two of them can be compared line by line.
local function write_mocks(mocks)
  local lines = {}
  for index, mock in ipairs(mocks) do lines[index] = json.encode(mock) end
  out.write(#lines == 0 and "[]\n" or "[" .. table.concat(lines, ",\n") .. "]\n")
end

local function counted(count, one, many)
  return ("%d %s"):format(count, count == 1 and one or many)
end

local function tell(report, mocks)
  for _, entry in ipairs(report.entries) do
    local place = entry.place == "" and "" or entry.place .. ": "
    io.stderr:write(text.clean("olivares: " .. place .. entry.why), "\n")
  end
  io.stderr:write(counted(#mocks, "mock", "mocks"), ", ", counted(#report.entries, "thing", "things"),
    " not carried over\n")
end

---@param call table
---@return integer? exit status
---@return table? failure
function M.run(call)
  local path, format = call.arguments.file, call.arguments.format
  local bytes, failure = input.text("FILE", path)
  if not bytes then return nil, failure end
  local mocks, result = import.read(bytes, format ~= "auto" and format or nil)
  if not mocks then return nil, exit.usage(("FILE %s: %s"):format(path, result.message), result.place) end
  write_mocks(mocks)
  tell(result, mocks)
  return exit.done
end

return M
