// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "access/principal.h"
#include "api/api.h"
#include "api/page.h"
#include "api/route.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "http/http.h"
#include "store/store.h"

/// One request on its way through a handler. Everything in it lives in the exchange's arena until the call was
/// answered; a handler answers exactly once, with call_ok, call_fail or call_stream, now or later, on the loop.
struct api_call {
  struct api *api;
  const struct api_config *config; ///< borrowed from api
  struct http_exchange *exchange;
  const struct route *route;
  struct arena *arena;

  struct principal who;
  struct id tenant;                    ///< zero for routes without one
  struct id path_id;                   ///< value of {id} in the path
  struct str params[ROUTE_PARAMS_MAX]; ///< values of route->params, in its order; absent when not sent
  struct page page;                    ///< for paged routes
  json_t *body;                        ///< checked against route->body; released with the call
  int64_t now_ns;                      ///< wall clock when the call came in
  struct json_writer out;              ///< writes into the reply's body
  struct str clamped;                  ///< places that were cut, as the inside of a JSON array; absent when none
  void *state;                         ///< the handler's own, in the arena
  struct err err;                      ///< scratch for handlers

  // call_mutate's
  struct store_op op;
  bool (*apply)(struct api_call *call, struct store_conn *conn, struct err *err);
  void (*reply)(struct api_call *call);
};

/// Sends what was written to call->out with route->status (call_ok_as: another).
void call_ok(struct api_call *call);
void call_ok_as(struct api_call *call, unsigned status);
/// Drops what was written and sends the error document.
void call_fail(struct api_call *call, const struct err *err);
void call_stream(struct api_call *call, struct http_stream *stream);

/// The loop's read connection.
struct store_conn *call_reader(struct api_call *call);

/// Runs `apply` on the writer thread inside the transaction, then `reply` on the loop once it is durable; a failure is
/// answered by itself. `apply` may run twice and may use the call's arena, not its writer.
void call_mutate(struct api_call *call, bool (*apply)(struct api_call *call, struct store_conn *conn, struct err *err),
                 void (*reply)(struct api_call *call));

/// Appends to the ledger of the call's tenant, from `apply`. `details` is a JSON object or absent.
bool call_audit(struct api_call *call, struct store_conn *conn, const char *action, struct str target,
                struct str details, struct err *err);

/// Value of parameter `name`, absent when not sent. `name` must be in route->params (asserted).
struct str call_param(struct api_call *call, const char *name);

/// Reads an integer as this program would write it: no sign but '-', no leading zeros, and not -0.
bool canonical_int(struct str text, int64_t *ret_number);

/// ?strict=true
bool call_strict(struct api_call *call);

/// Members of the body, borrowed; absent / `otherwise` when not there. The shapes were checked before.
struct str call_text(struct api_call *call, const char *member);
int64_t call_int(struct api_call *call, const char *member, int64_t otherwise);
bool call_bool(struct api_call *call, const char *member, bool otherwise);

/// The document of an error, as a value.
void write_error(struct json_writer *out, const struct err *err);
/// Writers of what every document has.
void write_id(struct json_writer *out, const char *key, struct id id);      ///< left out for the zero id
void write_time(struct json_writer *out, const char *key, int64_t wall_ns); ///< left out for 0
void write_digest(struct json_writer *out, const char *key, const struct digest *digest);
void write_text(struct json_writer *out, const char *key, struct str text); ///< left out when absent or empty
