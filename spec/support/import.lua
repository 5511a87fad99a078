-- SPDX-License-Identifier: Apache-2.0
-- `sandbox mocks import` on a text, and what it said line by line.

local cjson = require("cjson")

local M = {}

local function lines_of(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  return lines
end

---@param box table spec.support.cli
---@param document string|table a table is written as JSON
---@param format string?
---@return table[] mocks
---@return string[] told what could not be carried over: "place: why"
---@return table result as of Box:run
function M.run(box, document, format)
  local text = type(document) == "table" and cjson.encode(document) or document
  local result = box:run({ "sandbox", "mocks", "import", "--format", format or "auto", "-" }, { input = text })
  if result.status ~= 0 then error(result.err, 2) end
  local told, mocks = lines_of(result.err), cjson.decode(result.out)
  local count = ("%d mock%s, %d thing%s not carried over"):format(#mocks, #mocks == 1 and "" or "s", #told - 1,
    #told == 2 and "" or "s")
  assert(told[#told] == count, told[#told])
  told[#told] = nil
  for index, line in ipairs(told) do told[index] = assert(line:match("^olivares: (.*)$"), line) end
  return mocks, told, result
end

return M
