// SPDX-License-Identifier: Apache-2.0
// The backend itself: what it says about this host and about its protections. It runs no code of a stranger, and its
// isolation is what it was never given; the operating system enforces none of it, and neither the report nor an
// attestation says otherwise.
//
// How a scenario is executed is in inproc_execution.c.
#include "runners/inproc/inproc.h"

#include <assert.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "mock/mock.h"
#include "runners/inproc/inproc_execution.h"

struct inproc {
  struct runner port; // first: a runner of this backend is the inproc that holds it
  struct loop *loop;  // borrowed
  size_t live;        // executions not destroyed
  struct runner_stage resolver_stage;
  struct runner_report report;
};

static const char *const attests[] = {"no_foreign_code", "reaches_only_steps_and_mocks", NULL};

static bool answers(struct mock_run *run, struct str resource, bool hit, struct str response) {
  struct mock_answer answer;
  mock_resolve(run, (struct mock_resource){.text = resource}, &answer);
  return answer.hit == hit && str_eq(answer.response, response);
}

// A known hit and a known miss through a real mock set.
static bool resolver_works(void) {
  struct str text = STR("[{\"resource\":\"self-test:known\",\"response\":\"answer\"}]");
  struct err err = {0};
  AUTO(json_auto_decref) json_t *mocks = NULL;
  if (!json_read(text, &mocks, &err)) return false;
  struct mock_layer layer = {"mocks", mocks, NULL};
  struct mock_set *set = NULL;
  if (!mock_set_new(&layer, 1, &set, &err)) return false;
  struct mock_run *run = mock_run_new(set);
  bool works = answers(run, STR("self-test:known"), true, STR("answer")) &&
               answers(run, STR("self-test:unknown"), false, STR("[[mock-miss:self-test:unknown]]"));
  mock_run_free(run);
  mock_set_free(set);
  return works;
}

// Every run asks, and the answer depends on nothing that changes while the engine runs: it is found out once.
static const struct runner_report *preflight(struct runner *runner) {
  struct inproc *inproc = (struct inproc *)runner;
  if (inproc->report.stage_count > 0) return &inproc->report;
  bool works = resolver_works();
  inproc->resolver_stage = (struct runner_stage){
      .stage = "resolver",
      .ok = works,
      .detail = works ? "A known resource was answered and an unknown one gave the miss marker."
                      : "A mock set did not answer a known resource and an unknown one as it must.",
  };
  inproc->report = (struct runner_report){
      .available = works,
      .missing = works ? NULL : "mock resolver",
      .reason = works ? NULL : "The mock resolver failed its self-test.",
      .strength = "by construction",
      .attests = attests,
      .stages = &inproc->resolver_stage,
      .stage_count = 1,
  };
  return &inproc->report;
}

static bool prepare(struct runner *runner, struct id run, const struct runner_events *events, void *ctx,
                    struct runner_execution **ret_execution, struct err *err) {
  (void)run, (void)err;
  struct inproc *inproc = (struct inproc *)runner;
  *ret_execution = inproc_execution_new(inproc->loop, &inproc->live, events, ctx);
  return true;
}

/// Written on every run, so kept short. "measured" is empty on purpose: no protection of the operating system separates
/// the reference agent, which is code of the engine, from the engine.
static void attest(struct runner_execution *execution, struct json_writer *out) {
  (void)execution;
  jw_c(out, "isolation", "by_construction");
  jw_array(out, "reaches");
  jw_c(out, NULL, "steps");
  jw_c(out, NULL, "mocks");
  jw_array_end(out);
  jw_array(out, "measured");
  jw_array_end(out);
}

struct runner *inproc_new(struct loop *loop) {
  struct inproc *inproc = mem_zalloc(sizeof(*inproc));
  inproc->loop = loop;
  inproc->port = (struct runner){
      .name = "inproc-mock",
      .preflight = preflight,
      .prepare = prepare,
      .start = inproc_execution_start,
      .wake = inproc_execution_wake,
      .answer = inproc_execution_answer,
      .stop = inproc_execution_stop,
      .destroy = inproc_execution_destroy,
      .attest = attest,
  };
  return &inproc->port;
}

void inproc_free(struct runner *runner) {
  if (!runner) return;
  struct inproc *inproc = (struct inproc *)runner;
  assert(inproc->live == 0);
  free(inproc);
}
