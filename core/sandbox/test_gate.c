// SPDX-License-Identifier: Apache-2.0
#include "sandbox/comparison.h"
#include "sandbox/test_sandbox.h"

static const struct comparison_filter subject = {.subject_ref = {"agent:s", 7}};

static struct id add(struct bench *b, struct id tenant, enum verdict verdict, const char *variant) {
  const struct comparison c = {
      .tenant = tenant,
      .id = id_new(b->now_ns),
      .subject_ref = subject.subject_ref,
      .baseline = b->other_tenant,
      .candidate = b->other_tenant, // any ids
      .candidate_variant = str_c(variant),
      .verdict = verdict,
      .reason = {"outputs_identical", STR("Because.")},
      .rule_ref = STR("default"),
      .differences = {.differences = STR("[]"), .pairs = STR("[]")},
      .not_comparable = STR("[]"),
      .decided_by = BENCH_ACTOR,
      .occurred_at = b->now_ns,
  };
  CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
  return c.id;
}

static struct gate decide(struct bench *b, struct comparison_filter filter, int64_t max_age_s) {
  struct gate gate;
  CHECK_OK(b, gate_decide(b->conn, b->arena, b->tenant, filter, max_age_s, b->now_ns, &gate, &b->err));
  return gate;
}

static void check(struct bench *b, int64_t max_age_s, enum gate_decision decision, const char *code) {
  struct gate gate = decide(b, subject, max_age_s);
  if (gate.decision != decision || strcmp(gate.reason.code, code) != 0)
    fail_msg("at most %lld s: %s, %s", (long long)max_age_s, gate_decision_names[gate.decision], gate.reason.code);
}

static void each_verdict_has_its_decision(void **state) {
  struct bench *b = *state;
  static const struct {
    enum verdict verdict;
    enum gate_decision decision;
    const char *message;
  } cases[] = {
      {VERDICT_IMPROVED, GATE_GO, "The newest comparison is improved: Because."},
      {VERDICT_UNCHANGED, GATE_GO, "The newest comparison is unchanged: Because."},
      {VERDICT_REGRESSED, GATE_NO_GO, "The newest comparison is regressed: Because."},
      {VERDICT_INCONCLUSIVE, GATE_HOLD, "The newest comparison is inconclusive: Because."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct id id = add(b, b->tenant, cases[i].verdict, "v");
    struct gate gate = decide(b, subject, 0);
    assert_int_equal(gate.decision, cases[i].decision);
    assert_string_equal(gate.reason.code, "verdict");
    CHECK_STR(gate.reason.message, cases[i].message);
    assert_true(gate.found);
    CHECK_ID(gate.comparison, id);
    assert_int_equal(gate.verdict, cases[i].verdict);
    assert_int_equal(gate.age_s, 0);
  }
}

static void without_a_comparison_it_holds(void **state) {
  struct bench *b = *state;
  struct gate gate = decide(b, subject, 0);
  assert_int_equal(gate.decision, GATE_HOLD);
  assert_string_equal(gate.reason.code, "no_comparison");
  assert_false(gate.found);
  add(b, b->other_tenant, VERDICT_IMPROVED, "v"); // another tenant's is none
  check(b, 0, GATE_HOLD, "no_comparison");
}

static void only_the_newest_that_matches_counts(void **state) {
  struct bench *b = *state;
  add(b, b->tenant, VERDICT_REGRESSED, "v");
  b->now_ns += BENCH_SECOND;
  add(b, b->tenant, VERDICT_IMPROVED, "v");
  check(b, 0, GATE_GO, "verdict");
  b->now_ns += BENCH_SECOND;
  add(b, b->tenant, VERDICT_REGRESSED, "w");
  check(b, 0, GATE_NO_GO, "verdict");
  struct comparison_filter of_v = subject;
  of_v.candidate_variant = STR("v");
  struct gate gate = decide(b, of_v, 0);
  assert_int_equal(gate.decision, GATE_GO);
  assert_int_equal(gate.age_s, 1);
  of_v.candidate_variant = STR("x");
  assert_string_equal(decide(b, of_v, 0).reason.code, "no_comparison");
}

static void an_old_comparison_holds_whatever_it_says(void **state) {
  struct bench *b = *state;
  add(b, b->tenant, VERDICT_IMPROVED, "v");
  b->now_ns += 60 * BENCH_SECOND;
  check(b, 59, GATE_HOLD, "comparison_stale");
  check(b, 60, GATE_GO, "verdict");
  check(b, 0, GATE_GO, "verdict"); // any age
  check(b, INT64_MAX, GATE_GO, "verdict");
  struct gate gate = decide(b, subject, 59);
  CHECK_STR(gate.reason.message, "The newest comparison is 60 s old, at most 59 s are allowed; run a new one.");
  assert_true(gate.found);
  assert_int_equal(gate.verdict, VERDICT_IMPROVED);
  assert_int_equal(gate.age_s, 60);

  // An old regression is stale too: it says nothing about the candidate of today.
  add(b, b->tenant, VERDICT_REGRESSED, "v");
  b->now_ns += 2 * BENCH_SECOND;
  check(b, 1, GATE_HOLD, "comparison_stale");
}

static void a_clock_that_stepped_back_makes_nothing_old(void **state) {
  struct bench *b = *state;
  add(b, b->tenant, VERDICT_IMPROVED, "v");
  b->now_ns -= 3600 * BENCH_SECOND;
  check(b, 1, GATE_GO, "verdict");
  assert_int_equal(decide(b, subject, 1).age_s, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(each_verdict_has_its_decision),
      BENCH_LENT_TEST(without_a_comparison_it_holds),
      BENCH_LENT_TEST(only_the_newest_that_matches_counts),
      BENCH_LENT_TEST(an_old_comparison_holds_whatever_it_says),
      BENCH_LENT_TEST(a_clock_that_stepped_back_makes_nothing_old),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
