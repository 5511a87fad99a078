-- SPDX-License-Identifier: Apache-2.0
-- Comparisons of two variants, and the gate that deployments read.

local options = require("cli.options")

local gate_exits = { 20, 21 }

return {
  {
    name = "sandbox compare",
    summary = "Run two variants and decide which is better",
    description = "Compares two variants of a scenario or of a session, or two stored runs.",
    route = "POST /v1/m/sandbox/compare",
    options = {
      { "--scenario-ref", value = "ID", body = "scenario_ref", help = "The scenario to run in both variants." },
      { "--session-ref", value = "REF", body = "session_ref", help = "The session to replay in both variants." },
      { "--baseline-run", value = "ID", body = "baseline_run_ref", help = "A stored run as the baseline." },
      { "--candidate-run", value = "ID", body = "candidate_run_ref", help = "A stored run as the candidate." },
      { "--baseline-variant", value = "NAME", body = "baseline_variant",
        required_with = "--scenario-ref", help = "The baseline; stored runs have their variants." },
      { "--candidate-variant", value = "NAME", body = "candidate_variant",
        required_with = "--scenario-ref", help = "The candidate; stored runs have their variants." },
      { "--mocks-file", value = "FILE", file = true, json = true, body = "mocks",
        help = "With --session-ref: JSON array of mocks of both arms ('-': standard input)." },
      { "--baseline-mocks-file", value = "FILE", file = true, json = true, body = "baseline_mocks",
        help = "With --session-ref: the baseline's own mocks, instead." },
      { "--candidate-mocks-file", value = "FILE", file = true, json = true, body = "candidate_mocks",
        help = "With --session-ref: the candidate's own mocks, instead." },
      { "--self-check", body = "self_check", help = "Compare identical arms on purpose: they must be unchanged." },
      { "--suite-ref", value = "REF", body = "suite_ref", help = "Suite to score both with." },
      { "--rule", value = "REF", body = "rule_ref", help = "Verdict rule (default: default)." },
      { "--runner", value = "NAME", body = "runner", help = "Backend to run both in." },
      { "--gate", help = "Exit with 20 when the candidate regressed, 21 when the verdict is inconclusive or the "
        .. "candidate is no variant of a scenario that has some." },
      options.strict,
    },
    one_of = { { "--scenario-ref" }, { "--session-ref" }, { "--baseline-run", "--candidate-run" } },
    view = { kind = "comparison" },
    status = function(document, arguments)
      if not arguments.gate then return 0 end
      if document.variant_unknown then return 21 end
      return document.verdict == "regressed" and 20 or document.verdict == "inconclusive" and 21 or 0
    end,
    examples = {
      { "olivares sandbox compare --scenario-ref ID --baseline-variant base --candidate-variant candidate --gate",
        "In a pipeline" },
    },
    exits = gate_exits,
  },
  {
    name = "sandbox comparisons ls",
    summary = "List the comparisons",
    route = "GET /v1/m/sandbox/comparisons",
    lists = true,
    options = {
      { "--scenario-ref", value = "ID", query = "scenario_ref", help = "Only those of this scenario." },
      { "--verdict", value = "VERDICT", choices = { "improved", "regressed", "unchanged", "inconclusive" },
        query = "verdict", help = "Only those with this verdict." },
      { "--subject-ref", value = "REF", query = "subject_ref", help = "Only those of this subject." },
    },
    view = {
      kind = "table",
      columns = {
        { "id", fixed = true },
        { "verdict", fixed = true, priority = 1, colour = "status" },
        { "baseline_variant", title = "BASELINE", priority = 2 },
        { "candidate_variant", title = "CANDIDATE", priority = 2 },
        { "delta", fixed = true, right = true, priority = 4 },
        { "occurred_at", title = "TIME", fixed = true, priority = 3, format = "time" },
        { "subject_ref", title = "SUBJECT", priority = 5 },
      },
    },
  },
  {
    name = "sandbox comparisons get",
    summary = "Show a comparison with its differences",
    arguments = { { "id", value = "ID", help = "Id of the comparison." } },
    route = "GET /v1/m/sandbox/comparisons/{id}",
    view = { kind = "comparison" },
  },
  {
    name = "sandbox gate",
    summary = "Say whether a candidate may go, by its newest comparison",
    route = "GET /v1/m/sandbox/gate",
    options = {
      { "--subject-ref", value = "REF", query = "subject_ref", help = "The subject of the comparison." },
      { "--scenario-ref", value = "ID", query = "scenario_ref", help = "The scenario of the comparison." },
      { "--candidate-variant", value = "NAME", query = "candidate_variant", help = "The candidate." },
      { "--max-age", value = "SECONDS", type = "integer", min = 1, query = "max_age_s",
        help = "Hold when the newest comparison is older." },
    },
    one_of = { { "--subject-ref" }, { "--scenario-ref" } },
    view = { kind = "document" },
    status = function(document)
      return document.decision == "no_go" and 20 or document.decision == "hold" and 21 or 0
    end,
    examples = { { "olivares sandbox gate --scenario-ref ID --candidate-variant candidate --max-age 86400", nil } },
    exits = gate_exits,
  },
}
