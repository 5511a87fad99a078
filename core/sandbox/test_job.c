// SPDX-License-Identifier: Apache-2.0
// When an execution is recorded, and what: in how many transactions, with which end, and what becomes of it when it is
// stopped or when the store refuses.
#include "sandbox/test_job.h"

#include "sandbox/flows.h"
#include "sandbox/limits.h"

#define ZERO ((struct id){0})

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

// ---- stopping ----

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

// ---- the store refuses ----

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

// ---- evidence of requests ----

static bool keep_output(void *ctx, const struct output *output) {
  struct said *said = ctx;
  said->announced = output->clamped; // a place for what the test looks at
  said->run.attestation = arena_str(said->b->arena, output->calls);
  said->run.subject_ref = arena_str(said->b->arena, output->output);
  return false;
}

static struct said only_output(struct bench *b, struct id run) {
  struct said kept = {.b = b};
  CHECK_OK(b, run_outputs(store_reader(b->store), b->tenant, run, false, -1, 1, keep_output, &kept, &b->err));
  return kept;
}

static void a_request_over_the_text_limit_is_cut_and_marked(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(INPUT_MAX_BYTES + 1);
  memset(text, 'r', INPUT_MAX_BYTES + 1);
  b->fake.request = (struct str){text, INPUT_MAX_BYTES + 1};
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
  struct said kept = only_output(b, said.run.id);
  assert_int_equal(kept.run.subject_ref.len, strlen("[[mock-miss:]]") + INPUT_MAX_BYTES);
  struct digest whole = hash_of(b->fake.request);
  AUTO(json_auto_decref) json_t *calls = NULL;
  CHECK_OK(b, json_read(kept.run.attestation, &calls, &b->err));
  CHECK_STR(json_member_str(json_array_get(calls, 0), "resource_whole"), digest_format(&whole).text);
  assert_int_equal(json_member_str(json_array_get(calls, 0), "resource").len, INPUT_MAX_BYTES);
}

static void requests_over_the_evidence_of_a_step_are_left_out_and_said(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(INPUT_MAX_BYTES);
  memset(text, 'r', INPUT_MAX_BYTES);
  b->fake.request = (struct str){text, INPUT_MAX_BYTES};
  b->fake.requests = 200;
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  struct said kept = only_output(b, said.run.id);
  assert_true(kept.announced);
  AUTO(json_auto_decref) json_t *calls = NULL;
  CHECK_OK(b, json_read(kept.run.attestation, &calls, &b->err));
  assert_in_range(json_array_size(calls), 100, 199);
}

// ---- watching ----

struct counting {
  struct run_watch watch;
  struct bench *b;
  int wakes;
  struct run_watch *leaves; // taken off the list by a wake
};

static void count_wake(struct run_watch *watch) {
  struct counting *c = (struct counting *)watch;
  c->wakes++;
  if (c->leaves) sandbox_unwatch(c->b->sandbox, c->leaves);
}

static void a_watcher_is_woken_whenever_more_is_durable(void **state) {
  struct bench *b = *state;
  b->fake.allow = 0;
  struct said said;
  start_job(b, 600, true, &said);
  UNTIL(b, said.announced == 1);
  struct counting mine = {.watch = {said.run.id, count_wake, NULL}}, other = {.watch = {b->tenant, count_wake, NULL}};
  sandbox_watch(b->sandbox, &other.watch);
  sandbox_watch(b->sandbox, &mine.watch);
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(mine.wakes, 3);
  assert_int_equal(other.wakes, 0);
  sandbox_unwatch(b->sandbox, &mine.watch);
  sandbox_unwatch(b->sandbox, &mine.watch); // harmless
  sandbox_unwatch(b->sandbox, &other.watch);
}

static void a_wake_may_end_any_watcher(void **state) {
  struct bench *b = *state;
  struct counting last = {.watch = {b->tenant, count_wake, NULL}};
  struct counting middle = {.watch = {b->tenant, count_wake, NULL}};
  struct counting first = {.watch = {b->tenant, count_wake, NULL}, .b = b, .leaves = &middle.watch};
  sandbox_watch(b->sandbox, &last.watch);
  sandbox_watch(b->sandbox, &middle.watch);
  sandbox_watch(b->sandbox, &first.watch);
  sandbox_notify(b->sandbox, b->tenant);
  assert_int_equal(first.wakes, 1);
  assert_int_equal(middle.wakes, 0);
  assert_int_equal(last.wakes, 1);
  first.leaves = &first.watch;
  sandbox_notify(b->sandbox, b->tenant);
  sandbox_notify(b->sandbox, b->tenant);
  assert_int_equal(first.wakes, 2);
  assert_int_equal(last.wakes, 3);
  sandbox_unwatch(b->sandbox, &last.watch);
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
      BENCH_TEST(a_run_stopped_before_it_started_never_starts),
      BENCH_TEST(a_run_stopped_while_a_batch_is_written_keeps_the_batch),
      BENCH_TEST(a_stop_that_comes_after_the_backends_end_changes_nothing),
      BENCH_TEST(a_canceled_run_keeps_what_it_gave),
      BENCH_TEST(canceling_again_gives_the_same_run_and_writes_nothing),
      BENCH_TEST(what_is_not_under_way_cannot_be_canceled),
      BENCH_TEST(another_tenants_run_cannot_be_canceled_while_it_is_under_way),
      BENCH_TEST(a_cancel_that_the_run_outran_is_a_conflict),
      BENCH_TEST(evidence_over_the_limit_ends_the_run_with_what_it_gave),
      BENCH_TEST(a_run_that_was_never_recorded_leaves_nothing),
      BENCH_TEST(a_long_run_whose_first_batch_is_refused_leaves_nothing),
      BENCH_TEST(a_refused_batch_is_kept_and_recorded_later),
      BENCH_TEST(a_refused_end_is_kept_and_recorded_later),
      BENCH_TEST(canceling_a_run_that_the_store_refused_tries_it_again),
      BENCH_TEST(a_cancel_that_the_store_refuses_stops_nothing),
      BENCH_TEST(a_neighbour_in_the_same_transaction_that_fails_does_not_double_a_run),
      BENCH_TEST(a_request_over_the_text_limit_is_cut_and_marked),
      BENCH_TEST(requests_over_the_evidence_of_a_step_are_left_out_and_said),
      BENCH_TEST(a_watcher_is_woken_whenever_more_is_durable),
      BENCH_TEST(a_wake_may_end_any_watcher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
