-- SPDX-License-Identifier: Apache-2.0
-- One document as aligned "name: value" lines. Nothing is cut here: this is where a person reads the whole.

local colour = require("cli.render.colour")
local json = require("olivares.json")
local tables = require("cli.render.table")
local term = require("olivares.term")
local text = require("olivares.text")
local value = require("cli.render.value")
local wrap = require("cli.wrap")

local M = {}

-- The order in which members are shown, whatever document they are in; those not listed follow by name.
local order = {}
for index, name in ipairs({
  "server", "ready", "modules", "id", "seq", "key", "name", "step_key", "kind", "version", "api", "status", "state",
  "decision", "verdict", "result", "intact", "fault", "reason", "code", "message", "description", "subject_kind",
  "subject_ref", "scenario_ref", "scenario_revision", "session_ref", "baseline_run_ref", "baseline_variant",
  "baseline_score", "candidate_run_ref", "candidate_variant", "candidate_score", "delta", "scored", "comparable",
  "rule", "comparison_ref", "age_s", "variant", "variant_kind", "revision", "seed", "runner", "isolated", "destroyed",
  "steps_total", "steps_ok", "steps_error", "steps_count", "mocks_count", "unused_mocks", "unused_mock_count",
  "virtual_ms", "suite_ref", "score", "passed", "recorded", "again", "policy", "user", "email", "display_name",
  "superadmin", "organization", "slug", "tenant", "tenant_id", "role", "memberships", "actor", "action", "target",
  "resource", "resource_whole", "match", "input", "response", "responses", "output", "mock_hit", "token", "expires_at",
  "created_by", "launched_by", "decided_by", "created_at", "updated_at", "occurred_at", "revoked_at", "started_at",
  "finished_at", "duration_ms", "spec_hash", "outputs_hash", "recorded_outputs_hash", "attestation", "clamped", "steps",
  "mocks", "variants",
}) do order[name] = index end

-- Where a member's name would mislead a reader.
local labels = { unused_mocks = "unused required", unused_mock_count = "unused mocks" }

-- What operators write as JSON is shown as that, with its types.
local as_json = { match = true }

-- Lists whose entries are texts of any kind: each on a line of its own.
local one_below_the_other = { responses = true }

-- Lists whose entries are short and alike, shown as small tables.
local tabular = {
  modules = { { "name", fixed = true }, { "enabled", fixed = true }, { "summary", priority = 1 } },
  runners = { { "name", fixed = true }, { "available", fixed = true }, { "reason", below = true } },
  memberships = {
    { "tenant", fixed = true }, { "role", fixed = true }, { "slug", priority = 1 }, { "organization", priority = 2 } },
}

local function names_of(object)
  local names = {}
  for name in pairs(object) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    local first, second = order[a] or math.huge, order[b] or math.huge
    if first ~= second then return first < second end
    return a < b
  end)
  return names
end

local add_members

local function label_of(name)
  return labels[name] or (text.clean(name):gsub("_", " "))
end

---Text of several lines, each behind the margin.
local function add_block(lines, indent, shown)
  for line in (shown .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = indent .. (line == "" and "|" or "| " .. line) end
end

local function add_list(lines, indent, name, list)
  lines[#lines + 1] = ("%s%s (%d):"):format(indent, label_of(name), #list)
  if tabular[name] then
    tables.add(lines, { columns = tabular[name] }, { items = list }, indent .. "  ")
    return
  end
  for _, entry in ipairs(list) do
    if value.is_scalar(entry) then
      lines[#lines + 1] = indent .. "  - " .. value.scalar(entry)
    else
      local first = #lines + 1
      add_members(lines, indent .. "    ", entry)
      if lines[first] then lines[first] = indent .. "  - " .. lines[first]:sub(#indent + 5) end
    end
  end
end

local function only_scalars(list)
  for _, entry in ipairs(list) do
    if not value.is_scalar(entry) then return false end
  end
  return true
end

local function add_member(lines, indent, name, member, width)
  local label = indent .. label_of(name) .. ":"
  local padding = (" "):rep(width - text.width(label_of(name)) + 1)
  if type(member) == "string" and member:find("\n", 1, true) then
    lines[#lines + 1] = label
    add_block(lines, indent .. "  ", text.clean_lines(member))
  elseif value.is_scalar(member) then
    local shown = value.scalar(member)
    lines[#lines + 1] = shown == "" and label or label .. padding .. colour.status(shown, member)
  elseif as_json[name] then
    lines[#lines + 1] = label .. padding .. text.clean(json.encode(member))
  elseif json.is_array(member) and #member > 0 and only_scalars(member) and not one_below_the_other[name] then
    wrap.add(lines, label .. padding, value.list(member), term.width())
  elseif json.is_array(member) and #member == 0 then
    lines[#lines + 1] = label .. padding .. "none"
  elseif json.is_array(member) then
    add_list(lines, indent, name, member)
  elseif next(member) == nil then
    lines[#lines + 1] = label .. padding .. "none"
  else
    lines[#lines + 1] = label
    add_members(lines, indent .. "  ", member)
  end
end

function add_members(lines, indent, object)
  local names, width = names_of(object), 0
  for _, name in ipairs(names) do
    local member = object[name]
    if value.is_scalar(member) or as_json[name] or (json.is_array(member) and only_scalars(member)) then
      width = math.max(width, text.width(label_of(name)))
    end
  end
  for _, name in ipairs(names) do add_member(lines, indent, name, object[name], width) end
end

---@param lines string[] receives the document
---@param _ table view
---@param document table
function M.add(lines, _, document)
  add_members(lines, "", document)
end

M.add_block = add_block

return M
