// SPDX-License-Identifier: Apache-2.0
// Backends, synthetic data, and the members that the launching routes have in common.
#include "api/sandbox_runners.h"

#include <stdio.h>

#include "api/call.h"
#include "api/sandbox_documents.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "sandbox/flows.h"
#include "sandbox/scenario.h"

void runners_list(struct api_call *call) {
  struct sandbox *sandbox = call->config->sandbox;
  jw_object(&call->out, NULL);
  jw_array(&call->out, "items");
  for (size_t i = 0; i < sandbox_runner_count(sandbox); i++) {
    struct runner *runner = sandbox_runner_at(sandbox, i);
    write_runner(&call->out, runner, runner->preflight(runner));
  }
  jw_array_end(&call->out);
  jw_bool(&call->out, "has_more", false);
  jw_object_end(&call->out);
  call_ok(call);
}

// ---- synthetic data ----

enum { SAMPLES_MAX_BYTES = 8 * 1024 * 1024 };

struct samples {
  struct buf json;
  int64_t count;
};

static bool apply_synthetic(struct api_call *call, struct store_conn *conn, struct err *err) {
  const struct samples *samples = call->state;
  char details[64];
  snprintf(details, sizeof details, "{\"count\":%lld}", (long long)samples->count);
  return call_audit(call, conn, "synthetic_data.generate", STR_NONE, str_c(details), err);
}

static void reply_synthetic(struct api_call *call) {
  struct samples *samples = call->state;
  jw_object(&call->out, NULL);
  jw_raw(&call->out, "samples", buf_str(&samples->json));
  jw_object_end(&call->out);
  call_ok(call);
}

void synthetic_data(struct api_call *call) {
  struct samples *samples = arena_alloc(call->arena, sizeof *samples);
  struct buf json;
  buf_init(&json, SAMPLES_MAX_BYTES);
  bool ok = generate(call_text(call, "subject_kind"), call_int(call, "count", 0), call_text(call, "seed"), &json,
                     &samples->count, &call->err);
  if (ok) {
    // Into the arena: the call may be answered from several places, and only the arena is released by all of them.
    struct str kept = arena_str(call->arena, buf_str(&json));
    samples->json = (struct buf){.data = (char *)(uintptr_t)kept.data, .len = kept.len};
    call->state = samples;
  }
  buf_done(&json);
  if (ok)
    call_mutate(call, apply_synthetic, reply_synthetic);
  else
    call_fail(call, &call->err);
}

// ---- shared members ----

bool runner_member(struct api_call *call, struct str *ret_name) {
  struct str name = call_text(call, "runner");
  if (str_present(name) && !sandbox_runner(call->config->sandbox, name))
    return err_set_at(&call->err, ERR_BAD_REQUEST, "runner",
                      "There is no runner '%.*s'; GET /v1/m/sandbox/runners lists all.", STR_ARG(name));
  *ret_name = name;
  return true;
}

/// Adds a JSON array of places to call->clamped.
static void note_clamped(struct api_call *call, struct str places) {
  if (!str_present(places)) return;
  struct str inner = {places.data + 1, places.len - 2};
  if (!str_present(call->clamped))
    call->clamped = arena_printf(call->arena, "%.*s", STR_ARG(inner));
  else
    call->clamped = arena_printf(call->arena, "%.*s,%.*s", STR_ARG(call->clamped), STR_ARG(inner));
}

bool label_member(struct api_call *call, const char *member, size_t limit, struct str *ret_text) {
  struct str text = call_text(call, member);
  if (text.len > limit) {
    if (call_strict(call))
      return err_set_at(&call->err, ERR_BAD_REQUEST, member,
                        "The text has %zu bytes, the limit is %zu; shorten it or leave out strict=true.", text.len,
                        limit);
    note_clamped(call, arena_printf(call->arena, "[\"%s\"]", member));
    text = utf8_clamp(text, limit);
  }
  *ret_text = text;
  return true;
}

bool mocks_member(struct api_call *call, const char *member, struct str *ret_mocks) {
  struct str clamped;
  if (!scenario_read_mocks(json_object_get(call->body, member), member, call_strict(call), call->arena, ret_mocks,
                           &clamped, &call->err))
    return false;
  note_clamped(call, clamped);
  return true;
}
