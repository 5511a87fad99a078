// SPDX-License-Identifier: Apache-2.0
// Turns answers into libmicrohttpd responses. The body's bytes change hands, they are not copied.
#include "http/outgoing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Out of memory is the only failure left once names and values are ours, and we end on that everywhere.
static void add(struct MHD_Response *response, const char *name, const char *value) {
  bool added = MHD_add_response_header(response, name, value) == MHD_YES;
  assert(added);
}

static void add_common(struct MHD_Response *response, const char *content_type) {
  add(response, "Content-Type", content_type);
  add(response, "Cache-Control", "no-store");
  add(response, "X-Content-Type-Options", "nosniff");
}

struct MHD_Response *outgoing_reply(struct http_exchange *exchange) {
  size_t len = 0;
  char *body = buf_take(&exchange->body, &len);
  struct MHD_Response *response = MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE);
  assert(response != NULL);
  add_common(response, exchange->content_type);
  if (str_present(exchange->allow)) add(response, "Allow", arena_strdup(exchange->arena, exchange->allow));
  if (exchange->retry_after_s > 0) {
    char seconds[24];
    snprintf(seconds, sizeof seconds, "%" PRId64, exchange->retry_after_s);
    add(response, "Retry-After", seconds);
  }
  return response;
}

void outgoing_mark_stream(struct MHD_Response *response) {
  add_common(response, "text/event-stream");
  add(response, "X-Accel-Buffering", "no"); // nginx would otherwise hold events back
}

void outgoing_close_after(struct MHD_Response *response) {
  add(response, "Connection", "close");
}

struct MHD_Response *outgoing_refusal(const struct refusal *refusal) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(refusal->body), (void *)(uintptr_t)refusal->body, MHD_RESPMEM_PERSISTENT);
  assert(response != NULL);
  add_common(response, "application/json");
  outgoing_close_after(response);
  return response;
}
