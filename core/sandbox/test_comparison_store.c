// SPDX-License-Identifier: Apache-2.0
#include "sandbox/comparison.h"
#include "sandbox/test_sandbox.h"

static struct comparison comparison_of(struct bench *b, enum verdict verdict, const char *code) {
  return (struct comparison){
      .tenant = b->tenant,
      .id = id_new(b->now_ns),
      .subject_ref = STR("agent:s"),
      .baseline = id_new(b->now_ns),
      .candidate = id_new(b->now_ns),
      .verdict = verdict,
      .reason = {code, STR("Because.")},
      .rule_ref = STR("default"),
      .rule_hash = verdict_default_hash(),
      .differences = {.differences = STR("[]"), .pairs = STR("[]")},
      .not_comparable = STR("[]"),
      .decided_by = BENCH_ACTOR,
      .occurred_at = b->now_ns,
  };
}

static struct comparison get(struct bench *b, struct id id) {
  struct comparison c;
  bool found = false;
  CHECK_OK(b, comparison_get(b->conn, b->arena, b->tenant, id, &c, &found, &b->err));
  assert_true(found);
  return c;
}

static void check_text(struct str a, struct str e) {
  assert_int_equal(str_present(a), str_present(e));
  assert_true(str_eq(a, e));
}

static void check_same(const struct comparison *a, const struct comparison *e) {
  CHECK_ID(a->tenant, e->tenant);
  CHECK_ID(a->id, e->id);
  CHECK_ID(a->scenario, e->scenario);
  CHECK_ID(a->baseline, e->baseline);
  CHECK_ID(a->candidate, e->candidate);
  check_text(a->session_ref, e->session_ref);
  check_text(a->subject_ref, e->subject_ref);
  check_text(a->baseline_variant, e->baseline_variant);
  check_text(a->candidate_variant, e->candidate_variant);
  check_text(a->suite_ref, e->suite_ref);
  check_text(a->rule_ref, e->rule_ref);
  check_text(a->reason.message, e->reason.message);
  check_text(a->differences.differences, e->differences.differences);
  check_text(a->differences.pairs, e->differences.pairs);
  check_text(a->not_comparable, e->not_comparable);
  assert_int_equal(a->self_check, e->self_check);
  assert_int_equal(a->same_spec, e->same_spec);
  assert_int_equal(a->variant_unknown, e->variant_unknown);
  for (int i = 0; i < DIFFERENCE_COUNT; i++) assert_int_equal(a->differences.counts[i], e->differences.counts[i]);
  assert_int_equal(a->differences.pairs_omitted, e->differences.pairs_omitted);
  check_text(a->decided_by, e->decided_by);
  assert_string_equal(a->reason.code, e->reason.code);
  assert_int_equal(a->has_baseline_score, e->has_baseline_score);
  assert_int_equal(a->has_candidate_score, e->has_candidate_score);
  assert_true(a->baseline_score == e->baseline_score && a->candidate_score == e->candidate_score);
  assert_int_equal(a->verdict, e->verdict);
  assert_int_equal(a->comparable, e->comparable);
  assert_true(digest_eq(&a->rule_hash, &e->rule_hash));
  assert_int_equal(a->differences.differences_omitted, e->differences.differences_omitted);
  assert_int_equal(a->occurred_at, e->occurred_at);
}

static void a_comparison_comes_back_as_it_was_stored(void **state) {
  struct bench *b = *state;
  struct comparison bare = comparison_of(b, VERDICT_INCONCLUSIVE, "no_steps"), full = bare;
  full.id = id_new(BENCH_NOW);
  full.scenario = b->other_tenant; // any id
  full.session_ref = STR("session");
  full.baseline_variant = STR("");
  full.candidate_variant = STR("v");
  full.suite_ref = STR("suite");
  full.has_baseline_score = full.has_candidate_score = true;
  full.baseline_score = 0.1;
  full.candidate_score = -3e300;
  full.verdict = VERDICT_REGRESSED;
  full.reason.code = "score_regressed";
  full.comparable = true;
  full.differences = (struct differences){
      .counts = {INT64_C(6000000000), 1, 2, 3, 4, 5},
      .pairs = STR("[{\"step_key\":\"k\",\"kind\":\"changed\"}]"),
      .differences = STR("[{\"step_key\":\"k\"}]"),
      .pairs_omitted = 8,
      .differences_omitted = INT64_C(5000000000),
  };
  full.not_comparable = STR("[{\"code\":\"steps\"}]");
  full.self_check = true;
  full.same_spec = true;
  full.variant_unknown = true;
  CHECK_OK(b, comparison_insert(b->conn, &bare, &b->err) && comparison_insert(b->conn, &full, &b->err));
  struct comparison bare_read = get(b, bare.id), full_read = get(b, full.id);
  check_same(&bare_read, &bare);
  check_same(&full_read, &full);
  assert_string_equal(bench_ledger(b, b->tenant),
                      "user:tester comparison.decide {\"verdict\":\"inconclusive\",\"reason\":\"no_steps\"}\n"
                      "user:tester comparison.decide {\"verdict\":\"regressed\",\"reason\":\"score_regressed\"}\n");
}

static void every_verdict_and_reason_comes_back(void **state) {
  struct bench *b = *state;
  for (int verdict = 0; verdict_names[verdict]; verdict++)
    for (int reason = 0; verdict_reason_codes[reason]; reason++) {
      struct comparison c = comparison_of(b, (enum verdict)verdict, verdict_reason_codes[reason]);
      CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
      struct comparison read = get(b, c.id);
      check_same(&read, &c);
    }
}

static void words_that_are_not_known_decide_nothing(void **state) {
  struct bench *b = *state;
  struct comparison c = comparison_of(b, VERDICT_IMPROVED, "score_improved");
  CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
  CHECK_OK(b, bench_sql(b, "DROP TRIGGER comparisons_no_update", c.id));
  CHECK_OK(b, bench_sql(b, "UPDATE comparisons SET verdict = 'splendid', reason_code = 'lunch'", c.id));
  struct comparison read = get(b, c.id);
  assert_int_equal(read.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(read.reason.code, "lunch");
}

static void another_tenant_sees_nothing_of_it(void **state) {
  struct bench *b = *state;
  struct comparison c = comparison_of(b, VERDICT_IMPROVED, "score_improved"), read;
  bool found = true;
  CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
  CHECK_OK(b, comparison_get(b->conn, b->arena, b->other_tenant, c.id, &read, &found, &b->err));
  assert_false(found);
}

static void comparisons_are_append_only(void **state) {
  struct bench *b = *state;
  struct comparison c = comparison_of(b, VERDICT_REGRESSED, "score_regressed");
  CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
  static const char *const refused[] = {
      "UPDATE comparisons SET verdict = 'improved'",
      "DELETE FROM comparisons",
      "INSERT OR REPLACE INTO comparisons SELECT * FROM comparisons",
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK_FAILS(b, bench_sql(b, refused[i], c.id), ERR_INTERNAL, "comparisons is append-only");
  struct comparison read = get(b, c.id);
  check_same(&read, &c);
}

// ---- lists ----

static void take(void *ctx, const struct comparison *c) {
  buf_addf(ctx, "%.*s ", STR_ARG(c->decided_by));
}

static void check_list(struct bench *b, struct comparison_filter filter, bool oldest_first, struct id after, int limit,
                       const char *expected) {
  AUTO(buf_done) struct buf names;
  buf_init(&names, 4096);
  CHECK_OK(b, comparison_list(b->conn, b->tenant, &filter, oldest_first, after, limit, take, &names, &b->err));
  CHECK_STR(buf_str(&names), expected);
}

static struct id add(struct bench *b, const char *name, enum verdict verdict, struct id scenario, const char *subject,
                     const char *variant) {
  struct comparison c = comparison_of(b, verdict, "outputs_identical");
  c.decided_by = str_c(name);
  c.scenario = scenario;
  c.subject_ref = str_c(subject);
  c.candidate_variant = str_c(variant);
  CHECK_OK(b, comparison_insert(b->conn, &c, &b->err));
  return c.id;
}

static void lists_are_filtered_ordered_and_cut(void **state) {
  struct bench *b = *state;
  struct id none = {{0}}, scenario = id_new(BENCH_NOW);
  add(b, "a", VERDICT_UNCHANGED, scenario, "agent:s", "v");
  struct id second = add(b, "b", VERDICT_REGRESSED, scenario, "agent:s", "w");
  add(b, "c", VERDICT_UNCHANGED, none, "session:x", NULL);
  struct comparison theirs = comparison_of(b, VERDICT_UNCHANGED, "outputs_identical");
  theirs.tenant = b->other_tenant;
  CHECK_OK(b, comparison_insert(b->conn, &theirs, &b->err));

  struct comparison_filter all = {0};
  check_list(b, all, false, none, 100, "c b a ");
  check_list(b, all, true, none, 100, "a b c ");
  check_list(b, all, true, none, 1, "a ");
  check_list(b, all, true, second, 100, "c ");
  check_list(b, all, false, second, 100, "a ");
  check_list(b, (struct comparison_filter){.scenario = scenario}, false, none, 100, "b a ");
  check_list(b, (struct comparison_filter){.verdict = STR("unchanged")}, false, none, 100, "c a ");
  check_list(b, (struct comparison_filter){.subject_ref = STR("session:x")}, false, none, 100, "c ");
  check_list(b, (struct comparison_filter){.candidate_variant = STR("w")}, false, none, 100, "b ");
  check_list(b,
             (struct comparison_filter){.scenario = scenario,
                                        .verdict = STR("unchanged"),
                                        .subject_ref = STR("agent:s"),
                                        .candidate_variant = STR("v")},
             true, none, 100, "a ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(a_comparison_comes_back_as_it_was_stored),
      BENCH_LENT_TEST(every_verdict_and_reason_comes_back),
      BENCH_LENT_TEST(words_that_are_not_known_decide_nothing),
      BENCH_LENT_TEST(another_tenant_sees_nothing_of_it),
      BENCH_LENT_TEST(comparisons_are_append_only),
      BENCH_LENT_TEST(lists_are_filtered_ordered_and_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
