// SPDX-License-Identifier: Apache-2.0
#pragma once

// A backend that does what a test says: it behaves like the reference agent (each step requests its input and gives the
// answer as the output) unless the script says otherwise, and counts what it was asked. It takes no step beyond
// `allow`; fake_allow lets it go on.

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sandbox/runner.h"
#include "store/store.h" // brings the loop

enum { FAKE_LIVE_MAX = 8 };
#define FAKE_ALL SIZE_MAX

struct fake {
  struct runner port; // first: the runner is the fake that holds it
  struct loop *loop;  // borrowed
  // The script:
  struct runner_report report;
  const char *prepare_error; // prepare fails with it
  size_t allow;              // steps that all executions together may still take
  size_t end_after;          // an execution ends so after so many outputs, and not when there are no more steps
  enum runner_end_kind end;
  const char *detail;
  struct str output;  // of every step; absent: the last answer
  bool numbered;      // every output is another one, however often a run is repeated
  struct str request; // of every step; absent: the step's input
  size_t requests;    // a step
  struct str also;    // of every step, one more request behind the others
  size_t attest_bytes;
  bool remains; // what destroy sees
  // What it saw:
  size_t prepares, starts, waits, stops, destroys, outputs;
  struct id run; // of the last prepare
  // What is under way:
  struct runner_execution *executions[FAKE_LIVE_MAX];
  size_t live;
};

struct runner_execution {
  struct fake *fake;
  struct runner_events events;
  void *ctx;
  size_t outputs;
  bool started, waiting, stopping, ended, destroyed;
  bool due; // a slice is deferred, or running
};

static inline void fake_end(struct runner_execution *e, enum runner_end_kind kind, const char *detail) {
  e->ended = true;
  e->events.on_end(e->ctx, kind, str_c(detail));
}

/// Whether there may be more to do at once.
static inline void fake_request(struct runner_execution *e, size_t seq, uint64_t request, struct str resource,
                                struct str *ret_answer) {
  while (e->events.on_request(e->ctx, seq, request, resource, ret_answer) == RUNNER_AGAIN) continue;
}

static inline bool fake_step(struct runner_execution *e) {
  struct fake *f = e->fake;
  if (e->stopping) {
    fake_end(e, RUNNER_END_STOPPED, NULL);
    return false;
  }
  if (e->outputs == f->end_after) {
    fake_end(e, f->end, f->detail);
    return false;
  }
  if (f->allow == 0 || e->waiting) return false;
  struct runner_step step = {0};
  enum runner_next next = e->events.next_step(e->ctx, &step);
  if (next == RUNNER_NO_MORE) {
    fake_end(e, RUNNER_END_DONE, NULL);
    return false;
  }
  if (next == RUNNER_WAIT) {
    e->waiting = true;
    f->waits++;
    return false;
  }
  if (f->allow != FAKE_ALL) f->allow--;
  struct str answer = STR("");
  for (size_t i = 0; i < f->requests && !e->destroyed; i++)
    fake_request(e, step.seq, i, str_present(f->request) ? f->request : step.input, &answer);
  if (str_present(f->also)) fake_request(e, step.seq, f->requests, f->also, &answer);
  f->outputs++;
  e->outputs++;
  char number[32];
  snprintf(number, sizeof number, "output %zu", f->outputs);
  if (f->numbered) answer = str_c(number);
  e->events.on_output(e->ctx, step.seq, str_present(f->output) ? f->output : answer);
  return true;
}

static inline void fake_slice(void *ctx) {
  struct runner_execution *e = ctx;
  while (!e->ended && !e->destroyed && fake_step(e)) continue;
  e->due = false;
  if (e->destroyed) free(e);
}

static inline void fake_schedule(struct runner_execution *e) {
  if (e->due || !e->started || e->ended || e->destroyed) return;
  e->due = true;
  loop_defer(e->fake->loop, fake_slice, e);
}

static inline void fake_allow(struct fake *f, size_t steps) {
  f->allow = steps;
  for (size_t i = 0; i < f->live; i++) fake_schedule(f->executions[i]);
}

// ---- the port ----

static inline const struct runner_report *fake_preflight(struct runner *runner) {
  return &((struct fake *)runner)->report;
}

static inline bool fake_prepare(struct runner *runner, struct id run, const struct runner_events *events, void *ctx,
                                struct runner_execution **ret_execution, struct err *err) {
  struct fake *f = (struct fake *)runner;
  f->prepares++;
  f->run = run;
  if (f->prepare_error) return err_set(err, ERR_UNAVAILABLE, "%s", f->prepare_error);
  if (f->live == FAKE_LIVE_MAX) abort();
  struct runner_execution *e = mem_zalloc(sizeof *e);
  e->fake = f;
  e->events = *events;
  e->ctx = ctx;
  f->executions[f->live++] = e;
  *ret_execution = e;
  return true;
}

static inline void fake_start(struct runner_execution *e) {
  e->fake->starts++;
  e->started = true;
  fake_schedule(e);
}

static inline void fake_wake(struct runner_execution *e) {
  e->waiting = false;
  fake_schedule(e);
}

static inline void fake_answer(struct runner_execution *e, uint64_t request, struct str answer) {
  (void)e, (void)request, (void)answer;
  abort(); // this engine answers at once
}

static inline void fake_stop(struct runner_execution *e) {
  e->fake->stops++;
  e->stopping = true;
  fake_schedule(e);
}

static inline void fake_destroy(struct runner_execution *e, bool *ret_gone) {
  *ret_gone = true;
  if (!e) return;
  struct fake *f = e->fake;
  *ret_gone = !f->remains;
  f->destroys++;
  for (size_t i = 0; i < f->live; i++)
    if (f->executions[i] == e) f->executions[i] = f->executions[--f->live];
  e->destroyed = true;
  if (!e->due) free(e);
}

static inline void fake_attest(struct runner_execution *e, struct json_writer *out) {
  jw_bool(out, "scripted", true);
  for (size_t written = 0; written < e->fake->attest_bytes; written += 16) jw_c(out, "sixteen", "bytes");
}

static inline void fake_init(struct fake *f, const char *name, struct loop *loop) {
  *f = (struct fake){
      .port = {.name = name,
               .preflight = fake_preflight,
               .prepare = fake_prepare,
               .start = fake_start,
               .wake = fake_wake,
               .answer = fake_answer,
               .stop = fake_stop,
               .destroy = fake_destroy,
               .attest = fake_attest},
      .loop = loop,
      .report = {.available = true, .strength = "none"},
      .allow = FAKE_ALL,
      .end_after = SIZE_MAX,
      .requests = 1,
  };
}
