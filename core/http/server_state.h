// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/queue.h>

#include "http/listen.h"
#include "http/server.h"

// The server as the files behind http/server.h see it.

struct MHD_Daemon;
LIST_HEAD(connection_list, http_connection);
LIST_HEAD(incoming_list, incoming);
LIST_HEAD(lingering_list, lingering);

/// Has libmicrohttpd run on the next turn; needed after MHD_resume_connection.
void http_server_run_soon(struct http_server *server);
/// Calls `drained` when a drain was asked for and no exchange is left.
void http_server_check_drained(struct http_server *server);

struct http_server {
  struct loop *loop; // borrowed
  struct http_handler handler;
  struct MHD_Daemon *daemon;
  struct loop_io *epoll_io;     // libmicrohttpd's epoll descriptor
  struct loop_timer *run_timer; // when libmicrohttpd wants to be run although nothing happens on that descriptor
  bool run_timer_set, running_soon;
  bool run_again; // libmicrohttpd looks at what just changed only in its next run
  struct loop_timer *sweep_timer;
  int64_t sweep_every_ms;
  unsigned sweep;       // counts sweeps: the coarse clock by which connections.c measures slowness
  int64_t heartbeat_ms; // how long a stream may be silent
  char address[LISTEN_ADDRESS_MAX];
  struct connection_list connections;
  struct incoming_list incomings;
  struct lingering_list lingerings;
  unsigned lingering_count;
  struct http_server_stats stats;
  bool draining;
  loop_fn drained; // NULL once called
  void *drained_ctx;
};
