// SPDX-License-Identifier: Apache-2.0
// What becomes of an execution that is stopped.
#include "sandbox/flows.h"
#include "sandbox/limits.h"
#include "sandbox/test_job.h"

static void a_run_stopped_before_it_started_never_starts(void **state) {
  struct bench *b = *state;
  struct said said;
  start_job(b, 3, true, &said);
  job_stop(b->sandbox->jobs, "canceled_by_request", "By the test.");
  SETTLE(b);
  assert_int_equal(said.announced, 1);
  assert_int_equal(said.ended, 1);
  assert_int_equal(b->fake.starts + b->fake.stops, 0);
  assert_int_equal(b->fake.destroys, 1);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_CANCELED);
  assert_string_equal(run.reason.code, "canceled_by_request");
  CHECK_STR(run.reason.message, "By the test.");
  assert_int_equal(run.steps_total, 0);
}

static void a_run_stopped_while_a_batch_is_written_keeps_the_batch(void **state) {
  struct bench *b = *state;
  struct said said;
  start_job(b, 600, true, &said);
  UNTIL(b, b->fake.outputs == 256);
  assert_false(store_idle(b->store));
  job_stop(b->sandbox->jobs, "canceled_by_request", "By the test.");
  job_stop(b->sandbox->jobs, "engine_stopping", "The first reason counts.");
  SETTLE(b);
  assert_int_equal(b->fake.stops, 1);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_CANCELED);
  assert_string_equal(run.reason.code, "canceled_by_request");
  assert_int_equal(run.steps_total, 256);
  assert_int_equal(stored_outputs(b, run.id), 256);
}

static void a_stop_that_comes_after_the_backends_end_changes_nothing(void **state) {
  struct bench *b = *state;
  b->fake.end_after = 256;
  b->fake.end = RUNNER_END_PROTOCOL;
  struct said said;
  start_job(b, 600, true, &said);
  UNTIL(b, b->fake.outputs == 256);
  assert_false(store_idle(b->store)); // the end waits for the batch
  job_stop(b->sandbox->jobs, "canceled_by_request", "By the test.");
  SETTLE(b);
  assert_int_equal(b->fake.stops, 0);
  assert_int_equal(said.run.status, RUN_ERROR);
  assert_string_equal(said.run.reason.code, "protocol");
}

static void a_canceled_run_keeps_what_it_gave(void **state) {
  struct bench *b = *state;
  b->fake.allow = 300;
  struct said said, canceled = {.b = b};
  start_job(b, 600, true, &said);
  UNTIL(b, b->fake.outputs == 300 && store_idle(b->store));
  assert_int_equal(stored_outputs(b, said.run.id), 256); // a full batch; the rest is still held
  cancel(b->sandbox, b->tenant, said.run.id, STR("user:stopper"), said_ended, &canceled);
  SETTLE(b);
  assert_int_equal(canceled.ended, 1);
  assert_int_equal(canceled.run.status, RUN_CANCELED);
  assert_string_equal(canceled.run.reason.code, "canceled_by_request");
  assert_int_equal(said.ended, 1);
  assert_int_equal(said.run.status, RUN_CANCELED);
  assert_int_equal(stored_run(b, said.run.id).steps_total, 300);
  assert_int_equal(stored_outputs(b, said.run.id), 300);
  assert_string_equal(bench_ledger(b, b->tenant),
                      "user:tester run.launch {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"running\"}\n"
                      "user:stopper run.cancel {}\n"
                      "user:tester run.end {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"canceled\"}\n");
}

static void canceling_again_gives_the_same_run_and_writes_nothing(void **state) {
  struct bench *b = *state;
  struct said said, canceled = {.b = b};
  start_job(b, 3, true, &said);
  job_stop(b->sandbox->jobs, "canceled_by_request", "By the test.");
  SETTLE(b);
  uint64_t before = applied_ops(b);
  cancel(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  SETTLE(b);
  assert_int_equal(canceled.ended, 1);
  CHECK_ID(canceled.run.id, said.run.id);
  assert_int_equal(canceled.run.status, RUN_CANCELED);
  assert_int_equal(applied_ops(b), before);
}

static void what_is_not_under_way_cannot_be_canceled(void **state) {
  struct bench *b = *state;
  struct said said, canceled = {.b = b};
  start_job(b, 3, false, &said);
  SETTLE(b);
  cancel(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  assert_int_equal(canceled.failed, 1);
  CHECK_ERR(&canceled.err, ERR_CONFLICT, "its status is 'completed'");
  cancel(b->sandbox, b->tenant, b->other_tenant, BENCH_ACTOR, said_ended, &canceled);
  CHECK_ERR(&canceled.err, ERR_NOT_FOUND, "no run with this id");
  cancel(b->sandbox, b->other_tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  assert_int_equal(canceled.failed, 3);
  CHECK_ERR(&canceled.err, ERR_NOT_FOUND, "no run with this id");
}

static void another_tenants_run_cannot_be_canceled_while_it_is_under_way(void **state) {
  struct bench *b = *state;
  b->fake.allow = 1;
  struct said said, canceled = {.b = b};
  start_job(b, 3, true, &said);
  UNTIL(b, b->fake.outputs == 1);
  cancel(b->sandbox, b->other_tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  CHECK_ERR(&canceled.err, ERR_NOT_FOUND, "no run with this id");
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
}

static void a_cancel_that_the_run_outran_is_a_conflict(void **state) {
  struct bench *b = *state;
  b->fake.end_after = 256;
  b->fake.end = RUNNER_END_PROTOCOL;
  struct said said, canceled = {.b = b};
  start_job(b, 600, true, &said);
  UNTIL(b, b->fake.outputs == 256);
  cancel(b->sandbox, b->tenant, said.run.id, BENCH_ACTOR, said_ended, &canceled);
  SETTLE(b);
  assert_int_equal(canceled.failed, 1);
  CHECK_ERR(&canceled.err, ERR_CONFLICT, "its status is 'error'");
  assert_int_equal(said.ended, 1);
}

static void evidence_over_the_limit_ends_the_run_with_what_it_gave(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(OUTPUT_MAX_BYTES);
  memset(text, 'x', OUTPUT_MAX_BYTES);
  b->fake.output = (struct str){text, OUTPUT_MAX_BYTES};
  struct said said;
  start_job(b, EVIDENCE_MAX_BYTES / OUTPUT_MAX_BYTES + 10, false, &said);
  SETTLE(b);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_ERROR);
  assert_string_equal(run.reason.code, "evidence_limit");
  // The keys and the calls count too, so it is a little less than what the outputs alone allow.
  assert_in_range(run.steps_total, 4000, EVIDENCE_MAX_BYTES / OUTPUT_MAX_BYTES);
  assert_int_equal(stored_outputs(b, run.id), run.steps_total);
  assert_int_equal(b->fake.stops, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_run_stopped_before_it_started_never_starts),
      BENCH_TEST(a_run_stopped_while_a_batch_is_written_keeps_the_batch),
      BENCH_TEST(a_stop_that_comes_after_the_backends_end_changes_nothing),
      BENCH_TEST(a_canceled_run_keeps_what_it_gave),
      BENCH_TEST(canceling_again_gives_the_same_run_and_writes_nothing),
      BENCH_TEST(what_is_not_under_way_cannot_be_canceled),
      BENCH_TEST(another_tenants_run_cannot_be_canceled_while_it_is_under_way),
      BENCH_TEST(a_cancel_that_the_run_outran_is_a_conflict),
      BENCH_TEST(evidence_over_the_limit_ends_the_run_with_what_it_gave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
