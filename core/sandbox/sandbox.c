// SPDX-License-Identifier: Apache-2.0
// The module's instance: which backends there are, what is under way, who watches. The flows are files of their own.
#include "sandbox/sandbox.h"

#include "access/ledger.h"
#include "base/mem.h"
#include "sandbox/sandbox_private.h"
#include "store/stmt.h"

enum { PLANS_MAX = 64, PLANS_MAX_BYTES = 128 * 1024 * 1024 };

struct sandbox *sandbox_new(const struct sandbox_config *config) {
  struct sandbox *sandbox = mem_zalloc(sizeof *sandbox);
  sandbox->config = *config;
  sandbox->plans = plan_cache_new(PLANS_MAX, PLANS_MAX_BYTES);
  return sandbox;
}

void sandbox_free(struct sandbox *sandbox) {
  if (!sandbox) return;
  while (sandbox->jobs) job_abandon(sandbox->jobs);
  plan_cache_free(sandbox->plans);
  free(sandbox);
}

size_t sandbox_under_way(const struct sandbox *sandbox) {
  return sandbox->job_count;
}

bool sandbox_settled(const struct sandbox *sandbox) {
  if (sandbox->verifications || sandbox->working > 0) return false;
  for (const struct job *job = sandbox->jobs; job; job = job_next(job))
    if (!job_is_stuck(job)) return false;
  return true;
}

void sandbox_stop_all(struct sandbox *sandbox) {
  sandbox->stopping = true;
  for (struct job *job = sandbox->jobs; job; job = job_next(job)) {
    job_stop(job, "engine_stopping", "The engine was stopped before the run had ended.");
    job_retry(job);
  }
  verify_stop_all(sandbox);
}

void sandbox_retry(struct sandbox *sandbox) {
  for (struct job *job = sandbox->jobs; job; job = job_next(job)) job_retry(job);
}

struct runner *sandbox_runner(struct sandbox *sandbox, struct str name) {
  if (!str_present(name)) return sandbox->config.runners[0];
  for (size_t i = 0; i < sandbox->config.runner_count; i++)
    if (str_eq(str_c(sandbox->config.runners[i]->name), name)) return sandbox->config.runners[i];
  return NULL;
}

size_t sandbox_runner_count(const struct sandbox *sandbox) {
  return sandbox->config.runner_count;
}
struct runner *sandbox_runner_at(struct sandbox *sandbox, size_t index) {
  return sandbox->config.runners[index];
}

void sandbox_watch(struct sandbox *sandbox, struct run_watch *watch) {
  watch->next = sandbox->watches;
  sandbox->watches = watch;
}

void sandbox_unwatch(struct sandbox *sandbox, struct run_watch *watch) {
  if (sandbox->next_to_wake == watch) sandbox->next_to_wake = watch->next;
  for (struct run_watch **at = &sandbox->watches; *at; at = &(*at)->next) {
    if (*at != watch) continue;
    *at = watch->next;
    return;
  }
}

void sandbox_notify(struct sandbox *sandbox, struct id run) {
  // A wake may end what watches, and that takes its watch off the list.
  for (struct run_watch *watch = sandbox->watches; watch; watch = sandbox->next_to_wake) {
    sandbox->next_to_wake = watch->next;
    if (id_eq(watch->run, run)) watch->wake(watch);
  }
}

// ---- what an engine that is gone left running ----

struct sweep {
  struct store_op op;
  struct sandbox *sandbox;
  int64_t swept;
  void (*done)(void *ctx, int64_t swept, const struct err *err);
  void *ctx;
};

static bool sweep_one(struct sweep *sweep, struct store_conn *conn, struct id tenant, struct id run, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(
      conn,
      "UPDATE runs SET status = 'error', reason_code = 'engine_restarted', finished_at = ?3,"
      // What lived in the engine's process is gone with it; of another backend nobody has looked.
      " destroyed = (runner = 'inproc-mock'),"
      " reason_message = 'The engine ended while this run was under way; the outputs recorded until then are kept.',"
      " duration_ms = MAX(0, (?3 - started_at) / 1000000),"
      " steps_total = (SELECT COUNT(*) FROM outputs o WHERE o.tenant_id = ?1 AND o.run_id = ?2),"
      " steps_ok = (SELECT COUNT(*) FROM outputs o WHERE o.tenant_id = ?1 AND o.run_id = ?2 AND o.mock_hit),"
      " steps_error = (SELECT COUNT(*) FROM outputs o WHERE o.tenant_id = ?1 AND o.run_id = ?2 AND NOT o.mock_hit)"
      " WHERE tenant_id = ?1 AND id = ?2",
      err);
  if (!q) return false;
  int64_t now_ns = clock_wall_ns(&sweep->sandbox->config.clock);
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, run);
  stmt_bind_int(q, 3, now_ns);
  if (!stmt_run(&q, err)) return false;
  return ledger_append(conn, tenant, STR("engine"), "run.end", "run", run,
                       STR("{\"status\":\"error\",\"reason\":\"engine_restarted\"}"), now_ns, err);
}

static bool sweep_apply(struct store_op *op, struct store_conn *conn) {
  struct sweep *sweep = (struct sweep *)op;
  sweep->swept = 0;
  for (;;) {
    AUTO(stmt_close)
    struct stmt *q = stmt_open(conn, "SELECT tenant_id, id FROM runs WHERE status = 'running' LIMIT 1", &op->err);
    if (!q) return false;
    enum stmt_result result = stmt_step(q, &op->err);
    if (result != STMT_ROW) return result == STMT_DONE;
    struct id tenant = stmt_id(q, 0), run = stmt_id(q, 1);
    stmt_close(&q);
    if (!sweep_one(sweep, conn, tenant, run, &op->err)) return false;
    sweep->swept++;
  }
}

static void sweep_done(struct store_op *op) {
  struct sweep *sweep = (struct sweep *)op;
  sweep->done(sweep->ctx, sweep->swept, op->ok ? NULL : &op->err);
  free(sweep);
}

void sandbox_sweep(struct sandbox *sandbox, void (*done)(void *ctx, int64_t swept, const struct err *err), void *ctx) {
  struct sweep *sweep = mem_zalloc(sizeof *sweep);
  *sweep =
      (struct sweep){.op = {.apply = sweep_apply, .done = sweep_done}, .sandbox = sandbox, .done = done, .ctx = ctx};
  store_submit(sandbox->config.store, &sweep->op);
}
