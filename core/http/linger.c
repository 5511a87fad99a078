// SPDX-License-Identifier: Apache-2.0
// Lingering close (RFC 9112, section 9.6). A request refused before its body was read leaves bytes in the socket;
// closing it then makes the kernel send a reset, which can overtake the answer and leave the client with "connection
// reset" instead of the reason. So a duplicate of the socket stays open and what arrives is thrown away, within bounds,
// until the client has read the answer and closes. libmicrohttpd has shut down our half by then.
#include "http/linger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINGERS_MAX = 64, LINGER_MS = 5000, LINGER_MAX_BYTES = 16 * 1024 * 1024 };

struct lingering {
  LIST_ENTRY(lingering) link;
  struct http_server *server;
  int fd;
  struct loop_io *io;
  struct loop_timer *timer;
  size_t thrown_away;
};

static void linger_close(void *ctx) {
  struct lingering *lingering = ctx;
  LIST_REMOVE(lingering, link);
  lingering->server->lingering_count--;
  loop_io_close(lingering->io);
  loop_timer_close(lingering->timer);
  close(lingering->fd);
  free(lingering);
}

static void on_readable(void *ctx, int fd, unsigned events) {
  (void)events;
  struct lingering *lingering = ctx;
  char sink[16 * 1024];
  ssize_t got = recv(fd, sink, sizeof sink, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) lingering->thrown_away += (size_t)got;
  if (got <= 0 || lingering->thrown_away > LINGER_MAX_BYTES) linger_close(lingering);
}

void linger_start(struct http_server *server, int fd) {
  if (server->lingering_count == LINGERS_MAX) return;
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return;
  struct lingering *lingering = mem_zalloc(sizeof *lingering);
  lingering->server = server;
  lingering->fd = duplicate;
  lingering->io = loop_io_open(server->loop, duplicate, LOOP_READ, on_readable, lingering);
  lingering->timer = loop_timer_open(server->loop, linger_close, lingering);
  loop_timer_set(lingering->timer, LINGER_MS);
  LIST_INSERT_HEAD(&server->lingerings, lingering, link);
  server->lingering_count++;
}

void lingerings_close(struct http_server *server) {
  struct lingering *next = NULL;
  for (struct lingering *lingering = LIST_FIRST(&server->lingerings); lingering != NULL; lingering = next) {
    next = LIST_NEXT(lingering, link);
    linger_close(lingering);
  }
}
