-- SPDX-License-Identifier: Apache-2.0
-- Prints the table of the bench: lua5.4 table.lua FIGURES, a file of "name<TAB>value" lines, one for each round.
-- Of several rounds the median counts. A row whose figures were not measured is left out.

-- Figure, its name in FIGURES, yardstick, its name. A row without a figure of its own has the one above.
local rows = {
  { "durable runs/s, 2 steps, 32 connections", "runs", "SQLite alone, 64 rows a commit", "raw_64_rows" },
  { nil, "runs", "SQLite alone, 64 runs a commit", "raw_64_runs" },
  { nil, "runs", "SQLite alone, one run a commit", "raw_single" },
  { nil, "runs", "this engine, 1 connection", "runs_alone" },
  { "  answered within, median, ms", "runs_p50_ms" },
  { "  answered within, 99 of 100, ms", "runs_p99_ms" },
  { "reads of one run/s, 32 connections", "reads", "libmicrohttpd, a constant as long", "constant" },
  { "steps/s, runs of 1,000 steps, 1,000 mocks", "steps_1000", "SQLite alone, rows/s, one run a commit", "rows_1000" },
  { nil, "steps_1000", "the resolver alone", "resolver_1000" },
  { "steps/s, runs of 1,000 steps, 10,000 mocks", "steps_10000", "the same with 1,000 mocks", "steps_1000" },
  { nil, "steps_10000", "SQLite alone, rows/s, one run a commit", "rows_10000" },
  { nil, "steps_10000", "the resolver alone", "resolver_10000" },
  { "steps/s that miss by a character, 10,000 mocks", "mocks_misses", "the same with hits", "mocks_exact" },
  { "steps/s, 1,000 regular expressions, each asked", "mocks_regexes", "10,000 exact mocks", "mocks_exact" },
  { "olivares version, ms", "start_version_ms", "/bin/true", "start_true_ms" },
  { "olivares sandbox runs get, ms", "start_get_ms", "sqlite3, the same row", "start_sqlite_ms" },
}

---@param path string
---@return table<string, number[]> values by name, in the order of the file
local function read_figures(path)
  local figures = {}
  for line in io.lines(path) do
    local name, value = line:match("^([^\t]+)\t(.+)$")
    local values = figures[name] or {}
    values[#values + 1] = assert(tonumber(value), line)
    figures[name] = values
  end
  return figures
end

local function median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return sorted[(#sorted + 1) // 2]
end

local function medians(figures)
  local value = {}
  for name, values in pairs(figures) do
    value[name] = median(values)
    local stem = name:match("^(.*)_us$")
    if stem then value[stem .. "_ms"] = value[name] / 1000 end
  end
  if value.constant_thread then value.constant = math.max(value.constant_thread, value.constant_outside) end
  return value
end

local function number(value)
  if value < 100 then return ("%.2f"):format(value) end
  local digits = ("%.0f"):format(value)
  local first = #digits % 3
  return ((digits:sub(1, first) .. digits:sub(first + 1):gsub("%d%d%d", ",%0")):gsub("^,", ""))
end

local function ratio(value)
  return (value < 0.1 and "%.4f" or "%.2f"):format(value)
end

-- Least squares, in bytes per run. The points of the first fifth are left out: until then caches fill.
local function slope(runs, kib)
  local n, x, y, xx, xy = 0, 0, 0, 0, 0
  for index, count in ipairs(runs) do
    if count >= runs[#runs] / 5 then
      local bytes = kib[index] * 1024
      n, x, y, xx, xy = n + 1, x + count, y + bytes, xx + count * count, xy + count * bytes
    end
  end
  return (n * xy - x * y) / (n * xx - x * x)
end

local function measured_lines(value)
  local lines = { { "figure", "value", "yardstick", "value", "ratio" } }
  for _, row in ipairs(rows) do
    local label, figure, yardstick_label, yardstick = row[1], value[row[2]], row[3], value[row[4]]
    if figure and (yardstick or not yardstick_label) then
      local line = { label or "", label and number(figure) or "" }
      if yardstick then
        line[3], line[4], line[5] = yardstick_label, number(yardstick), ratio(figure / yardstick)
      end
      lines[#lines + 1] = line
    end
  end
  return lines
end

local function add_soak(lines, runs, kib)
  if not runs then return end
  for index, count in ipairs(runs) do
    local label = index == 1 and "memory of the engine, MiB, at the start" or "  after " .. number(count) .. " runs"
    lines[#lines + 1] = { label, number(kib[index] / 1024) }
  end
  lines[#lines + 1] = { "  slope from a fifth of the way on, bytes per run", number(slope(runs, kib)) }
end

local function width_of(lines, column)
  local width = 0
  for _, line in ipairs(lines) do width = math.max(width, #(line[column] or "")) end
  return width
end

local function print_lines(lines)
  local form = ("%%-%ds  %%%ds  %%-%ds  %%%ds  %%%ds"):format(width_of(lines, 1), width_of(lines, 2),
    width_of(lines, 3), width_of(lines, 4), width_of(lines, 5))
  for _, line in ipairs(lines) do
    print((form:format(line[1], line[2], line[3] or "", line[4] or "", line[5] or ""):gsub("%s+$", "")))
  end
end

local figures = read_figures(assert(arg[1], "usage: table.lua FIGURES"))
local value = medians(figures)
if value.sync_ms then print(("appending a page and fdatasync: %.2f ms"):format(value.sync_ms)) end
if value.read_bytes then print(("a run as it is read: %d bytes"):format(value.read_bytes)) end
print()
local lines = measured_lines(value)
add_soak(lines, figures.soak_runs, figures.soak_kib)
print_lines(lines)
