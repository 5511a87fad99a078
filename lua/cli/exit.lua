-- SPDX-License-Identifier: Apache-2.0
-- Exit statuses, and how failures become one of them and a line for people.

local text = require("olivares.text")

local M = {}

M.done, M.failed, M.usage_error, M.server, M.run_ended_badly, M.interrupted = 0, 1, 2, 6, 7, 130

-- Every status with its meaning. `common` ones can come from any command.
M.meanings = {
  { 0, "Done.", common = true },
  { 1, "Another failure: the request was refused, a file can't be written.", common = true },
  { 2, "The command line, or a file it reads, is wrong.", common = true },
  { 3, "Authentication or permission is missing.", common = true },
  { 4, "Not found, or the module is off.", common = true },
  { 5, "A conflict with what exists." },
  { 6, "The server or the way to it failed.", common = true },
  { 7, "The run did not complete: degraded, error or canceled." },
  { 20, "Regressed, or the gate says no_go." },
  { 21, "Inconclusive, or the gate says hold." },
  { 130, "Interrupted; the run was canceled." },
}

local by_code = {
  usage = 2,
  unauthenticated = 3, forbidden = 3, setup_required = 3,
  not_found = 4, module_off = 4,
  conflict = 5, setup_complete = 5,
  transport = 6, internal = 6, unavailable = 6, isolation_unavailable = 6,
  interrupted = 130,
}

---@param failure table {code, message, place?, status?}
---@return integer
function M.status_of(failure)
  return failure.status or by_code[failure.code] or 1
end

---What the statuses of a command mean: the common ones and its own.
---@param command table
---@return { [1]: integer, [2]: string }[]
function M.meanings_of(command)
  local own = {}
  for _, status in ipairs(command.exits or {}) do
    local number, note = status, ""
    if type(status) == "table" then number, note = status[1], status[2] end
    own[number] = note
  end
  local found = {}
  for _, meaning in ipairs(M.meanings) do
    local note = own[meaning[1]]
    if note or meaning.common then
      local sentence = note and note ~= "" and meaning[2]:gsub("%.$", "; " .. note .. ".") or meaning[2]
      found[#found + 1] = { meaning[1], sentence }
    end
  end
  return found
end

---@param message string
---@param place string?
---@return table failure a fault of the command line
function M.usage(message, place)
  return { code = "usage", message = message, place = place }
end

---Tells a person, on standard error.
---@param failure table {code, message, place?, hint?, status?}
---@return integer exit status
function M.report(failure)
  local where = failure.place and ", at " .. failure.place or ""
  io.stderr:write(text.clean(("olivares: %s (%s%s)"):format(failure.message, failure.code, where)), "\n")
  if failure.hint then io.stderr:write(text.clean(failure.hint), "\n") end
  return M.status_of(failure)
end

return M
