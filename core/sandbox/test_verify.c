// SPDX-License-Identifier: Apache-2.0
#include "sandbox/flows.h"
#include "sandbox/test_job.h"

/// What a verification answered; text in the bench's arena.
struct answer {
  struct bench *b;
  int calls;
  struct verification v;
  struct err err;
};

static void take(void *ctx, const struct verification *v, const struct err *err) {
  struct answer *a = ctx;
  a->calls++;
  assert_true((v == NULL) != (err == NULL));
  if (err) {
    a->err = *err;
    return;
  }
  a->v = *v;
  struct str *texts[] = {&a->v.first_key, &a->v.recorded, &a->v.again};
  for (size_t i = 0; i < 3; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(a->b->arena, *texts[i]);
}

static struct answer verify_run(struct bench *b, struct id tenant, struct id run) {
  struct answer a = {.b = b};
  verify(b->sandbox, tenant, run, STR("user:checker"), take, &a);
  UNTIL(b, a.calls > 0);
  assert_int_equal(a.calls, 1);
  assert_int_equal(b->fake.live, 0);
  return a;
}

/// A recorded run of so many steps.
static struct id recorded(struct bench *b, int steps) {
  struct said said;
  start_job(b, steps, false, &said);
  SETTLE(b);
  assert_int_equal(said.ended, 1);
  return said.run.id;
}

/// Changes the recorded evidence as somebody does who has the file.
static void tamper(struct bench *b, const char *sql, struct id run) {
  bench_begin(b);
  static const char *const guards[] = {
      "DROP TRIGGER IF EXISTS outputs_no_update", "DROP TRIGGER IF EXISTS outputs_no_delete",
      "DROP TRIGGER IF EXISTS runs_ended_no_update", "DROP TRIGGER IF EXISTS specs_no_update"};
  for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) CHECK_OK(b, bench_sql(b, guards[i], run));
  CHECK_OK(b, bench_sql(b, sql, run));
  bench_end(b);
}

static void a_run_that_gives_the_same_again_is_identical(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 300);
  int64_t outputs = bench_int(b, "SELECT COUNT(*) FROM outputs", run);
  struct answer a = verify_run(b, b->tenant, run);
  assert_true(a.v.identical);
  assert_null(a.v.first_field);
  assert_int_equal(a.v.steps, 300);
  assert_true(digest_eq(&a.v.again_hash, &a.v.recorded_hash));
  struct run stored = stored_run(b, run);
  assert_true(digest_eq(&a.v.recorded_hash, &stored.outputs_hash));
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM outputs", run), outputs);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM runs", run), 1);
  assert_non_null(strstr(bench_ledger(b, b->tenant), "user:checker run.verify {\"result\":\"identical\"}\n"));
}

static void the_first_difference_is_named(void **state) {
  struct bench *b = *state;
  static const struct {
    const char *sql, *field;
    int64_t seq, steps;
    const char *key, *recorded, *again;
  } cases[] = {
      {"UPDATE outputs SET output = 'no' WHERE run_id = ?1 AND seq >= 2", "output", 2, 3, "s00002", "\"no\"",
       "\"yes\""},
      {"UPDATE outputs SET step_key = 'x' WHERE run_id = ?1 AND seq = 3", "step_key", 3, 4, "x", "\"x\"", "\"s00003\""},
      {"UPDATE outputs SET mock_hit = 1 WHERE run_id = ?1 AND seq = 1", "mock_hit", 1, 2, "s00001", "\"true\"",
       "\"false\""},
      {"DELETE FROM outputs WHERE run_id = ?1 AND seq = 0", "extra", 0, 1, "s00000", "\"\"", "\"yes\""},
      {"DELETE FROM outputs WHERE run_id = ?1 AND seq = 4", "extra", 4, 5, "s00004", "\"\"", "\"yes\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct id run = recorded(b, 5);
    tamper(b, cases[i].sql, run);
    struct answer a = verify_run(b, b->tenant, run);
    assert_int_equal(a.err.code, ERR_NONE);
    assert_false(a.v.identical);
    assert_string_equal(a.v.first_field, cases[i].field);
    assert_int_equal(a.v.first_seq, cases[i].seq);
    assert_int_equal(a.v.steps, cases[i].steps);
    CHECK_STR(a.v.first_key, cases[i].key);
    CHECK_STR(a.v.recorded, cases[i].recorded);
    CHECK_STR(a.v.again, cases[i].again);
  }
  assert_non_null(strstr(bench_ledger(b, b->tenant), "user:checker run.verify {\"result\":\"different\"}\n"));
}

static void a_step_that_is_not_given_again_is_missing(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 5);
  tamper(b, "UPDATE runs SET steps_total = 6 WHERE id = ?1", run);
  struct answer a = verify_run(b, b->tenant, run);
  assert_false(a.v.identical);
  assert_string_equal(a.v.first_field, "missing");
  assert_int_equal(a.v.first_seq, 5);
  assert_int_equal(a.v.steps, 5);
}

static void behind_the_first_difference_the_repetition_goes_on_for_its_hash(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 500);
  tamper(b, "UPDATE outputs SET output = 'no' WHERE run_id = ?1 AND seq = 2", run);
  b->fake.outputs = 0;
  struct answer a = verify_run(b, b->tenant, run);
  assert_false(a.v.identical);
  assert_int_equal(a.v.steps, 3);
  assert_int_equal(b->fake.outputs, 500);
  assert_true(digest_eq(&a.v.again_hash, &a.v.recorded_hash)); // only the evidence was edited
}

static void what_did_not_execute_cannot_be_verified(void **state) {
  struct bench *b = *state;
  struct answer a = verify_run(b, b->tenant, b->other_tenant);
  CHECK_ERR(&a.err, ERR_NOT_FOUND, "no run with this id");
  struct id run = recorded(b, 3);
  a = verify_run(b, b->other_tenant, run);
  CHECK_ERR(&a.err, ERR_NOT_FOUND, "no run with this id");
  b->fake.end_after = 2;
  b->fake.end = RUNNER_END_BACKEND_LOST;
  a = verify_run(b, b->tenant, recorded(b, 3));
  CHECK_ERR(&a.err, ERR_CONFLICT, "did not complete (status 'error')");
}

static void a_backend_that_is_gone_or_breaks_is_unavailable(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 3);
  b->fake.end_after = 1;
  b->fake.end = RUNNER_END_BACKEND_LOST;
  b->fake.detail = "It broke.";
  struct answer a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_UNAVAILABLE, "could not be repeated: It broke.");
  b->fake.prepare_error = "No room.";
  a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_UNAVAILABLE, "No room.");
  b->fake.report.available = false;
  a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_UNAVAILABLE, "The runner 'fake' that this run used is not available now");
  assert_null(strstr(bench_ledger(b, b->tenant), "run.verify"));
}

static void a_spec_that_is_not_the_one_its_hash_names_verifies_nothing(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 1);
  tamper(b, "UPDATE specs SET canonical = replace(canonical, '\"seed\":0', '\"seed\":1')", run);
  struct answer a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_INTERNAL, "not the one that its spec_hash names");
  tamper(b, "UPDATE specs SET canonical = '{}'", run);
  a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_INTERNAL, "must be arrays");
}

static void an_answer_waits_for_the_ledger(void **state) {
  struct bench *b = *state;
  struct id run = recorded(b, 1);
  refuse(b, "INSERT ON audit");
  struct answer a = verify_run(b, b->tenant, run);
  CHECK_ERR(&a.err, ERR_INTERNAL, "refused by the test");
  take_again(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_run_that_gives_the_same_again_is_identical),
      BENCH_TEST(the_first_difference_is_named),
      BENCH_TEST(a_step_that_is_not_given_again_is_missing),
      BENCH_TEST(behind_the_first_difference_the_repetition_goes_on_for_its_hash),
      BENCH_TEST(what_did_not_execute_cannot_be_verified),
      BENCH_TEST(a_backend_that_is_gone_or_breaks_is_unavailable),
      BENCH_TEST(a_spec_that_is_not_the_one_its_hash_names_verifies_nothing),
      BENCH_TEST(an_answer_waits_for_the_ledger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
