// SPDX-License-Identifier: Apache-2.0
// Cancelling a run: who asked goes to the ledger first, then the backend is stopped, and the answer waits for the
// recorded end.
#include "access/ledger.h"
#include "base/mem.h"
#include "sandbox/flows.h"
#include "sandbox/job.h"
#include "sandbox/sandbox_private.h"

struct cancellation {
  struct store_op op;
  struct sandbox *sandbox;
  struct id tenant, run;
  char *actor;
  run_done_fn done;
  void *ctx;
};

static void finish(struct cancellation *c, const struct run *run, const struct err *err) {
  c->done(c->ctx, run, err);
  free(c->actor);
  free(c);
}

static void answer_from_store(struct cancellation *c) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct err err = {0};
  struct run run;
  bool found;
  if (!run_get(store_reader(c->sandbox->config.store), arena, c->tenant, c->run, &run, &found, &err)) {
    finish(c, NULL, &err);
  } else if (!found) {
    err_set(&err, ERR_NOT_FOUND, "There is no run with this id.");
    finish(c, NULL, &err);
  } else if (run.status != RUN_CANCELED) {
    err_set(&err, ERR_CONFLICT, "The run is not under way: its status is '%s'.", run_status_names[run.status]);
    finish(c, NULL, &err);
  } else {
    finish(c, &run, NULL);
  }
}

static void ended(void *ctx, const struct run *run, const struct err *err) {
  struct cancellation *c = ctx;
  // It may have come to its own end before the stop took effect.
  if (run && run->status != RUN_CANCELED)
    answer_from_store(c);
  else
    finish(c, run, err);
}

static bool apply(struct store_op *op, struct store_conn *conn) {
  struct cancellation *c = (struct cancellation *)op;
  return ledger_append(conn, c->tenant, str_c(c->actor), "run.cancel", "run", c->run, STR_NONE,
                       clock_wall_ns(&c->sandbox->config.clock), &op->err);
}

static void recorded(struct store_op *op) {
  struct cancellation *c = (struct cancellation *)op;
  struct job *job = job_find(c->sandbox, c->tenant, c->run);
  if (!op->ok) {
    struct err err = op->err;
    finish(c, NULL, &err);
  } else if (!job) {
    answer_from_store(c);
  } else {
    job_on_end(job, ended, c);
    job_stop(job, "canceled_by_request", "The run was canceled by request.");
    job_retry(job); // the store has just taken something again
  }
}

void cancel(struct sandbox *sandbox, struct id tenant, struct id run, struct str actor, run_done_fn done, void *ctx) {
  struct cancellation *c = mem_zalloc(sizeof *c);
  *c = (struct cancellation){.op = {.apply = apply, .done = recorded},
                             .sandbox = sandbox,
                             .tenant = tenant,
                             .run = run,
                             .actor = mem_strdup(actor),
                             .done = done,
                             .ctx = ctx};
  if (job_find(sandbox, tenant, run))
    store_submit(sandbox->config.store, &c->op);
  else
    answer_from_store(c);
}
