// SPDX-License-Identifier: Apache-2.0
// Scenarios over HTTP.
#include "api/sandbox_scenarios.h"

#include "api/call.h"
#include "api/sandbox_documents.h"
#include "base/mem.h"
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

/// The scenario of a POST or PUT body, with the hash of its spec: building the plan is also the proof that it can be
/// run.
static bool read_body(struct api_call *call, struct scenario **ret_scenario) {
  struct scenario *scenario = arena_alloc(call->arena, sizeof *scenario);
  struct plan *plan;
  if (!scenario_read(call->body, call_strict(call), call->arena, scenario, &call->err) ||
      !plan_from_scenario(scenario, STR_NONE, scenario->seed, &plan, &call->err))
    return false;
  scenario->tenant = call->tenant;
  scenario->spec_hash = plan->spec_hash;
  scenario->updated_at = call->now_ns;
  plan_unref(plan);
  *ret_scenario = scenario;
  return true;
}

static bool apply_create(struct api_call *call, struct store_conn *conn, struct err *err) {
  return scenario_insert(conn, call->state, str_c(call->who.actor), call->now_ns, err);
}

void scenarios_create(struct api_call *call) {
  struct scenario *scenario;
  if (!read_body(call, &scenario)) {
    call_fail(call, &call->err);
    return;
  }
  scenario->id = id_new(call->now_ns);
  scenario->revision = 1;
  scenario->created_at = call->now_ns;
  scenario->created_by = str_c(call->who.actor);
  call->state = scenario;
  call_mutate(call, apply_create, reply_scenario);
}

static bool apply_update(struct api_call *call, struct store_conn *conn, struct err *err) {
  bool found;
  return scenario_replace(conn, call->arena, call->state, str_c(call->who.actor), call->now_ns, &found, err) &&
         (found || not_found(err));
}

void scenarios_update(struct api_call *call) {
  struct scenario *scenario;
  if (!read_body(call, &scenario)) {
    call_fail(call, &call->err);
    return;
  }
  scenario->id = call->path_id;
  call->state = scenario;
  call_mutate(call, apply_update, reply_scenario);
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
