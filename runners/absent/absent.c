// SPDX-License-Identifier: Apache-2.0
// Stands in for a backend that requests may name but that this engine was built without, so that asking for it gives a
// recorded failure and never a run in some other backend.
#include "runners/absent/absent.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct absent {
  struct runner port; // first: a runner of this backend is the absent that holds it
  struct runner_stage stage;
  struct runner_report report;
  char reason[256];
};

static const char *const attests_nothing[] = {NULL};

static const struct runner_report *preflight(struct runner *runner) {
  return &((struct absent *)runner)->report;
}

static bool prepare(struct runner *runner, struct id run, const struct runner_events *events, void *ctx,
                    struct runner_execution **ret_execution, struct err *err) {
  (void)run, (void)events, (void)ctx, (void)ret_execution;
  return err_set(err, ERR_ISOLATION_UNAVAILABLE, "%s", ((struct absent *)runner)->reason);
}

static void destroy(struct runner_execution *execution, bool *ret_gone) {
  (void)execution; // always NULL: prepare makes none
  *ret_gone = true;
}

struct runner *absent_new(const char *name, const char *strength, const char *missing) {
  struct absent *absent = mem_zalloc(sizeof(*absent));
  snprintf(absent->reason, sizeof(absent->reason), "The runner \"%s\" is not part of this engine: it needs %s.", name,
           missing);
  absent->stage = (struct runner_stage){.stage = "backend", .ok = false, .detail = absent->reason};
  absent->report = (struct runner_report){
      .available = false,
      .missing = missing,
      .reason = absent->reason,
      .strength = strength,
      .attests = attests_nothing,
      .stages = &absent->stage,
      .stage_count = 1,
  };
  // What takes an execution is left out but for destroy, which a flow may call after a failed prepare.
  absent->port = (struct runner){.name = name, .preflight = preflight, .prepare = prepare, .destroy = destroy};
  return &absent->port;
}

void absent_free(struct runner *runner) {
  free(runner);
}
