// SPDX-License-Identifier: Apache-2.0
// What a handler calls. The work behind each call is the transport's: incoming.c for a socket, direct.c in process.
#include "http/http.h"

#include <assert.h>

const char *http_method_name(enum http_method method) {
  switch (method) {
  case HTTP_GET: return "GET";
  case HTTP_POST: return "POST";
  case HTTP_PUT: return "PUT";
  case HTTP_DELETE: return "DELETE";
  case HTTP_OTHER: return "OTHER";
  }
  assert(false && "a method outside the enumeration");
  return "";
}

// Half an answer must not look like one.
static unsigned replace_incomplete_body(struct http_exchange *exchange) {
  static const char MESSAGE[] = "{\"error\":{\"code\":\"internal\",\"message\":\"The answer is too large to send.\"}}";
  buf_done(&exchange->body);
  buf_init(&exchange->body, sizeof MESSAGE);
  buf_add_c(&exchange->body, MESSAGE);
  exchange->content_type = "application/json";
  return 500;
}

void http_reply(struct http_exchange *exchange, unsigned status) {
  assert(status >= 200 && status <= 599);
  exchange->status = exchange->body.over ? replace_incomplete_body(exchange) : status;
  exchange->reply(exchange);
}

void http_reply_stream(struct http_exchange *exchange, struct http_stream *stream) {
  exchange->status = 200;
  exchange->start_stream(exchange, stream);
}

void http_stream_wake(struct http_stream *stream) {
  if (stream->wake != NULL) stream->wake(stream->wake_ctx);
}
