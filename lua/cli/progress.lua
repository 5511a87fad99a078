-- SPDX-License-Identifier: Apache-2.0
-- One line on standard error that says how far something is, when a person watches; otherwise nothing.

local term = require("olivares.term")
local text = require("olivares.text")

local M = {}

local Line = {}
Line.__index = Line

---@return table line with show(message); closing it takes it off the screen
function M.new()
  return setmetatable({ live = term.is_tty("stderr") and os.getenv("TERM") ~= "dumb", shown = false }, Line)
end

---@param message string
function Line:show(message)
  if not self.live then return end
  self.shown = true
  io.stderr:write("\r", text.cut(text.clean(message), term.width() - 1), "\27[K")
end

function Line:__close()
  if self.shown then io.stderr:write("\r\27[K") end
end

return M
