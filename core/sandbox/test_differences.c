// SPDX-License-Identifier: Apache-2.0
// What a comparison shows of two runs: which steps differ, how, in which order, and how much of it.
#include "base/json.h"
#include "sandbox/comparison.h"
#include "sandbox/differences.h"
#include "sandbox/test_sandbox.h"

/// One step's evidence, as a test writes it down.
struct step {
  const char *key, *output;
  bool hit;
};

static void add(struct bench *b, struct id run, int64_t seq, struct str key, struct str text, bool hit) {
  const struct output output = {.id = id_new(BENCH_NOW),
                                .run = run,
                                .seq = seq,
                                .step_key = key,
                                .output = text,
                                .mock_hit = hit,
                                .calls = STR("[]"),
                                .occurred_at = BENCH_NOW};
  CHECK_OK(b, run_insert_output(b->conn, b->tenant, &output, &b->err));
}

static struct run run_of(struct bench *b, const struct step *steps) {
  struct run run = {.tenant = b->tenant, .id = id_new(BENCH_NOW)};
  for (int64_t seq = 0; steps[seq].key; seq++)
    add(b, run.id, seq, str_c(steps[seq].key), str_c(steps[seq].output), steps[seq].hit);
  return run;
}

/// The differences as written; `*ret_omitted` as told. Lives in the arena.
static struct str differences(struct bench *b, const struct run *baseline, const struct run *candidate,
                              int64_t *ret_omitted) {
  AUTO(buf_done) struct buf out;
  buf_init(&out, 32 * 1024 * 1024);
  CHECK_OK(b, differences_write(b->conn, baseline, candidate, &out, ret_omitted, &b->err));
  assert_false(out.over);
  return arena_str(b->arena, buf_str(&out));
}

static void check(struct bench *b, const struct step *baseline, const struct step *candidate, const char *expected) {
  struct run one = run_of(b, baseline), other = run_of(b, candidate);
  int64_t omitted = -1;
  CHECK_STR(differences(b, &one, &other, &omitted), expected);
  assert_int_equal(omitted, 0);
}

static void equal_runs_have_none(void **state) {
  struct bench *b = *state;
  const struct step steps[] = {{"a", "1", true}, {"b", "2", false}, {NULL, NULL, false}};
  check(b, steps, steps, "[]");
  check(b, &steps[2], &steps[2], "[]");
}

static void each_kind_shows_the_sides_there_are(void **state) {
  struct bench *b = *state;
  const struct step baseline[] = {{"same", "1", true}, {"text", "old", true}, {"hit", "m", false},
                                  {"miss", "h", true}, {"gone", "g", false},  {NULL, NULL, false}};
  const struct step candidate[] = {{"same", "1", true},  {"text", "new", true}, {"hit", "h", true},
                                   {"miss", "m", false}, {"added", "n", false}, {NULL, NULL, false}};
  check(b, baseline, candidate,
        "[{\"step_key\":\"text\",\"kind\":\"changed\",\"baseline\":\"old\",\"candidate\":\"new\"},"
        "{\"step_key\":\"hit\",\"kind\":\"miss_to_hit\",\"baseline\":\"m\",\"candidate\":\"h\"},"
        "{\"step_key\":\"miss\",\"kind\":\"hit_to_miss\",\"baseline\":\"h\",\"candidate\":\"m\"},"
        "{\"step_key\":\"gone\",\"kind\":\"only_baseline\",\"baseline\":\"g\"},"
        "{\"step_key\":\"added\",\"kind\":\"only_candidate\",\"candidate\":\"n\"}]");
}

static void another_answer_with_the_same_text_is_a_difference(void **state) {
  struct bench *b = *state;
  const struct step baseline[] = {{"a", "x", false}, {NULL, NULL, false}};
  const struct step candidate[] = {{"a", "x", true}, {NULL, NULL, false}};
  check(b, baseline, candidate,
        "[{\"step_key\":\"a\",\"kind\":\"miss_to_hit\",\"baseline\":\"x\",\"candidate\":\"x\"}]");
}

static void the_order_is_the_baselines_then_the_candidates(void **state) {
  struct bench *b = *state;
  const struct step baseline[] = {{"c", "1", true}, {"x", "1", true}, {"a", "1", true}, {NULL, NULL, false}};
  const struct step candidate[] = {
      {"z", "1", true}, {"a", "2", true}, {"y", "1", true}, {"c", "2", true}, {NULL, NULL, false}};
  struct run one = run_of(b, baseline), other = run_of(b, candidate);
  int64_t omitted;
  AUTO(json_auto_decref) json_t *found = NULL;
  CHECK_OK(b, json_read(differences(b, &one, &other, &omitted), &found, &b->err));
  static const char *const keys[] = {"c", "x", "a", "z", "y"};
  assert_int_equal(json_array_size(found), 5);
  for (size_t i = 0; i < 5; i++) CHECK_STR(json_member_str(json_array_get(found, i), "step_key"), keys[i]);
}

static void steps_are_paired_by_key_wherever_they_stand(void **state) {
  struct bench *b = *state;
  const struct step baseline[] = {{"a", "1", true}, {"b", "2", true}, {NULL, NULL, false}};
  const struct step candidate[] = {{"b", "2", true}, {"a", "1", true}, {NULL, NULL, false}};
  check(b, baseline, candidate, "[]");
}

// ---- cuts ----

static const char *quoted(struct bench *b, struct str text) {
  AUTO(buf_done) struct buf out;
  buf_init(&out, 8 * DIFFERENCE_TEXT_BYTES);
  difference_text(&out, text);
  assert_false(out.over);
  return arena_strdup(b->arena, buf_str(&out));
}

static void a_text_at_the_limit_is_whole_and_one_over_it_is_cut_with_a_mark(void **state) {
  struct bench *b = *state;
  char text[DIFFERENCE_TEXT_BYTES + 10], expected[DIFFERENCE_TEXT_BYTES + 64];
  memset(text, 'x', sizeof text);
  snprintf(expected, sizeof expected, "\"%.*s\"", DIFFERENCE_TEXT_BYTES, text);
  assert_string_equal(quoted(b, (struct str){text, DIFFERENCE_TEXT_BYTES}), expected);
  snprintf(expected, sizeof expected, "\"%.*s… (1 more bytes)\"", DIFFERENCE_TEXT_BYTES, text);
  assert_string_equal(quoted(b, (struct str){text, DIFFERENCE_TEXT_BYTES + 1}), expected);
}

static void a_cut_never_splits_a_character(void **state) {
  struct bench *b = *state;
  char text[DIFFERENCE_TEXT_BYTES + 1], expected[DIFFERENCE_TEXT_BYTES + 64];
  memset(text, 'x', sizeof text);
  memcpy(text + DIFFERENCE_TEXT_BYTES - 1, "é", 2);
  snprintf(expected, sizeof expected, "\"%.*s… (2 more bytes)\"", DIFFERENCE_TEXT_BYTES - 1, text);
  assert_string_equal(quoted(b, (struct str){text, sizeof text}), expected);
}

static void a_text_that_is_all_escapes_still_fits(void **state) {
  struct bench *b = *state;
  char text[2 * DIFFERENCE_TEXT_BYTES];
  memset(text, '\x01', sizeof text);
  const char *escaped = quoted(b, (struct str){text, sizeof text});
  assert_int_equal(strlen(escaped), 6 * DIFFERENCE_TEXT_BYTES + strlen("\"… (1024 more bytes)\""));
}

// ---- the cap ----

static struct run numbered(struct bench *b, int steps, const char *text) {
  struct run run = {.tenant = b->tenant, .id = id_new(BENCH_NOW)};
  for (int i = 0; i < steps; i++) {
    char key[16];
    snprintf(key, sizeof key, "s%d", i);
    add(b, run.id, i, str_c(key), str_c(text), true);
  }
  return run;
}

static void what_is_over_the_cap_is_counted(void **state) {
  struct bench *b = *state;
  static const struct {
    int baseline, candidate; // steps; all that both have differ
    size_t written;
    int64_t omitted;
  } cases[] = {
      {DIFFERENCES_MAX, DIFFERENCES_MAX, DIFFERENCES_MAX, 0},
      {DIFFERENCES_MAX + 1, DIFFERENCES_MAX + 1, DIFFERENCES_MAX, 1},
      {DIFFERENCES_MAX - 1, DIFFERENCES_MAX + 5, DIFFERENCES_MAX, 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct run one = numbered(b, cases[i].baseline, "old"), other = numbered(b, cases[i].candidate, "new");
    int64_t omitted = -1;
    AUTO(json_auto_decref) json_t *found = NULL;
    CHECK_OK(b, json_read(differences(b, &one, &other, &omitted), &found, &b->err));
    assert_int_equal(json_array_size(found), cases[i].written);
    assert_int_equal(omitted, cases[i].omitted);
  }
}

static void another_tenants_outputs_are_not_read(void **state) {
  struct bench *b = *state;
  const struct step steps[] = {{"a", "1", true}, {NULL, NULL, false}};
  struct run one = run_of(b, steps), other = one;
  other.tenant = b->other_tenant;
  int64_t omitted;
  CHECK_STR(differences(b, &one, &other, &omitted),
            "[{\"step_key\":\"a\",\"kind\":\"only_baseline\",\"baseline\":\"1\"}]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(equal_runs_have_none),
      BENCH_LENT_TEST(each_kind_shows_the_sides_there_are),
      BENCH_LENT_TEST(another_answer_with_the_same_text_is_a_difference),
      BENCH_LENT_TEST(the_order_is_the_baselines_then_the_candidates),
      BENCH_LENT_TEST(steps_are_paired_by_key_wherever_they_stand),
      BENCH_LENT_TEST(a_text_at_the_limit_is_whole_and_one_over_it_is_cut_with_a_mark),
      BENCH_LENT_TEST(a_cut_never_splits_a_character),
      BENCH_LENT_TEST(a_text_that_is_all_escapes_still_fits),
      BENCH_LENT_TEST(what_is_over_the_cap_is_counted),
      BENCH_LENT_TEST(another_tenants_outputs_are_not_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
