// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "loop/loop.h"

// What happened, one letter each, in order.
struct trace {
  struct loop *loop;
  struct buf letters;
  struct loop_timer *timer;
  struct loop_io *io;
  struct loop_bell *bell;
  int64_t at_ms;
  unsigned count;
};

static int start_loop(void **state) {
  static struct trace trace; // one test at a time
  trace = (struct trace){0};
  struct err err = {0};
  if (!loop_new(&trace.loop, &err)) return -1;
  buf_init(&trace.letters, 1000);
  *state = &trace;
  return 0;
}

static int end_loop(void **state) {
  struct trace *trace = *state;
  loop_free(trace->loop);
  buf_done(&trace->letters);
  return 0;
}

static int64_t now_ms(void) {
  struct clock clock = clock_system();
  return clock_mono_ns(&clock) / 1000000;
}

static void note_a(void *ctx) {
  buf_add_char(&((struct trace *)ctx)->letters, 'a');
}
static void note_b(void *ctx) {
  buf_add_char(&((struct trace *)ctx)->letters, 'b');
}
static void note_c(void *ctx) {
  buf_add_char(&((struct trace *)ctx)->letters, 'c');
}

static void deferred_calls_run_in_order_without_sleeping(void **state) {
  struct trace *trace = *state;
  loop_defer(trace->loop, note_a, trace);
  loop_defer(trace->loop, note_b, trace);
  loop_defer(trace->loop, note_c, trace);
  assert_int_equal(trace->letters.len, 0);
  loop_turn(trace->loop, true); // sleeps for a minute when it should not
  assert_string_equal(trace->letters.data, "abc");
}

static void defer_again(void *ctx) {
  struct trace *trace = ctx;
  trace->count++;
  loop_defer(trace->loop, defer_again, trace);
}

static void on_readable(void *ctx, int fd, unsigned events) {
  struct trace *trace = ctx;
  char byte = 0;
  if (events == LOOP_READ && read(fd, &byte, 1) == 1) buf_add_char(&trace->letters, byte);
}

static void what_a_deferred_call_defers_waits_for_the_next_turn(void **state) {
  struct trace *trace = *state;
  loop_defer(trace->loop, defer_again, trace);
  loop_turn(trace->loop, true);
  assert_int_equal(trace->count, 1);
  loop_turn(trace->loop, true);
  assert_int_equal(trace->count, 2);
}

static void endless_deferring_starves_neither_input_nor_timers(void **state) {
  struct trace *trace = *state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  struct loop_io *io = loop_io_open(trace->loop, ends[0], LOOP_READ, on_readable, trace);
  struct loop_timer *timer = loop_timer_open(trace->loop, note_a, trace);
  loop_timer_set(timer, 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  loop_defer(trace->loop, defer_again, trace);
  for (int i = 0; i < 3; i++) loop_turn(trace->loop, false);
  assert_int_equal(trace->count, 3);
  assert_int_equal(trace->letters.len, 2);
  assert_non_null(strchr(trace->letters.data, 'a'));
  assert_non_null(strchr(trace->letters.data, 'x'));
  loop_timer_close(timer);
  loop_io_close(io);
  close(ends[0]);
  close(ends[1]);
}

enum { MANY = 1000 };
struct many {
  struct loop *loop;
  unsigned next;
  bool in_order;
};
struct numbered {
  struct many *many;
  unsigned number;
};

static void check_number(void *ctx) {
  struct numbered *numbered = ctx;
  struct many *many = numbered->many;
  many->in_order = many->in_order && numbered->number == many->next;
  many->next++;
  // Keeps the queue from ever being empty while it moves along.
  if (numbered->number + MANY < 3 * MANY) {
    numbered->number += MANY;
    loop_defer(many->loop, check_number, numbered);
  }
}

static void a_queue_that_never_empties_keeps_its_order(void **state) {
  struct trace *trace = *state;
  static struct numbered all[MANY];
  struct many many = {.loop = trace->loop, .in_order = true};
  for (unsigned i = 0; i < MANY; i++) {
    all[i] = (struct numbered){&many, i};
    loop_defer(trace->loop, check_number, &all[i]);
  }
  for (int i = 0; i < 3; i++) loop_turn(trace->loop, false);
  assert_int_equal(many.next, 3 * MANY);
  assert_true(many.in_order);
}

static void stop(void *ctx) {
  loop_stop(((struct trace *)ctx)->loop);
}

static void run_ends_with_stop_and_can_run_again(void **state) {
  struct trace *trace = *state;
  for (int i = 0; i < 2; i++) {
    loop_defer(trace->loop, stop, trace);
    loop_run(trace->loop);
  }
  loop_stop(trace->loop); // before it runs
  loop_run(trace->loop);
}

static void stop_and_note_time(void *ctx) {
  struct trace *trace = ctx;
  trace->at_ms = now_ms();
  loop_stop(trace->loop);
}

static void a_timer_counts_from_the_call_not_from_the_turn(void **state) {
  struct trace *trace = *state;
  struct loop_timer *timer = loop_timer_open(trace->loop, stop_and_note_time, trace);
  loop_turn(trace->loop, false);
  usleep(30 * 1000); // the loop's idea of now is old by that much
  int64_t set_ms = now_ms();
  loop_timer_set(timer, 20);
  loop_run(trace->loop);
  assert_true(trace->at_ms - set_ms >= 19);
  loop_timer_close(timer);
}

static void setting_a_timer_again_replaces_the_first_setting(void **state) {
  struct trace *trace = *state;
  struct loop_timer *a = loop_timer_open(trace->loop, note_a, trace);
  struct loop_timer *b = loop_timer_open(trace->loop, note_b, trace);
  struct loop_timer *end = loop_timer_open(trace->loop, stop, trace);
  loop_timer_set(a, 0);
  loop_timer_set(a, 60 * 1000);
  loop_timer_set(b, 60 * 1000);
  loop_timer_set(b, 1);
  loop_timer_set(end, 10);
  loop_run(trace->loop);
  assert_string_equal(trace->letters.data, "b"); // once
  loop_timer_close(a);
  loop_timer_close(b);
  loop_timer_close(end);
  loop_timer_close(NULL);
}

static void a_stopped_timer_does_not_fire(void **state) {
  struct trace *trace = *state;
  struct loop_timer *timer = loop_timer_open(trace->loop, note_a, trace);
  struct loop_timer *end = loop_timer_open(trace->loop, stop, trace);
  loop_timer_set(timer, 0);
  loop_timer_stop(timer);
  loop_timer_set(end, 5);
  loop_run(trace->loop);
  assert_int_equal(trace->letters.len, 0);
  loop_timer_close(timer);
  loop_timer_close(end);
}

static void close_own_timer(void *ctx) {
  struct trace *trace = ctx;
  loop_timer_close(trace->timer);
  trace->timer = NULL;
  loop_stop(trace->loop);
}

static void a_callback_may_close_its_own_handle(void **state) {
  struct trace *trace = *state;
  trace->timer = loop_timer_open(trace->loop, close_own_timer, trace);
  loop_timer_set(trace->timer, 0);
  loop_run(trace->loop);
  assert_null(trace->timer);
}

static void close_io_on_write(void *ctx, int fd, unsigned events) {
  (void)fd;
  struct trace *trace = ctx;
  assert_int_equal(events, LOOP_WRITE);
  buf_add_char(&trace->letters, 'w');
  loop_io_close(trace->io);
  trace->io = NULL;
}

static void writability_is_told_until_the_handle_is_closed(void **state) {
  struct trace *trace = *state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  trace->io = loop_io_open(trace->loop, ends[1], LOOP_WRITE, close_io_on_write, trace);
  for (int i = 0; i < 3; i++) loop_turn(trace->loop, false);
  assert_string_equal(trace->letters.data, "w");
  assert_int_equal(fcntl(ends[1], F_GETFD), FD_CLOEXEC); // still the caller's
  loop_io_close(NULL);
  close(ends[0]);
  close(ends[1]);
}

static void a_signal_is_told_on_the_loop(void **state) {
  struct trace *trace = *state;
  struct loop_signal *handle = loop_signal_open(trace->loop, SIGUSR1, note_a, trace);
  kill(getpid(), SIGUSR1);
  while (trace->letters.len == 0) loop_turn(trace->loop, true);
  assert_string_equal(trace->letters.data, "a");
  loop_signal_close(handle);
  loop_signal_close(NULL);
}

static void *ring_often(void *ctx) {
  for (int i = 0; i < 1000; i++) loop_bell_ring(ctx);
  return NULL;
}

static void rings_before_a_turn_are_told_once(void **state) {
  struct trace *trace = *state;
  struct loop_bell *bell = loop_bell_open(trace->loop, note_a, trace);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, ring_often, bell), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; i++) loop_turn(trace->loop, false);
  assert_string_equal(trace->letters.data, "a");
  loop_bell_ring(bell);
  loop_turn(trace->loop, true);
  assert_string_equal(trace->letters.data, "aa");
  loop_bell_close(bell);
  loop_bell_close(NULL);
}

static void *ring_once(void *ctx) {
  usleep(10 * 1000); // most likely the loop sleeps by now
  loop_bell_ring(ctx);
  return NULL;
}

static void a_ring_wakes_a_sleeping_loop(void **state) {
  struct trace *trace = *state;
  struct loop_bell *bell = loop_bell_open(trace->loop, stop, trace);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, ring_once, bell), 0);
  loop_run(trace->loop);
  pthread_join(thread, NULL);
  loop_bell_close(bell);
}

struct job {
  struct loop *loop;
  pthread_mutex_t *gate;
  pthread_t worked_on, done_on;
  unsigned *order, place;
};

static void work_behind_gate(void *ctx) {
  struct job *job = ctx;
  job->worked_on = pthread_self();
  pthread_mutex_lock(job->gate);
  pthread_mutex_unlock(job->gate);
}

static void work_done(void *ctx) {
  struct job *job = ctx;
  job->done_on = pthread_self();
  job->place = (*job->order)++;
}

static void work_runs_elsewhere_in_order_and_is_done_here(void **state) {
  struct trace *trace = *state;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  unsigned order = 0;
  struct job jobs[3];
  for (int i = 0; i < 3; i++) {
    jobs[i] = (struct job){.loop = trace->loop, .gate = &gate, .order = &order};
    assert_true(loop_work(trace->loop, work_behind_gate, work_done, &jobs[i]));
  }
  while (order < 3) loop_turn(trace->loop, true);
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(jobs[i].place, i);
    assert_true(pthread_equal(jobs[i].done_on, pthread_self()));
    assert_false(pthread_equal(jobs[i].worked_on, pthread_self()));
    assert_true(pthread_equal(jobs[i].worked_on, jobs[0].worked_on));
  }
}

static void a_full_queue_refuses_work_and_takes_it_again_later(void **state) {
  struct trace *trace = *state;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  unsigned order = 0;
  struct job jobs[LOOP_WORK_MAX + 2];
  pthread_mutex_lock(&gate);
  unsigned taken = 0;
  // One more than the queue holds may be under way already.
  for (unsigned i = 0; i < LOOP_WORK_MAX + 2; i++) {
    jobs[i] = (struct job){.loop = trace->loop, .gate = &gate, .order = &order};
    taken += loop_work(trace->loop, work_behind_gate, work_done, &jobs[i]);
  }
  pthread_mutex_unlock(&gate);
  assert_in_range(taken, LOOP_WORK_MAX, LOOP_WORK_MAX + 1);
  while (order < taken) loop_turn(trace->loop, true);
  struct job late = {.loop = trace->loop, .gate = &gate, .order = &order};
  assert_true(loop_work(trace->loop, work_behind_gate, work_done, &late));
  while (order < taken + 1) loop_turn(trace->loop, true);
}

static void freeing_the_loop_drops_work_that_waits(void **state) {
  (void)state;
  struct loop *loop = NULL;
  struct err err = {0};
  assert_true(loop_new(&loop, &err));
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  unsigned order = 0;
  struct job jobs[3];
  for (int i = 0; i < 3; i++) {
    jobs[i] = (struct job){.loop = loop, .gate = &gate, .order = &order};
    assert_true(loop_work(loop, work_behind_gate, work_done, &jobs[i]));
  }
  loop_free(loop);
  assert_int_equal(order, 0);
  loop_free(NULL);
}

int main(void) {
#define ON_LOOP(test) cmocka_unit_test_setup_teardown(test, start_loop, end_loop)
  const struct CMUnitTest tests[] = {
      ON_LOOP(deferred_calls_run_in_order_without_sleeping),
      ON_LOOP(what_a_deferred_call_defers_waits_for_the_next_turn),
      ON_LOOP(endless_deferring_starves_neither_input_nor_timers),
      ON_LOOP(a_queue_that_never_empties_keeps_its_order),
      ON_LOOP(run_ends_with_stop_and_can_run_again),
      ON_LOOP(a_timer_counts_from_the_call_not_from_the_turn),
      ON_LOOP(setting_a_timer_again_replaces_the_first_setting),
      ON_LOOP(a_stopped_timer_does_not_fire),
      ON_LOOP(a_callback_may_close_its_own_handle),
      ON_LOOP(writability_is_told_until_the_handle_is_closed),
      ON_LOOP(a_signal_is_told_on_the_loop),
      ON_LOOP(rings_before_a_turn_are_told_once),
      ON_LOOP(a_ring_wakes_a_sleeping_loop),
      ON_LOOP(work_runs_elsewhere_in_order_and_is_done_here),
      ON_LOOP(a_full_queue_refuses_work_and_takes_it_again_later),
      cmocka_unit_test(freeing_the_loop_drops_work_that_waits),
  };
  return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
