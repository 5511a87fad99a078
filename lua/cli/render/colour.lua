-- SPDX-License-Identifier: Apache-2.0
-- Colour, where a person can see it and has not declined (https://no-color.org).

local term = require("olivares.term")

local M = {}

local enabled = term.is_tty("stdout") and os.getenv("TERM") ~= "dumb" and (os.getenv("NO_COLOR") or "") == ""

local codes = { bold = "1", red = "31", green = "32", yellow = "33", dim = "2" }

local of_status = {
  completed = "green", improved = "green", go = "green", hit = "green", ready = "green",
  degraded = "yellow", canceled = "yellow", inconclusive = "yellow", hold = "yellow", running = "bold",
  error = "red", regressed = "red", no_go = "red", miss = "red",
}

---@param shown string text that is on the screen
---@param name string?
---@return string
function M.paint(shown, name)
  if not enabled or not name then return shown end
  return ("\27[%sm%s\27[0m"):format(codes[name], shown)
end

---@param shown string
---@param status string? what it says
---@return string
function M.status(shown, status)
  return M.paint(shown, of_status[status])
end

return M
