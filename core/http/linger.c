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

struct linger {
  LIST_ENTRY(linger) link;
  struct http_server *server;
  int fd;
  struct loop_io *io;
  struct loop_timer *timer;
  size_t thrown_away;
};

static void linger_close(void *ctx) {
  struct linger *linger = ctx;
  LIST_REMOVE(linger, link);
  linger->server->linger_count--;
  loop_io_close(linger->io);
  loop_timer_close(linger->timer);
  close(linger->fd);
  free(linger);
}

static void on_readable(void *ctx, int fd, unsigned events) {
  (void)events;
  struct linger *linger = ctx;
  char sink[16 * 1024];
  ssize_t got = recv(fd, sink, sizeof sink, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) linger->thrown_away += (size_t)got;
  if (got <= 0 || linger->thrown_away > LINGER_MAX_BYTES) linger_close(linger);
}

void linger_start(struct http_server *server, int fd) {
  if (server->linger_count == LINGERS_MAX) return;
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return;
  struct linger *linger = mem_zalloc(sizeof *linger);
  linger->server = server;
  linger->fd = duplicate;
  linger->io = loop_io_open(server->loop, duplicate, LOOP_READ, on_readable, linger);
  linger->timer = loop_timer_open(server->loop, linger_close, linger);
  loop_timer_set(linger->timer, LINGER_MS);
  LIST_INSERT_HEAD(&server->lingers, linger, link);
  server->linger_count++;
}

void lingers_close(struct http_server *server) {
  while (!LIST_EMPTY(&server->lingers)) linger_close(LIST_FIRST(&server->lingers));
}
