// SPDX-License-Identifier: Apache-2.0
#include "sandbox/flows.h"
#include "sandbox/test_job.h"

#define BODY                                                                                                           \
  "{\"name\":\"s\",\"steps\":[{\"key\":\"a\",\"input\":\"x\"}],\"mocks\":[{\"resource\":\"x\",\"response\":\"one\"}]," \
  "\"variants\":{\"same\":{\"mocks\":[{\"resource\":\"x\",\"response\":\"one\"}]},"                                    \
  "\"other\":{\"mocks\":[{\"resource\":\"x\",\"response\":\"two\"}]},"                                                 \
  "\"longer\":{\"steps\":[{\"key\":\"a\",\"input\":\"x\"},{\"key\":\"b\",\"input\":\"x\"}]}}}"

/// What a comparison answered; text in the bench's arena.
struct answer {
  struct bench *b;
  int calls;
  struct id id;
  struct err err;
};

static void take(void *ctx, const struct comparison *c, const struct err *err) {
  struct answer *a = ctx;
  a->calls++;
  assert_true((c == NULL) != (err == NULL));
  if (c)
    a->id = c->id;
  else
    a->err = *err;
}

static struct answer answer_to(struct bench *b, struct compare_request request) {
  struct answer a = {.b = b};
  request.tenant = b->tenant;
  request.actor = BENCH_ACTOR;
  compare(b->sandbox, &request, take, &a);
  UNTIL(b, a.calls > 0);
  SETTLE(b);
  assert_int_equal(a.calls, 1);
  assert_int_equal(b->fake.live, 0);
  return a;
}

/// The comparison as it is stored.
static struct comparison compared(struct bench *b, struct compare_request request) {
  struct answer a = answer_to(b, request);
  if (a.err.code != ERR_NONE) fail_msg("%s", a.err.msg);
  struct comparison c;
  bool found = false;
  CHECK_OK(b, comparison_get(store_reader(b->store), b->arena, b->tenant, a.id, &c, &found, &b->err));
  assert_true(found);
  return c;
}

static struct compare_request of_scenario(struct id scenario, const char *baseline, const char *candidate) {
  return (struct compare_request){
      .scenario = scenario, .baseline_variant = str_c(baseline), .candidate_variant = str_c(candidate)};
}

static struct compare_request of_runs(struct id baseline, struct id candidate) {
  return (struct compare_request){.baseline = baseline, .candidate = candidate};
}

static struct id run_of(struct bench *b, struct id scenario, const char *variant) {
  struct said said = {.b = b};
  const struct simulate_request request = {
      .tenant = b->tenant, .scenario = scenario, .actor = BENCH_ACTOR, .variant = str_c(variant), .wait = true};
  simulate(b->sandbox, &request, said_ended, &said);
  UNTIL(b, said.ended > 0);
  return said.run.id;
}

static void both_arms_of_a_scenario_are_run_and_recorded(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  struct compare_request request = of_scenario(scenario, "same", "other");
  struct comparison c = compared(b, request);
  assert_int_equal(c.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(c.reason.code, "outputs_differ_unscored");
  assert_true(c.comparable);
  CHECK_ID(c.scenario, scenario);
  CHECK_STR(c.subject_ref, "agent:s");
  CHECK_STR(c.baseline_variant, "same");
  CHECK_STR(c.candidate_variant, "other");
  CHECK_STR(c.rule_ref, "default");
  CHECK_STR(c.decided_by, "user:tester");
  CHECK_STR(c.differences.differences,
            "[{\"step_key\":\"a\",\"kind\":\"changed\",\"baseline\":\"one\",\"candidate\":\"two\"}]");
  assert_int_equal(c.occurred_at, BENCH_NOW);
  struct digest rule = verdict_default_hash();
  assert_true(digest_eq(&c.rule_hash, &rule));
  struct run baseline = stored_run(b, c.baseline), candidate = stored_run(b, c.candidate);
  assert_int_equal(baseline.kind, RUN_COMPARE);
  assert_int_equal(candidate.status, RUN_COMPLETED);
  CHECK_STR(baseline.variant, "same");
  CHECK_STR(candidate.variant, "other");
  CHECK_STR(candidate.launched_by, "user:tester");
  assert_int_equal(candidate.scenario_revision, 1);
}

static void equal_outputs_are_unchanged_whatever_the_variants_are_called(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  static const char *const pairs[][2] = {{"same", "a label"}, {"one label", "another"}};
  for (size_t i = 0; i < 2; i++) {
    struct comparison c = compared(b, of_scenario(scenario, pairs[i][0], pairs[i][1]));
    assert_int_equal(c.verdict, VERDICT_UNCHANGED);
    assert_string_equal(c.reason.code, "outputs_identical");
    CHECK_STR(c.differences.differences, "[]");
    CHECK_STR(c.differences.pairs, "[{\"step_key\":\"a\",\"kind\":\"same\"}]");
    assert_int_equal(c.differences.counts[DIFFERENCE_SAME], 1);
    assert_true(c.same_spec);
    assert_false(c.self_check);
  }
}

static void identical_arms_are_refused_unless_they_are_a_self_check(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id, run = run_of(b, scenario, NULL);
  const struct compare_request session = {.session_ref = STR("s"),
                                          .baseline_variant = STR("v"),
                                          .candidate_variant = STR("v"),
                                          .baseline_mocks = STR("[]"),
                                          .candidate_mocks = STR("[]")};
  const struct {
    struct compare_request request;
    const char *place;
  } cases[] = {{of_scenario(scenario, "other", "other"), "candidate_variant"},
               {of_runs(run, run), "candidate_run_ref"},
               {session, "candidate_variant"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct answer a = answer_to(b, cases[i].request);
    CHECK_ERR(&a.err, ERR_BAD_REQUEST, "compared with themselves");
    assert_string_equal(a.err.place, cases[i].place);
  }
  for (size_t i = 0; i < 2; i++) {
    struct compare_request request = cases[i].request;
    request.self_check = true;
    struct comparison c = compared(b, request);
    assert_int_equal(c.verdict, VERDICT_UNCHANGED);
    assert_true(c.self_check && c.same_spec && c.comparable);
  }
  struct compare_request two = of_scenario(scenario, "same", "other");
  two.self_check = true;
  struct answer a = answer_to(b, two);
  CHECK_ERR(&a.err, ERR_BAD_REQUEST, "two identical arms; these differ");
  assert_string_equal(a.err.place, "self_check");
}

static void a_session_under_two_sets_of_mocks_has_two_arms(void **state) {
  struct bench *b = *state;
  struct comparison c =
      compared(b, (struct compare_request){.session_ref = STR("s"),
                                           .baseline_mocks = STR("[]"),
                                           .candidate_mocks = STR("[{\"resource\":\"x\",\"response\":\"y\"}]")});
  struct run baseline = stored_run(b, c.baseline), candidate = stored_run(b, c.candidate);
  assert_false(digest_eq(&baseline.spec_hash, &candidate.spec_hash));
  assert_false(c.same_spec);
  assert_string_equal(c.reason.code, "no_steps");
}

static void a_self_check_that_gives_two_results_says_so(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  struct compare_request request = of_scenario(scenario, "same", "same");
  request.self_check = true;
  b->fake.numbered = true;
  struct comparison c = compared(b, request);
  assert_int_equal(c.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(c.reason.code, "self_check_failed");
  assert_int_equal(c.differences.counts[DIFFERENCE_CHANGED], 1);
}

static void arms_with_different_steps_are_not_comparable(void **state) {
  struct bench *b = *state;
  struct comparison c = compared(b, of_scenario(bench_store_scenario(b, BODY).id, "same", "longer"));
  assert_int_equal(c.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(c.reason.code, "not_comparable");
  assert_false(c.comparable);
  CHECK_STR(c.reason.message, "The arms ran different steps.");
  CHECK_STR(c.not_comparable, "[{\"code\":\"steps\",\"message\":\"The arms ran different steps.\"}]");
  CHECK_STR(c.differences.pairs,
            "[{\"step_key\":\"a\",\"kind\":\"same\"},{\"step_key\":\"b\",\"kind\":\"only_candidate\"}]");
  CHECK_STR(c.differences.differences, "[{\"step_key\":\"b\",\"kind\":\"only_candidate\",\"candidate\":\"one\"}]");
}

static void an_arm_that_fails_decides_nothing(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  struct compare_request request = of_scenario(scenario, "same", "other");
  b->fake.end_after = 1;
  b->fake.end = RUNNER_END_PROTOCOL;
  struct comparison c = compared(b, request);
  assert_string_equal(c.reason.code, "arm_not_executed");
  request.runner = STR("absent");
  c = compared(b, request);
  assert_int_equal(c.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(c.reason.code, "no_steps");
  struct run arm = stored_run(b, c.candidate);
  assert_string_equal(arm.reason.code, "isolation_unavailable");
  CHECK_STR(arm.runner, "absent");
  assert_false(arm.isolated);
}

static void a_scenario_that_does_not_run_is_not_compared(void **state) {
  struct bench *b = *state;
  struct answer a = answer_to(b, of_scenario(b->other_tenant, "x", "y"));
  CHECK_ERR(&a.err, ERR_NOT_FOUND, "no scenario with this id");
  struct scenario s = bench_store_scenario(b, BODY);
  bench_begin(b);
  bool found;
  CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, s.id, true, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  bench_end(b);
  a = answer_to(b, of_scenario(s.id, "x", "y"));
  CHECK_ERR(&a.err, ERR_CONFLICT, "is archived");
  assert_int_equal(b->fake.prepares, 0);
}

static void an_arm_that_the_store_refuses_is_the_answer(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  refuse(b, "INSERT ON runs WHEN NEW.variant = 'other'");
  struct answer a = answer_to(b, of_scenario(scenario, "same", "other"));
  CHECK_ERR(&a.err, ERR_INTERNAL, "refused by the test");
  take_again(b);
  refuse(b, "INSERT ON comparisons");
  a = answer_to(b, of_scenario(scenario, "same", "other"));
  CHECK_ERR(&a.err, ERR_INTERNAL, "refused by the test");
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM comparisons", scenario), 0);
}

// ---- stored runs ----

static void stored_runs_are_compared_as_they_are(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  struct id one = run_of(b, scenario, NULL), two = run_of(b, scenario, "other");
  size_t prepares = b->fake.prepares;
  struct comparison c = compared(b, of_runs(one, two));
  assert_int_equal(b->fake.prepares, prepares);
  CHECK_ID(c.baseline, one);
  CHECK_ID(c.candidate, two);
  CHECK_ID(c.scenario, scenario);
  assert_false(str_present(c.baseline_variant));
  CHECK_STR(c.candidate_variant, "other");
  assert_string_equal(c.reason.code, "outputs_differ_unscored");
}

static void runs_of_different_scenarios_are_not_comparable(void **state) {
  struct bench *b = *state;
  struct id one = run_of(b, bench_store_scenario(b, BODY).id, NULL);
  struct id two =
      run_of(b, bench_store_scenario(b, "{\"name\":\"t\",\"steps\":[{\"key\":\"a\",\"input\":\"x\"}]}").id, NULL);
  struct comparison c = compared(b, of_runs(one, two));
  assert_string_equal(c.reason.code, "not_comparable");
  CHECK_STR(c.reason.message, "The arms are runs of different scenarios.");
  assert_true(id_is_zero(c.scenario));
  CHECK_STR(c.subject_ref, "agent:t");
}

static void runs_in_different_runners_are_not_comparable(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id, one = run_of(b, scenario, NULL);
  b->fake.port.name = "renamed";
  struct comparison c = compared(b, of_runs(one, run_of(b, scenario, NULL)));
  assert_string_equal(c.reason.code, "not_comparable");
  CHECK_STR(c.reason.message, "The arms ran in different runners: fake and renamed.");
}

static void runs_that_are_not_there_or_have_not_ended_are_refused_by_place(void **state) {
  struct bench *b = *state;
  struct id done = run_of(b, bench_store_scenario(b, BODY).id, NULL);
  struct answer a = answer_to(b, of_runs(b->other_tenant, done));
  CHECK_ERR(&a.err, ERR_NOT_FOUND, "no run with this id");
  assert_string_equal(a.err.place, "baseline_run_ref");
  a = answer_to(b, of_runs(done, b->other_tenant));
  assert_string_equal(a.err.place, "candidate_run_ref");

  b->fake.allow = 1;
  struct said said;
  start_job(b, 3, true, &said);
  UNTIL(b, said.announced > 0);
  struct answer running = {.b = b};
  struct compare_request request = of_runs(done, said.run.id);
  request.tenant = b->tenant;
  compare(b->sandbox, &request, take, &running);
  assert_int_equal(running.calls, 1);
  CHECK_ERR(&running.err, ERR_CONFLICT, "has not ended yet");
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
}

// ---- sessions ----

static void a_session_gives_two_replays_without_steps(void **state) {
  struct bench *b = *state;
  struct comparison c = compared(b, (struct compare_request){.session_ref = STR("session 1"),
                                                             .baseline_mocks = STR("[]"),
                                                             .candidate_mocks = STR("[]"),
                                                             .baseline_variant = STR("x"),
                                                             .candidate_variant = STR("y")});
  assert_int_equal(c.verdict, VERDICT_INCONCLUSIVE);
  assert_string_equal(c.reason.code, "no_steps");
  CHECK_STR(c.session_ref, "session 1");
  CHECK_STR(c.subject_ref, "session:session 1");
  assert_true(id_is_zero(c.scenario));
  struct run arm = stored_run(b, c.candidate);
  assert_int_equal(arm.kind, RUN_COMPARE);
  assert_int_equal(arm.status, RUN_DEGRADED);
  assert_string_equal(arm.reason.code, "timeline_unavailable");
  CHECK_STR(arm.variant, "y");
  assert_int_equal(arm.steps_total, 0);
}

// ---- the engine ends ----

static void a_comparison_under_way_when_the_engine_stops_is_answered(void **state) {
  struct bench *b = *state;
  struct id scenario = bench_store_scenario(b, BODY).id;
  b->fake.allow = 0;
  struct answer a = {.b = b};
  struct compare_request request = of_scenario(scenario, "same", "other");
  request.tenant = b->tenant;
  request.actor = BENCH_ACTOR;
  compare(b->sandbox, &request, take, &a);
  loop_turn(b->loop, false);
  sandbox_stop_all(b->sandbox);
  SETTLE(b);
  assert_int_equal(a.calls, 1);
  assert_int_equal(a.err.code, ERR_NONE);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM runs WHERE reason_code = 'engine_stopping'", scenario), 2);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM comparisons WHERE verdict = 'inconclusive'", scenario), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(both_arms_of_a_scenario_are_run_and_recorded),
      BENCH_TEST(equal_outputs_are_unchanged_whatever_the_variants_are_called),
      BENCH_TEST(identical_arms_are_refused_unless_they_are_a_self_check),
      BENCH_TEST(a_self_check_that_gives_two_results_says_so),
      BENCH_TEST(a_session_under_two_sets_of_mocks_has_two_arms),
      BENCH_TEST(arms_with_different_steps_are_not_comparable),
      BENCH_TEST(an_arm_that_fails_decides_nothing),
      BENCH_TEST(a_scenario_that_does_not_run_is_not_compared),
      BENCH_TEST(an_arm_that_the_store_refuses_is_the_answer),
      BENCH_TEST(stored_runs_are_compared_as_they_are),
      BENCH_TEST(runs_of_different_scenarios_are_not_comparable),
      BENCH_TEST(runs_in_different_runners_are_not_comparable),
      BENCH_TEST(runs_that_are_not_there_or_have_not_ended_are_refused_by_place),
      BENCH_TEST(a_session_gives_two_replays_without_steps),
      BENCH_TEST(a_comparison_under_way_when_the_engine_stops_is_answered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
