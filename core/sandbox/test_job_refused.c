// SPDX-License-Identifier: Apache-2.0
// What becomes of an execution whose record the store refuses.
#include "sandbox/flows.h"
#include "sandbox/test_job.h"

#define ZERO ((struct id){0})

static void a_run_that_was_never_recorded_leaves_nothing(void **state) {
  struct bench *b = *state;
  refuse(b, "INSERT ON runs");
  for (int announce = 0; announce <= 1; announce++) {
    struct said said;
    start_job(b, 3, announce, &said);
    SETTLE(b);
    assert_int_equal(said.failed, 1);
    assert_int_equal(said.ended + said.announced, 0);
    CHECK_ERR(&said.err, ERR_INTERNAL, "refused by the test");
    assert_int_equal(sandbox_under_way(b->sandbox), 0);
    assert_int_equal(b->fake.destroys, announce + 1);
  }
  assert_int_equal(b->fake.starts, 1); // the announced one did not
  assert_int_equal(bench_int(b,
                             "SELECT (SELECT COUNT(*) FROM runs) + (SELECT COUNT(*) FROM specs)"
                             " + (SELECT COUNT(*) FROM outputs) + (SELECT COUNT(*) FROM audit)",
                             ZERO),
                   0);
}

static void a_long_run_whose_first_batch_is_refused_leaves_nothing(void **state) {
  struct bench *b = *state;
  refuse(b, "INSERT ON outputs WHEN NEW.seq = 4095");
  struct said said;
  start_job(b, 5000, false, &said);
  SETTLE(b);
  assert_int_equal(said.failed, 1);
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
  assert_int_equal(b->fake.destroys, 1);
  assert_int_equal(b->fake.outputs, 4096);
  assert_int_equal(bench_int(b, "SELECT (SELECT COUNT(*) FROM runs) + (SELECT COUNT(*) FROM outputs)", ZERO), 0);
}

static void a_refused_batch_is_kept_and_recorded_later(void **state) {
  struct bench *b = *state;
  refuse(b, "INSERT ON outputs");
  struct said said;
  start_job(b, 600, true, &said);
  UNTIL(b, said.failed == 1);
  SETTLE(b);
  CHECK_ERR(&said.err, ERR_INTERNAL, "refused by the test");
  assert_int_equal(sandbox_under_way(b->sandbox), 1);
  assert_true(job_is_stuck(b->sandbox->jobs));
  assert_int_equal(b->fake.outputs, 256); // the backend waits
  assert_int_equal(stored_run(b, said.run.id).status, RUN_RUNNING);

  sandbox_retry(b->sandbox);
  SETTLE(b);
  assert_true(job_is_stuck(b->sandbox->jobs));
  assert_int_equal(said.failed, 1); // told once

  take_again(b);
  struct said later = {.b = b};
  job_on_end(b->sandbox->jobs, said_ended, &later);
  sandbox_retry(b->sandbox);
  assert_false(sandbox_settled(b->sandbox));
  SETTLE(b);
  assert_int_equal(later.ended, 1);
  assert_int_equal(said.ended, 0);
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_COMPLETED);
  assert_int_equal(run.steps_total, 600);
  assert_int_equal(stored_outputs(b, run.id), 600);
}

static void a_refused_end_is_kept_and_recorded_later(void **state) {
  struct bench *b = *state;
  refuse(b, "UPDATE ON runs");
  struct said said;
  start_job(b, 300, true, &said);
  UNTIL(b, said.failed == 1);
  SETTLE(b);
  assert_int_equal(stored_outputs(b, said.run.id), 256); // the rest comes with the end
  assert_int_equal(stored_run(b, said.run.id).status, RUN_RUNNING);
  b->now_ns += 60 * BENCH_SECOND; // it ended when it ended, not when that could be recorded
  take_again(b);
  sandbox_retry(b->sandbox);
  SETTLE(b);
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_COMPLETED);
  assert_int_equal(run.finished_at, BENCH_NOW);
  assert_int_equal(stored_outputs(b, run.id), 300);
}

static void canceling_a_run_that_the_store_refused_tries_it_again(void **state) {
  struct bench *b = *state;
  refuse(b, "INSERT ON outputs");
  struct said said, canceled = {.b = b};
  start_job(b, 600, true, &said);
  UNTIL(b, said.failed == 1);
  take_again(b);
  cancel(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  UNTIL(b, canceled.ended + canceled.failed > 0);
  SETTLE(b);
  assert_int_equal(canceled.ended, 1);
  assert_int_equal(canceled.run.status, RUN_CANCELED);
  assert_int_equal(stored_outputs(b, said.run.id), 256);
}

static void a_cancel_that_the_store_refuses_stops_nothing(void **state) {
  struct bench *b = *state;
  b->fake.allow = 1;
  struct said said, canceled = {.b = b};
  start_job(b, 3, true, &said);
  UNTIL(b, b->fake.outputs == 1);
  refuse(b, "INSERT ON audit");
  cancel(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  UNTIL(b, canceled.failed == 1);
  CHECK_ERR(&canceled.err, ERR_INTERNAL, "refused by the test");
  take_again(b);
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
  assert_int_equal(b->fake.stops, 0);
}

static void a_neighbour_in_the_same_transaction_that_fails_does_not_double_a_run(void **state) {
  struct bench *b = *state;
  // Both ends are submitted in one turn; the second spoils the transaction, which is then repeated without it.
  refuse(b, "INSERT ON outputs WHEN NEW.seq = 5");
  struct store_stats before, after;
  store_stats(b->store, &before);
  struct said good, bad;
  start_job(b, 5, false, &good);
  start_job(b, 6, false, &bad);
  SETTLE(b);
  store_stats(b->store, &after);
  assert_int_equal(after.commits - before.commits, 1);
  assert_int_equal(good.ended, 1);
  assert_int_equal(bad.failed, 1);
  assert_int_equal(good.run.steps_total, 5);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM runs", ZERO), 1);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM outputs", ZERO), 5);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM audit", ZERO), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_run_that_was_never_recorded_leaves_nothing),
      BENCH_TEST(a_long_run_whose_first_batch_is_refused_leaves_nothing),
      BENCH_TEST(a_refused_batch_is_kept_and_recorded_later),
      BENCH_TEST(a_refused_end_is_kept_and_recorded_later),
      BENCH_TEST(canceling_a_run_that_the_store_refused_tries_it_again),
      BENCH_TEST(a_cancel_that_the_store_refuses_stops_nothing),
      BENCH_TEST(a_neighbour_in_the_same_transaction_that_fails_does_not_double_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
