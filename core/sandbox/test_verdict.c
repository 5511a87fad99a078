// SPDX-License-Identifier: Apache-2.0
#include "sandbox/comparison.h"
#include "sandbox/test_sandbox.h"
#include "sandbox/verdict.h"

// Every pair of arms: 5 statuses, each with steps and without. n: no_steps, x: arm_not_executed, d: it is decided by
// scores and outputs.
enum { STATUSES = 5, STATES = 2 * STATUSES };
static const char *const outcome[STATES] = {
    // candidate: running completed degraded error canceled, with steps; then the same without
    "xxxxx"
    "xxxxx", // baseline running, with steps
    "xddxx"
    "xxxxx", // completed
    "xddxx"
    "xxxxx", // degraded
    "xxxxx"
    "xxxxx", // error
    "xxxxx"
    "xxxxx", // canceled
    "xxxxx"
    "nnnnn", // running, without
    "xxxxx"
    "nnnnn", // completed
    "xxxxx"
    "nnnnn", // degraded
    "xxxxx"
    "nnnnn", // error
    "xxxxx"
    "nnnnn", // canceled
};

// What decides, where it comes to that. Scores: -1 stands for none.
static const struct decision {
  double baseline, candidate;
  bool equal_outputs;
  enum verdict verdict;
  const char *code;
} decisions[] = {
    {-1, -1, true, VERDICT_UNCHANGED, "outputs_identical"},
    {-1, -1, false, VERDICT_INCONCLUSIVE, "outputs_differ_unscored"},
    {0.5, -1, true, VERDICT_INCONCLUSIVE, "one_arm_scored"},
    {0.5, -1, false, VERDICT_INCONCLUSIVE, "one_arm_scored"},
    {-1, 0.5, true, VERDICT_INCONCLUSIVE, "one_arm_scored"},
    {-1, 0.5, false, VERDICT_INCONCLUSIVE, "one_arm_scored"},
    {0.5, 0.75, true, VERDICT_IMPROVED, "score_improved"},
    {0.5, 0.75, false, VERDICT_IMPROVED, "score_improved"},
    {0.75, 0.5, true, VERDICT_REGRESSED, "score_regressed"},
    {0.75, 0.5, false, VERDICT_REGRESSED, "score_regressed"},
    {0.5, 0.5, true, VERDICT_UNCHANGED, "score_within_tolerance"},
    {0.5, 0.5, false, VERDICT_UNCHANGED, "score_within_tolerance"},
};
enum { DECISIONS = sizeof decisions / sizeof *decisions };

static struct run arm(int state, double score, uint8_t hash) {
  struct run run = {
      .status = (enum run_status)(state % STATUSES),
      .isolated = true,
      .steps_total = state < STATUSES ? 2 : 0,
      .scored = score >= 0,
      .score = score,
      .has_outputs_hash = true,
  };
  run.outputs_hash.bytes[0] = hash;
  return run;
}

static void check(const struct run *baseline, const struct run *candidate, struct str why_not, enum verdict verdict,
                  const char *code) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct ruling ruling = verdict_default(baseline, candidate, why_not, arena);
  if (ruling.verdict != verdict || strcmp(ruling.reason.code, code) != 0)
    fail_msg("%s with %lld steps, %s with %lld: %s, %s instead of %s, %s", run_status_names[baseline->status],
             (long long)baseline->steps_total, run_status_names[candidate->status], (long long)candidate->steps_total,
             verdict_names[ruling.verdict], ruling.reason.code, verdict_names[verdict], code);
  assert_true(ruling.reason.message.len > 0);
}

static void check_pair(int baseline, int candidate, const struct decision *d) {
  struct run b = arm(baseline, d->baseline, 1), c = arm(candidate, d->candidate, d->equal_outputs ? 1 : 2);
  char cell = outcome[baseline][candidate];
  struct str why_not = STR("The arms ran different steps.");
  if (cell == 'd') {
    check(&b, &c, STR_NONE, d->verdict, d->code);
    check(&b, &c, why_not, VERDICT_INCONCLUSIVE, "not_comparable");
    return;
  }
  const char *code = cell == 'n' ? "no_steps" : "arm_not_executed";
  check(&b, &c, STR_NONE, VERDICT_INCONCLUSIVE, code);
  check(&b, &c, why_not, VERDICT_INCONCLUSIVE, code);
}

static void every_pair_of_arms_has_its_verdict_and_reason(void **state) {
  (void)state;
  for (int baseline = 0; baseline < STATES; baseline++)
    for (int candidate = 0; candidate < STATES; candidate++)
      for (const struct decision *d = decisions; d < decisions + DECISIONS; d++) check_pair(baseline, candidate, d);
}

static void a_run_that_was_not_isolated_did_not_execute(void **state) {
  (void)state;
  struct run isolated = arm(RUN_COMPLETED, 0.5, 1), open = isolated;
  open.isolated = false;
  check(&isolated, &open, STR_NONE, VERDICT_INCONCLUSIVE, "arm_not_executed");
  check(&open, &isolated, STR_NONE, VERDICT_INCONCLUSIVE, "arm_not_executed");
}

static void outputs_without_a_hash_are_not_called_identical(void **state) {
  (void)state;
  struct run baseline = arm(RUN_COMPLETED, -1, 0), candidate = baseline;
  candidate.has_outputs_hash = false;
  check(&baseline, &candidate, STR_NONE, VERDICT_INCONCLUSIVE, "outputs_differ_unscored");
  check(&candidate, &baseline, STR_NONE, VERDICT_INCONCLUSIVE, "outputs_differ_unscored");
  baseline.has_outputs_hash = false;
  check(&baseline, &candidate, STR_NONE, VERDICT_INCONCLUSIVE, "outputs_differ_unscored");
}

static void scores_closer_than_the_tolerance_are_the_same(void **state) {
  (void)state;
  static const struct {
    double baseline, candidate;
    enum verdict verdict;
  } cases[] = {
      {0, 1e-9, VERDICT_UNCHANGED},   {1e-9, 0, VERDICT_UNCHANGED}, {0, 1.1e-9, VERDICT_IMPROVED},
      {1.1e-9, 0, VERDICT_REGRESSED}, {0, 1, VERDICT_IMPROVED},     {1, 0, VERDICT_REGRESSED},
      {1, 1, VERDICT_UNCHANGED},      {0, 1e308, VERDICT_IMPROVED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AUTO(arena_auto_free) struct arena *arena = arena_new();
    struct run baseline = arm(RUN_COMPLETED, cases[i].baseline, 1),
               candidate = arm(RUN_COMPLETED, cases[i].candidate, 1);
    struct ruling ruling = verdict_default(&baseline, &candidate, STR_NONE, arena);
    if (ruling.verdict != cases[i].verdict)
      fail_msg("%g, %g: %s", cases[i].baseline, cases[i].candidate, verdict_names[ruling.verdict]);
  }
}

static void the_message_names_the_state_of_both_arms(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct run baseline = arm(RUN_COMPLETED, -1, 1), candidate = arm(RUN_ERROR, -1, 1);
  candidate.reason.code = "backend_failed";
  CHECK_STR(verdict_default(&baseline, &candidate, STR_NONE, arena).reason.message,
            "An arm did not execute: baseline completed; candidate error, backend_failed.");
  CHECK_STR(verdict_default(&candidate, &baseline, STR_NONE, arena).reason.message,
            "An arm did not execute: baseline error, backend_failed; candidate completed.");
  baseline = arm(STATUSES + RUN_CANCELED, -1, 1);
  candidate = arm(STATUSES + RUN_DEGRADED, -1, 1);
  candidate.reason.code = "timeline_unavailable";
  CHECK_STR(verdict_default(&baseline, &candidate, STR_NONE, arena).reason.message,
            "Neither arm has a step: baseline canceled; candidate degraded, timeline_unavailable.");
}

static void the_message_names_the_scores(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct run baseline = arm(RUN_COMPLETED, 0.5, 1), candidate = arm(RUN_COMPLETED, 0.75, 1);
  CHECK_STR(verdict_default(&baseline, &candidate, STR_NONE, arena).reason.message,
            "The score rose by 0.25, from 0.5 to 0.75.");
  CHECK_STR(verdict_default(&candidate, &baseline, STR_NONE, arena).reason.message,
            "The score fell by 0.25, from 0.75 to 0.5.");
  CHECK_STR(verdict_default(&candidate, &candidate, STR_NONE, arena).reason.message, "Both scores are 0.75.");
}

static void arms_that_cannot_be_compared_keep_the_reason_why(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct run run = arm(RUN_COMPLETED, 0.5, 1);
  char why_not[] = "The arms ran different steps.";
  struct ruling ruling = verdict_default(&run, &run, str_c(why_not), arena);
  memset(why_not, '?', sizeof why_not - 1);
  CHECK_STR(ruling.reason.message, "The arms ran different steps.");
}

static size_t times_listed(const char *code) {
  size_t times = 0;
  for (const char *const *at = verdict_reason_codes; *at; at++) times += strcmp(*at, code) == 0;
  return times;
}

static void the_closed_list_has_every_reason_once_and_no_other(void **state) {
  (void)state;
  static const char *const given[] = {
      "no_steps",       "arm_not_executed", "not_comparable",         "outputs_identical",       "one_arm_scored",
      "score_improved", "score_regressed",  "score_within_tolerance", "outputs_differ_unscored", "self_check_failed",
  };
  enum { GIVEN = sizeof given / sizeof *given };
  size_t listed = 0;
  while (verdict_reason_codes[listed]) listed++;
  assert_int_equal(listed, GIVEN);
  for (size_t i = 0; i < GIVEN; i++)
    if (times_listed(given[i]) != 1) fail_msg("%s is listed %zu times", given[i], times_listed(given[i]));
}

// Stored with each comparison: whoever changes the rule changes this on purpose.
static void the_hash_names_the_rule(void **state) {
  (void)state;
  struct digest hash = verdict_default_hash();
  CHECK_DIGEST(&hash, "3aa8c0bef62cedd2ff4ce3e4c297cee5862f9e1bba49479de3943f6ff4979057");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_of_arms_has_its_verdict_and_reason),
      cmocka_unit_test(a_run_that_was_not_isolated_did_not_execute),
      cmocka_unit_test(outputs_without_a_hash_are_not_called_identical),
      cmocka_unit_test(scores_closer_than_the_tolerance_are_the_same),
      cmocka_unit_test(the_message_names_the_state_of_both_arms),
      cmocka_unit_test(the_message_names_the_scores),
      cmocka_unit_test(arms_that_cannot_be_compared_keep_the_reason_why),
      cmocka_unit_test(the_closed_list_has_every_reason_once_and_no_other),
      cmocka_unit_test(the_hash_names_the_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
