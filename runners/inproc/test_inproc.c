// SPDX-License-Identifier: Apache-2.0
// The backend against a scripted flow on a real loop. The flow writes down every event, so that a test states the whole
// course of an execution as one text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret.h"
#include "runners/inproc/inproc.h"

enum event { EVENT_NONE, EVENT_STEP, EVENT_REQUEST, EVENT_OUTPUT, EVENT_END };
enum action { ACTION_STOP, ACTION_DESTROY, ACTION_WAKE, ACTION_ANSWER };
enum { IDLE_TURNS = 4 };

struct flow {
  struct loop *loop;
  struct runner *runner;
  struct runner_execution *execution;
  size_t total;     // steps of the scenario
  size_t available; // how many of them next_step gives before it says WAIT
  size_t taken;
  bool answers_later;
  unsigned again;     // so often a request is to be made again before it is answered
  uint64_t request;   // the latest
  enum event act_on;  // during the first such event …
  enum action action; // … the flow does this
  char text[32];
  struct buf log;
};

static void destroy_execution(struct flow *flow) {
  bool gone = false;
  flow->runner->destroy(flow->execution, &gone);
  assert_true(gone);
  flow->execution = NULL;
}

static void act(struct flow *flow, enum event event) {
  if (flow->act_on != event) return;
  flow->act_on = EVENT_NONE;
  switch (flow->action) {
  case ACTION_STOP: flow->runner->stop(flow->execution); break;
  case ACTION_DESTROY: destroy_execution(flow); break;
  case ACTION_WAKE:
    flow->available = flow->total;
    flow->runner->wake(flow->execution);
    break;
  case ACTION_ANSWER: flow->runner->answer(flow->execution, flow->request, STR("at once")); break;
  }
}

static enum runner_next next_step(void *ctx, struct runner_step *ret_step) {
  struct flow *flow = ctx;
  if (flow->taken == flow->total) {
    buf_addf(&flow->log, "no more\n");
    act(flow, EVENT_STEP);
    return RUNNER_NO_MORE;
  }
  if (flow->taken == flow->available) {
    buf_addf(&flow->log, "wait\n");
    act(flow, EVENT_STEP);
    return RUNNER_WAIT;
  }
  size_t seq = flow->taken++;
  snprintf(flow->text, sizeof(flow->text), "input %zu", seq);
  *ret_step = (struct runner_step){.seq = seq, .key = STR("key"), .input = str_c(flow->text)};
  buf_addf(&flow->log, "step %zu\n", seq);
  act(flow, EVENT_STEP);
  return RUNNER_STEP;
}

static enum runner_answer on_request(void *ctx, size_t seq, uint64_t request, struct str resource,
                                     struct str *ret_answer) {
  struct flow *flow = ctx;
  flow->request = request;
  buf_addf(&flow->log, "request %zu: %.*s\n", seq, STR_ARG(resource));
  act(flow, EVENT_REQUEST);
  if (flow->answers_later) return RUNNER_LATER;
  if (flow->again > 0) {
    flow->again--;
    return RUNNER_AGAIN;
  }
  snprintf(flow->text, sizeof(flow->text), "answer %zu", seq);
  *ret_answer = str_c(flow->text);
  return RUNNER_ANSWERED;
}

static void on_output(void *ctx, size_t seq, struct str output) {
  struct flow *flow = ctx;
  buf_addf(&flow->log, "output %zu: %.*s\n", seq, STR_ARG(output));
  act(flow, EVENT_OUTPUT);
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  struct flow *flow = ctx;
  assert_false(str_present(detail));
  buf_addf(&flow->log, "end %s\n", end == RUNNER_END_DONE ? "done" : end == RUNNER_END_STOPPED ? "stopped" : "?");
  act(flow, EVENT_END);
}

static const struct runner_events flow_events = {next_step, on_request, on_output, on_end};

static void open_flow(struct flow *flow, size_t steps) {
  struct err err = {0};
  *flow = (struct flow){.total = steps, .available = steps};
  buf_init(&flow->log, 1 << 16);
  assert_true(loop_new(&flow->loop, &err));
  flow->runner = inproc_new(flow->loop);
  assert_true(flow->runner->prepare(flow->runner, (struct id){{0}}, &flow_events, flow, &flow->execution, &err));
}

static void close_flow(struct flow *flow) {
  destroy_execution(flow);
  inproc_free(flow->runner);
  loop_free(flow->loop);
  buf_done(&flow->log);
}

// Runs the loop until nothing can be left to do, then compares and forgets what was written down.
static void expect(struct flow *flow, const char *log) {
  for (int i = 0; i < IDLE_TURNS; i++) loop_turn(flow->loop, false);
  assert_string_equal(buf_str(&flow->log).data, log);
  buf_clear(&flow->log);
}

static void start(struct flow *flow) {
  flow->runner->start(flow->execution);
  assert_int_equal(flow->log.len, 0);
}

static void stop(struct flow *flow) {
  flow->runner->stop(flow->execution);
  assert_int_equal(flow->log.len, 0);
}

static void wake(struct flow *flow) {
  flow->runner->wake(flow->execution);
  assert_int_equal(flow->log.len, 0);
}

static void answer(struct flow *flow, uint64_t request, struct str text) {
  flow->runner->answer(flow->execution, request, text);
  assert_int_equal(flow->log.len, 0);
}

static void steps_go_through_in_order(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 2);
  expect(&flow, "");
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\noutput 0: answer 0\n"
                "step 1\nrequest 1: input 1\noutput 1: answer 1\n"
                "no more\nend done\n");
  expect(&flow, "");
  close_flow(&flow);
}

static void a_scenario_without_steps_is_done(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 0);
  start(&flow);
  expect(&flow, "no more\nend done\n");
  close_flow(&flow);
}

static void an_answer_may_come_later(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 2);
  flow.answers_later = true;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\n");
  expect(&flow, "");

  char text[] = "later";
  answer(&flow, flow.request, str_c(text));
  memset(text, 'x', sizeof(text) - 1);
  expect(&flow, "output 0: later\nstep 1\nrequest 1: input 1\n");
  answer(&flow, flow.request, STR(""));
  expect(&flow, "output 1: \nno more\nend done\n");
  close_flow(&flow);
}

static void an_answer_may_come_before_the_request_returns(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  flow.answers_later = true;
  flow.act_on = EVENT_REQUEST;
  flow.action = ACTION_ANSWER;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\noutput 0: at once\nno more\nend done\n");
  close_flow(&flow);
}

static void an_answer_nobody_waits_for_is_ignored(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  flow.answers_later = true;
  answer(&flow, 1, STR("before the start"));
  start(&flow);
  answer(&flow, 1, STR("before the request"));
  expect(&flow, "step 0\nrequest 0: input 0\n");
  answer(&flow, flow.request + 1, STR("to another request"));
  expect(&flow, "");
  answer(&flow, flow.request, STR("right"));
  answer(&flow, flow.request, STR("again"));
  expect(&flow, "output 0: right\nno more\nend done\n");
  answer(&flow, flow.request, STR("after the end"));
  expect(&flow, "");
  close_flow(&flow);
}

static void wake_brings_the_step_that_was_waited_for(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 2);
  flow.available = 1;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\noutput 0: answer 0\nwait\n");
  expect(&flow, "");
  wake(&flow);
  expect(&flow, "wait\n");
  flow.available = 2;
  wake(&flow);
  wake(&flow);
  expect(&flow, "step 1\nrequest 1: input 1\noutput 1: answer 1\nno more\nend done\n");
  wake(&flow);
  expect(&flow, "");
  close_flow(&flow);
}

static void wake_is_not_lost_while_the_flow_says_wait(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  flow.available = 0;
  flow.act_on = EVENT_STEP;
  flow.action = ACTION_WAKE;
  start(&flow);
  expect(&flow, "wait\nstep 0\nrequest 0: input 0\noutput 0: answer 0\nno more\nend done\n");
  close_flow(&flow);
}

static void stop_ends_an_execution_that_waits(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  start(&flow);
  stop(&flow);
  expect(&flow, "end stopped\n");
  close_flow(&flow);

  open_flow(&flow, 1);
  flow.available = 0;
  start(&flow);
  expect(&flow, "wait\n");
  stop(&flow);
  stop(&flow);
  expect(&flow, "end stopped\n");
  close_flow(&flow);

  open_flow(&flow, 1);
  flow.answers_later = true;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\n");
  stop(&flow);
  answer(&flow, flow.request, STR("too late"));
  expect(&flow, "end stopped\n");
  close_flow(&flow);
}

static void stop_after_the_end_changes_nothing(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 0);
  start(&flow);
  expect(&flow, "no more\nend done\n");
  stop(&flow);
  expect(&flow, "");
  close_flow(&flow);
}

static void stop_or_destroy_during_an_event_ends_it_there(void **state) {
  (void)state;
  static const struct {
    enum event event;
    const char *log;
    bool ends; // whether a stop has still to be followed by the end
  } cases[] = {
      {EVENT_STEP, "step 0\n", true},
      {EVENT_REQUEST, "step 0\nrequest 0: input 0\n", true},
      {EVENT_OUTPUT, "step 0\nrequest 0: input 0\noutput 0: answer 0\n", true},
      {EVENT_END, "step 0\nrequest 0: input 0\noutput 0: answer 0\nno more\nend done\n", false},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    for (int destroys = 0; destroys < 2; destroys++) {
      struct flow flow;
      open_flow(&flow, 1);
      flow.act_on = cases[i].event;
      flow.action = destroys ? ACTION_DESTROY : ACTION_STOP;
      start(&flow);
      char log[128];
      snprintf(log, sizeof(log), "%s%s", cases[i].log, cases[i].ends && !destroys ? "end stopped\n" : "");
      expect(&flow, log);
      assert_true((flow.execution == NULL) == (destroys != 0));
      close_flow(&flow);
    }
  }
}

static void destroy_during_a_late_output_is_safe(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  flow.answers_later = true;
  flow.act_on = EVENT_OUTPUT;
  flow.action = ACTION_DESTROY;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\n");
  answer(&flow, flow.request, STR("late"));
  expect(&flow, "output 0: late\n");
  close_flow(&flow);
}

static void two_calls_make_one_slice_due(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  flow.act_on = EVENT_END;
  flow.action = ACTION_DESTROY;
  start(&flow);
  stop(&flow);
  expect(&flow, "end stopped\n");
  assert_null(flow.execution);
  close_flow(&flow);
}

static void nothing_happens_after_destroy(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1); // prepared
  destroy_execution(&flow);
  expect(&flow, "");
  close_flow(&flow);

  open_flow(&flow, 1); // a slice is due
  start(&flow);
  destroy_execution(&flow);
  expect(&flow, "");
  close_flow(&flow);

  open_flow(&flow, 1); // waits for a step
  flow.available = 0;
  start(&flow);
  expect(&flow, "wait\n");
  destroy_execution(&flow);
  expect(&flow, "");
  close_flow(&flow);

  open_flow(&flow, 1); // waits for an answer, then has it
  flow.answers_later = true;
  start(&flow);
  expect(&flow, "step 0\nrequest 0: input 0\n");
  answer(&flow, flow.request, STR("kept"));
  destroy_execution(&flow);
  expect(&flow, "");
  close_flow(&flow);

  open_flow(&flow, 0); // ended
  start(&flow);
  expect(&flow, "no more\nend done\n");
  destroy_execution(&flow);
  expect(&flow, "");
  close_flow(&flow);
}

static void the_backend_may_go_before_a_due_slice_does(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 1);
  start(&flow);
  destroy_execution(&flow);
  inproc_free(flow.runner);
  expect(&flow, "");
  loop_free(flow.loop);
  buf_done(&flow.log);
}

static void preflight_tries_the_resolver(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 0);
  assert_string_equal(flow.runner->name, "inproc-mock");
  const struct runner_report *report = flow.runner->preflight(flow.runner);
  assert_true(report->available);
  assert_null(report->missing);
  assert_null(report->reason);
  assert_string_equal(report->strength, "by construction");
  assert_int_equal(report->stage_count, 1);
  assert_string_equal(report->stages[0].stage, "resolver");
  assert_true(report->stages[0].ok);
  assert_int_equal(report->stages[0].sys_errno, 0);
  close_flow(&flow);
}

static void the_attestation_claims_nothing_measured(void **state) {
  (void)state;
  struct flow flow;
  open_flow(&flow, 0);
  AUTO(buf_done) struct buf text;
  buf_init(&text, 4096);
  struct json_writer writer;
  jw_init(&writer, &text);
  jw_object(&writer, NULL);
  flow.runner->attest(flow.execution, &writer);
  jw_object_end(&writer);
  assert_string_equal(text.data,
                      "{\"isolation\":\"by_construction\",\"reaches\":[\"steps\",\"mocks\"],\"measured\":[]}");
  close_flow(&flow);
}

static int setup(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_go_through_in_order),
      cmocka_unit_test(a_scenario_without_steps_is_done),
      cmocka_unit_test(an_answer_may_come_later),
      cmocka_unit_test(an_answer_may_come_before_the_request_returns),
      cmocka_unit_test(an_answer_nobody_waits_for_is_ignored),
      cmocka_unit_test(wake_brings_the_step_that_was_waited_for),
      cmocka_unit_test(wake_is_not_lost_while_the_flow_says_wait),
      cmocka_unit_test(stop_ends_an_execution_that_waits),
      cmocka_unit_test(stop_after_the_end_changes_nothing),
      cmocka_unit_test(stop_or_destroy_during_an_event_ends_it_there),
      cmocka_unit_test(destroy_during_a_late_output_is_safe),
      cmocka_unit_test(two_calls_make_one_slice_due),
      cmocka_unit_test(nothing_happens_after_destroy),
      cmocka_unit_test(the_backend_may_go_before_a_due_slice_does),
      cmocka_unit_test(preflight_tries_the_resolver),
      cmocka_unit_test(the_attestation_claims_nothing_measured),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
