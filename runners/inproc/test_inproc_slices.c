// SPDX-License-Identifier: Apache-2.0
// How an execution shares the loop with the rest of the engine, shown by a flow that only counts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/clock.h"
#include "base/secret.h"
#include "runners/inproc/inproc.h"

enum { SLICE_STEPS = 256 };

struct engine {
  struct loop *loop;
  struct runner *runner;
};

struct flow {
  struct runner_execution *execution;
  size_t total, taken, outputs;
  int64_t step_ns; // how long each step keeps the loop busy
  bool ended;
};

static enum runner_next next_step(void *ctx, struct runner_step *ret_step) {
  struct flow *flow = ctx;
  if (flow->taken == flow->total) return RUNNER_NO_MORE;
  struct clock clock = clock_system();
  int64_t until_ns = clock_mono_ns(&clock) + flow->step_ns;
  while (clock_mono_ns(&clock) < until_ns) continue;
  *ret_step = (struct runner_step){.seq = flow->taken++, .key = STR("key"), .input = STR("input")};
  return RUNNER_STEP;
}

static enum runner_answer on_request(void *ctx, size_t seq, uint64_t request, struct str resource,
                                     struct str *ret_answer) {
  (void)ctx, (void)seq, (void)request;
  *ret_answer = resource;
  return RUNNER_ANSWERED;
}

static void on_output(void *ctx, size_t seq, struct str output) {
  struct flow *flow = ctx;
  assert_int_equal(seq, flow->outputs);
  assert_true(str_eq(output, STR("input")));
  flow->outputs++;
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  (void)detail;
  struct flow *flow = ctx;
  assert_int_equal(end, RUNNER_END_DONE);
  flow->ended = true;
}

static void open_engine(struct engine *engine) {
  struct err err = {0};
  assert_true(loop_new(&engine->loop, &err));
  engine->runner = inproc_new(engine->loop);
}

static void close_engine(struct engine *engine) {
  inproc_free(engine->runner);
  loop_free(engine->loop);
}

static void start(struct engine *engine, struct flow *flow) {
  static const struct runner_events events = {next_step, on_request, on_output, on_end};
  struct err err = {0};
  assert_true(engine->runner->prepare(engine->runner, (struct id){{0}}, &events, flow, &flow->execution, &err));
  engine->runner->start(flow->execution);
}

static void destroy(struct engine *engine, struct flow *flow) {
  bool gone = false;
  engine->runner->destroy(flow->execution, &gone);
  assert_true(gone);
}

static void a_slice_has_at_most_256_steps(void **state) {
  (void)state;
  struct engine engine;
  struct flow flow = {.total = 1000};
  open_engine(&engine);
  start(&engine, &flow);
  size_t turns = 0;
  for (size_t before = 0; !flow.ended; before = flow.taken, turns++) {
    loop_turn(engine.loop, false);
    assert_in_range(flow.taken - before, 0, SLICE_STEPS);
  }
  assert_int_equal(flow.outputs, 1000);
  assert_true(turns >= 4);
  destroy(&engine, &flow);
  close_engine(&engine);
}

static void a_slice_ends_with_the_step_that_used_its_time(void **state) {
  (void)state;
  struct engine engine;
  struct flow flow = {.total = 3, .step_ns = 2000000};
  open_engine(&engine);
  start(&engine, &flow);
  for (size_t turn = 1; turn <= 3; turn++) {
    loop_turn(engine.loop, false);
    assert_int_equal(flow.taken, turn);
  }
  loop_turn(engine.loop, false);
  assert_true(flow.ended);
  destroy(&engine, &flow);
  close_engine(&engine);
}

struct metronome {
  struct loop_timer *timer;
  const struct flow *flow;
  size_t fired, taken_at_first;
};

static void on_timer(void *ctx) {
  struct metronome *metronome = ctx;
  if (metronome->fired++ == 0) metronome->taken_at_first = metronome->flow->taken;
  loop_timer_set(metronome->timer, 0);
}

static void a_long_scenario_does_not_starve_a_timer(void **state) {
  (void)state;
  enum { STEPS = 100000, SLICES = (STEPS + SLICE_STEPS - 1) / SLICE_STEPS };
  struct engine engine;
  struct flow flow = {.total = STEPS};
  open_engine(&engine);
  struct metronome metronome = {.flow = &flow};
  metronome.timer = loop_timer_open(engine.loop, on_timer, &metronome);
  loop_timer_set(metronome.timer, 0);
  start(&engine, &flow);
  while (!flow.ended) loop_turn(engine.loop, false);
  assert_int_equal(flow.outputs, STEPS);
  assert_in_range(metronome.taken_at_first, 0, 2 * SLICE_STEPS);
  assert_true(metronome.fired >= SLICES / 2);
  loop_timer_close(metronome.timer);
  destroy(&engine, &flow);
  close_engine(&engine);
}

static void a_short_execution_does_not_wait_for_a_long_one(void **state) {
  (void)state;
  struct engine engine;
  struct flow large = {.total = 100000};
  struct flow small = {.total = 1};
  open_engine(&engine);
  start(&engine, &large);
  start(&engine, &small);
  loop_turn(engine.loop, false);
  loop_turn(engine.loop, false);
  assert_true(small.ended);
  assert_false(large.ended);
  destroy(&engine, &large);
  loop_turn(engine.loop, false);
  assert_in_range(large.taken, 0, 2 * SLICE_STEPS);
  destroy(&engine, &small);
  close_engine(&engine);
}

static int setup(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slice_has_at_most_256_steps),
      cmocka_unit_test(a_slice_ends_with_the_step_that_used_its_time),
      cmocka_unit_test(a_long_scenario_does_not_starve_a_timer),
      cmocka_unit_test(a_short_execution_does_not_wait_for_a_long_one),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
