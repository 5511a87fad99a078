// SPDX-License-Identifier: Apache-2.0
// The reference agent as a state machine: pull a step, request its input, give the answer as the output. Everything
// the flow is told, it is told from a slice, a deferred call of the loop; the calls of the port only change the state
// and see to it that a slice is due when there is something to do.
//
// A slice takes a bounded number of steps and of time and then lets the rest of the loop have its turn.
//
// Any event may call back into the port, destroy included, so after each one the state is looked at again. An execution
// that is destroyed while a slice is due or running is only an empty shell from then on, which that slice releases.
#include "runners/inproc/inproc_execution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum { SLICE_STEPS = 256, SLICE_NS = 1000000 };

enum phase {
  PHASE_PREPARED, // until start()
  PHASE_PULL,     // next: ask for a step
  PHASE_NO_STEP,  // until wake()
  PHASE_ASK,      // next: make the request at hand
  PHASE_REQUEST,  // until answer()
  PHASE_OUTPUT,   // next: give the answer that was kept
  PHASE_ENDED,
};

struct runner_execution {
  struct loop *loop;           // borrowed
  size_t *live;                // borrowed
  struct runner_events events; // called with ctx
  void *ctx;
  enum phase phase;
  bool slice_due;          // a slice is deferred, or running
  bool stopping;           // stop() was called
  bool woken;              // wake() was called since the last pull
  bool destroyed;          // nothing but the memory is left
  struct runner_step step; // at hand; borrowed from the flow
  uint64_t request;        // the latest, counted from 1
  char *kept;              // the answer that came through answer(); owned
  size_t kept_len;
};

static bool can_go_on(const struct runner_execution *execution) {
  switch (execution->phase) {
  case PHASE_PULL:
  case PHASE_ASK:
  case PHASE_OUTPUT: return !execution->destroyed;
  case PHASE_NO_STEP:
  case PHASE_REQUEST: return !execution->destroyed && execution->stopping;
  case PHASE_PREPARED:
  case PHASE_ENDED: return false;
  }
  return false;
}

// Whether an event that has just returned called stop or destroy.
static bool interrupted(const struct runner_execution *execution) {
  return execution->stopping || execution->destroyed;
}

static void end(struct runner_execution *execution, enum runner_end_kind kind) {
  execution->phase = PHASE_ENDED;
  execution->events.on_end(execution->ctx, kind, STR_NONE);
}

static void give_output(struct runner_execution *execution, struct str output) {
  execution->phase = PHASE_PULL;
  execution->events.on_output(execution->ctx, execution->step.seq, output);
}

static void give_kept_output(struct runner_execution *execution) {
  AUTO(mem_auto_free) char *kept = execution->kept;
  execution->kept = NULL;
  give_output(execution, (struct str){kept, execution->kept_len});
}

// The input is passed on as it was given, not copied: the flow may tell by its address that it is the step's own.
static void request_input(struct runner_execution *execution) {
  const struct runner_step *step = &execution->step;
  execution->phase = PHASE_REQUEST;
  struct str answer = STR_NONE;
  enum runner_answer how =
      execution->events.on_request(execution->ctx, step->seq, execution->request, step->input, &answer);
  if (interrupted(execution)) return;
  switch (how) {
  case RUNNER_ANSWERED: give_output(execution, answer); break;
  case RUNNER_LATER: break;
  case RUNNER_AGAIN: execution->phase = PHASE_ASK; break;
  }
}

static void pull_step(struct runner_execution *execution) {
  struct runner_step step = {0};
  execution->woken = false;
  enum runner_next next = execution->events.next_step(execution->ctx, &step);
  if (interrupted(execution)) return;
  switch (next) {
  case RUNNER_STEP:
    execution->step = step;
    execution->request++;
    request_input(execution);
    break;
  case RUNNER_WAIT:
    if (!execution->woken) execution->phase = PHASE_NO_STEP;
    break;
  case RUNNER_NO_MORE: end(execution, RUNNER_END_DONE); break;
  }
}

static void go_on(struct runner_execution *execution) {
  if (execution->stopping) {
    end(execution, RUNNER_END_STOPPED);
  } else if (execution->phase == PHASE_OUTPUT) {
    give_kept_output(execution);
  } else if (execution->phase == PHASE_ASK) {
    request_input(execution);
  } else {
    pull_step(execution);
  }
}

static void see_to_slice(struct runner_execution *execution);

static void run_slice(void *ctx) {
  struct runner_execution *execution = ctx;
  struct clock clock = clock_system();
  int64_t until_ns = clock_mono_ns(&clock) + SLICE_NS;
  for (int steps = 0; steps < SLICE_STEPS && can_go_on(execution); steps++) {
    go_on(execution);
    if (clock_mono_ns(&clock) >= until_ns) break;
  }
  execution->slice_due = false;
  if (execution->destroyed) {
    free(execution);
  } else {
    see_to_slice(execution);
  }
}

static void see_to_slice(struct runner_execution *execution) {
  if (execution->slice_due || !can_go_on(execution)) return;
  execution->slice_due = true;
  loop_defer(execution->loop, run_slice, execution);
}

struct runner_execution *inproc_execution_new(struct loop *loop, size_t *live, const struct runner_events *events,
                                              void *ctx) {
  struct runner_execution *execution = mem_zalloc(sizeof(*execution));
  execution->loop = loop;
  execution->live = live;
  execution->events = *events;
  execution->ctx = ctx;
  execution->phase = PHASE_PREPARED;
  ++*live;
  return execution;
}

void inproc_execution_start(struct runner_execution *execution) {
  assert(execution->phase == PHASE_PREPARED);
  execution->phase = PHASE_PULL;
  see_to_slice(execution);
}

void inproc_execution_wake(struct runner_execution *execution) {
  execution->woken = true;
  if (execution->phase != PHASE_NO_STEP) return;
  execution->phase = PHASE_PULL;
  see_to_slice(execution);
}

void inproc_execution_answer(struct runner_execution *execution, uint64_t request, struct str answer) {
  if (execution->phase != PHASE_REQUEST || execution->request != request) return;
  free(execution->kept); // of a flow that gave one and the same request two answers
  execution->kept = mem_strdup(answer);
  execution->kept_len = answer.len;
  execution->phase = PHASE_OUTPUT;
  see_to_slice(execution);
}

void inproc_execution_stop(struct runner_execution *execution) {
  execution->stopping = true;
  see_to_slice(execution);
}

void inproc_execution_destroy(struct runner_execution *execution, bool *ret_gone) {
  *ret_gone = true; // memory is all an execution is made of
  if (!execution) return;
  --*execution->live;
  free(execution->kept);
  execution->kept = NULL;
  execution->destroyed = true;
  if (!execution->slice_due) free(execution);
}
