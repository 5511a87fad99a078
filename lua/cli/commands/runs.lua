-- SPDX-License-Identifier: Apache-2.0
-- Runs and their outputs, replays, runners.

local options = require("cli.options")

local id = { "id", value = "ID", help = "Id of the run." }

return {
  {
    name = "sandbox runs ls",
    summary = "List the runs",
    route = "GET /v1/m/sandbox/runs",
    lists = true,
    options = {
      { "--kind", value = "KIND", choices = { "scenario", "replay", "compare" }, query = "kind",
        help = "Only runs of this kind." },
      { "--scenario-ref", value = "ID", query = "scenario_ref", help = "Only runs of this scenario." },
      { "--status", value = "STATUS", choices = { "running", "completed", "degraded", "error", "canceled" },
        query = "status", help = "Only runs with this status." },
      { "--variant", value = "NAME", query = "variant", help = "Only runs of this variant." },
      { "--subject-ref", value = "REF", query = "subject_ref", help = "Only runs of this subject." },
    },
    view = {
      kind = "table",
      columns = {
        { "id", fixed = true },
        { "status", fixed = true, priority = 1, colour = "status" },
        { "kind", fixed = true, priority = 4 },
        { "variant", priority = 2 },
        { "steps_ok", title = "OK", fixed = true, right = true, priority = 2 },
        { "steps_error", title = "MISS", fixed = true, right = true, priority = 2 },
        { "score", fixed = true, right = true, priority = 4 },
        { "started_at", title = "STARTED", fixed = true, priority = 3, format = "time" },
        { "subject_ref", title = "SUBJECT", priority = 5 },
        { "runner", priority = 6 },
      },
    },
    examples = { { "olivares sandbox runs ls --status error --all", "Every run that failed" } },
  },
  {
    name = "sandbox runs get",
    summary = "Show a run",
    arguments = { id },
    route = "GET /v1/m/sandbox/runs/{id}",
    view = { kind = "document" },
  },
  {
    name = "sandbox runs outputs",
    summary = "Show the outputs of a run, step by step",
    arguments = { id },
    route = "GET /v1/m/sandbox/runs/{id}/outputs",
    lists = true,
    view = { kind = "outputs" },
    examples = { { "olivares sandbox runs outputs ID --all -o json", nil } },
  },
  {
    name = "sandbox runs stream",
    summary = "Follow a run to its end",
    description = "Shows outputs as they are recorded, then the run. With -o json every event is one line: "
      .. "{\"event\", \"id\", \"data\"}.",
    arguments = { id },
    route = "GET /v1/m/sandbox/runs/{id}/stream",
    options = {
      { "--last-event-id", value = "N", type = "integer", min = 0, help = "Go on behind this event." },
    },
    action = "cli.action.stream",
    exits = { 7 },
  },
  {
    name = "sandbox runs cancel",
    summary = "Cancel a run that is under way",
    arguments = { id },
    route = "POST /v1/m/sandbox/runs/{id}/cancel",
    view = { kind = "document" },
    exits = { 5 },
  },
  {
    name = "sandbox runs verify",
    summary = "Run the same specification again and compare the outputs",
    arguments = { id },
    route = "POST /v1/m/sandbox/runs/{id}/verify",
    view = { kind = "document" },
    status = function(document) return document.result == "identical" and 0 or 1 end,
    exits = { { 1, "also when an output differs" }, 5 },
  },
  {
    name = "sandbox replay",
    summary = "Replay a recorded session",
    route = "POST /v1/m/sandbox/replay",
    options = {
      { "--session-ref", value = "REF", body = "session_ref", required = true, help = "The session." },
      { "--mocks-file", value = "FILE", file = true, json = true, body = "mocks",
        help = "JSON array of mocks that answer its requests ('-': standard input)." },
      { "--mock-from", value = "SOURCE", body = "mock_from", help = "Where else mocks come from (none)." },
      { "--suite-ref", value = "REF", body = "suite_ref", help = "Suite to score the outputs with." },
      { "--runner", value = "NAME", body = "runner", help = "Backend to run in." },
      { "--variant", value = "NAME", body = "variant", help = "Name to record the run under." },
      options.strict,
    },
    view = { kind = "document" },
    status = function(document) return document.status == "completed" and 0 or 7 end,
    exits = { 7 },
  },
  {
    name = "sandbox runners",
    summary = "List the backends, whether this machine has them, and what they attest",
    route = "GET /v1/m/sandbox/runners",
    view = {
      kind = "table",
      columns = {
        { "name", fixed = true },
        { "available", fixed = true, priority = 1 },
        { "strength", fixed = true, priority = 2 },
        { "attests", below = true, format = "list" },
        { "missing", below = true },
        { "reason", below = true },
      },
    },
  },
}
