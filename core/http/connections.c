// SPDX-License-Identifier: Apache-2.0
// The connections that libmicrohttpd holds, for the two things it can't do itself: close the idle ones, and end a
// client that sends one byte now and then and so never trips the inactivity timeout.
//
// A connection is cut by shutdown(2): libmicrohttpd then sees the end of it and cleans up as for any other.
#include "http/connections.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "http/incoming.h"

enum { SWEEPS_PER_REQUEST = 4 };

void connection_notify(void *ctx, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code) {
  struct http_server *server = ctx;
  switch (code) {
  case MHD_CONNECTION_NOTIFY_STARTED: {
    struct http_connection *connection = mem_zalloc(sizeof *connection);
    connection->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    connection->waiting_since = server->sweep;
    LIST_INSERT_HEAD(&server->connections, connection, link);
    server->stats.connections++;
    *socket_context = connection;
    return;
  }
  case MHD_CONNECTION_NOTIFY_CLOSED: {
    struct http_connection *connection = *socket_context;
    // One that dies of a failed epoll_ctl(2) skips the notice of the request's end.
    if (connection->incoming != NULL) incoming_abandon(connection->incoming);
    LIST_REMOVE(connection, link);
    server->stats.connections--;
    // At its connection limit libmicrohttpd listens again only in its next run.
    server->run_again = true;
    free(connection);
    return;
  }
  }
}

struct http_connection *connection_of(struct MHD_Connection *mhd) {
  return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void connections_sweep(struct http_server *server) {
  server->sweep++;
  struct http_connection *connection;
  LIST_FOREACH(connection, &server->connections, link) {
    bool receiving = connection->incoming == NULL || !connection->incoming->dispatched;
    bool slow = server->sweep - connection->waiting_since > SWEEPS_PER_REQUEST;
    if (receiving && slow) shutdown(connection->fd, SHUT_RDWR);
  }
}

void connections_cut_idle(struct http_server *server) {
  struct http_connection *connection;
  LIST_FOREACH(connection, &server->connections, link) {
    if (connection->incoming == NULL) shutdown(connection->fd, SHUT_RDWR);
  }
}
