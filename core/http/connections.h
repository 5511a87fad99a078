// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>
#include <sys/queue.h>

#include "http/server_state.h"

struct incoming;

struct http_connection {
  LIST_ENTRY(http_connection) link;
  int fd;                    // libmicrohttpd's
  struct incoming *incoming; // the request under way, from its first line to its end; NULL between requests
  unsigned waiting_since;    // the sweep during which it began to wait for its next request
};

/// libmicrohttpd's MHD_NotifyConnectionCallback; `server` is the http_server.
void connection_notify(void *server, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);
struct http_connection *connection_of(struct MHD_Connection *mhd);

/// Cuts the connections that have taken four sweeps or more to send one request. Call it periodically.
void connections_sweep(struct http_server *server);
/// Cuts the connections on which no request is under way.
void connections_cut_idle(struct http_server *server);
