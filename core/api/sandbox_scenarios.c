// SPDX-License-Identifier: Apache-2.0
// Scenarios over HTTP.
#include "api/sandbox_scenarios.h"

#include "api/call.h"
#include "api/call_work.h"
#include "api/sandbox_documents.h"
#include "base/mem.h"
#include "sandbox/flows.h"
#include "sandbox/plan.h"
#include "sandbox/scenario.h"

static void write_item(void *ctx, const struct scenario *scenario) {
  struct page_writer *page = ctx;
  if (page_item_id(page, scenario->id)) write_scenario(&page->call->out, scenario, false);
}

void scenarios_list(struct api_call *call) {
  const struct scenario_filter filter = {.status = call_param(call, "status"),
                                         .name = call_param(call, "name"),
                                         .subject_kind = call_param(call, "subject_kind")};
  struct page_writer page;
  page_begin(&page, call);
  if (!scenario_list(call_reader(call), call->tenant, &filter, call->page.oldest_first, page_after_id(&call->page),
                     call->page.limit + 1, write_item, &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

static bool not_found(struct err *err) {
  return err_set(err, ERR_NOT_FOUND, "There is no scenario with this id.");
}

void scenarios_get(struct api_call *call) {
  struct scenario scenario;
  bool found;
  if (!scenario_get(call_reader(call), call->arena, call->tenant, call->path_id, &scenario, &found, &call->err) ||
      (!found && !not_found(&call->err))) {
    call_fail(call, &call->err);
    return;
  }
  write_scenario(&call->out, &scenario, true);
  call_ok(call);
}

static void reply_scenario(struct api_call *call) {
  write_scenario(&call->out, call->state, true);
  call_ok(call);
}

// ---- storing ----

enum { LARGE_BODY_BYTES = 64 * 1024 };

struct storing {
  struct scenario scenario; // first: reply_scenario writes it
  struct plan *plan;        // until the body is read
  bool creates, ok;
  bool (*apply)(struct api_call *call, struct store_conn *conn, struct err *err);
};

/// The scenario of the body, and the plan that it runs by: the hash of the spec, and the proof that it can be run. Any
/// thread.
static void read_body(void *ctx) {
  struct api_call *call = ctx;
  struct storing *s = call->state;
  s->ok = scenario_read(call->body, call_strict(call), call->arena, &s->scenario, &call->err) &&
          plan_from_scenario(&s->scenario, STR_NONE, s->scenario.seed, &s->plan, &call->err);
}

static void identify(struct api_call *call, struct scenario *scenario, bool creates) {
  scenario->tenant = call->tenant;
  scenario->updated_at = call->now_ns;
  if (!creates) {
    scenario->id = call->path_id;
    return;
  }
  scenario->id = id_new(call->now_ns);
  scenario->revision = 1;
  scenario->created_at = call->now_ns;
  scenario->created_by = str_c(call->who.actor);
}

static void body_is_read(void *ctx) {
  struct api_call *call = ctx;
  struct storing *s = call->state;
  if (!s->ok) {
    call_fail(call, &call->err);
    return;
  }
  identify(call, &s->scenario, s->creates);
  s->scenario.spec_hash = s->plan->spec_hash;
  // A new id belongs to this request alone, so its plan may be kept before the commit; a replacement learns its
  // revision only then.
  if (s->creates) scenario_keep_plan(call->config->sandbox, &s->scenario, s->plan);
  plan_unref(s->plan);
  call_mutate(call, s->apply, reply_scenario);
}

/// Reading a large scenario takes long enough for others to notice: that is done on the worker thread.
static void store_body(struct api_call *call, struct storing *s) {
  call->state = s;
  if (call->exchange->request.body.len > LARGE_BODY_BYTES) {
    call_work(call, read_body, body_is_read, call);
    return;
  }
  read_body(call);
  body_is_read(call);
}

static bool apply_create(struct api_call *call, struct store_conn *conn, struct err *err) {
  return scenario_insert(conn, call->state, str_c(call->who.actor), call->now_ns, err);
}

void scenarios_create(struct api_call *call) {
  struct storing *s = arena_alloc(call->arena, sizeof *s);
  s->apply = apply_create;
  s->creates = true;
  store_body(call, s);
}

static bool apply_update(struct api_call *call, struct store_conn *conn, struct err *err) {
  bool found;
  return scenario_replace(conn, call->arena, call->state, str_c(call->who.actor), call->now_ns, &found, err) &&
         (found || not_found(err));
}

void scenarios_update(struct api_call *call) {
  struct storing *s = arena_alloc(call->arena, sizeof *s);
  s->apply = apply_update;
  store_body(call, s);
}

static bool set_archived(struct api_call *call, struct store_conn *conn, bool archived, struct err *err) {
  bool found;
  struct scenario *scenario = arena_alloc(call->arena, sizeof *scenario);
  call->state = scenario;
  return scenario_set_archived(conn, call->tenant, call->path_id, archived, str_c(call->who.actor), call->now_ns,
                               &found, err) &&
         (found || not_found(err)) &&
         scenario_get(conn, call->arena, call->tenant, call->path_id, scenario, &found, err);
}

static bool apply_archive(struct api_call *call, struct store_conn *conn, struct err *err) {
  return set_archived(call, conn, true, err);
}
static bool apply_restore(struct api_call *call, struct store_conn *conn, struct err *err) {
  return set_archived(call, conn, false, err);
}

void scenarios_archive(struct api_call *call) {
  call_mutate(call, apply_archive, reply_scenario);
}
void scenarios_restore(struct api_call *call) {
  call_mutate(call, apply_restore, reply_scenario);
}
