-- SPDX-License-Identifier: Apache-2.0
-- Tables that fit the terminal. A column is
--   { member, title =, fixed = true: never cut, right = true: to the right, priority =, format =, colour = }
-- or { member, below = true, format = }: whole, wrapped in lines of its own below the row.
-- When the width does not suffice, columns that may be cut shrink, the widest first; when that does not suffice either,
-- the column with the highest priority number goes. Columns without a priority stay.

local colour = require("cli.render.colour")
local term = require("olivares.term")
local text = require("olivares.text")
local value = require("cli.render.value")
local wrap = require("cli.wrap")

local M = {}

local gap, least = 2, 12

local function title_of(column)
  return column.title or column[1]:upper():gsub("_", " ")
end

local function beside(columns)
  local found = {}
  for _, column in ipairs(columns) do
    if not column.below then found[#found + 1] = column end
  end
  return found
end

---Columns with their cells and the width they would like.
local function measure(columns, items)
  local found = {}
  for _, column in ipairs(beside(columns)) do
    local cells, any = {}, false
    local width = text.width(title_of(column))
    for index, item in ipairs(items) do
      cells[index] = value.cell(item[column[1]], column.format)
      any = any or cells[index] ~= ""
      width = math.max(width, text.width(cells[index]))
    end
    if any or not column.priority or #items == 0 then
      found[#found + 1] = { column = column, cells = cells, width = width }
    end
  end
  return found
end

local function total(columns)
  local sum = gap * (#columns - 1)
  for _, column in ipairs(columns) do sum = sum + column.width end
  return sum
end

---Takes `excess` cells from the columns that may be cut, the widest first; gives what could not be taken.
local function shrink(columns, excess)
  while excess > 0 do
    local widest
    for _, column in ipairs(columns) do
      if not column.column.fixed and column.width > least and (not widest or column.width > widest.width) then
        widest = column
      end
    end
    if not widest then return excess end
    widest.width = widest.width - 1
    excess = excess - 1
  end
  return 0
end

local function shrinkable(columns)
  local sum = 0
  for _, column in ipairs(columns) do
    if not column.column.fixed then sum = sum + math.max(0, column.width - least) end
  end
  return sum
end

local function drop_least_important(columns)
  local worst
  for index, column in ipairs(columns) do
    local priority = column.column.priority
    if priority and (not worst or priority >= columns[worst].column.priority) then worst = index end
  end
  if worst then table.remove(columns, worst) end
  return worst ~= nil
end

local function fit(columns, width)
  while total(columns) - shrinkable(columns) > width do
    if not drop_least_important(columns) then break end
  end
  shrink(columns, total(columns) - width)
  return columns
end

local function pad(shown, width, right)
  local blanks = (" "):rep(width - text.width(shown))
  return right and blanks .. shown or shown .. blanks
end

local function line_of(columns, cell_of, paint)
  local parts = {}
  for index, column in ipairs(columns) do
    local cell = text.cut(cell_of(column), math.max(column.width, 1))
    local last = index == #columns and not column.column.right
    parts[index] = paint(last and cell or pad(cell, column.width, column.column.right), column, cell)
  end
  return (table.concat(parts, (" "):rep(gap)):gsub(" +$", ""))
end

local function add_below(lines, columns, item, indent)
  for _, column in ipairs(columns) do
    local cell = column.below and value.cell(item[column[1]], column.format) or ""
    local label = ("%s  %s: "):format(indent, (column[1]:gsub("_", " ")))
    if cell ~= "" then wrap.add(lines, label, cell, term.width()) end
  end
end

---@param lines string[] receives the table
---@param view table { columns =, member =?, empty =? }
---@param document table holds the rows in `view.member` or in `items`
---@param indent string?
function M.add(lines, view, document, indent)
  local items = document[view.member or "items"] or {}
  indent = indent or ""
  local columns = fit(measure(view.columns, items), term.width() - #indent)
  lines[#lines + 1] = indent .. line_of(columns, function(column) return (title_of(column.column)) end,
    function(shown) return colour.paint(shown, "bold") end)
  for row, item in ipairs(items) do
    lines[#lines + 1] = indent .. line_of(columns, function(column) return column.cells[row] end,
      function(shown, column, cell) return column.column.colour and colour.status(shown, cell) or shown end)
    add_below(lines, view.columns, item, indent)
  end
end

return M
