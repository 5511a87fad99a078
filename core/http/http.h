// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

// The one request type. A request comes from a socket (http/server.h) or is made in process by the CLI (http/direct.h);
// the handler can't tell which, and answers once, now or later.

enum http_method { HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_OTHER };
const char *http_method_name(enum http_method method);

struct http_param {
  struct str name, value; // percent-decoded, borrowed from the exchange's arena
};

struct http_request {
  enum http_method method;
  struct str method_name;         ///< as sent: what HTTP_OTHER stands for, and HEAD, which is served like GET
  struct str path;                ///< as sent, not decoded, without the query
  const struct http_param *query; ///< in the order sent
  size_t query_count;
  struct str authorization, tenant, last_event_id; ///< header values; absent when not sent
  const char *repeated_field; ///< name of a header that may come once and came twice; NULL when none did
  struct str body;
  bool body_too_large;   ///< the body went over the cap; `body` is empty
  bool query_malformed;  ///< http_query_parse refused the query; `query` is empty
  bool target_malformed; ///< a blank in the target; never seen by a handler
  bool local;            ///< made in process by the person who owns the data directory
};

/// A source of server-sent events, pulled when there is room to send.
enum http_pull { HTTP_PULL_DATA, HTTP_PULL_WAIT, HTTP_PULL_END };
struct http_stream {
  /// Appends whole events to `out` and returns DATA; or returns WAIT and later calls http_stream_wake; or END.
  enum http_pull (*pull)(struct http_stream *stream, struct buf *out);
  void (*close)(struct http_stream *stream); ///< called exactly once, also when the client went away
  void *wake_ctx;                            // the transport's
  void (*wake)(void *wake_ctx);              // the transport's
};
/// There may be something to pull. Loop thread. Harmless when nobody waits.
void http_stream_wake(struct http_stream *stream);

/// A request being answered. Lives until it was answered and sent, even when the client goes away before.
struct http_exchange {
  struct http_request request;
  struct arena *arena;                           ///< for everything that lives as long as the exchange
  void (*reply)(struct http_exchange *exchange); // the transport's
  void (*start_stream)(struct http_exchange *exchange, struct http_stream *stream); // the transport's
  unsigned status;
  const char *content_type; ///< default "application/json"
  struct buf body;          ///< what the handler writes; capped at HTTP_REPLY_MAX_BYTES
  struct str allow;         ///< with 405: the Allow header
  int64_t retry_after_s;    ///< with 429 and 503: the Retry-After header when > 0
};
enum { HTTP_REPLY_MAX_BYTES = 256 * 1024 * 1024, HTTP_BODY_MAX_BYTES = 1024 * 1024 };

/// Sends status and body. Exactly once per exchange; the exchange may be gone afterwards. Loop thread.
void http_reply(struct http_exchange *exchange, unsigned status);
/// Answers 200 text/event-stream from `stream` (instead of http_reply).
void http_reply_stream(struct http_exchange *exchange, struct http_stream *stream);

/// What serves requests.
struct http_handler {
  void (*handle)(void *ctx, struct http_exchange *exchange);
  void *ctx;
};

/// Splits and percent-decodes "a=1&b=2" ('+' is a blank). False when malformed: bad escapes, a NUL, malformed UTF-8, an
/// empty parameter ("a=1&", "a=1&&b=2"), more than 64. The empty query has none and is well-formed.
bool http_query_parse(struct arena *arena, struct str query, const struct http_param **ret_params, size_t *ret_count);
