// SPDX-License-Identifier: Apache-2.0
// The shapes of the module's documents and requests. The closed lists of words are the domain's own (sandbox/), so that
// a new status or reason appears here by itself.
#include "api/sandbox_shapes.h"

#include "api/shapes.h"
#include "sandbox/comparison.h"
#include "sandbox/differences.h"
#include "sandbox/limits.h"
#include "sandbox/run.h"
#include "sandbox/scenario.h"
#include "sandbox/verdict.h"

#define MEMBERS(...)                                                                                                   \
  (const struct schema_member[]) {                                                                                     \
    __VA_ARGS__, {                                                                                                     \
      0                                                                                                                \
    }                                                                                                                  \
  }

static const char *const scenario_statuses[] = {"active", "archived", NULL};

const struct schema shape_scenario_status = {.kind = SCHEMA_STRING, .values = scenario_statuses};
const struct schema shape_run_kind = {.kind = SCHEMA_STRING, .values = run_kind_names};
const struct schema shape_run_status = {.kind = SCHEMA_STRING, .values = run_status_names};
const struct schema shape_verdict = {.kind = SCHEMA_STRING, .values = verdict_names};
const struct schema shape_variant_param = {.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES};
const struct schema shape_age = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = 100 * 365 * 86400LL};

static const struct schema shape_seed = {
    .kind = SCHEMA_INTEGER, .bounded = true, .min = 0, .max = SEED_MAX, .doc = "Seed of everything random in a run."};
static const struct schema shape_description = {.kind = SCHEMA_STRING, .max_bytes = REF_MAX_BYTES};
static const struct schema shape_label = {.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES};
static const struct schema shape_any = {.kind = SCHEMA_ANY};
static const struct schema shape_open_object = {.kind = SCHEMA_MAP};
static const struct schema shape_texts = {.kind = SCHEMA_ARRAY, .items = &shape_text};
static const struct schema shape_refs = {.kind = SCHEMA_ARRAY, .items = &shape_ref};

// ---- scenarios ----

static const struct schema shape_stored_step = {
    .kind = SCHEMA_OBJECT,
    .name = "StoredStep",
    .members = MEMBERS({"key", &shape_text, true, NULL}, {"input", &shape_text, true, NULL},
                       {"input_whole", &shape_digest, false, "SHA-256 of the input as sent, when it was cut."}),
};
static const struct schema shape_stored_mock = {
    .kind = SCHEMA_OBJECT,
    .name = "StoredMock",
    .members = MEMBERS({"resource", &shape_text, true, NULL}, {"response", &shape_text, true, NULL},
                       {"resource_whole", &shape_digest, false, "SHA-256 of the resource as sent, when it was cut."}),
};
static const struct schema shape_stored_steps = {.kind = SCHEMA_ARRAY, .items = &shape_stored_step};
static const struct schema shape_stored_mocks = {.kind = SCHEMA_ARRAY, .items = &shape_stored_mock};
static const struct schema shape_stored_variant = {
    .kind = SCHEMA_OBJECT,
    .name = "StoredVariant",
    .members = MEMBERS({"steps", &shape_stored_steps, false, NULL}, {"mocks", &shape_stored_mocks, false, NULL}),
};
static const struct schema shape_stored_variants = {.kind = SCHEMA_MAP, .items = &shape_stored_variant};

#define SCENARIO_HEAD                                                                                                  \
  {"id", &shape_id, true, NULL}, {"name", &shape_text, true, "Unique in the tenant."},                                 \
      {"description", &shape_text, false, NULL}, {"subject_kind", &shape_text, true, NULL},                            \
      {"status", &shape_scenario_status, true, NULL},                                                                  \
      {"revision", &shape_count, true, "From 1; every PUT makes a new one."},                                          \
      {"spec_hash", &shape_digest, true, "Of what runs without a variant."}, {"seed", &shape_seed, true, NULL},        \
      {"steps_count", &shape_count, true, NULL}, {"mocks_count", &shape_count, true, NULL},                            \
      {"clamped", &shape_texts, false, "Places whose text was cut to its limit."},                                     \
      {"created_at", &shape_time, true, NULL}, {"created_by", &shape_text, true, NULL}, {                              \
    "updated_at", &shape_time, true, NULL                                                                              \
  }

const struct schema shape_scenario_item = {
    .kind = SCHEMA_OBJECT,
    .name = "ScenarioItem",
    .doc = "A scenario in a list: without its content.",
    .members = MEMBERS(SCENARIO_HEAD, {"variant_names", &shape_texts, true, NULL}),
};
const struct schema shape_scenario = {
    .kind = SCHEMA_OBJECT,
    .name = "Scenario",
    .doc = "Steps and the mocks that answer them.",
    .members = MEMBERS(SCENARIO_HEAD, {"steps", &shape_stored_steps, true, NULL},
                       {"mocks", &shape_stored_mocks, true, NULL}, {"variants", &shape_stored_variants, true, NULL}),
};
const struct schema shape_scenario_request = {
    .kind = SCHEMA_OBJECT,
    .name = "ScenarioRequest",
    .members = MEMBERS({"name", &shape_name, true, NULL}, {"description", &shape_description, false, NULL},
                       {"subject_kind", &shape_label, false, "Default: agent."}, {"steps", &shape_steps, true, NULL},
                       {"mocks", &shape_mocks, false, NULL}, {"variants", &shape_variants, false, NULL},
                       {"seed", &shape_seed, false, "Default: 0."},
                       {"agent", &shape_any, false, "Refused by this engine: 503 unavailable."},
                       {"script", &shape_text, false, "Refused by this engine: 503 unavailable."}),
};

// ---- runs ----

static const struct schema shape_run_reason_code = {.kind = SCHEMA_STRING, .values = run_reason_codes};
static const struct schema shape_run_reason = {
    .kind = SCHEMA_OBJECT,
    .name = "RunReason",
    .members = MEMBERS({"code", &shape_run_reason_code, true, NULL}, {"message", &shape_text, true, NULL}),
};

const struct schema shape_run = {
    .kind = SCHEMA_OBJECT,
    .name = "Run",
    .doc = "One execution, with the backend that really ran it.",
    .members = MEMBERS(
        {"id", &shape_id, true, NULL}, {"kind", &shape_run_kind, true, NULL}, {"scenario_ref", &shape_id, false, NULL},
        {"scenario_revision", &shape_count, false, NULL},
        {"spec_hash", &shape_digest, true, "Of what was run: steps, mocks and seed with the variant applied."},
        {"subject_ref", &shape_text, true, NULL}, {"variant", &shape_text, false, NULL},
        {"seed", &shape_seed, true, NULL},
        {"runner", &shape_text, true, "The backend that was asked for and, when isolated, ran it."},
        {"isolated", &shape_bool, true, NULL},
        {"destroyed", &shape_bool, true, "The ephemeral state was verified gone."},
        {"status", &shape_run_status, true, NULL},
        {"reason", &shape_run_reason, false, "With every status but running and completed."},
        {"steps_total", &shape_count, true, "Steps that gave an output."},
        {"steps_ok", &shape_count, true, "Steps all of whose requests hit a mock."},
        {"steps_error", &shape_count, true, NULL}, {"outputs_hash", &shape_digest, false, NULL},
        {"suite_ref", &shape_text, false, NULL}, {"score", &shape_number, false, NULL},
        {"passed", &shape_bool, false, NULL}, {"unused_mocks", &shape_count, true, "Mocks that answered nothing."},
        {"attestation", &shape_open_object, true, "What the backend says was in force."},
        {"started_at", &shape_time, true, NULL}, {"finished_at", &shape_time, false, NULL},
        {"duration_ms", &shape_count, false, NULL}, {"launched_by", &shape_text, true, NULL},
        {"clamped", &shape_texts, false,
         "Only in the answer to the request: places of it that were cut to their limit."}),
};

static const struct schema shape_call = {
    .kind = SCHEMA_OBJECT,
    .name = "Call",
    .members = MEMBERS({"resource", &shape_text, true, NULL},
                       {"resource_whole", &shape_digest, false, "The resource was cut: SHA-256 of the whole."},
                       {"mock_hit", &shape_bool, true, NULL},
                       {"mock", &shape_text, false, "Place of the mock that answered."}),
};
static const struct schema shape_calls = {.kind = SCHEMA_ARRAY, .items = &shape_call};
const struct schema shape_output = {
    .kind = SCHEMA_OBJECT,
    .name = "Output",
    .doc = "What one step gave, and the requests it made.",
    .members = MEMBERS({"id", &shape_id, true, NULL}, {"run_ref", &shape_id, true, NULL},
                       {"seq", &shape_count, true, "From 0."}, {"step_key", &shape_text, true, NULL},
                       {"output", &shape_text, true, NULL}, {"mock_hit", &shape_bool, true, NULL},
                       {"clamped", &shape_bool, false, "The output was cut to its text limit."},
                       {"calls", &shape_calls, true, NULL}, {"occurred_at", &shape_time, true, NULL}),
};

const struct schema shape_run_request = {
    .kind = SCHEMA_OBJECT,
    .name = "RunRequest",
    .members =
        MEMBERS({"variant", &shape_label, false, NULL}, {"suite_ref", &shape_ref, false, NULL},
                {"runner", &shape_label, false, "Default: inproc-mock."},
                {"policy_refs", &shape_refs, false, "This engine knows no policy: anything but [] is refused."},
                {"seed", &shape_seed, false, "Default: the scenario's."},
                {"wait", &shape_bool, false, "false: answer 202 as soon as the run is recorded. Default: true."}),
};

static const char *const mock_sources[] = {"none", NULL};
static const struct schema shape_mock_from = {.kind = SCHEMA_STRING, .values = mock_sources};
const struct schema shape_replay_request = {
    .kind = SCHEMA_OBJECT,
    .name = "ReplayRequest",
    .members = MEMBERS({"session_ref", &shape_ref, true, NULL}, {"mocks", &shape_mocks, false, NULL},
                       {"mock_from", &shape_mock_from, false, NULL}, {"suite_ref", &shape_ref, false, NULL},
                       {"runner", &shape_label, false, NULL}, {"variant", &shape_label, false, NULL}),
};

static const char *const verification_results[] = {"identical", "different", NULL};
static const struct schema shape_verification_result = {.kind = SCHEMA_STRING, .values = verification_results};
static const char *const verification_fields[] = {"step_key", "output",       "mock_hit", "missing",
                                                  "extra",    "outputs_hash", NULL};
static const struct schema shape_verification_field = {.kind = SCHEMA_STRING, .values = verification_fields};
static const struct schema shape_first_difference = {
    .kind = SCHEMA_OBJECT,
    .name = "FirstDifference",
    .members = MEMBERS({"seq", &shape_count, true, NULL}, {"step_key", &shape_text, true, NULL},
                       {"field", &shape_verification_field, true, NULL}, {"recorded", &shape_text, true, NULL},
                       {"again", &shape_text, true, NULL}),
};
const struct schema shape_verification = {
    .kind = SCHEMA_OBJECT,
    .name = "Verification",
    .members = MEMBERS({"run_ref", &shape_id, true, NULL}, {"result", &shape_verification_result, true, NULL},
                       {"steps", &shape_count, true, "Steps compared."},
                       {"outputs_hash", &shape_digest, true, "Of the repetition."},
                       {"recorded_outputs_hash", &shape_digest, true, NULL},
                       {"first_difference", &shape_first_difference, false, NULL}),
};

// ---- dry run ----

static const struct schema shape_input = {.kind = SCHEMA_STRING, .max_bytes = INPUT_MAX_BYTES};
const struct schema shape_match_request = {
    .kind = SCHEMA_OBJECT,
    .name = "MatchRequest",
    .members =
        MEMBERS({"input", &shape_input, true, "What a step would request."}, {"variant", &shape_label, false, NULL}),
};
static const struct schema shape_candidate = {
    .kind = SCHEMA_OBJECT,
    .name = "MatchCandidate",
    .members =
        MEMBERS({"mock", &shape_text, true, "Its place in the scenario."},
                {"answers", &shape_bool, true, "It is the one that answers."}, {"response", &shape_text, true, NULL}),
};
static const struct schema shape_candidates = {.kind = SCHEMA_ARRAY, .items = &shape_candidate};
const struct schema shape_match = {
    .kind = SCHEMA_OBJECT,
    .name = "Match",
    .doc = "What would answer, and every mock that matches, in order of precedence.",
    .members =
        MEMBERS({"scenario_ref", &shape_id, true, NULL}, {"scenario_revision", &shape_count, true, NULL},
                {"variant", &shape_text, false, NULL}, {"resource", &shape_text, true, NULL},
                {"resource_whole", &shape_digest, false, "The input was cut: SHA-256 of the whole."},
                {"mock_hit", &shape_bool, true, NULL}, {"mock", &shape_text, false, "Place of the mock that answers."},
                {"response", &shape_text, true, "The answer, or the mock-miss marker."},
                {"candidates", &shape_candidates, true, NULL},
                {"clamped", &shape_texts, false, "Members of the request that were cut to their limit."}),
};

// ---- comparisons ----

static const struct schema shape_one = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = 1};
static const char *const rule_refs[] = {VERDICT_DEFAULT_REF, NULL};
static const struct schema shape_rule_ref = {.kind = SCHEMA_STRING, .values = rule_refs};
const struct schema shape_compare_request = {
    .kind = SCHEMA_OBJECT,
    .name = "CompareRequest",
    .doc = "Exactly one of scenario_ref, session_ref, or both run references.",
    .members = MEMBERS({"scenario_ref", &shape_id, false, NULL}, {"session_ref", &shape_ref, false, NULL},
                       {"baseline_run_ref", &shape_id, false, NULL}, {"candidate_run_ref", &shape_id, false, NULL},
                       {"baseline_variant", &shape_label, false, "Not with run references."},
                       {"candidate_variant", &shape_label, false, "Not with run references."},
                       {"mocks", &shape_mocks, false, "With session_ref."}, {"suite_ref", &shape_ref, false, NULL},
                       {"rule_ref", &shape_rule_ref, false, NULL}, {"repeat", &shape_one, false, NULL},
                       {"runner", &shape_label, false, NULL}),
};

static const struct schema shape_verdict_reason_code = {.kind = SCHEMA_STRING, .values = verdict_reason_codes};
static const struct schema shape_verdict_reason = {
    .kind = SCHEMA_OBJECT,
    .name = "VerdictReason",
    .members = MEMBERS({"code", &shape_verdict_reason_code, true, NULL}, {"message", &shape_text, true, NULL}),
};
static const struct schema shape_rule = {
    .kind = SCHEMA_OBJECT,
    .name = "Rule",
    .members = MEMBERS({"ref", &shape_text, true, NULL}, {"hash", &shape_digest, true, NULL}),
};
static const struct schema shape_difference_kind = {.kind = SCHEMA_STRING, .values = difference_kinds};
static const struct schema shape_difference = {
    .kind = SCHEMA_OBJECT,
    .name = "Difference",
    .members = MEMBERS({"step_key", &shape_text, true, NULL}, {"kind", &shape_difference_kind, true, NULL},
                       {"baseline", &shape_text, false, "Cut with a mark."},
                       {"candidate", &shape_text, false, "Cut with a mark."}),
};
static const struct schema shape_differences = {.kind = SCHEMA_ARRAY, .items = &shape_difference};
const struct schema shape_comparison = {
    .kind = SCHEMA_OBJECT,
    .name = "Comparison",
    .doc = "Two arms and the verdict on them.",
    .members = MEMBERS({"id", &shape_id, true, NULL}, {"scenario_ref", &shape_id, false, NULL},
                       {"session_ref", &shape_text, false, NULL}, {"subject_ref", &shape_text, true, NULL},
                       {"baseline_run_ref", &shape_id, true, NULL}, {"candidate_run_ref", &shape_id, true, NULL},
                       {"baseline_variant", &shape_text, false, NULL}, {"candidate_variant", &shape_text, false, NULL},
                       {"suite_ref", &shape_text, false, NULL}, {"scored", &shape_bool, true, NULL},
                       {"baseline_score", &shape_number, false, NULL}, {"candidate_score", &shape_number, false, NULL},
                       {"delta", &shape_number, false, NULL}, {"verdict", &shape_verdict, true, NULL},
                       {"reason", &shape_verdict_reason, true, NULL}, {"rule", &shape_rule, true, NULL},
                       {"comparable", &shape_bool, true, NULL},
                       {"differences", &shape_differences, true, "In execution order; the first 1000."},
                       {"differences_omitted", &shape_count, true, "Differences beyond those listed."},
                       {"decided_by", &shape_text, true, NULL}, {"occurred_at", &shape_time, true, NULL},
                       {"clamped", &shape_texts, false,
                        "Only in the answer to the request: places of it that were cut to their limit."}),
};

static const struct schema shape_decision = {.kind = SCHEMA_STRING, .values = gate_decision_names};
static const char *const gate_reason_codes[] = {"no_comparison", "comparison_stale", "verdict", NULL};
static const struct schema shape_gate_reason_code = {.kind = SCHEMA_STRING, .values = gate_reason_codes};
static const struct schema shape_gate_reason = {
    .kind = SCHEMA_OBJECT,
    .name = "GateReason",
    .members = MEMBERS({"code", &shape_gate_reason_code, true, NULL}, {"message", &shape_text, true, NULL}),
};
const struct schema shape_gate = {
    .kind = SCHEMA_OBJECT,
    .name = "Gate",
    .members = MEMBERS({"decision", &shape_decision, true, NULL}, {"reason", &shape_gate_reason, true, NULL},
                       {"comparison_ref", &shape_id, false, NULL}, {"verdict", &shape_verdict, false, NULL},
                       {"age_s", &shape_count, false, NULL}),
};

// ---- synthetic data, runners ----

static const struct schema shape_subject_kind = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_template = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = INPUT_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_generate_count = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 0, .max = 100};
const struct schema shape_generate_request = {
    .kind = SCHEMA_OBJECT,
    .name = "SyntheticDataRequest",
    .members = MEMBERS({"subject_kind", &shape_subject_kind, false, "Default: agent."},
                       {"count", &shape_generate_count, false, "0 or absent: 10."},
                       {"seed", &shape_template, false, "Template with {{index}} and {{subject_kind}}."}),
};
static const struct schema shape_sample = {
    .kind = SCHEMA_OBJECT,
    .name = "Sample",
    .members = MEMBERS({"key", &shape_text, true, NULL}, {"input", &shape_text, true, NULL}),
};
static const struct schema shape_sample_list = {.kind = SCHEMA_ARRAY, .items = &shape_sample};
const struct schema shape_samples = {
    .kind = SCHEMA_OBJECT, .name = "SyntheticData", .members = MEMBERS({"samples", &shape_sample_list, true, NULL})};

static const struct schema shape_integer = {.kind = SCHEMA_INTEGER};
static const struct schema shape_stage = {
    .kind = SCHEMA_OBJECT,
    .name = "PreflightStage",
    .members = MEMBERS({"stage", &shape_text, true, NULL}, {"ok", &shape_bool, true, NULL},
                       {"errno", &shape_integer, false, NULL}, {"detail", &shape_text, true, NULL}),
};
static const struct schema shape_stages = {.kind = SCHEMA_ARRAY, .items = &shape_stage};
const struct schema shape_runner = {
    .kind = SCHEMA_OBJECT,
    .name = "Runner",
    .doc = "A backend and what this host can do with it.",
    .members = MEMBERS({"name", &shape_text, true, NULL}, {"available", &shape_bool, true, NULL},
                       {"strength", &shape_text, true, NULL}, {"missing", &shape_text, false, NULL},
                       {"reason", &shape_text, false, NULL}, {"attests", &shape_texts, true, NULL},
                       {"stages", &shape_stages, true, NULL}),
};
static const struct schema shape_runner_items = {.kind = SCHEMA_ARRAY, .items = &shape_runner};
const struct schema shape_runner_list = {
    .kind = SCHEMA_OBJECT,
    .name = "RunnerList",
    .members = MEMBERS({"items", &shape_runner_items, true, NULL}, {"has_more", &shape_bool, true, NULL}),
};
