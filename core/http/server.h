// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/http.h"
#include "loop/loop.h"

// libmicrohttpd in external epoll mode, driven from the loop: no thread of its own. A request that waits for the store
// is suspended and resumed when its reply is there.

struct http_server;

struct http_server_config {
  const char *listen; ///< "127.0.0.1:8440", "[::1]:0", "localhost:8440"
  struct loop *loop;
  struct http_handler handler;
  unsigned max_connections; ///< 0 = 1024
  unsigned idle_timeout_s;  ///< 0 = 60; a connection that sends nothing for that long is closed (slow senders too)
};

/// Errors: ERR_BAD_REQUEST for an address that can't be read (says what one looks like), ERR_UNAVAILABLE for "address
/// in use" and the like, with the address and the way out.
bool http_server_open(const struct http_server_config *config, struct http_server **ret_server, struct err *err);
/// "127.0.0.1:8440", with the port the system chose when 0 was asked for. Borrowed.
const char *http_server_address(const struct http_server *server);
/// Stops accepting; what is under way goes on. `drained` runs on the loop once no exchange is left.
void http_server_drain(struct http_server *server, loop_fn drained, void *ctx);
struct http_server_stats {
  uint64_t requests;
  unsigned connections, exchanges; ///< now
};
void http_server_stats(const struct http_server *server, struct http_server_stats *ret_stats);
void http_server_close(struct http_server *server); ///< cuts what is left; accepts NULL
