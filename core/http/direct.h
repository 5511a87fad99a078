// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/http.h"

/// A request made in process. `path_and_query` as in a request line; `body` may be absent. Copied. The caller owns the
/// loop and turns it until `on_end` ran.
struct http_direct {
  enum http_method method;
  struct str path_and_query;
  struct str body;
  struct str tenant;        ///< X-Olivares-Tenant, or absent
  struct str last_event_id; ///< or absent
  /// A piece of an event stream (status 200); called zero or more times before on_end. May be NULL.
  void (*on_event_bytes)(void *ctx, struct str bytes);
  /// The whole answer; body is empty for a stream. Borrowed during the call.
  void (*on_end)(void *ctx, unsigned status, struct str body);
  void *ctx;
};
void http_direct_send(const struct http_handler *handler, const struct http_direct *request);
