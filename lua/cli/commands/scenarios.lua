-- SPDX-License-Identifier: Apache-2.0
-- Scenarios: writing, keeping and running them; synthetic data.

local options = require("cli.options")

local id = { "id", value = "ID", help = "Id of the scenario." }

local seed = { "--seed", value = "N", type = "integer", min = 0, max = options.seed_max, body = "seed",
  help = "Seed of everything random (0 to 2^53 - 1)." }

-- A scenario's content; `create` needs a name, here or in the whole file.
local function content(name_needed)
  return {
    { "--name", value = "NAME", body = "name", required_unless = name_needed and "--from-file",
      help = "Name, unique in the tenant." },
    { "--description", value = "TEXT", body = "description", help = "What it is about." },
    { "--subject-kind", value = "KIND", body = "subject_kind", help = "Kind of what is simulated (default agent)." },
    { "--steps-file", value = "FILE", file = true, json = true, body = "steps",
      help = "JSON array of steps: {\"key\", \"input\"} ('-': standard input)." },
    { "--mocks-file", value = "FILE", file = true, json = true, body = "mocks",
      help = "JSON array of mocks: {\"resource\", \"response\"} ('-': standard input)." },
    { "--variants-file", value = "FILE", file = true, json = true, body = "variants",
      help = "JSON object of variants by name: {\"steps\", \"mocks\"} ('-': standard input)." },
    seed,
    { "--from-file", value = "FILE", file = true, json = true, whole_body = true,
      help = "The whole scenario as one JSON object ('-': standard input)." },
    options.strict,
  }
end

return {
  {
    name = "sandbox generate",
    summary = "Generate synthetic steps; nothing is saved",
    description = "In the seed text {{index}} (from 1) and {{subject_kind}} are replaced. With -o json the bare array "
      .. "of steps is printed, ready for `scenarios create --steps-file`.",
    route = "POST /v1/m/sandbox/synthetic-data",
    options = {
      { "--count", value = "N", type = "integer", min = 0, max = 100, body = "count",
        help = "How many (1 to 100, default 10)." },
      { "--subject-kind", value = "KIND", body = "subject_kind", help = "Kind of what is simulated (default agent)." },
      { "--seed-file", value = "FILE", file = true, text = true, body = "seed",
        help = "Text the inputs are made from, taken as it is, also its last line feed ('-': standard input)." },
    },
    json_member = "samples",
    view = { kind = "table", member = "samples", columns = { { "key", fixed = true }, { "input", priority = 1 } } },
    examples = {
      { "olivares sandbox generate --count 5 -o json > steps.json", "Five steps, for --steps-file" },
      { "printf 'refund order {{index}}' | olivares sandbox generate --seed-file -", "Inputs of one's own" },
    },
  },
  {
    name = "sandbox scenarios ls",
    summary = "List the scenarios",
    route = "GET /v1/m/sandbox/scenarios",
    lists = true,
    options = {
      { "--status", value = "STATUS", choices = { "active", "archived" }, query = "status",
        help = "Only active or only archived ones." },
      { "--name", value = "NAME", query = "name", help = "Only the one of this name." },
      { "--subject-kind", value = "KIND", query = "subject_kind", help = "Only those of this kind of subject." },
    },
    view = {
      kind = "table",
      columns = {
        { "id", fixed = true },
        { "name", priority = 1 },
        { "status", fixed = true, priority = 2 },
        { "revision", title = "REV", fixed = true, right = true, priority = 3 },
        { "steps_count", title = "STEPS", fixed = true, right = true, priority = 3 },
        { "mocks_count", title = "MOCKS", fixed = true, right = true, priority = 4 },
        { "variant_names", title = "VARIANTS", priority = 4, format = "list" },
        { "updated_at", title = "UPDATED", fixed = true, priority = 5, format = "time" },
      },
    },
    examples = { { "olivares sandbox scenarios ls --status active --limit 20", nil } },
  },
  {
    name = "sandbox scenarios get",
    summary = "Show a scenario with its steps, mocks and variants",
    arguments = { id },
    route = "GET /v1/m/sandbox/scenarios/{id}",
    view = { kind = "document" },
  },
  {
    name = "sandbox scenarios create",
    summary = "Create a scenario",
    route = "POST /v1/m/sandbox/scenarios",
    options = content(true),
    view = { kind = "document" },
    examples = {
      { "olivares sandbox scenarios create --name refund --steps-file steps.json --mocks-file mocks.json", nil },
      { "olivares sandbox generate -o json | olivares sandbox scenarios create --name load --steps-file -", nil },
    },
    exits = { 5 },
  },
  {
    name = "sandbox scenarios update",
    summary = "Store a new revision of a scenario",
    description = "What no option gives stays as it is. With --from-file the whole scenario is replaced. Runs keep the "
      .. "revision they ran.",
    arguments = { id },
    route = "PUT /v1/m/sandbox/scenarios/{id}",
    options = content(false),
    needs_change = true,
    action = "cli.action.update",
    view = { kind = "document" },
    examples = { { "olivares sandbox scenarios update ID --mocks-file mocks.json", "New mocks, the same steps" } },
    exits = { 5 },
  },
  {
    name = "sandbox scenarios archive",
    summary = "Archive a scenario: it is kept but can't be run",
    arguments = { id },
    route = "POST /v1/m/sandbox/scenarios/{id}/archive",
    view = { kind = "document" },
  },
  {
    name = "sandbox scenarios restore",
    summary = "Make an archived scenario active again",
    arguments = { id },
    route = "POST /v1/m/sandbox/scenarios/{id}/restore",
    view = { kind = "document" },
  },
  {
    name = "sandbox scenarios match",
    summary = "Show what would answer an input, and every candidate",
    description = "A dry run: nothing is run, consumed or recorded.",
    arguments = { id },
    route = "POST /v1/m/sandbox/scenarios/{id}/match",
    options = {
      { "--input", value = "TEXT", body = "input", required = true, help = "What a step would request." },
      { "--variant", value = "NAME", body = "variant", help = "Resolve as this variant would." },
      options.strict,
    },
    view = { kind = "match" },
    examples = { { "olivares sandbox scenarios match ID --input crm:customer/42", nil } },
  },
  {
    name = "sandbox scenarios run",
    summary = "Run a scenario and wait for its end",
    description = "Ctrl-C cancels the run. With --no-wait, which needs a server, the run goes on there.",
    arguments = { id },
    route = "POST /v1/m/sandbox/scenarios/{id}/run",
    options = {
      { "--variant", value = "NAME", body = "variant", help = "Run this variant." },
      { "--suite-ref", value = "REF", body = "suite_ref", help = "Suite to score the outputs with." },
      { "--runner", value = "NAME", body = "runner", help = "Backend to run in (see `olivares sandbox runners`)." },
      seed,
      { "--no-wait", help = "Don't wait: show the run as it started." },
      options.strict,
    },
    action = "cli.action.run",
    view = { kind = "document" },
    examples = { { "olivares sandbox scenarios run ID --variant candidate", nil } },
    exits = { 5, 7, 130 },
  },
}
