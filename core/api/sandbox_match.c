// SPDX-License-Identifier: Apache-2.0
// The dry run of resolution: what would answer an input, and what would if that were not there. It reads and consumes
// nothing, so it is no mutation although it is a POST (an input does not fit into a query). It happens on
// the worker thread, with a plan that no run shares, and like a run a little at a time.
#include "api/sandbox_match.h"

#include "api/call.h"
#include "api/call_work.h"
#include "api/sandbox_runners.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mock/mock.h"
#include "sandbox/plan.h"
#include "sandbox/resolution.h"
#include "sandbox/run.h"

enum { SLICES_A_TURN = 20 }; // of about a millisecond

struct dry_run {
  struct api_call *call;
  struct plan *plan;
  struct mock_run *run;
  struct scenario scenario;
  struct str variant;
  struct mock_resource resource;
  struct digest whole;
  bool ok;
};

// A huge answer is shown as a run's output would be.
static void write_response(struct json_writer *out, struct str response) {
  struct str shown = utf8_clamp(response, OUTPUT_MAX_BYTES);
  jw_str(out, "response", shown);
  if (shown.len < response.len) jw_int(out, "response_bytes", (int64_t)response.len);
}

static void write_answer(struct json_writer *out, const struct dry_run *dry, const struct mock_answer *answer) {
  const struct mock_set *mocks = dry->plan->mocks;
  resolution_write(out, mocks, answer);
  write_response(out, answer->response);
  if (answer->hit || answer->undecided != MOCK_NONE) return;
  struct mock_near_miss near[MOCK_NEAR_MAX];
  resolution_write_near(out, mocks, near, mock_near_misses(dry->run, near), mock_near_skipped(dry->run));
}

static void write_match(struct dry_run *dry, const struct mock_answer *answer) {
  struct json_writer *out = &dry->call->out;
  jw_object(out, NULL);
  write_id(out, "scenario_ref", dry->scenario.id);
  jw_int(out, "scenario_revision", dry->scenario.revision);
  write_text(out, "variant", dry->variant);
  if (str_present(dry->variant)) jw_c(out, "variant_kind", run_variant_kinds[dry->plan->overlaid]);
  jw_str(out, "resource", dry->resource.text);
  if (dry->resource.whole) write_digest(out, "resource_whole", dry->resource.whole);
  write_answer(out, dry, answer);
  if (str_present(dry->call->clamped)) {
    jw_array(out, "clamped");
    jw_raw(out, NULL, dry->call->clamped);
    jw_array_end(out);
  }
  jw_object_end(out);
}

static bool begin(struct dry_run *dry) {
  if (!plan_from_scenario(&dry->scenario, dry->variant, dry->scenario.seed, &dry->plan, &dry->call->err)) return false;
  dry->run = mock_run_new(dry->plan->mocks);
  mock_ask(dry->run, dry->resource);
  return true;
}

/// As many mocks as a slice has room for; then what else waits for the worker has its turn.
static void ask(void *ctx) {
  struct dry_run *dry = ctx;
  struct mock_answer answer = {0};
  if (!dry->run && !begin(dry)) return;
  for (int slices = 0; slices < SLICES_A_TURN && !dry->ok; slices++) dry->ok = mock_decide(dry->run, &answer);
  if (dry->ok) write_match(dry, &answer);
}

static void answered(void *ctx) {
  struct dry_run *dry = ctx;
  struct api_call *call = dry->call;
  if (!dry->ok && dry->run && loop_work(call->config->loop, ask, answered, dry)) return;
  if (!dry->ok && dry->run)
    err_set(&call->err, ERR_RATE_LIMITED, "The engine has too much to do; try again in a moment.");
  mock_run_free(dry->run);
  plan_unref(dry->plan);
  if (dry->ok)
    call_ok(call);
  else
    call_fail(call, &call->err);
}

void scenarios_match(struct api_call *call) {
  struct dry_run *dry = arena_alloc(call->arena, sizeof *dry);
  struct str input, whole = call_text(call, "input");
  bool found;
  dry->call = call;
  if (!label_member(call, "input", INPUT_MAX_BYTES, &input) ||
      !label_member(call, "variant", NAME_MAX_BYTES, &dry->variant) ||
      !scenario_get(call_reader(call), call->arena, call->tenant, call->path_id, &dry->scenario, &found, &call->err) ||
      (!found && !err_set(&call->err, ERR_NOT_FOUND, "There is no scenario with this id."))) {
    call_fail(call, &call->err);
    return;
  }
  // As a step's input would be stored: one that is cut carries the digest of the whole.
  dry->whole = hash_of(whole);
  dry->resource = (struct mock_resource){input, input.len < whole.len ? &dry->whole : NULL};
  call_work(call, ask, answered, dry);
}
