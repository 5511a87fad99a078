// SPDX-License-Identifier: Apache-2.0
// The dry run of resolution: what would answer an input, and what would if that were not there. It reads and consumes
// nothing, so it is no mutation although it is a POST (an input does not fit into a query).
#include "api/sandbox_match.h"

#include "api/call.h"
#include "api/sandbox_runners.h"
#include "base/hash.h"
#include "base/mem.h"
#include "mock/mock.h"
#include "sandbox/flows.h"
#include "sandbox/plan.h"

enum { MARKER_MAX_BYTES = INPUT_MAX_BYTES + 64 };

struct candidates {
  struct json_writer *out;
  const struct mock_set *mocks;
  bool first;
};

static void write_candidate(void *ctx, size_t index) {
  struct candidates *c = ctx;
  jw_object(c->out, NULL);
  jw_str(c->out, "mock", mock_set_place(c->mocks, index));
  jw_bool(c->out, "answers", c->first);
  jw_str(c->out, "response", mock_set_response(c->mocks, index));
  jw_object_end(c->out);
  c->first = false;
}

static void write_answer(struct json_writer *out, const struct plan *plan, struct mock_resource resource) {
  struct mock_run *run = mock_run_new(plan->mocks);
  AUTO(buf_done) struct buf marker;
  buf_init(&marker, MARKER_MAX_BYTES);
  struct mock_answer answer;
  mock_resolve(run, resource, &marker, &answer);
  jw_bool(out, "mock_hit", answer.hit);
  if (answer.hit) jw_str(out, "mock", mock_set_place(plan->mocks, (size_t)answer.mock));
  jw_str(out, "response", answer.response);
  mock_run_free(run);
  struct candidates c = {out, plan->mocks, true};
  jw_array(out, "candidates");
  mock_set_candidates(plan->mocks, resource, write_candidate, &c);
  jw_array_end(out);
}

void scenarios_match(struct api_call *call) {
  struct str input, variant, whole = call_text(call, "input");
  struct scenario head;
  struct plan *plan = NULL;
  if (!label_member(call, "input", INPUT_MAX_BYTES, &input) ||
      !label_member(call, "variant", NAME_MAX_BYTES, &variant) ||
      !match_plan(call->config->sandbox, call->arena, call->tenant, call->path_id, variant, &head, &plan, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  // As a step's input would be stored: one that is cut carries the digest of the whole.
  struct digest digest = hash_of(whole);
  struct mock_resource resource = {input, input.len < whole.len ? &digest : NULL};
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  write_id(out, "scenario_ref", head.id);
  jw_int(out, "scenario_revision", head.revision);
  write_text(out, "variant", variant);
  jw_str(out, "resource", input);
  if (resource.whole) write_digest(out, "resource_whole", resource.whole);
  write_answer(out, plan, resource);
  if (str_present(call->clamped)) {
    jw_array(out, "clamped");
    jw_raw(out, NULL, call->clamped);
    jw_array_end(out);
  }
  jw_object_end(out);
  plan_unref(plan);
  call_ok(call);
}
