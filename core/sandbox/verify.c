// SPDX-License-Identifier: Apache-2.0
// Runs the spec of a stored run again and compares each step with what was recorded, in order, until the first
// difference. Nothing is recorded but a ledger entry. The recorded outputs are read one by one as the steps come, so
// memory does not grow with the run.
#include "access/ledger.h"
#include "base/buf.h"
#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/differences.h"
#include "sandbox/drive.h"
#include "sandbox/flows.h"
#include "sandbox/sandbox_private.h"

struct verifying {
  struct store_op op;
  struct sandbox *sandbox;
  struct arena *arena;
  struct run run; // as recorded
  struct drive *drive;
  struct str actor;
  struct verification result;
  bool stopping, ended;
  struct err err; // a failed read meanwhile, or that the engine is stopping
  void (*done)(void *ctx, const struct verification *result, const struct err *err);
  void *ctx;
  struct verifying *next, **link; // sandbox->verifications, from the start on
};

static void join(struct verifying *v) {
  v->next = v->sandbox->verifications;
  v->link = &v->sandbox->verifications;
  if (v->next) v->next->link = &v->next;
  *v->link = v;
}

static void leave(struct verifying *v) {
  if (!v->link) return;
  *v->link = v->next;
  if (v->next) v->next->link = v->link;
}

static void finish(struct verifying *v, const struct err *err) {
  leave(v);
  drive_free(v->drive, NULL);
  v->done(v->ctx, err ? NULL : &v->result, err);
  arena_free(v->arena);
  free(v);
}

static struct str cut(struct verifying *v, struct str text) {
  AUTO(buf_done) struct buf quoted;
  buf_init(&quoted, 8 * DIFFERENCE_TEXT_BYTES);
  difference_text(&quoted, text);
  return arena_str(v->arena, buf_str(&quoted));
}

static void differ(struct verifying *v, const char *field, int64_t seq, struct str key, struct str recorded,
                   struct str again) {
  if (v->result.first_field) return;
  v->result.identical = false;
  v->result.first_field = field;
  v->result.first_seq = seq;
  v->result.first_key = arena_str(v->arena, key);
  v->result.recorded = cut(v, recorded);
  v->result.again = cut(v, again);
}

struct against {
  struct verifying *v;
  const struct output *again;
  bool found;
};

static struct str hit_text(bool hit) {
  return hit ? STR("true") : STR("false");
}

static bool compare_one(void *ctx, const struct output *recorded) {
  struct against *a = ctx;
  const struct output *again = a->again;
  if (recorded->seq != again->seq) return false;
  a->found = true;
  if (!str_eq(recorded->step_key, again->step_key))
    differ(a->v, "step_key", again->seq, recorded->step_key, recorded->step_key, again->step_key);
  else if (!str_eq(recorded->output, again->output))
    differ(a->v, "output", again->seq, recorded->step_key, recorded->output, again->output);
  else if (recorded->mock_hit != again->mock_hit)
    differ(a->v, "mock_hit", again->seq, recorded->step_key, hit_text(recorded->mock_hit), hit_text(again->mock_hit));
  return false;
}

static bool ready(void *ctx) {
  (void)ctx;
  return true;
}

static void on_output(void *ctx, const struct output *output) {
  struct verifying *v = ctx;
  // Behind the first difference nothing is compared, but the repetition goes on: its hash is of the whole.
  if (v->stopping || v->result.first_field) return;
  struct against a = {v, output, false};
  if (!run_outputs(store_reader(v->sandbox->config.store), v->run.tenant, v->run.id, false, output->seq - 1, 1,
                   compare_one, &a, &v->err))
    v->stopping = true;
  else if (!a.found)
    differ(v, "extra", output->seq, output->step_key, STR(""), output->output);
  v->result.steps++;
  if (v->stopping) drive_stop(v->drive);
}

static bool apply(struct store_op *op, struct store_conn *conn) {
  struct verifying *v = (struct verifying *)op;
  struct ledger_details details = ledger_word("result", v->result.identical ? "identical" : "different");
  return ledger_append(conn, v->run.tenant, v->actor, "run.verify", "run", v->run.id, str_c(details.json),
                       clock_wall_ns(&v->sandbox->config.clock), &op->err);
}

static void recorded(struct store_op *op) {
  struct verifying *v = (struct verifying *)op;
  struct err err = op->err;
  finish(v, op->ok ? NULL : &err);
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  struct verifying *v = ctx;
  v->ended = true;
  if (v->err.code == ERR_NONE && end != RUNNER_END_DONE && !v->stopping)
    err_set(&v->err, ERR_UNAVAILABLE, "The run could not be repeated: %.*s", STR_ARG(detail));
  if (v->err.code != ERR_NONE) {
    struct err err = v->err;
    finish(v, &err);
    return;
  }
  if (!v->result.first_field && v->result.steps < v->run.steps_total)
    differ(v, "missing", v->result.steps, STR(""), STR("a step was recorded here"), STR(""));
  v->result.again_hash = drive_outputs_hash(v->drive);
  // Every output as recorded and yet another hash: the run's own row is not what it was.
  if (!digest_eq(&v->result.again_hash, &v->result.recorded_hash))
    differ(v, "outputs_hash", v->result.steps, STR(""), str_c(digest_format(&v->result.recorded_hash).text),
           str_c(digest_format(&v->result.again_hash).text));
  v->op = (struct store_op){.apply = apply, .done = recorded};
  store_submit(v->sandbox->config.store, &v->op);
}

static const struct drive_events events = {ready, on_output, on_end};

static bool begin(struct verifying *v, struct id tenant, struct id run_id, struct err *err) {
  struct store_conn *conn = store_reader(v->sandbox->config.store);
  bool found;
  if (!run_get(conn, v->arena, tenant, run_id, &v->run, &found, err)) return false;
  if (!found) return err_set(err, ERR_NOT_FOUND, "There is no run with this id.");
  if (!run_executed(&v->run))
    return err_set(err, ERR_CONFLICT, "There is nothing to verify: the run did not complete (status '%s').",
                   run_status_names[v->run.status]);
  struct runner *runner = sandbox_runner(v->sandbox, v->run.runner);
  const struct runner_report *report = runner ? runner->preflight(runner) : NULL;
  if (!report || !report->available)
    return err_set(err, ERR_UNAVAILABLE, "The runner '%.*s' that this run used is not available now.",
                   STR_ARG(v->run.runner));
  struct str canonical;
  struct plan *plan;
  if (!run_get_spec(conn, v->arena, tenant, &v->run.spec_hash, &canonical, err) ||
      !plan_from_canonical(canonical, &plan, err))
    return false;
  if (!digest_eq(&plan->spec_hash, &v->run.spec_hash)) {
    plan_unref(plan);
    return err_set(err, ERR_INTERNAL, "The stored spec of this run is not the one that its spec_hash names.");
  }
  v->result = (struct verification){.identical = true, .recorded_hash = v->run.outputs_hash};
  bool ok = drive_new(runner, v->run.id, plan, &events, v, &v->drive, err);
  plan_unref(plan);
  return ok;
}

void verify(struct sandbox *sandbox, struct id tenant, struct id run, struct str actor,
            void (*done)(void *ctx, const struct verification *result, const struct err *err), void *ctx) {
  struct verifying *v = mem_zalloc(sizeof *v);
  v->sandbox = sandbox;
  v->arena = arena_new();
  v->actor = arena_str(v->arena, actor);
  v->done = done;
  v->ctx = ctx;
  struct err err = {0};
  if (begin(v, tenant, run, &err)) {
    join(v);
    drive_start(v->drive);
  } else {
    finish(v, &err);
  }
}

void verify_stop_all(struct sandbox *sandbox) {
  for (struct verifying *v = sandbox->verifications; v; v = v->next) {
    if (v->ended) continue;
    v->stopping = true;
    err_set(&v->err, ERR_UNAVAILABLE, "The engine was stopped before the run was verified.");
    drive_stop(v->drive);
  }
}
