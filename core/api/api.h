// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "http/http.h"
#include "http/server.h"
#include "loop/loop.h"
#include "sandbox/sandbox.h"
#include "store/store.h"

/// Every route in one table, in front of the flows. An http_handler that checks a request in the order authentication →
/// setup → tenant → module → permission → query → body, then calls the route's handler.
struct api;

struct api_config {
  struct store *store;
  struct loop *loop;
  struct sandbox *sandbox;
  struct clock clock;
  const char *data_dir; ///< where the setup token lies
  const char *version;  ///< "0.1.0"
  uint8_t cursor_key[32];
};

struct api *api_new(const struct api_config *config); ///< copies the configuration, borrows what it points to
void api_free(struct api *api);                       ///< accepts NULL; no call may be under way
struct http_handler api_handler(struct api *api);

/// For /metrics and /readyz. The server is known only after it listens; NULL in process.
void api_set_server(struct api *api, const struct http_server *server);
void api_set_draining(struct api *api); ///< readyz answers 503 from now on
/// Calls whose answer is still to come.
unsigned api_calls_under_way(const struct api *api);
