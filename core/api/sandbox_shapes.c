// SPDX-License-Identifier: Apache-2.0
// The shapes of the module's documents and requests. The closed lists of words are the domain's own (sandbox/), so that
// a new status or reason appears here by itself.
#include "api/sandbox_shapes.h"

#include "api/shapes.h"
#include "mock/mock.h"
#include "sandbox/comparable.h"
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
static const struct schema shape_texts = {.kind = SCHEMA_ARRAY, .items = &shape_text};
static const struct schema shape_refs = {.kind = SCHEMA_ARRAY, .items = &shape_ref};

// ---- scenarios ----

static const struct schema shape_stored_step = {
    .kind = SCHEMA_OBJECT,
    .name = "StoredStep",
    .members = MEMBERS({"key", &shape_text, true, NULL}, {"input", &shape_text, true, NULL},
                       {"input_whole", &shape_digest, false, "SHA-256 of the input as sent, when it was cut."}),
};
static const struct schema shape_stored_steps = {.kind = SCHEMA_ARRAY, .items = &shape_stored_step};
static const struct schema shape_stored_mocks = {.kind = SCHEMA_ARRAY, .items = &mock_stored_shape};
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

static const struct schema shape_attestation = {
    .kind = SCHEMA_MAP,
    .name = "Attestation",
    .doc = "What the backend says was in force. Each adds members of its own; empty while the run goes on and when no "
           "backend took it.",
    .members = MEMBERS(
        {"runner", &shape_text, false, "The backend that says so."},
        {"isolation", &shape_text, false,
         "What kept the execution in: `by_construction` for one that can ask for nothing else."},
        {"reaches", &shape_texts, false, "All that the execution could ask for."},
        {"measured", &shape_texts, false, "Which of this the backend has measured rather than taken as given."}),
};

static const struct schema shape_variant_kind = {.kind = SCHEMA_STRING, .values = run_variant_kinds};
const struct schema shape_run = {
    .kind = SCHEMA_OBJECT,
    .name = "Run",
    .doc = "One execution, with the backend that really ran it.",
    .members =
        MEMBERS({"id", &shape_id, true, NULL}, {"kind", &shape_run_kind, true, NULL},
                {"scenario_ref", &shape_id, false, NULL}, {"scenario_revision", &shape_count, false, NULL},
                {"spec_hash", &shape_digest, true, "Of what was run: steps, mocks and seed with the variant applied."},
                {"subject_ref", &shape_text, true, NULL}, {"variant", &shape_text, false, NULL},
                {"variant_kind", &shape_variant_kind, false,
                 "With variant: overlay when it is one of the scenario's variants, label when it only names the run."},
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
                {"passed", &shape_bool, false, NULL},
                {"unused_mocks", &shape_texts, true, "Places of the required mocks that answered nothing."},
                {"unused_mock_count", &shape_count, true, "Mocks of the spec that answered nothing, required or not."},
                {"virtual_ms", &shape_count, true,
                 "How long the answers took on the run's virtual clock: the sum of their delays."},
                {"attestation", &shape_attestation, true, NULL}, {"started_at", &shape_time, true, NULL},
                {"finished_at", &shape_time, false, NULL}, {"duration_ms", &shape_count, false, NULL},
                {"launched_by", &shape_text, true, NULL},
                {"clamped", &shape_texts, false,
                 "Only in the answer to the request: places of it that were cut to their limit."}),
};

static const struct schema shape_matched_by = {.kind = SCHEMA_STRING, .values = mock_matcher_names};
static const struct schema shape_outcome = {.kind = SCHEMA_STRING, .values = mock_outcome_names};
static const struct schema shape_candidate = {
    .kind = SCHEMA_OBJECT,
    .name = "Candidate",
    .doc = "A mock that matched a request, and what became of it.",
    .members = MEMBERS({"mock", &shape_text, true, "Its place in the scenario."},
                       {"matched_by", &shape_matched_by, true, NULL},
                       {"outcome", &shape_outcome, true,
                        "answered; behind: one in front of it did; used_up: it had no answer left; matcher_limit: "
                        "whether it matches could not be decided within the limit."}),
};
static const struct schema shape_candidates = {.kind = SCHEMA_ARRAY, .items = &shape_candidate};
static const struct schema shape_equal_name = {.kind = SCHEMA_STRING, .values = mock_equal_names};
static const struct schema shape_equal_names = {.kind = SCHEMA_ARRAY, .items = &shape_equal_name};
static const struct schema shape_near_miss = {
    .kind = SCHEMA_OBJECT,
    .name = "NearMiss",
    .doc = "A mock that nearly answered, and what kept it from doing so.",
    .members =
        MEMBERS({"mock", &shape_text, true, "Its place in the scenario."},
                {"criterion", &shape_text, true, "Which part failed: resource, match.prefix, match.all[1].regex."},
                {"why", &shape_text, true, "A sentence."},
                {"expected", &shape_text, true,
                 "The mock's side: an excerpt, with the first difference between ⟦ and ⟧ where there is one."},
                {"got", &shape_text, false, "The request's side."},
                {"at", &shape_count, false, "Offset of the first difference in the request, in bytes."},
                {"equal_after", &shape_equal_names, false, "It would match after all of this."}),
};
static const struct schema shape_near_misses = {.kind = SCHEMA_ARRAY, .items = &shape_near_miss};
static const struct schema shape_fault = {.kind = SCHEMA_STRING, .values = mock_fault_names + 1};

// Members of a call and of a dry run, written by resolution_write.
#define RESOLUTION_MEMBERS                                                                                             \
  {"mock_hit", &shape_bool, true, NULL}, {"mock", &shape_text, false, "Place of the mock that answered."},             \
      {"matched_by", &shape_matched_by, false, "What that mock matches by."},                                          \
      {"use", &shape_count, false, "Of a mock with responses or times: which of its answers in this run."},            \
      {"fault", &shape_fault, false, "The answer was this fault; ordinary text never has it."},                        \
      {"delay_ms", &shape_count, false, "How long the answer took on the virtual clock."},                             \
      {"matcher_limit", &shape_text, false,                                                                            \
       "Place of the mock whose matcher could not be decided within its limit; who would have answered is not "        \
       "known."},                                                                                                      \
      {"candidates", &shape_candidates, false,                                                                         \
       "Every mock that matched, in order of precedence; left out when it is the one that answered alone."},           \
      {"candidates_omitted", &shape_count, false, "Candidates beyond the 16 that are listed."},                        \
      {"near_misses_skipped", &shape_count, false,                                                                     \
       "Of a miss: mocks with a matcher that were not looked at, since only the first 10 are."},                       \
  {                                                                                                                    \
    "near_misses", &shape_near_misses, false,                                                                          \
        "Of a miss: at most three mocks that nearly answered, the nearest first."                                      \
  }

static const struct schema shape_call = {
    .kind = SCHEMA_OBJECT,
    .name = "Call",
    .doc = "A request, who answered it, and why.",
    .members = MEMBERS({"resource", &shape_text, true, NULL},
                       {"resource_whole", &shape_digest, false, "The resource was cut: SHA-256 of the whole."},
                       RESOLUTION_MEMBERS,
                       {"near_misses_omitted", &shape_bool, false,
                        "The run had explained 1000 misses already; scenarios match explains this one."}),
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
const struct schema shape_match = {
    .kind = SCHEMA_OBJECT,
    .name = "Match",
    .doc = "What would answer, and every mock that matches, in order of precedence.",
    .members = MEMBERS({"scenario_ref", &shape_id, true, NULL}, {"scenario_revision", &shape_count, true, NULL},
                       {"variant", &shape_text, false, NULL}, {"variant_kind", &shape_variant_kind, false, NULL},
                       {"resource", &shape_text, true, NULL},
                       {"resource_whole", &shape_digest, false, "The input was cut: SHA-256 of the whole."},
                       RESOLUTION_MEMBERS, {"response", &shape_text, true, "The answer, or the mock-miss marker."},
                       {"response_bytes", &shape_count, false, "The answer is longer than shown: its length."},
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
    .members =
        MEMBERS({"scenario_ref", &shape_id, false, NULL}, {"session_ref", &shape_ref, false, NULL},
                {"baseline_run_ref", &shape_id, false, NULL}, {"candidate_run_ref", &shape_id, false, NULL},
                {"baseline_variant", &shape_label, false, "Not with run references."},
                {"candidate_variant", &shape_label, false, "Not with run references."},
                {"mocks", &shape_mocks, false, "With session_ref: of both arms."},
                {"baseline_mocks", &shape_mocks, false, "With session_ref: of the baseline, instead of mocks."},
                {"candidate_mocks", &shape_mocks, false, "With session_ref: of the candidate, instead of mocks."},
                {"self_check", &shape_bool, false, "The arms are identical, and are meant to be."},
                {"suite_ref", &shape_ref, false, NULL}, {"rule_ref", &shape_rule_ref, false, NULL},
                {"repeat", &shape_one, false, NULL}, {"runner", &shape_label, false, NULL}),
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
static const struct schema shape_pair_kind = {.kind = SCHEMA_STRING, .values = difference_names};
static const struct schema shape_pair = {
    .kind = SCHEMA_OBJECT,
    .name = "Pair",
    .doc = "A step of both arms, or of one.",
    .members = MEMBERS({"step_key", &shape_text, true, NULL}, {"kind", &shape_pair_kind, true, NULL}),
};
static const struct schema shape_pairs = {.kind = SCHEMA_ARRAY, .items = &shape_pair};
static const struct schema shape_counts = {
    .kind = SCHEMA_OBJECT,
    .name = "DifferenceCounts",
    .doc = "How many steps of each kind there are; all of them, however many are listed.",
    .members = MEMBERS({"same", &shape_count, true, NULL}, {"changed", &shape_count, true, NULL},
                       {"miss_to_hit", &shape_count, true, NULL}, {"hit_to_miss", &shape_count, true, NULL},
                       {"only_baseline", &shape_count, true, NULL}, {"only_candidate", &shape_count, true, NULL}),
};
static const struct schema shape_comparable_code = {.kind = SCHEMA_STRING, .values = comparable_codes};
static const struct schema shape_not_comparable = {
    .kind = SCHEMA_OBJECT,
    .name = "NotComparable",
    .doc = "Something that sets the arms apart, so that a difference between them says nothing.",
    .members = MEMBERS({"code", &shape_comparable_code, true, NULL}, {"message", &shape_text, true, NULL}),
};
static const struct schema shape_not_comparables = {.kind = SCHEMA_ARRAY, .items = &shape_not_comparable};
// Without the first, "same".
static const struct schema shape_difference_kind = {.kind = SCHEMA_STRING, .values = difference_names + 1};
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
    .members =
        MEMBERS({"id", &shape_id, true, NULL}, {"scenario_ref", &shape_id, false, NULL},
                {"session_ref", &shape_text, false, NULL}, {"subject_ref", &shape_text, true, NULL},
                {"baseline_run_ref", &shape_id, true, NULL}, {"candidate_run_ref", &shape_id, true, NULL},
                {"baseline_variant", &shape_text, false, NULL}, {"candidate_variant", &shape_text, false, NULL},
                {"suite_ref", &shape_text, false, NULL}, {"scored", &shape_bool, true, NULL},
                {"baseline_score", &shape_number, false, NULL}, {"candidate_score", &shape_number, false, NULL},
                {"delta", &shape_number, false, NULL}, {"verdict", &shape_verdict, true, NULL},
                {"reason", &shape_verdict_reason, true, NULL}, {"rule", &shape_rule, true, NULL},
                {"comparable", &shape_bool, true, NULL},
                {"not_comparable", &shape_not_comparables, true, "Why not, when comparable is false."},
                {"self_check", &shape_bool, true, "The arms were identical on purpose; a gate does not go by it."},
                {"same_spec", &shape_bool, true, "Both arms ran the same steps, mocks and seed."},
                {"variant_unknown", &shape_bool, true,
                 "And the candidate is none of the scenario's variants, of which there are some: most likely a "
                 "mistyped name."},
                {"counts", &shape_counts, true, NULL},
                {"pairs", &shape_pairs, false, "Every step in execution order, the first 10000; not in lists."},
                {"pairs_omitted", &shape_count, false, "Steps beyond those listed."},
                {"differences", &shape_differences, true,
                 "The steps that are not the same, in execution order; the first 1000."},
                {"differences_omitted", &shape_count, true, "Differences beyond those listed."},
                {"decided_by", &shape_text, true, NULL}, {"occurred_at", &shape_time, true, NULL},
                {"clamped", &shape_texts, false,
                 "Only in the answer to the request: places of it that were cut to their limit."}),
};

static const struct schema shape_decision = {.kind = SCHEMA_STRING, .values = gate_decision_names};
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
                       {"comparison_ref", &shape_id, false, NULL}, {"baseline_run_ref", &shape_id, false, NULL},
                       {"candidate_run_ref", &shape_id, false, NULL}, {"verdict", &shape_verdict, false, NULL},
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
