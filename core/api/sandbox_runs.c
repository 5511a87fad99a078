// SPDX-License-Identifier: Apache-2.0
// Runs over HTTP: launching, reading, cancelling, verifying. The event stream is in sandbox_stream.c.
#include "api/sandbox_runs.h"

#include "api/call.h"
#include "api/sandbox_documents.h"
#include "api/sandbox_runners.h"
#include "base/mem.h"
#include "sandbox/flows.h"
#include "sandbox/scenario.h"

// ---- launching ----

static void answer_run(void *ctx, const struct run *run, const struct err *err) {
  struct api_call *call = ctx;
  if (err) {
    call_fail(call, err);
    return;
  }
  write_run(&call->out, run, call->clamped);
  call_ok_as(call, run->status == RUN_RUNNING ? 202 : call->route->status);
}

static bool refuse_policies(struct api_call *call) {
  const json_t *refs = json_object_get(call->body, "policy_refs");
  if (json_array_size(refs) == 0) return true;
  return err_set_at(&call->err, ERR_BAD_REQUEST, "policy_refs[0]", "There is no policy '%.*s': this engine knows none.",
                    STR_ARG(json_str(json_array_get(refs, 0))));
}

void scenarios_run(struct api_call *call) {
  struct simulate_request request = {
      .tenant = call->tenant,
      .scenario = call->path_id,
      .actor = str_c(call->who.actor),
      .has_seed = json_object_get(call->body, "seed") != NULL,
      .seed = call_int(call, "seed", 0),
      .wait = call_bool(call, "wait", true),
  };
  if (!refuse_policies(call) || !runner_member(call, &request.runner) ||
      !label_member(call, "variant", NAME_MAX_BYTES, &request.variant) ||
      !label_member(call, "suite_ref", REF_MAX_BYTES, &request.suite_ref)) {
    call_fail(call, &call->err);
    return;
  }
  simulate(call->config->sandbox, &request, answer_run, call);
}

void runs_replay(struct api_call *call) {
  struct replay_request request = {.tenant = call->tenant, .actor = str_c(call->who.actor)};
  if (!runner_member(call, &request.runner) || !label_member(call, "variant", NAME_MAX_BYTES, &request.variant) ||
      !label_member(call, "session_ref", REF_MAX_BYTES, &request.session_ref) ||
      !label_member(call, "suite_ref", REF_MAX_BYTES, &request.suite_ref) ||
      !mocks_member(call, "mocks", &request.mocks)) {
    call_fail(call, &call->err);
    return;
  }
  replay(call->config->sandbox, &request, answer_run, call);
}

// ---- reading ----

static void write_item(void *ctx, const struct run *run) {
  struct page_writer *page = ctx;
  if (page_item_id(page, run->id)) write_run(&page->call->out, run, STR_NONE);
}

void runs_list(struct api_call *call) {
  struct run_filter filter = {
      .kind = call_param(call, "kind"),
      .status = call_param(call, "status"),
      .variant = call_param(call, "variant"),
      .subject_ref = call_param(call, "subject_ref"),
  };
  struct str scenario = call_param(call, "scenario_ref");
  if (str_present(scenario)) id_parse(scenario, &filter.scenario);
  struct page_writer page;
  page_begin(&page, call);
  if (!run_list(call_reader(call), call->tenant, &filter, call->page.oldest_first, page_after_id(&call->page),
                call->page.limit + 1, write_item, &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

static bool find(struct api_call *call, struct run *ret_run) {
  bool found;
  return run_get(call_reader(call), call->arena, call->tenant, call->path_id, ret_run, &found, &call->err) &&
         (found || err_set(&call->err, ERR_NOT_FOUND, "There is no run with this id."));
}

void runs_get(struct api_call *call) {
  struct run run;
  if (!find(call, &run)) {
    call_fail(call, &call->err);
    return;
  }
  write_run(&call->out, &run, STR_NONE);
  call_ok(call);
}

static bool write_output_item(void *ctx, const struct output *output) {
  struct page_writer *page = ctx;
  if (!page_item_number(page, output->seq)) return false;
  write_output(&page->call->out, output);
  return true;
}

void runs_outputs(struct api_call *call) {
  struct run run;
  bool descending = !call->page.oldest_first;
  struct page_writer page;
  if (!find(call, &run)) {
    call_fail(call, &call->err);
    return;
  }
  page_begin(&page, call);
  int64_t after = page_after_number(&call->page, descending ? INT64_MAX : -1);
  if (!run_outputs(call_reader(call), call->tenant, run.id, descending, after, call->page.limit + 1, write_output_item,
                   &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

// ---- cancelling, verifying ----

void runs_cancel(struct api_call *call) {
  cancel(call->config->sandbox, call->tenant, call->path_id, str_c(call->who.actor), answer_run, call);
}

static void write_first_difference(struct json_writer *out, const struct verification *v) {
  jw_object(out, "first_difference");
  jw_int(out, "seq", v->first_seq);
  jw_str(out, "step_key", v->first_key);
  jw_c(out, "field", v->first_field);
  jw_raw(out, "recorded", v->recorded);
  jw_raw(out, "again", v->again);
  jw_object_end(out);
}

static void answer_verification(void *ctx, const struct verification *v, const struct err *err) {
  struct api_call *call = ctx;
  if (err) {
    call_fail(call, err);
    return;
  }
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  write_id(out, "run_ref", call->path_id);
  jw_c(out, "result", v->identical ? "identical" : "different");
  jw_int(out, "steps", v->steps);
  write_digest(out, "outputs_hash", &v->again_hash);
  write_digest(out, "recorded_outputs_hash", &v->recorded_hash);
  if (!v->identical) write_first_difference(out, v);
  jw_object_end(out);
  call_ok(call);
}

void runs_verify(struct api_call *call) {
  verify(call->config->sandbox, call->tenant, call->path_id, str_c(call->who.actor), answer_verification, call);
}
