// SPDX-License-Identifier: Apache-2.0
// Gets plans made. The ones used last are at hand; another one is built from the scenario's content, and a large one
// takes long enough for others to notice, so that it is built on the worker thread. What it is built from is read
// before, on the loop, so that it is the revision that was asked for.
#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/sandbox_private.h"

enum { LARGE_CONTENT_BYTES = 64 * 1024 };

struct making {
  struct sandbox *sandbox;
  struct arena *arena;
  struct scenario whole; // text in arena
  struct str variant;
  int64_t seed;
  struct plan *plan; // NULL: err says why
  struct err err;
  plan_done_fn done;
  void *ctx;
};

static void make(void *ctx) {
  struct making *m = ctx;
  if (!plan_from_scenario(&m->whole, m->variant, m->seed, &m->plan, &m->err)) m->plan = NULL;
}

static void made(void *ctx) {
  struct making *m = ctx;
  if (m->plan) plan_cache_put(m->sandbox->plans, m->whole.id, m->whole.revision, m->variant, m->seed, m->plan);
  if (m->plan && m->sandbox->stopping) err_set(&m->err, ERR_UNAVAILABLE, "The engine is stopping.");
  m->done(m->ctx, m->err.code == ERR_NONE ? m->plan : NULL, m->err.code == ERR_NONE ? NULL : &m->err);
  plan_unref(m->plan);
  arena_free(m->arena);
  free(m);
}

static void made_by_worker(void *ctx) {
  struct making *m = ctx;
  m->sandbox->working--;
  made(m);
}

static bool read_whole(struct making *m, struct store_conn *conn, const struct scenario *head) {
  bool found;
  return scenario_get(conn, m->arena, head->tenant, head->id, &m->whole, &found, &m->err) &&
         (found || err_set(&m->err, ERR_NOT_FOUND, "There is no scenario with this id."));
}

static void start(struct making *m) {
  const struct sandbox_config *config = &m->sandbox->config;
  bool large = m->whole.steps.len + m->whole.mocks.len + m->whole.variants.len > LARGE_CONTENT_BYTES;
  if (large && config->work(config->work_ctx, make, made_by_worker, m)) {
    m->sandbox->working++;
    return;
  }
  if (large) {
    err_set(&m->err, ERR_RATE_LIMITED, "Too many large scenarios wait to be read; try again in a moment.");
    m->err.retry_after_s = 1;
  } else {
    make(m);
  }
  made(m);
}

void arm_plan(struct sandbox *sandbox, struct store_conn *conn, const struct scenario *head, struct str variant,
              int64_t seed, plan_done_fn done, void *ctx) {
  // Without overlays a variant is a label only, and every label shares the plan.
  if (str_eq(head->variant_names, STR("[]"))) variant = STR_NONE;
  struct plan *plan = plan_cache_get(sandbox->plans, head->id, head->revision, variant, seed);
  if (plan) {
    done(ctx, plan, NULL);
    plan_unref(plan);
    return;
  }
  struct making *m = mem_zalloc(sizeof *m);
  *m = (struct making){.sandbox = sandbox, .arena = arena_new(), .seed = seed, .done = done, .ctx = ctx};
  if (str_present(variant)) m->variant = arena_str(m->arena, variant);
  if (read_whole(m, conn, head))
    start(m);
  else
    made(m);
}
