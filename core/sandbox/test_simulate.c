// SPDX-License-Identifier: Apache-2.0
// Launching runs: of a scenario, and of a session.
#include "sandbox/flows.h"
#include "sandbox/limits.h"
#include "sandbox/test_job.h"

#define BODY                                                                                                           \
  "{\"name\":\"s\",\"subject_kind\":\"bot\",\"seed\":5,\"steps\":[{\"key\":\"a\",\"input\":\"x\"}],"                   \
  "\"mocks\":[{\"resource\":\"x\",\"response\":\"one\"}],"                                                             \
  "\"variants\":{\"v\":{\"mocks\":[{\"resource\":\"x\",\"response\":\"two\"}]}}}"

static struct simulate_request request_for(struct bench *b, struct id scenario) {
  return (struct simulate_request){.tenant = b->tenant, .scenario = scenario, .actor = BENCH_ACTOR, .wait = true};
}

static struct said answer_to(struct bench *b, struct simulate_request request) {
  struct said said = {.b = b};
  simulate(b->sandbox, &request, said_ended, &said);
  SETTLE(b);
  assert_int_equal(said.ended + said.failed, 1);
  return said;
}

static struct run run_for(struct bench *b, struct simulate_request request) {
  struct said said = answer_to(b, request);
  if (said.failed) fail_msg("%s", said.err.msg);
  return stored_run(b, said.run.id);
}

static void a_run_says_what_it_is_a_run_of(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY);
  struct simulate_request request = request_for(b, s.id);
  request.suite_ref = STR("suite");
  struct run run = run_for(b, request);
  assert_int_equal(run.kind, RUN_SCENARIO);
  CHECK_ID(run.scenario, s.id);
  assert_int_equal(run.scenario_revision, 1);
  CHECK_STR(run.subject_ref, "bot:s");
  assert_false(str_present(run.variant));
  CHECK_STR(run.suite_ref, "suite");
  CHECK_STR(run.runner, "fake");
  CHECK_STR(run.launched_by, "user:tester");
  assert_int_equal(run.seed, 5);
  assert_true(digest_eq(&run.spec_hash, &s.spec_hash));
  assert_int_equal(run.status, RUN_DEGRADED);
  assert_string_equal(run.reason.code, "not_scored");
}

static void a_seed_of_the_request_is_part_of_the_spec(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY);
  struct simulate_request request = request_for(b, s.id);
  request.has_seed = true;
  request.seed = 5;
  struct run same = run_for(b, request);
  assert_true(digest_eq(&same.spec_hash, &s.spec_hash));
  static const int64_t seeds[] = {0, SEED_MAX};
  for (size_t i = 0; i < 2; i++) {
    request.seed = seeds[i];
    struct run run = run_for(b, request);
    assert_int_equal(run.seed, seeds[i]);
    assert_false(digest_eq(&run.spec_hash, &s.spec_hash));
  }
}

static void a_label_runs_what_the_scenario_runs_and_an_overlay_does_not(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY);
  struct simulate_request request = request_for(b, s.id);
  request.variant = STR("a label");
  struct run label = run_for(b, request);
  CHECK_STR(label.variant, "a label");
  assert_true(digest_eq(&label.spec_hash, &s.spec_hash));
  request.variant = STR("v");
  struct run overlaid = run_for(b, request);
  CHECK_STR(overlaid.variant, "v");
  assert_false(digest_eq(&overlaid.spec_hash, &s.spec_hash));
  assert_int_equal(overlaid.unused_mock_count, 0); // what the variant replaced is no part of it
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM outputs WHERE run_id = ?1 AND output = 'two'", overlaid.id), 1);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM outputs WHERE run_id = ?1 AND output = 'one'", label.id), 1);
}

static void a_new_revision_is_what_runs_from_then_on(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY);
  struct run before = run_for(b, request_for(b, s.id));
  struct scenario changed = bench_scenario(b, "{\"name\":\"s\",\"steps\":[{\"input\":\"q\"},{\"input\":\"r\"}]}");
  changed.id = s.id;
  bench_begin(b);
  bool found;
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &changed, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  bench_end(b);
  struct run after = run_for(b, request_for(b, s.id));
  assert_int_equal(before.steps_total, 1);
  assert_int_equal(after.steps_total, 2);
  assert_int_equal(after.scenario_revision, 2);
  assert_true(digest_eq(&after.spec_hash, &changed.spec_hash));
}

static void who_does_not_wait_is_answered_once_the_run_is_recorded_as_running(void **state) {
  struct bench *b = *state;
  struct simulate_request request = request_for(b, bench_store_scenario(b, BODY).id);
  request.wait = false;
  b->fake.allow = 0;
  struct said said = {.b = b};
  simulate(b->sandbox, &request, said_ended, &said);
  UNTIL(b, said.ended > 0);
  assert_int_equal(said.run.status, RUN_RUNNING);
  assert_int_equal(stored_run(b, said.run.id).status, RUN_RUNNING);
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(said.ended, 1); // and never again
  assert_int_equal(stored_run(b, said.run.id).status, RUN_COMPLETED);
}

static void who_does_not_wait_hears_of_a_run_that_could_not_be_recorded(void **state) {
  struct bench *b = *state;
  struct simulate_request request = request_for(b, bench_store_scenario(b, BODY).id);
  request.wait = false;
  refuse(b, "INSERT ON runs");
  struct said said = answer_to(b, request);
  CHECK_ERR(&said.err, ERR_INTERNAL, "refused by the test");
  assert_int_equal(b->fake.starts, 0);
}

static void a_scenario_that_does_not_run_launches_nothing(void **state) {
  struct bench *b = *state;
  struct said said = answer_to(b, request_for(b, b->other_tenant));
  CHECK_ERR(&said.err, ERR_NOT_FOUND, "no scenario with this id");
  struct scenario s = bench_store_scenario(b, BODY);
  struct simulate_request request = request_for(b, s.id);
  request.tenant = b->other_tenant;
  said = answer_to(b, request);
  CHECK_ERR(&said.err, ERR_NOT_FOUND, "no scenario with this id");
  run_for(b, request_for(b, s.id)); // its plan is kept now
  bench_begin(b);
  bool found;
  CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, s.id, true, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  bench_end(b);
  said = answer_to(b, request_for(b, s.id));
  CHECK_ERR(&said.err, ERR_CONFLICT, "'s' is archived");
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM runs", s.id), 1);
}

static void a_runner_that_is_not_available_is_a_recorded_run_and_no_other_is_used(void **state) {
  struct bench *b = *state;
  struct simulate_request request = request_for(b, bench_store_scenario(b, BODY).id);
  request.runner = STR("absent");
  for (int wait = 0; wait < 2; wait++) {
    request.wait = wait;
    struct run run = run_for(b, request);
    assert_int_equal(run.status, RUN_ERROR);
    assert_string_equal(run.reason.code, "isolation_unavailable");
    CHECK_STR(
        run.reason.message,
        "The runner 'absent' is not available: missing a kernel. There is none. No other runner was used instead.");
    CHECK_STR(run.runner, "absent");
    assert_false(run.isolated);
    assert_true(run.destroyed);
    assert_int_equal(run.steps_total, 0);
    assert_false(run.has_outputs_hash);
    assert_true(run.finished_at > 0);
  }
  assert_int_equal(b->absent.prepares + b->fake.prepares, 0);
}

// ---- sessions ----

static void a_replay_is_recorded_degraded_and_makes_nothing_up(void **state) {
  struct bench *b = *state;
  const struct replay_request request = {.tenant = b->tenant,
                                         .actor = BENCH_ACTOR,
                                         .session_ref = STR("2026/1"),
                                         .mocks = STR("[{\"resource\":\"r\",\"response\":\"a\"}]"),
                                         .variant = STR("v")};
  struct said said = {.b = b};
  replay(b->sandbox, &request, said_ended, &said);
  SETTLE(b);
  assert_int_equal(said.ended, 1);
  struct run run = stored_run(b, said.run.id);
  assert_int_equal(run.kind, RUN_REPLAY);
  assert_int_equal(run.status, RUN_DEGRADED);
  assert_string_equal(run.reason.code, "timeline_unavailable");
  CHECK_STR(run.subject_ref, "session:2026/1");
  CHECK_STR(run.runner, "fake");
  assert_true(id_is_zero(run.scenario));
  assert_int_equal(run.steps_total, 0);
  assert_false(run.isolated);
  assert_true(run.destroyed);
  struct str spec;
  CHECK_OK(b, run_get_spec(store_reader(b->store), b->arena, b->tenant, &run.spec_hash, &spec, &b->err));
  CHECK_STR(spec, "{\"mocks\":[{\"resource\":\"r\",\"response\":\"a\"}],\"seed\":0,\"steps\":[]}");
  assert_int_equal(b->fake.prepares, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_run_says_what_it_is_a_run_of),
      BENCH_TEST(a_seed_of_the_request_is_part_of_the_spec),
      BENCH_TEST(a_label_runs_what_the_scenario_runs_and_an_overlay_does_not),
      BENCH_TEST(a_new_revision_is_what_runs_from_then_on),
      BENCH_TEST(who_does_not_wait_is_answered_once_the_run_is_recorded_as_running),
      BENCH_TEST(who_does_not_wait_hears_of_a_run_that_could_not_be_recorded),
      BENCH_TEST(a_scenario_that_does_not_run_launches_nothing),
      BENCH_TEST(a_runner_that_is_not_available_is_a_recorded_run_and_no_other_is_used),
      BENCH_TEST(a_replay_is_recorded_degraded_and_makes_nothing_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
