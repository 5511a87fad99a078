// SPDX-License-Identifier: Apache-2.0
// A request between libmicrohttpd and the handler.
//
// libmicrohttpd calls incoming_receive once at the head, once for every piece of the body, and then, "finally", until
// we queue a response. On the first final call the request goes to the handler. When the answer is not there on return,
// the connection is not suspended yet but in the next final call, which comes in the same pump: a connection suspended
// in the first would be read from when it is resumed, and a client that has shut down its sending half would pass for
// one that left.
//
// Who frees it: libmicrohttpd's notice of the end, when the handler has answered or never saw it; else the answer
// itself. A handler may hold an exchange for as long as it likes, past the connection and past the server.
#include "http/incoming.h"

#include <assert.h>
#include <string.h>

#include "http/head.h"
#include "http/linger.h"
#include "http/outgoing.h"
#include "http/target.h"

enum { DISCARD_MAX_BYTES = 4 * 1024 * 1024 };

static struct incoming *incoming_of(struct http_exchange *exchange) {
  return (struct incoming *)exchange;
}

static void incoming_free(struct incoming *incoming) {
  struct http_server *server = incoming->server;
  if (server != NULL) {
    LIST_REMOVE(incoming, link);
    server->stats.exchanges--;
    http_server_check_drained(server);
  }
  buf_done(&incoming->body);
  buf_done(&incoming->exchange.body);
  arena_free(incoming->exchange.arena); // and with it `incoming`
}

// The answer is there: hands it to the connection that waits for it.
static void deliver(struct incoming *incoming, struct MHD_Response *response) {
  if (incoming->server->draining) outgoing_close_after(response);
  incoming->response = response;
  if (!incoming->suspended) return; // the next final call takes it
  incoming->suspended = false;
  MHD_resume_connection(incoming->mhd);
  http_server_run_soon(incoming->server);
}

static void incoming_reply(struct http_exchange *exchange) {
  struct incoming *incoming = incoming_of(exchange);
  assert(!incoming->answered);
  incoming->answered = true;
  if (incoming->mhd == NULL) {
    incoming_free(incoming);
    return;
  }
  deliver(incoming, outgoing_reply(exchange));
}

static void incoming_start_stream(struct http_exchange *exchange, struct http_stream *stream) {
  struct incoming *incoming = incoming_of(exchange);
  assert(!incoming->answered);
  incoming->answered = true;
  if (incoming->mhd == NULL) {
    stream->close(stream);
    incoming_free(incoming);
    return;
  }
  struct MHD_Response *response = feed_open(&incoming->feed, stream, incoming->server, incoming->mhd);
  outgoing_mark_stream(response);
  deliver(incoming, response);
}

void *incoming_begin(void *ctx, const char *target, struct MHD_Connection *mhd) {
  struct http_server *server = ctx;
  struct arena *arena = arena_new();
  struct incoming *incoming = arena_alloc(arena, sizeof *incoming);
  incoming->server = server;
  incoming->mhd = mhd;
  incoming->connection = connection_of(mhd);
  incoming->connection->incoming = incoming;
  buf_init(&incoming->body, HTTP_BODY_MAX_BYTES);

  struct http_exchange *exchange = &incoming->exchange;
  exchange->arena = arena;
  exchange->reply = incoming_reply;
  exchange->start_stream = incoming_start_stream;
  exchange->content_type = "application/json";
  buf_init(&exchange->body, HTTP_REPLY_MAX_BYTES);
  target_read(arena, str_c(target), &exchange->request);

  LIST_INSERT_HEAD(&server->incomings, incoming, link);
  server->stats.exchanges++;
  return incoming;
}

static void dispatch(struct incoming *incoming) {
  struct http_server *server = incoming->server;
  struct http_request *request = &incoming->exchange.request;
  if (incoming->body.len > 0) request->body = buf_str(&incoming->body);
  incoming->dispatched = true;
  server->stats.requests++;
  server->handler.handle(server->handler.ctx, &incoming->exchange);
}

static enum MHD_Result queue_response(struct incoming *incoming) {
  struct MHD_Response *response = incoming->response;
  incoming->response = NULL;
  enum MHD_Result queued = MHD_queue_response(incoming->mhd, incoming->exchange.status, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result answer_or_wait(struct incoming *incoming) {
  if (incoming->response != NULL) return queue_response(incoming);
  incoming->suspended = true;
  MHD_suspend_connection(incoming->mhd);
  return MHD_YES;
}

static enum MHD_Result refuse(struct incoming *incoming, const struct refusal *refusal) {
  incoming->exchange.status = refusal->status;
  incoming->response = outgoing_refusal(refusal);
  incoming->body_unread = true;
  return queue_response(incoming);
}

static enum MHD_Result read_head(struct incoming *incoming, const char *method, const char *version) {
  struct http_exchange *exchange = &incoming->exchange;
  bool over_cap = false;
  incoming->head_read = true;
  const struct refusal *refusal =
      head_read(incoming->mhd, method, version, exchange->arena, &exchange->request, &over_cap);
  if (refusal != NULL) return refuse(incoming, refusal);
  if (!over_cap) return MHD_YES;
  // A response queued at the head makes libmicrohttpd close the connection behind it.
  exchange->request.body_too_large = true;
  incoming->body_unread = true;
  dispatch(incoming);
  return answer_or_wait(incoming);
}

static enum MHD_Result receive_body(struct incoming *incoming, const char *bytes, size_t len) {
  struct http_request *request = &incoming->exchange.request;
  if (!request->body_too_large && buf_add(&incoming->body, bytes, len)) return MHD_YES;
  request->body_too_large = true;
  buf_done(&incoming->body);
  incoming->discarded_bytes += len;
  return incoming->discarded_bytes <= DISCARD_MAX_BYTES ? MHD_YES : MHD_NO;
}

enum MHD_Result incoming_receive(void *server, struct MHD_Connection *mhd, const char *url, const char *method,
                                 const char *version, const char *upload, size_t *upload_bytes,
                                 void **request_context) {
  (void)server, (void)mhd, (void)url;
  struct incoming *incoming = *request_context;
  if (!incoming->head_read) return read_head(incoming, method, version);
  if (*upload_bytes > 0) {
    size_t len = *upload_bytes;
    *upload_bytes = 0;
    return receive_body(incoming, upload, len);
  }
  if (incoming->dispatched) return answer_or_wait(incoming);
  dispatch(incoming);
  return incoming->response != NULL ? queue_response(incoming) : MHD_YES;
}

void incoming_abandon(struct incoming *incoming) {
  incoming->connection->incoming = NULL;
  incoming->connection->waiting_since = incoming->server->sweep;
  incoming->connection = NULL;
  incoming->mhd = NULL;
  feed_close(&incoming->feed);
  MHD_destroy_response(incoming->response);
  incoming->response = NULL;
  if (incoming->answered || !incoming->dispatched) incoming_free(incoming);
}

void incoming_end(void *server, struct MHD_Connection *mhd, void **request_context,
                  enum MHD_RequestTerminationCode why) {
  struct incoming *incoming = *request_context;
  if (incoming == NULL) return;
  *request_context = NULL;
  if (incoming->body_unread && (why == MHD_REQUEST_TERMINATED_COMPLETED_OK || incoming->refused)) {
    linger_start(server, MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
  }
  incoming_abandon(incoming);
}

void incomings_resume(struct http_server *server) {
  struct incoming *incoming;
  LIST_FOREACH(incoming, &server->incomings, link) {
    feed_resume(&incoming->feed);
    if (incoming->suspended) MHD_resume_connection(incoming->mhd);
    incoming->suspended = false;
  }
}

void incomings_detach(struct http_server *server) {
  while (!LIST_EMPTY(&server->incomings)) {
    struct incoming *incoming = LIST_FIRST(&server->incomings);
    LIST_REMOVE(incoming, link);
    incoming->server = NULL;
  }
}
