// SPDX-License-Identifier: Apache-2.0
// A request without a socket: the CLI's way to the same handlers. There is no client that could vanish and no room
// that could run out, so an answer is handed over as it is made, and a stream is pulled until it waits.
#include "http/direct.h"

#include "http/target.h"

enum { STREAM_PIECE_MAX_BYTES = 16 * 1024 * 1024 };

struct direct {
  struct http_exchange exchange; // first: the transport's calls get its address
  void (*on_event_bytes)(void *ctx, struct str bytes);
  void (*on_end)(void *ctx, unsigned status, struct str body);
  void *ctx;
  struct http_stream *stream;
  struct buf events;
  bool pulling, woken;
};

static struct direct *direct_of(struct http_exchange *exchange) {
  return (struct direct *)exchange;
}

static void finish(struct direct *direct, struct str body) {
  direct->on_end(direct->ctx, direct->exchange.status, body);
  buf_done(&direct->events);
  buf_done(&direct->exchange.body);
  arena_free(direct->exchange.arena); // and with it `direct`
}

static void direct_reply(struct http_exchange *exchange) {
  finish(direct_of(exchange), buf_str(&exchange->body));
}

static void hand_over(struct direct *direct) {
  if (direct->events.len > 0 && direct->on_event_bytes != NULL) {
    direct->on_event_bytes(direct->ctx, buf_str(&direct->events));
  }
  buf_clear(&direct->events);
}

// A wake from inside pull means: ask once more even though this pull says WAIT.
static void pull_until_it_waits(void *ctx) {
  struct direct *direct = ctx;
  direct->woken = true;
  if (direct->pulling) return;
  direct->pulling = true;
  enum http_pull pulled = HTTP_PULL_WAIT;
  while (direct->woken) {
    direct->woken = false;
    pulled = direct->stream->pull(direct->stream, &direct->events);
    if (direct->events.over) {
      direct->exchange.status = 500;
      pulled = HTTP_PULL_END;
    } else {
      hand_over(direct);
    }
    if (pulled == HTTP_PULL_END) break;
    if (pulled == HTTP_PULL_DATA) direct->woken = true;
  }
  direct->pulling = false;
  if (pulled != HTTP_PULL_END) return;
  direct->stream->wake = NULL;
  direct->stream->close(direct->stream);
  finish(direct, STR(""));
}

static void direct_start_stream(struct http_exchange *exchange, struct http_stream *stream) {
  struct direct *direct = direct_of(exchange);
  direct->stream = stream;
  stream->wake_ctx = direct;
  stream->wake = pull_until_it_waits;
  pull_until_it_waits(direct);
}

static struct str copy(struct arena *arena, struct str text) {
  return str_present(text) ? arena_str(arena, text) : STR_NONE;
}

void http_direct_send(const struct http_handler *handler, const struct http_direct *request) {
  struct arena *arena = arena_new();
  struct direct *direct = arena_alloc(arena, sizeof *direct);
  direct->on_event_bytes = request->on_event_bytes;
  direct->on_end = request->on_end;
  direct->ctx = request->ctx;
  buf_init(&direct->events, STREAM_PIECE_MAX_BYTES);

  struct http_exchange *exchange = &direct->exchange;
  exchange->arena = arena;
  exchange->reply = direct_reply;
  exchange->start_stream = direct_start_stream;
  exchange->content_type = "application/json";
  buf_init(&exchange->body, HTTP_REPLY_MAX_BYTES);

  exchange->request.method = request->method;
  exchange->request.method_name = str_c(http_method_name(request->method));
  target_read(arena, request->path_and_query, &exchange->request);
  exchange->request.tenant = copy(arena, request->tenant);
  exchange->request.last_event_id = copy(arena, request->last_event_id);
  exchange->request.local = true;
  if (request->body.len > HTTP_BODY_MAX_BYTES) {
    exchange->request.body_too_large = true;
  } else {
    exchange->request.body = copy(arena, request->body);
  }
  handler->handle(handler->ctx, exchange);
}
