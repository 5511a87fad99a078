// SPDX-License-Identifier: Apache-2.0
// The yardstick for reads: libmicrohttpd answering every request with the same bytes, and nothing else. It listens on
// a free port of 127.0.0.1, prints it, and serves until it is killed.
//
// Both ways in which libmicrohttpd serves many connections with one thread are here, because neither is always the
// faster: its own epoll thread, and its epoll descriptor driven from outside, as the engine does it.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BODY_MAX_BYTES = 1 << 20, CONNECTIONS_MAX = 1024 };

__attribute__((noreturn)) static void fail(const char *doing) {
  fprintf(stderr, "const_server: %s\n", doing);
  exit(EXIT_FAILURE);
}

// The first call comes with the head alone; libmicrohttpd closes the connection after an answer given that early.
static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_bytes, void **request_context) {
  (void)url, (void)method, (void)version, (void)upload, (void)upload_bytes;
  if (!*request_context) {
    *request_context = ctx;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, ctx);
}

static struct MHD_Response *make_response(size_t len) {
  char *body = malloc(len);
  if (!body) fail("no memory");
  memset(body, 'x', len);
  struct MHD_Response *response = MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE);
  if (!response || MHD_add_response_header(response, "Content-Type", "application/json") != MHD_YES)
    fail("no response");
  return response;
}

static void print_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  if (!info) fail("no port");
  printf("%u\n", (unsigned)info->port);
  fflush(stdout);
}

static void serve_from_outside(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  int waiting = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (!info || waiting < 0 || epoll_ctl(waiting, EPOLL_CTL_ADD, info->epoll_fd, &event) != 0) fail("epoll");
  for (;;) {
    MHD_UNSIGNED_LONG_LONG wait_ms;
    int timeout = MHD_get_timeout(daemon, &wait_ms) == MHD_YES ? (int)wait_ms : -1;
    epoll_wait(waiting, &event, 1, timeout);
    MHD_run(daemon);
  }
}

int main(int argc, char **argv) {
  char *end = NULL;
  long len = argc == 3 ? strtol(argv[1], &end, 10) : -1;
  bool outside = argc == 3 && strcmp(argv[2], "outside") == 0;
  if (len < 1 || len > BODY_MAX_BYTES || *end || (!outside && strcmp(argv[2], "thread") != 0)) {
    fprintf(stderr, "usage: const_server BODY_BYTES thread|outside\n");
    return 2;
  }
  struct MHD_Response *response = make_response((size_t)len);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  unsigned flags = MHD_USE_EPOLL | (outside ? 0 : MHD_USE_INTERNAL_POLLING_THREAD);
  struct MHD_Daemon *daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, response, MHD_OPTION_SOCK_ADDR, &address,
                                               MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_END);
  if (!daemon) fail("the server did not start");
  print_port(daemon);
  if (outside) serve_from_outside(daemon);
  for (;;) pause();
}
