// SPDX-License-Identifier: Apache-2.0
// When an execution is recorded, and what: in how many transactions, and with which end.
#include "sandbox/test_job.h"

#include "sandbox/limits.h"

// ---- batches ----

static void a_short_run_is_one_transaction_with_one_ledger_entry(void **state) {
  struct bench *b = *state;
  b->fake.allow = 2;
  uint64_t before = applied_ops(b);
  struct said said;
  start_job(b, 3, false, &said);
  UNTIL(b, b->fake.outputs == 2);
  b->now_ns += 5 * BENCH_SECOND;
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(applied_ops(b) - before, 1);
  assert_int_equal(said.ended, 1);
  assert_int_equal(said.announced + said.failed, 0);
  assert_int_equal(sandbox_under_way(b->sandbox), 0);
  assert_int_equal(b->fake.destroys, 1);

  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_COMPLETED);
  assert_null(run.reason.code);
  assert_true(run.isolated && run.destroyed && run.has_outputs_hash);
  assert_int_equal(run.steps_total, 3);
  assert_int_equal(run.steps_ok, 2);
  assert_int_equal(run.steps_error, 1);
  assert_int_equal(run.unused_mock_count, 0);
  assert_int_equal(run.started_at, BENCH_NOW);
  assert_int_equal(run.finished_at, BENCH_NOW + 5 * BENCH_SECOND);
  assert_int_equal(run.duration_ms, 5000);
  CHECK_STR(run.attestation, "{\"runner\":\"fake\",\"scripted\":true}");
  assert_int_equal(stored_outputs(b, run.id), 3);
  assert_string_equal(bench_ledger(b, b->tenant),
                      "user:tester run.launch {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"completed\"}\n");
}

static void a_run_without_steps_completes(void **state) {
  struct bench *b = *state;
  struct plan *plan;
  CHECK_OK(b, plan_from_json(STR("[]"), STR("[]"), 0, &plan, &b->err));
  struct said said;
  struct job_config config = job_of_fake(b, plan, false, &said);
  job_start(b->sandbox, &config);
  plan_unref(plan);
  SETTLE(b);
  assert_int_equal(stored_run(b, said.run.id).status, RUN_COMPLETED);
  assert_int_equal(stored_run(b, said.run.id).steps_total, 0);
  assert_false(run_executed(&said.run));
}

static void a_long_run_is_recorded_in_batches_while_the_backend_waits(void **state) {
  struct bench *b = *state;
  uint64_t before = applied_ops(b);
  struct said said;
  start_job(b, 2 * 4096 + 10, false, &said);
  UNTIL(b, b->fake.outputs > 0);
  assert_int_equal(b->fake.outputs, 4096); // not one more while the batch is written
  assert_int_equal(b->fake.waits, 1);
  UNTIL(b, said.ended + said.failed > 0);
  SETTLE(b);
  assert_int_equal(said.ended, 1);
  assert_int_equal(b->fake.waits, 2);
  assert_int_equal(applied_ops(b) - before, 3);

  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_COMPLETED);
  assert_int_equal(run.steps_total, 8202);
  assert_int_equal(run.steps_ok, 4101);
  assert_int_equal(stored_outputs(b, run.id), 8202);
  assert_int_equal(bench_int(b, "SELECT MAX(seq) FROM outputs WHERE run_id = ?1", run.id), 8201);
  assert_string_equal(bench_ledger(b, b->tenant),
                      "user:tester run.launch {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"running\"}\n"
                      "user:tester run.end {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"completed\"}\n");
}

static void a_batch_is_full_by_bytes_too(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(OUTPUT_MAX_BYTES);
  memset(text, 'x', OUTPUT_MAX_BYTES);
  b->fake.output = (struct str){text, OUTPUT_MAX_BYTES};
  struct said said;
  start_job(b, 100, false, &said);
  UNTIL(b, b->fake.waits == 1);
  assert_int_equal(b->fake.outputs, 64); // 64 × 64 KiB = 4 MiB
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
  assert_int_equal(stored_outputs(b, said.run.id), 100);
}

static void an_announced_run_is_recorded_before_the_backend_starts(void **state) {
  struct bench *b = *state;
  b->fake.allow = 0;
  struct said said;
  start_job(b, 600, true, &said);
  assert_int_equal(b->fake.starts, 0);
  UNTIL(b, said.announced == 1);
  assert_int_equal(said.run.status, RUN_RUNNING);
  struct run running = stored_run(b, said.run.id);
  assert_int_equal(running.status, RUN_RUNNING);
  assert_true(running.isolated);
  assert_int_equal(running.finished_at, 0);
  assert_int_equal(running.steps_total, 0);
  CHECK_STR(running.attestation, "{}");

  uint64_t before = applied_ops(b);
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(applied_ops(b) - before, 3); // 256, 256, 88 with the end
  assert_int_equal(b->fake.waits, 2);
  assert_int_equal(said.announced, 1);
  assert_int_equal(said.ended, 1);
  assert_int_equal(stored_run(b, said.run.id).status, RUN_COMPLETED);
  assert_int_equal(stored_outputs(b, said.run.id), 600);
}

static void an_end_that_comes_while_a_batch_is_written_is_recorded_after_it(void **state) {
  struct bench *b = *state;
  b->fake.end_after = 256;
  b->fake.end = RUNNER_END_BACKEND_LOST;
  b->fake.detail = "It went away.";
  struct said said;
  start_job(b, 600, true, &said);
  SETTLE(b);
  assert_int_equal(said.ended, 1);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_ERROR);
  CHECK_STR(run.reason.message, "It went away.");
  assert_int_equal(run.steps_total, 256);
  assert_int_equal(stored_outputs(b, run.id), 256);
}

static void a_decided_run_is_recorded_without_a_backend(void **state) {
  struct bench *b = *state;
  struct plan *plan = bench_plan(b, 2);
  struct said said;
  struct job_config config = job_of_fake(b, plan, false, &said);
  config.run.status = RUN_ERROR;
  config.run.reason = (struct reason){"isolation_unavailable", STR("There is none.")};
  job_record(b->sandbox, &config);
  plan_unref(plan);
  SETTLE(b);
  assert_int_equal(b->fake.prepares, 0);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_ERROR);
  assert_string_equal(run.reason.code, "isolation_unavailable");
  CHECK_STR(run.reason.message, "There is none.");
  assert_false(run.isolated || run.has_outputs_hash);
  assert_int_equal(run.steps_total, 0);
  assert_string_equal(bench_ledger(b, b->tenant),
                      "user:tester run.launch {\"kind\":\"scenario\",\"runner\":\"fake\",\"status\":\"error\"}\n");
}

// ---- ends ----

static void each_end_of_a_backend_has_its_status_and_reason(void **state) {
  struct bench *b = *state;
  static const struct {
    enum runner_end_kind end;
    const char *detail, *suite;
    enum run_status status;
    const char *code, *message;
    bool isolated;
  } ends[] = {
      {RUNNER_END_DONE, NULL, NULL, RUN_COMPLETED, NULL, NULL, true},
      {RUNNER_END_DONE, NULL, "suite:1", RUN_DEGRADED, "not_scored", "no scorer", true},
      {RUNNER_END_SETUP_FAILED, "No room.", NULL, RUN_ERROR, "backend_failed", "No room.", false},
      {RUNNER_END_BACKEND_LOST, "Signal 9.", NULL, RUN_ERROR, "backend_failed", "Signal 9.", true},
      {RUNNER_END_BACKEND_LOST, NULL, NULL, RUN_ERROR, "backend_failed", "The backend gave no detail.", true},
      {RUNNER_END_PROTOCOL, "Not JSON.", "suite:1", RUN_ERROR, "protocol", "Not JSON.", true},
      {RUNNER_END_STOPPED, NULL, NULL, RUN_ERROR, "backend_failed", "nobody had asked", true},
  };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    b->fake.end_after = 2;
    b->fake.end = ends[i].end;
    b->fake.detail = ends[i].detail;
    struct plan *plan = bench_plan(b, 5);
    struct said said;
    struct job_config config = job_of_fake(b, plan, false, &said);
    config.run.suite_ref = str_c(ends[i].suite);
    job_start(b->sandbox, &config);
    plan_unref(plan);
    SETTLE(b);
    struct run run = stored_run(b, said.run.id);
    assert_int_equal(run.status, ends[i].status);
    assert_int_equal(run.isolated, ends[i].isolated);
    assert_int_equal(run.steps_total, 2);
    assert_int_equal(stored_outputs(b, run.id), 2);
    assert_true(run.destroyed);
    if (!ends[i].code) {
      assert_null(run.reason.code);
      continue;
    }
    assert_string_equal(run.reason.code, ends[i].code);
    assert_non_null(strstr(run.reason.message.data, ends[i].message));
  }
}

static void a_backend_that_left_something_behind_is_not_called_destroyed(void **state) {
  struct bench *b = *state;
  b->fake.remains = true;
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
  assert_false(stored_run(b, said.run.id).destroyed);
}

static void an_attestation_that_is_too_long_is_left_out_and_not_cut(void **state) {
  struct bench *b = *state;
  b->fake.attest_bytes = 64 * 1024;
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.status, RUN_COMPLETED);
  CHECK_STR(run.attestation, "{}");
}

static void a_backend_that_cannot_prepare_is_a_recorded_failure(void **state) {
  struct bench *b = *state;
  b->fake.prepare_error = "There is no kernel.";
  for (int announce = 0; announce <= 1; announce++) {
    struct said said;
    start_job(b, 3, announce, &said);
    SETTLE(b);
    assert_int_equal(said.ended, 1);
    assert_int_equal(said.announced, 0);
    struct run run = stored_run(b, said.run.id);
    assert_int_equal(run.status, RUN_ERROR);
    assert_string_equal(run.reason.code, "backend_failed");
    CHECK_STR(run.reason.message, "There is no kernel.");
    assert_false(run.isolated || run.has_outputs_hash);
    assert_true(run.destroyed);
    assert_int_equal(run.finished_at, BENCH_NOW);
  }
  assert_int_equal(b->fake.starts + b->fake.destroys, 0);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM audit WHERE tenant_id = ?1", b->tenant), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_short_run_is_one_transaction_with_one_ledger_entry),
      BENCH_TEST(a_run_without_steps_completes),
      BENCH_TEST(a_long_run_is_recorded_in_batches_while_the_backend_waits),
      BENCH_TEST(a_batch_is_full_by_bytes_too),
      BENCH_TEST(an_announced_run_is_recorded_before_the_backend_starts),
      BENCH_TEST(an_end_that_comes_while_a_batch_is_written_is_recorded_after_it),
      BENCH_TEST(a_decided_run_is_recorded_without_a_backend),
      BENCH_TEST(each_end_of_a_backend_has_its_status_and_reason),
      BENCH_TEST(a_backend_that_left_something_behind_is_not_called_destroyed),
      BENCH_TEST(an_attestation_that_is_too_long_is_left_out_and_not_cut),
      BENCH_TEST(a_backend_that_cannot_prepare_is_a_recorded_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
