// SPDX-License-Identifier: Apache-2.0
// The module's instance: what it does with the runs of an engine that is gone, and how it comes to rest.
#include "sandbox/flows.h"
#include "sandbox/sandbox.h"
#include "sandbox/test_job.h"

struct swept {
  int calls;
  int64_t count;
  struct err err;
};

static void on_swept(void *ctx, int64_t count, const struct err *err) {
  struct swept *swept = ctx;
  swept->calls++;
  swept->count = count;
  if (err) swept->err = *err;
}

static struct swept sweep(struct bench *b) {
  struct swept swept = {0};
  sandbox_sweep(b->sandbox, on_swept, &swept);
  UNTIL(b, swept.calls > 0);
  return swept;
}

/// Records a run of 300 steps as far as its first batch, and then forgets it, as an engine does that is killed.
static struct id orphan(struct bench *b) {
  struct said said;
  b->fake.allow = 256;
  start_job(b, 300, true, &said);
  UNTIL(b, b->fake.outputs >= 256 && store_idle(b->store));
  b->fake.outputs = 0;
  job_abandon(b->sandbox->jobs);
  assert_int_equal(said.ended + said.failed, 0);
  return said.run.id;
}

static void orphans_end_with_the_totals_of_what_is_stored(void **state) {
  struct bench *b = *state;
  struct id first = orphan(b), second = orphan(b);
  struct said said;
  b->fake.allow = FAKE_ALL;
  start_job(b, 2, false, &said);
  SETTLE(b);
  b->now_ns += 90 * BENCH_SECOND;
  struct swept swept = sweep(b);
  assert_int_equal(swept.err.code, ERR_NONE);
  assert_int_equal(swept.count, 2);
  const struct id orphans[] = {first, second};
  for (int i = 0; i < 2; i++) {
    struct run run = stored_run(b, orphans[i]);
    assert_int_equal(run.status, RUN_ERROR);
    assert_string_equal(run.reason.code, "engine_restarted");
    assert_int_equal(run.steps_total, 256);
    assert_int_equal(run.steps_ok, 128);
    assert_int_equal(run.steps_error, 128);
    assert_int_equal(run.finished_at, BENCH_NOW + 90 * BENCH_SECOND);
    assert_int_equal(run.duration_ms, 90000);
    assert_false(run.has_outputs_hash);
    assert_false(run.destroyed); // nobody has looked what the fake left behind
    assert_int_equal(stored_outputs(b, run.id), 256);
  }
  assert_int_equal(stored_run(b, said.run.id).status, RUN_COMPLETED);
  assert_int_equal(bench_int(b,
                             "SELECT COUNT(*) FROM audit WHERE tenant_id = ?1 AND actor = 'engine' AND action = "
                             "'run.end'",
                             b->tenant),
                   2);
}

static void a_sweep_without_orphans_writes_nothing(void **state) {
  struct bench *b = *state;
  struct said said;
  start_job(b, 2, false, &said);
  SETTLE(b);
  struct store_stats before, after;
  store_stats(b->store, &before);
  struct swept swept = sweep(b);
  store_stats(b->store, &after);
  assert_int_equal(swept.count, 0);
  assert_int_equal(swept.err.code, ERR_NONE);
  assert_int_equal(after.commits, before.commits);
}

static void a_sweep_that_is_refused_says_so_and_can_be_repeated(void **state) {
  struct bench *b = *state;
  struct id run = orphan(b);
  refuse(b, "UPDATE ON runs");
  struct swept swept = sweep(b);
  CHECK_ERR(&swept.err, ERR_INTERNAL, "refused by the test");
  assert_int_equal(stored_run(b, run).status, RUN_RUNNING);
  take_again(b);
  assert_int_equal(sweep(b).count, 1);
  assert_int_equal(stored_run(b, run).status, RUN_ERROR);
}

// A neighbour that fails after a change makes the store apply the others again.
static void a_sweep_in_a_batch_that_is_repeated_counts_once(void **state) {
  struct bench *b = *state;
  struct id run = orphan(b);
  refuse(b, "INSERT ON runs");
  struct said bad;
  struct swept swept = {0};
  b->fake.allow = FAKE_ALL;
  sandbox_sweep(b->sandbox, on_swept, &swept);
  start_job(b, 2, true, &bad); // its spec is stored before the run is refused
  UNTIL(b, swept.calls > 0 && bad.failed > 0);
  assert_int_equal(swept.count, 1);
  assert_int_equal(stored_run(b, run).status, RUN_ERROR);
  take_again(b);
}

static void executions_are_under_way_until_their_end_is_recorded(void **state) {
  struct bench *b = *state;
  struct said first, second;
  b->fake.allow = 0;
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
  assert_true(sandbox_settled(b->sandbox));
  start_job(b, 2, false, &first);
  start_job(b, 2, true, &second);
  assert_int_equal(sandbox_under_way(b->sandbox), 2);
  assert_false(sandbox_settled(b->sandbox));
  UNTIL(b, second.announced == 1);
  assert_int_equal(sandbox_under_way(b->sandbox), 2);
  fake_allow(&b->fake, FAKE_ALL);
  UNTIL(b, b->fake.destroys == 2);
  assert_int_equal(sandbox_under_way(b->sandbox), 2); // ended, and not recorded yet
  SETTLE(b);
  assert_int_equal(first.ended + second.ended, 2);
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
}

static void stop_all_cancels_what_runs_what_waits_and_what_has_not_started(void **state) {
  struct bench *b = *state;
  struct said running, announced, unstarted;
  b->fake.allow = 4;
  start_job(b, 10, false, &running);
  UNTIL(b, b->fake.outputs == 4);
  start_job(b, 10, true, &announced);
  UNTIL(b, announced.announced == 1);
  start_job(b, 10, true, &unstarted);
  sandbox_stop_all(b->sandbox);
  sandbox_stop_all(b->sandbox); // harmless
  SETTLE(b);
  const struct said *all[] = {&running, &announced, &unstarted};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(all[i]->ended, 1);
    struct run run = stored_run(b, all[i]->run.id);
    assert_int_equal(run.status, RUN_CANCELED);
    assert_string_equal(run.reason.code, "engine_stopping");
    assert_int_equal(run.steps_total, i == 0 ? 4 : 0);
  }
}

static void stop_all_tries_once_more_what_the_store_refused(void **state) {
  struct bench *b = *state;
  struct said said, canceled = {.b = b};
  refuse(b, "INSERT ON outputs");
  start_job(b, 600, true, &said);
  UNTIL(b, said.failed == 1);
  job_on_end(b->sandbox->jobs, said_ended, &canceled);
  assert_true(sandbox_settled(b->sandbox));
  sandbox_stop_all(b->sandbox);
  assert_false(sandbox_settled(b->sandbox));
  SETTLE(b);
  assert_int_equal(canceled.failed, 1); // whoever waits is answered, not forgotten
  assert_int_equal(sandbox_under_way(b->sandbox), 1);
  take_again(b);
  sandbox_stop_all(b->sandbox);
  SETTLE(b);
  assert_int_equal(stored_run(b, said.run.id).status, RUN_CANCELED);
  assert_int_equal(stored_outputs(b, said.run.id), 256);
}

struct verified {
  int calls;
  struct verification result;
  struct err err;
};

static void on_verified(void *ctx, const struct verification *result, const struct err *err) {
  struct verified *verified = ctx;
  verified->calls++;
  if (result) verified->result = *result;
  if (err) verified->err = *err;
}

static void a_verification_is_under_way_too_and_is_stopped(void **state) {
  struct bench *b = *state;
  struct said said;
  start_job(b, 10, false, &said);
  SETTLE(b);
  b->fake.allow = 3;
  b->fake.outputs = 0;
  struct verified verified = {0};
  verify(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, on_verified, &verified);
  assert_false(sandbox_settled(b->sandbox));
  UNTIL(b, b->fake.outputs == 3);
  sandbox_stop_all(b->sandbox);
  SETTLE(b);
  assert_int_equal(verified.calls, 1);
  CHECK_ERR(&verified.err, ERR_UNAVAILABLE, "The engine was stopped");
  assert_int_equal(b->fake.live, 0);
}

static void a_verification_that_is_being_recorded_still_answers(void **state) {
  struct bench *b = *state;
  struct said said;
  start_job(b, 4, false, &said);
  SETTLE(b);
  struct verified verified = {0};
  verify(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, on_verified, &verified);
  UNTIL(b, b->fake.outputs == 8 && !store_idle(b->store));
  sandbox_stop_all(b->sandbox); // its backend has ended: there is nothing to stop any more
  assert_int_equal(b->fake.stops, 0);
  assert_false(sandbox_settled(b->sandbox));
  SETTLE(b);
  assert_int_equal(verified.calls, 1);
  assert_int_equal(verified.err.code, ERR_NONE);
  assert_true(verified.result.identical);
  assert_int_equal(verified.result.steps, 4);
}

static void runners_are_found_by_name_and_the_first_is_the_default(void **state) {
  struct bench *b = *state;
  assert_int_equal(sandbox_runner_count(b->sandbox), 2);
  assert_ptr_equal(sandbox_runner(b->sandbox, STR_NONE), &b->fake.port);
  assert_ptr_equal(sandbox_runner(b->sandbox, STR("absent")), &b->absent.port);
  assert_ptr_equal(sandbox_runner_at(b->sandbox, 1), &b->absent.port);
  assert_null(sandbox_runner(b->sandbox, STR("nobody")));
  assert_null(sandbox_runner(b->sandbox, STR("")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(orphans_end_with_the_totals_of_what_is_stored),
      BENCH_TEST(a_sweep_without_orphans_writes_nothing),
      BENCH_TEST(a_sweep_that_is_refused_says_so_and_can_be_repeated),
      BENCH_TEST(a_sweep_in_a_batch_that_is_repeated_counts_once),
      BENCH_TEST(executions_are_under_way_until_their_end_is_recorded),
      BENCH_TEST(stop_all_cancels_what_runs_what_waits_and_what_has_not_started),
      BENCH_TEST(stop_all_tries_once_more_what_the_store_refused),
      BENCH_TEST(a_verification_is_under_way_too_and_is_stopped),
      BENCH_TEST(a_verification_that_is_being_recorded_still_answers),
      BENCH_TEST(runners_are_found_by_name_and_the_first_is_the_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
