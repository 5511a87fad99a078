-- SPDX-License-Identifier: Apache-2.0
-- The hashes that documents carry, computed by other means than the engine's: sha256sum(1) over bytes put together
-- here.

local M = {}

---@param bytes string
---@return string hexadecimal
function M.sha256(bytes)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  assert(file:close())
  local pipe <close> = assert(io.popen("sha256sum <" .. path))
  local digest = pipe:read(64)
  os.remove(path)
  return digest
end

local function field(text) return string.pack(">s8", text) end

---@param canonical string a spec in canonical JSON (RFC 8785)
---@return string
function M.spec(canonical)
  return M.sha256(field(canonical))
end

---@param outputs { step_key: string, output: string, mock_hit: boolean }[] in execution order
---@return string
function M.outputs(outputs)
  local fields = {}
  for _, output in ipairs(outputs) do
    fields[#fields + 1] = field(output.step_key) .. field(output.output) .. field(output.mock_hit and "\1" or "\0")
  end
  return M.sha256(table.concat(fields))
end

return M
