// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"
#include "sandbox/comparison.h"
#include "sandbox/differences.h"
#include "sandbox/test_sandbox.h"

/// A run of which only what it gave matters.
static struct run run_of(struct bench *b) {
  return (struct run){.tenant = b->tenant, .id = id_new(BENCH_NOW)};
}

static void give(struct bench *b, const struct run *run, int64_t seq, struct str key, struct str text, bool hit) {
  const struct output output = {.id = id_new(BENCH_NOW),
                                .run = run->id,
                                .seq = seq,
                                .step_key = key,
                                .output = text,
                                .mock_hit = hit,
                                .calls = STR("[]"),
                                .occurred_at = BENCH_NOW};
  CHECK_OK(b, run_insert_output(b->conn, run->tenant, &output, &b->err));
}

static struct differences differences_of(struct bench *b, const struct run *baseline, const struct run *candidate) {
  struct differences d;
  CHECK_OK(b, differences_read(b->conn, b->arena, baseline, candidate, &d, &b->err));
  return d;
}

static void check(struct bench *b, const struct run *baseline, const struct run *candidate, const char *expected) {
  struct differences d = differences_of(b, baseline, candidate);
  CHECK_STR(d.differences, expected);
  assert_int_equal(d.differences_omitted, 0);
  assert_int_equal(d.pairs_omitted, 0);
}

static void runs_that_gave_the_same_do_not_differ(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), two = run_of(b), empty = run_of(b);
  give(b, &one, 0, STR("a"), STR("x"), true);
  give(b, &one, 1, STR("b"), STR(""), false);
  give(b, &two, 0, STR("a"), STR("x"), true);
  give(b, &two, 1, STR("b"), STR(""), false);
  check(b, &one, &two, "[]");
  check(b, &one, &one, "[]");
  check(b, &empty, &empty, "[]");
}

static void steps_are_paired_by_key_and_each_difference_has_its_kind(void **state) {
  struct bench *b = *state;
  struct run baseline = run_of(b), candidate = run_of(b);
  give(b, &baseline, 0, STR("same"), STR("x"), true);
  give(b, &baseline, 1, STR("changed"), STR("old"), true);
  give(b, &baseline, 2, STR("found"), STR("[[mock-miss:q]]"), false);
  give(b, &baseline, 3, STR("lost"), STR("y"), true);
  give(b, &baseline, 4, STR("gone"), STR("z"), true);
  give(b, &baseline, 5, STR("hit alone"), STR("x"), true);
  // In another order: that is no difference of a step.
  give(b, &candidate, 0, STR("new"), STR(""), false);
  give(b, &candidate, 1, STR("hit alone"), STR("x"), false);
  give(b, &candidate, 2, STR("lost"), STR("[[mock-miss:r]]"), false);
  give(b, &candidate, 3, STR("found"), STR("w"), true);
  give(b, &candidate, 4, STR("changed"), STR("new"), true);
  give(b, &candidate, 5, STR("same"), STR("x"), true);
  check(b, &baseline, &candidate,
        "[{\"step_key\":\"new\",\"kind\":\"only_candidate\",\"candidate\":\"\"},"
        "{\"step_key\":\"changed\",\"kind\":\"changed\",\"baseline\":\"old\",\"candidate\":\"new\"},"
        "{\"step_key\":\"found\",\"kind\":\"miss_to_hit\",\"baseline\":\"[[mock-miss:q]]\",\"candidate\":\"w\"},"
        "{\"step_key\":\"lost\",\"kind\":\"hit_to_miss\",\"baseline\":\"y\",\"candidate\":\"[[mock-miss:r]]\"},"
        "{\"step_key\":\"gone\",\"kind\":\"only_baseline\",\"baseline\":\"z\"},"
        "{\"step_key\":\"hit alone\",\"kind\":\"hit_to_miss\",\"baseline\":\"x\",\"candidate\":\"x\"}]");
  struct differences d = differences_of(b, &baseline, &candidate);
  static const int64_t counts[DIFFERENCE_COUNT] = {1, 1, 1, 2, 1, 1};
  for (int i = 0; i < DIFFERENCE_COUNT; i++) assert_int_equal(d.counts[i], counts[i]);
}

static void what_only_one_arm_has_stands_where_it_came(void **state) {
  struct bench *b = *state;
  struct run baseline = run_of(b), candidate = run_of(b);
  static const char *const baseline_keys[] = {"a", "b", "only b", "c"}, *const candidate_keys[] = {"x", "a", "y", "c",
                                                                                                   "z"};
  for (int64_t i = 0; i < 4; i++) give(b, &baseline, i, str_c(baseline_keys[i]), STR(""), true);
  for (int64_t i = 0; i < 5; i++) give(b, &candidate, i, str_c(candidate_keys[i]), STR(""), true);
  CHECK_STR(differences_of(b, &baseline, &candidate).pairs,
            "[{\"step_key\":\"x\",\"kind\":\"only_candidate\"},{\"step_key\":\"a\",\"kind\":\"same\"},"
            "{\"step_key\":\"b\",\"kind\":\"only_baseline\"},{\"step_key\":\"only b\",\"kind\":\"only_baseline\"},"
            "{\"step_key\":\"y\",\"kind\":\"only_candidate\"},{\"step_key\":\"c\",\"kind\":\"same\"},"
            "{\"step_key\":\"z\",\"kind\":\"only_candidate\"}]");
}

static void equal_hashes_are_taken_for_equal_outputs(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), two = run_of(b);
  one.has_outputs_hash = two.has_outputs_hash = true; // both all zeros
  give(b, &one, 0, STR("a"), STR("x"), true);
  give(b, &two, 0, STR("a"), STR("never read"), true);
  check(b, &one, &two, "[]");
  assert_int_equal(differences_of(b, &one, &two).counts[DIFFERENCE_SAME], 1);
}

static void every_kind_written_is_in_the_closed_list(void **state) {
  (void)state;
  static const char *const names[] = {"same",        "changed",       "miss_to_hit",
                                      "hit_to_miss", "only_baseline", "only_candidate"};
  for (size_t i = 0; i < DIFFERENCE_COUNT; i++) assert_string_equal(difference_names[i], names[i]);
  assert_null(difference_names[DIFFERENCE_COUNT]);
}

static void a_run_with_outputs_differs_from_one_without(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), empty = run_of(b);
  give(b, &one, 0, STR("a"), STR("x"), true);
  check(b, &one, &empty, "[{\"step_key\":\"a\",\"kind\":\"only_baseline\",\"baseline\":\"x\"}]");
  check(b, &empty, &one, "[{\"step_key\":\"a\",\"kind\":\"only_candidate\",\"candidate\":\"x\"}]");
}

static void the_outputs_of_another_tenant_are_not_read(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), theirs = one;
  theirs.tenant = b->other_tenant;
  give(b, &theirs, 0, STR("a"), STR("secret"), true);
  check(b, &one, &one, "[]");
}

// ---- bounds ----

static void at_most_a_thousand_are_written_and_the_rest_is_counted(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), two = run_of(b), empty = run_of(b);
  for (int64_t seq = 0; seq < DIFFERENCES_MAX + 5; seq++) {
    char key[32];
    snprintf(key, sizeof key, "k%lld", (long long)seq);
    give(b, &one, seq, str_c(key), STR("x"), true);
    if (seq < DIFFERENCES_MAX) give(b, &two, seq, str_c(key), STR("y"), true);
  }
  struct differences over = differences_of(b, &one, &two);
  assert_int_equal(over.differences_omitted, 5);
  assert_int_equal(over.counts[DIFFERENCE_CHANGED], DIFFERENCES_MAX);
  assert_int_equal(over.counts[DIFFERENCE_ONLY_BASELINE], 5);
  AUTO(json_auto_decref) json_t *written = NULL;
  AUTO(json_auto_decref) json_t *pairs = NULL;
  CHECK_OK(b, json_read(over.differences, &written, &b->err));
  CHECK_OK(b, json_read(over.pairs, &pairs, &b->err));
  assert_int_equal(json_array_size(written), DIFFERENCES_MAX);
  assert_int_equal(json_array_size(pairs), DIFFERENCES_MAX + 5);
  assert_int_equal(differences_of(b, &two, &empty).differences_omitted, 0);
  assert_int_equal(differences_of(b, &empty, &one).differences_omitted, 5);
}

static void check_cut(const char *unit, size_t plain, size_t kept, const char *mark) {
  AUTO(buf_done) struct buf text;
  AUTO(buf_done) struct buf out;
  AUTO(buf_done) struct buf expected;
  buf_init(&text, 8192);
  buf_init(&out, 65536);
  buf_init(&expected, 65536);
  for (size_t i = 0; i < plain; i++) buf_add_char(&text, 'x');
  buf_add_c(&text, unit);
  difference_text(&out, buf_str(&text));
  AUTO(buf_done) struct buf cut;
  buf_init(&cut, 8192);
  buf_add(&cut, text.data, kept);
  buf_add_c(&cut, mark);
  json_quote(&expected, buf_str(&cut));
  CHECK_STR(buf_str(&out), expected.data);
}

static void a_long_text_is_cut_at_a_code_point_and_says_how_much_is_missing(void **state) {
  (void)state;
  check_cut("", DIFFERENCE_TEXT_BYTES, DIFFERENCE_TEXT_BYTES, "");
  check_cut("\xc3\xa9", DIFFERENCE_TEXT_BYTES - 2, DIFFERENCE_TEXT_BYTES, "");
  check_cut("y", DIFFERENCE_TEXT_BYTES, DIFFERENCE_TEXT_BYTES, "\xe2\x80\xa6 (1 more bytes)");
  check_cut("\xc3\xa9", DIFFERENCE_TEXT_BYTES - 1, DIFFERENCE_TEXT_BYTES - 1, "\xe2\x80\xa6 (2 more bytes)");
  check_cut("\"\n", DIFFERENCE_TEXT_BYTES, DIFFERENCE_TEXT_BYTES, "\xe2\x80\xa6 (2 more bytes)");
}

static void a_difference_whose_every_byte_is_escaped_is_whole_json(void **state) {
  struct bench *b = *state;
  struct run one = run_of(b), two = run_of(b);
  char controls[2 * DIFFERENCE_TEXT_BYTES];
  memset(controls, '\x01', sizeof controls);
  give(b, &one, 0, (struct str){controls, 200}, (struct str){controls, sizeof controls}, true);
  give(b, &two, 0, (struct str){controls, 200}, (struct str){controls, sizeof controls - 1}, true);
  AUTO(json_auto_decref) json_t *written = NULL;
  CHECK_OK(b, json_read(differences_of(b, &one, &two).differences, &written, &b->err));
  const json_t *difference = json_array_get(written, 0);
  assert_int_equal(json_member_str(difference, "step_key").len, 200);
  static const char mark[] = "\xe2\x80\xa6 (1024 more bytes)";
  assert_int_equal(json_member_str(difference, "baseline").len, DIFFERENCE_TEXT_BYTES + sizeof mark - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(runs_that_gave_the_same_do_not_differ),
      BENCH_LENT_TEST(steps_are_paired_by_key_and_each_difference_has_its_kind),
      BENCH_LENT_TEST(what_only_one_arm_has_stands_where_it_came),
      BENCH_LENT_TEST(equal_hashes_are_taken_for_equal_outputs),
      cmocka_unit_test(every_kind_written_is_in_the_closed_list),
      BENCH_LENT_TEST(a_run_with_outputs_differs_from_one_without),
      BENCH_LENT_TEST(the_outputs_of_another_tenant_are_not_read),
      BENCH_LENT_TEST(at_most_a_thousand_are_written_and_the_rest_is_counted),
      cmocka_unit_test(a_long_text_is_cut_at_a_code_point_and_says_how_much_is_missing),
      BENCH_LENT_TEST(a_difference_whose_every_byte_is_escaped_is_whole_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
