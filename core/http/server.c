// SPDX-License-Identifier: Apache-2.0
// The HTTP server: libmicrohttpd in external epoll mode, run from the loop.
//
// libmicrohttpd must be run when its epoll descriptor is readable, when its timeout is over, and at once when it says
// that it has work left (timeout 0). Resuming a connection needs no more: it writes to an eventfd in that epoll set.
// MHD_run is called from pump alone, and pump from the loop alone, never from inside a handler.
//
// Requests are incoming.c, answers outgoing.c and feed.c, what libmicrohttpd lacks about connections connections.c.
// SIGPIPE is the composition root's to ignore; libmicrohttpd sends with MSG_NOSIGNAL.
#include "http/server.h"

#include <assert.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "http/connections.h"
#include "http/incoming.h"
#include "http/linger.h"
#include "http/mhd.h"
#include "http/refusal.h"
#include "http/server_state.h"

enum {
  PUMP_RUNS_MAX = 4, // in a row, before the rest of the loop gets its turn
  DEFAULT_CONNECTIONS = 1024,
  DEFAULT_IDLE_TIMEOUT_S = 60,
  HEARTBEAT_MS = 15 * 1000,
  // Headers of 16 KiB, what is parsed of them, and the answer's headers; libmicrohttpd clears all of it for every
  // request.
  CONNECTION_MEMORY_BYTES = 32 * 1024,
};

void http_server_run_soon(struct http_server *server) {
  if (server->running_soon) return;
  server->running_soon = server->run_timer_set = true;
  loop_timer_set(server->run_timer, 0);
}

static void pump(struct http_server *server) {
  for (int run = 0; run < PUMP_RUNS_MAX; run++) {
    server->run_again = false;
    MHD_run(server->daemon);
    if (server->run_again) continue;
    MHD_UNSIGNED_LONG_LONG after_ms = 0;
    if (MHD_get_timeout(server->daemon, &after_ms) != MHD_YES) return;
    if (after_ms == 0) continue;
    // Later activity only moves the deadline back, so a timer that is set stays good.
    if (!server->run_timer_set) {
      server->run_timer_set = true;
      loop_timer_set(server->run_timer, (int64_t)after_ms);
    }
    return;
  }
  http_server_run_soon(server);
}

static void on_epoll(void *ctx, int fd, unsigned events) {
  (void)fd, (void)events;
  pump(ctx);
}

static void on_run_timer(void *ctx) {
  struct http_server *server = ctx;
  server->running_soon = server->run_timer_set = false;
  pump(server);
}

static void on_sweep_timer(void *ctx) {
  struct http_server *server = ctx;
  connections_sweep(server);
  loop_timer_set(server->sweep_timer, server->sweep_every_ms);
}

// Targets reach the handler as they were sent; what libmicrohttpd makes of them is not used.
static size_t keep_escapes(void *ctx, struct MHD_Connection *mhd, char *text) {
  (void)ctx, (void)mhd;
  return strlen(text);
}

static bool start_daemon(struct http_server *server, const struct http_server_config *config, int listen_fd,
                         struct err *err) {
  unsigned idle_timeout_s = config->idle_timeout_s > 0 ? config->idle_timeout_s : DEFAULT_IDLE_TIMEOUT_S;
  unsigned max_connections = config->max_connections > 0 ? config->max_connections : DEFAULT_CONNECTIONS;
  server->sweep_every_ms = (int64_t)idle_timeout_s * 500;
  server->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, //
                                    incoming_receive, server,                                                    //
                                    MHD_OPTION_EXTERNAL_LOGGER, refusal_on_log, server,                          //
                                    MHD_OPTION_LISTEN_SOCKET, listen_fd,                                         //
                                    MHD_OPTION_CONNECTION_LIMIT, max_connections,                                //
                                    MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_s,                               //
                                    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,         //
                                    MHD_OPTION_STRICT_FOR_CLIENT, 0,                                             //
                                    MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,                            //
                                    MHD_OPTION_URI_LOG_CALLBACK, incoming_begin, server,                         //
                                    MHD_OPTION_NOTIFY_COMPLETED, incoming_end, server,                           //
                                    MHD_OPTION_NOTIFY_CONNECTION, connection_notify, server, MHD_OPTION_END);
  // On failure libmicrohttpd may or may not have closed the socket, so nobody else can.
  if (server->daemon == NULL)
    return err_set(err, ERR_UNAVAILABLE, "the HTTP server did not start on %s", server->address);
  return true;
}

bool http_server_open(const struct http_server_config *config, struct http_server **ret_server, struct err *err) {
  struct http_server *server = mem_zalloc(sizeof *server);
  server->loop = config->loop;
  server->handler = config->handler;
  server->heartbeat_ms = HEARTBEAT_MS;
  int listen_fd = -1;
  if (!mhd_load(err) || !listen_open(config->listen, &listen_fd, server->address, err) ||
      !start_daemon(server, config, listen_fd, err)) {
    free(server);
    return false;
  }
  int epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  server->epoll_io = loop_io_open(server->loop, epoll_fd, LOOP_READ, on_epoll, server);
  server->run_timer = loop_timer_open(server->loop, on_run_timer, server);
  server->sweep_timer = loop_timer_open(server->loop, on_sweep_timer, server);
  loop_timer_set(server->sweep_timer, server->sweep_every_ms);
  *ret_server = server;
  return true;
}

const char *http_server_address(const struct http_server *server) {
  return server->address;
}

void http_server_check_drained(struct http_server *server) {
  if (server->drained == NULL || server->stats.exchanges > 0) return;
  loop_defer(server->loop, server->drained, server->drained_ctx);
  server->drained = NULL;
}

void http_server_drain(struct http_server *server, loop_fn drained, void *ctx) {
  if (!server->draining) {
    server->draining = true;
    int listen_fd = MHD_quiesce_daemon(server->daemon);
    if (listen_fd >= 0) close(listen_fd);
    connections_cut_idle(server);
  }
  server->drained = drained;
  server->drained_ctx = ctx;
  http_server_check_drained(server);
}

void http_server_stats(const struct http_server *server, struct http_server_stats *ret_stats) {
  *ret_stats = server->stats;
}

void http_server_close(struct http_server *server) {
  if (server == NULL) return;
  server->drained = NULL;
  loop_io_close(server->epoll_io);
  incomings_resume(server);
  MHD_stop_daemon(server->daemon);
  incomings_detach(server);
  lingerings_close(server);
  loop_timer_close(server->run_timer);
  loop_timer_close(server->sweep_timer);
  free(server);
}
