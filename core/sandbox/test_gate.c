// SPDX-License-Identifier: Apache-2.0
// What a deployment is told: only the newest comparison that matches counts, and only one that says so lets it go.
#include "sandbox/comparison.h"
#include "sandbox/test_sandbox.h"

static struct comparison example(struct bench *b, enum verdict verdict) {
  return (struct comparison){
      .tenant = b->tenant,
      .id = id_new(b->now_ns),
      .scenario = b->other_tenant, // any id
      .subject_ref = STR("agent:s"),
      .baseline = b->other_tenant,
      .candidate = b->other_tenant,
      .candidate_variant = STR("v2"),
      .verdict = verdict,
      .reason = {"outputs_identical", STR("As it was.")},
      .comparable = true,
      .rule_ref = STR(VERDICT_DEFAULT_REF),
      .rule_hash = verdict_default_hash(),
      .differences = STR("[]"),
      .decided_by = BENCH_ACTOR,
      .occurred_at = b->now_ns,
  };
}

static struct id store(struct bench *b, const struct comparison *comparison) {
  CHECK_OK(b, comparison_insert(b->conn, comparison, &b->err));
  return comparison->id;
}

static struct id decided(struct bench *b, enum verdict verdict) {
  struct comparison comparison = example(b, verdict);
  return store(b, &comparison);
}

static struct gate ask(struct bench *b, const struct comparison_filter *filter, int64_t max_age_s) {
  struct gate gate;
  CHECK_OK(b, gate_decide(b->conn, b->arena, b->tenant, filter, max_age_s, b->now_ns, &gate, &b->err));
  return gate;
}

static const struct comparison_filter everything;

static void without_a_comparison_it_holds(void **state) {
  struct bench *b = *state;
  struct gate gate = ask(b, &everything, 0);
  assert_int_equal(gate.decision, GATE_HOLD);
  assert_string_equal(gate.reason.code, "no_comparison");
  CHECK_STR(gate.reason.message, "No comparison matches; run one first.");
  assert_false(gate.found);
  assert_true(id_is_zero(gate.comparison));
}

static void each_verdict_has_its_decision(void **state) {
  struct bench *b = *state;
  static const struct {
    enum verdict verdict;
    enum gate_decision decision;
    const char *message;
  } cases[] = {
      {VERDICT_IMPROVED, GATE_GO, "The newest comparison is improved: As it was."},
      {VERDICT_UNCHANGED, GATE_GO, "The newest comparison is unchanged: As it was."},
      {VERDICT_REGRESSED, GATE_NO_GO, "The newest comparison is regressed: As it was."},
      {VERDICT_INCONCLUSIVE, GATE_HOLD, "The newest comparison is inconclusive: As it was."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b->now_ns += BENCH_SECOND;
    struct id id = decided(b, cases[i].verdict);
    struct gate gate = ask(b, &everything, 0);
    assert_int_equal(gate.decision, cases[i].decision);
    assert_string_equal(gate.reason.code, "verdict");
    CHECK_STR(gate.reason.message, cases[i].message);
    assert_true(gate.found);
    CHECK_ID(gate.comparison, id);
    assert_int_equal(gate.verdict, cases[i].verdict);
    assert_int_equal(gate.age_s, 0);
  }
}

static void an_older_go_does_not_outvote_the_newest(void **state) {
  struct bench *b = *state;
  decided(b, VERDICT_IMPROVED);
  decided(b, VERDICT_IMPROVED);
  struct id newest = decided(b, VERDICT_INCONCLUSIVE); // within the same millisecond
  struct gate gate = ask(b, &everything, 0);
  assert_int_equal(gate.decision, GATE_HOLD);
  CHECK_ID(gate.comparison, newest);
}

static void a_stale_comparison_holds_whatever_it_said(void **state) {
  struct bench *b = *state;
  struct id id = decided(b, VERDICT_IMPROVED);
  static const struct {
    int64_t age_ns, max_age_s;
    enum gate_decision decision;
    int64_t age_s;
  } cases[] = {
      {60 * BENCH_SECOND, 60, GATE_GO, 60},
      {61 * BENCH_SECOND - 1, 60, GATE_GO, 60}, // whole seconds count
      {61 * BENCH_SECOND, 60, GATE_HOLD, 61},
      {INT64_C(1000000) * BENCH_SECOND, 0, GATE_GO, 1000000}, // any age
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b->now_ns = BENCH_NOW + cases[i].age_ns;
    struct gate gate = ask(b, &everything, cases[i].max_age_s);
    assert_int_equal(gate.decision, cases[i].decision);
    assert_int_equal(gate.age_s, cases[i].age_s);
    assert_string_equal(gate.reason.code, cases[i].decision == GATE_GO ? "verdict" : "comparison_stale");
    assert_true(gate.found);
    CHECK_ID(gate.comparison, id);
    assert_int_equal(gate.verdict, VERDICT_IMPROVED);
  }
  b->now_ns = BENCH_NOW + 61 * BENCH_SECOND;
  CHECK_STR(ask(b, &everything, 60).reason.message,
            "The newest comparison is 61 s old, at most 60 s are allowed; run a new one.");
}

static void a_stale_regression_does_not_become_a_go(void **state) {
  struct bench *b = *state;
  decided(b, VERDICT_REGRESSED);
  b->now_ns += 61 * BENCH_SECOND;
  assert_int_equal(ask(b, &everything, 60).decision, GATE_HOLD);
  assert_int_equal(ask(b, &everything, 0).decision, GATE_NO_GO);
}

static void a_clock_that_stepped_back_gives_no_negative_age(void **state) {
  struct bench *b = *state;
  decided(b, VERDICT_IMPROVED);
  b->now_ns -= 100 * BENCH_SECOND;
  struct gate gate = ask(b, &everything, 1);
  assert_int_equal(gate.age_s, 0);
  assert_int_equal(gate.decision, GATE_GO);
}

static void only_what_matches_counts(void **state) {
  struct bench *b = *state;
  struct comparison good = example(b, VERDICT_IMPROVED), bad = example(b, VERDICT_REGRESSED);
  good.scenario = id_new(b->now_ns);
  good.subject_ref = STR("agent:good");
  good.candidate_variant = STR("good");
  store(b, &good);
  store(b, &bad); // the newest of all
  struct comparison theirs = example(b, VERDICT_IMPROVED);
  theirs.tenant = b->other_tenant;
  store(b, &theirs);

  assert_int_equal(ask(b, &everything, 0).decision, GATE_NO_GO);
  const struct comparison_filter matching[] = {
      {.scenario = good.scenario}, {.subject_ref = STR("agent:good")}, {.candidate_variant = STR("good")}};
  for (size_t i = 0; i < sizeof matching / sizeof *matching; i++) {
    struct gate gate = ask(b, &matching[i], 0);
    assert_int_equal(gate.decision, GATE_GO);
    CHECK_ID(gate.comparison, good.id);
  }
  const struct comparison_filter neither = {.scenario = good.scenario, .candidate_variant = STR("v2")};
  assert_string_equal(ask(b, &neither, 0).reason.code, "no_comparison");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(without_a_comparison_it_holds),
      BENCH_LENT_TEST(each_verdict_has_its_decision),
      BENCH_LENT_TEST(an_older_go_does_not_outvote_the_newest),
      BENCH_LENT_TEST(a_stale_comparison_holds_whatever_it_said),
      BENCH_LENT_TEST(a_stale_regression_does_not_become_a_go),
      BENCH_LENT_TEST(a_clock_that_stepped_back_gives_no_negative_age),
      BENCH_LENT_TEST(only_what_matches_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
