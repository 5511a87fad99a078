// SPDX-License-Identifier: Apache-2.0
// What the engine says of itself, to anybody: health, readiness, metrics, the API's description. None of it names a
// tenant or anything that belongs to one.
#include "api/platform_system.h"

#include "access/accounts.h"
#include "api/api_private.h"
#include "api/call.h"
#include "api/metrics.h"
#include "api/openapi.h"
#include "sandbox/limits.h"

void system_health(struct api_call *call) {
  jw_object(&call->out, NULL);
  jw_c(&call->out, "status", "ok");
  jw_object_end(&call->out);
  call_ok(call);
}

static void write_runners(struct json_writer *out, struct sandbox *sandbox) {
  jw_array(out, "runners");
  for (size_t i = 0; i < sandbox_runner_count(sandbox); i++) {
    struct runner *runner = sandbox_runner_at(sandbox, i);
    jw_object(out, NULL);
    jw_c(out, "name", runner->name);
    jw_bool(out, "available", runner->preflight(runner)->available);
    jw_object_end(out);
  }
  jw_array_end(out);
}

void system_ready(struct api_call *call) {
  struct store *store = call->config->store;
  struct err why = {0};
  struct store_stats stats;
  bool draining = call->api->draining, writable = store_healthy(store, &why);
  store_stats(store, &stats);
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  jw_c(out, "status", draining ? "draining" : writable ? "ready" : "unwritable");
  jw_int(out, "schema_version", store_schema_version(store));
  jw_object(out, "store");
  jw_bool(out, "writable", writable);
  jw_int(out, "queue", (int64_t)stats.queue_len);
  jw_object_end(out);
  write_runners(out, call->config->sandbox);
  jw_object_end(out);
  call_ok_as(call, draining || !writable ? call->route->status_also : call->route->status);
}

void system_metrics(struct api_call *call) {
  struct metrics metrics = {
      .version = call->config->version,
      .schema_version = store_schema_version(call->config->store),
      .calls = api_calls_under_way(call->api),
      .executions = sandbox_under_way(call->config->sandbox),
  };
  store_stats(call->config->store, &metrics.store);
  if (call->api->server) http_server_stats(call->api->server, &metrics.http);
  metrics_process(&metrics);
  metrics_write(&metrics, &call->exchange->body);
  call_ok(call);
}

void system_openapi(struct api_call *call) {
  openapi_write(call->config->version, &call->exchange->body);
  call_ok(call);
}

static void write_limits(struct json_writer *out) {
  jw_object(out, "limits");
  jw_int(out, "body_bytes", HTTP_BODY_MAX_BYTES);
  jw_int(out, "page_items", PAGE_MAX);
  jw_int(out, "name_bytes", NAME_MAX_BYTES);
  jw_int(out, "ref_bytes", REF_MAX_BYTES);
  jw_int(out, "input_bytes", INPUT_MAX_BYTES);
  jw_int(out, "output_bytes", OUTPUT_MAX_BYTES);
  jw_int(out, "evidence_bytes", EVIDENCE_MAX_BYTES);
  jw_object_end(out);
}

void system_info(struct api_call *call) {
  bool setup_required;
  if (!accounts_setup_required(call_reader(call), &setup_required, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  jw_c(out, "name", "olivares");
  jw_c(out, "version", call->config->version);
  jw_c(out, "api", "v1");
  jw_int(out, "schema_version", store_schema_version(call->config->store));
  jw_bool(out, "setup_required", setup_required);
  write_limits(out);
  jw_object_end(out);
  call_ok(call);
}
