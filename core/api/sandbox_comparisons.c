// SPDX-License-Identifier: Apache-2.0
// Comparisons and the gate over HTTP.
#include "api/sandbox_comparisons.h"

#include "api/call.h"
#include "api/call_work.h"
#include "api/platform_members.h"
#include "api/sandbox_documents.h"
#include "api/sandbox_runners.h"
#include "base/mem.h"
#include "sandbox/flows.h"

static bool given(struct api_call *call, const char *member) {
  return json_object_get(call->body, member) != NULL;
}

/// What a shape can't say: exactly one kind of arms, and what goes with it.
static bool check_arms(struct api_call *call) {
  bool scenario = given(call, "scenario_ref"), session = given(call, "session_ref");
  bool baseline = given(call, "baseline_run_ref"), candidate = given(call, "candidate_run_ref");
  bool variants = given(call, "baseline_variant") || given(call, "candidate_variant");
  struct err *err = &call->err;
  if (scenario + session + (baseline || candidate) != 1)
    return err_set(
        err, ERR_BAD_REQUEST,
        "Say what to compare by exactly one of scenario_ref, session_ref, or baseline_run_ref with candidate_run_ref.");
  if (baseline != candidate)
    return err_set_at(err, ERR_BAD_REQUEST, baseline ? "candidate_run_ref" : "baseline_run_ref",
                      "Stored runs are compared in pairs: both run references are needed.");
  if (baseline && variants)
    return err_set_at(err, ERR_BAD_REQUEST, given(call, "baseline_variant") ? "baseline_variant" : "candidate_variant",
                      "Stored runs have their variants; leave this out.");
  if (scenario && !given(call, "baseline_variant"))
    return err_set_at(err, ERR_BAD_REQUEST, "baseline_variant", "Member 'baseline_variant' is missing.");
  if (scenario && !given(call, "candidate_variant"))
    return err_set_at(err, ERR_BAD_REQUEST, "candidate_variant", "Member 'candidate_variant' is missing.");
  static const char *const mocks[] = {"mocks", "baseline_mocks", "candidate_mocks", NULL};
  for (const char *const *member = mocks; !session && *member; member++)
    if (given(call, *member))
      return err_set_at(err, ERR_BAD_REQUEST, *member,
                        "Mocks go with session_ref; a scenario has its own, by variant.");
  if (baseline && (given(call, "suite_ref") || given(call, "runner")))
    return err_set_at(err, ERR_BAD_REQUEST, given(call, "suite_ref") ? "suite_ref" : "runner",
                      "Stored runs are compared as they are; leave this out.");
  return true;
}

/// Each arm has its own mocks, or those of both.
static bool arm_mocks(struct api_call *call, struct compare_request *request) {
  struct str both;
  if (!mocks_member(call, "mocks", &both)) return false;
  request->baseline_mocks = request->candidate_mocks = both;
  return (!given(call, "baseline_mocks") || mocks_member(call, "baseline_mocks", &request->baseline_mocks)) &&
         (!given(call, "candidate_mocks") || mocks_member(call, "candidate_mocks", &request->candidate_mocks));
}

static void answer(void *ctx, const struct comparison *comparison, const struct err *err) {
  struct api_call *call = ctx;
  if (err) {
    call_fail(call, err);
    return;
  }
  write_comparison(&call->out, comparison, true, call->clamped);
  call_ok(call);
}

void comparisons_create(struct api_call *call) {
  struct compare_request request = {
      .tenant = call->tenant,
      .actor = str_c(call->who.actor),
      .self_check = call_bool(call, "self_check", false),
  };
  if (!check_arms(call) || !id_member(call, "scenario_ref", &request.scenario) ||
      !id_member(call, "baseline_run_ref", &request.baseline) ||
      !id_member(call, "candidate_run_ref", &request.candidate) || !runner_member(call, &request.runner) ||
      !label_member(call, "session_ref", REF_MAX_BYTES, &request.session_ref) ||
      !label_member(call, "baseline_variant", NAME_MAX_BYTES, &request.baseline_variant) ||
      !label_member(call, "candidate_variant", NAME_MAX_BYTES, &request.candidate_variant) ||
      !label_member(call, "suite_ref", REF_MAX_BYTES, &request.suite_ref) || !arm_mocks(call, &request)) {
    call_fail(call, &call->err);
    return;
  }
  compare(call->config->sandbox, &request, answer, call);
}

static void write_item(void *ctx, const struct comparison *comparison) {
  struct page_writer *page = ctx;
  if (page_item_id(page, comparison->id)) write_comparison(&page->call->out, comparison, false, STR_NONE);
}

void comparisons_list(struct api_call *call) {
  struct comparison_filter filter = {.verdict = call_param(call, "verdict"),
                                     .subject_ref = call_param(call, "subject_ref")};
  struct str scenario = call_param(call, "scenario_ref");
  if (str_present(scenario)) id_parse(scenario, &filter.scenario);
  struct page_writer page;
  page_begin(&page, call);
  if (!comparison_list(call_reader(call), call->tenant, &filter, call->page.oldest_first, page_after_id(&call->page),
                       call->page.limit + 1, write_item, &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

void comparisons_get(struct api_call *call) {
  struct comparison comparison;
  bool found;
  if (!comparison_get(call_reader(call), call->arena, call->tenant, call->path_id, &comparison, &found, &call->err) ||
      (!found && !err_set(&call->err, ERR_NOT_FOUND, "There is no comparison with this id."))) {
    call_fail(call, &call->err);
    return;
  }
  write_comparison(&call->out, &comparison, true, STR_NONE);
  call_ok(call);
}

struct asking {
  struct api_call *call;
  struct comparison_filter filter;
  int64_t max_age_s;
  struct gate gate;
  bool ok;
};

/// What a changed scenario would run now takes long to find out.
static void decide(void *ctx) {
  struct asking *a = ctx;
  struct api_call *call = a->call;
  struct store_conn *conn;
  if (!store_reader_open(call->config->store, &conn, &call->err)) return;
  a->ok = gate_decide(conn, call->arena, call->tenant, a->filter, a->max_age_s, call->now_ns, &a->gate, &call->err);
  store_reader_close(conn);
}

static void decided(void *ctx) {
  struct asking *a = ctx;
  const struct gate *gate = &a->gate;
  if (!a->ok) {
    call_fail(a->call, &a->call->err);
    return;
  }
  struct json_writer *out = &a->call->out;
  jw_object(out, NULL);
  jw_c(out, "decision", gate_decision_names[gate->decision]);
  write_reason(out, "reason", &gate->reason);
  if (gate->found) {
    write_id(out, "comparison_ref", gate->comparison);
    write_id(out, "baseline_run_ref", gate->baseline);
    write_id(out, "candidate_run_ref", gate->candidate);
    jw_c(out, "verdict", verdict_names[gate->verdict]);
    jw_int(out, "age_s", gate->age_s);
  }
  jw_object_end(out);
  call_ok(a->call);
}

void gate_get(struct api_call *call) {
  struct asking *a = arena_alloc(call->arena, sizeof *a);
  a->call = call;
  a->filter = (struct comparison_filter){.subject_ref = call_param(call, "subject_ref"),
                                         .candidate_variant = call_param(call, "candidate_variant")};
  struct str scenario = call_param(call, "scenario_ref"), age = call_param(call, "max_age_s");
  if (str_present(scenario)) id_parse(scenario, &a->filter.scenario);
  if (str_present(age)) str_int(age, &a->max_age_s);
  if (str_present(scenario) == str_present(a->filter.subject_ref)) {
    err_set(&call->err, ERR_BAD_REQUEST, "Name what is to go by exactly one of subject_ref and scenario_ref.");
    call_fail(call, &call->err);
    return;
  }
  call_work(call, decide, decided, a);
}
