// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the server: one on an ephemeral port of the loopback, with a handler that does what the path says,
// and clients that speak raw bytes. Everything runs on one loop in one thread.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/server.h"

enum { GUARD_MS = 20 * 1000, HELD_MAX = 8 };

struct wire {
  struct loop *loop;
  struct http_server *server;
  struct loop_timer *guard;
  bool guard_expired;
  struct http_exchange *held[HELD_MAX]; // by "/hold", in the order they came
  unsigned held_count;
  struct http_stream *stream; // what "/stream" answers with
  unsigned drained;
};

static inline void reply_later(void *ctx) {
  struct http_exchange *exchange = ctx;
  buf_add_c(&exchange->body, "later");
  http_reply(exchange, 200);
}

static inline void refuse_later(void *ctx) {
  http_reply(ctx, 413);
}

static inline bool path_is(const struct http_exchange *exchange, const char *path) {
  return str_eq(exchange->request.path, str_c(path));
}

static inline void show(struct buf *out, const char *name, struct str value) {
  if (str_present(value)) buf_addf(out, "%s=[%.*s] ", name, STR_ARG(value));
}

static inline void show_request(struct http_exchange *exchange) {
  const struct http_request *request = &exchange->request;
  struct buf *out = &exchange->body;
  buf_addf(out, "%.*s ", STR_ARG(request->method_name));
  show(out, "path", request->path);
  for (size_t i = 0; i < request->query_count; i++) {
    buf_addf(out, "%.*s:%.*s ", STR_ARG(request->query[i].name), STR_ARG(request->query[i].value));
  }
  show(out, "authorization", request->authorization);
  show(out, "tenant", request->tenant);
  show(out, "last", request->last_event_id);
  show(out, "body", request->body);
  if (request->query_malformed) buf_add_c(out, "malformed ");
  if (request->repeated_field) buf_addf(out, "repeated=[%s] ", request->repeated_field);
  if (request->local) buf_add_c(out, "local ");
}

static inline void wire_handle(void *ctx, struct http_exchange *exchange) {
  struct wire *wire = ctx;
  if (exchange->request.body_too_large) {
    if (path_is(exchange, "/later")) {
      loop_defer(wire->loop, refuse_later, exchange);
    } else {
      http_reply(exchange, 413);
    }
  } else if (path_is(exchange, "/later")) {
    loop_defer(wire->loop, reply_later, exchange);
  } else if (path_is(exchange, "/hold")) {
    assert_true(wire->held_count < HELD_MAX);
    wire->held[wire->held_count++] = exchange;
  } else if (path_is(exchange, "/stream")) {
    http_reply_stream(exchange, wire->stream);
  } else if (path_is(exchange, "/count")) {
    buf_addf(&exchange->body, "%zu", exchange->request.body.len);
    http_reply(exchange, 200);
  } else if (path_is(exchange, "/large")) {
    size_t bytes = 20 * 1024 * 1024;
    memset(buf_reserve(&exchange->body, bytes), 'l', bytes);
    exchange->body.len += bytes;
    http_reply(exchange, 200);
  } else if (path_is(exchange, "/busy")) {
    exchange->allow = STR("GET, PUT");
    exchange->retry_after_s = 7;
    exchange->content_type = "text/plain";
    http_reply(exchange, 503);
  } else {
    show_request(exchange);
    http_reply(exchange, 200);
  }
}

static inline void on_guard(void *ctx) {
  ((struct wire *)ctx)->guard_expired = true;
}

static inline void wire_open(struct wire *wire, unsigned max_connections, unsigned idle_timeout_s) {
  *wire = (struct wire){0};
  struct err err = {0};
  assert_true(loop_new(&wire->loop, &err));
  wire->guard = loop_timer_open(wire->loop, on_guard, wire);
  loop_timer_set(wire->guard, GUARD_MS);
  const struct http_server_config config = {.listen = "127.0.0.1:0",
                                            .loop = wire->loop,
                                            .handler = {wire_handle, wire},
                                            .max_connections = max_connections,
                                            .idle_timeout_s = idle_timeout_s};
  if (!http_server_open(&config, &wire->server, &err)) fail_msg("%s", err.msg);
}

static inline void wire_close(struct wire *wire) {
  http_server_close(wire->server);
  loop_timer_close(wire->guard);
  loop_free(wire->loop);
}

static inline void wire_turn(struct wire *wire) {
  if (wire->guard_expired) fail_msg("waited for longer than %d ms", GUARD_MS);
  loop_turn(wire->loop, true);
}

static inline struct http_server_stats wire_stats(const struct wire *wire) {
  struct http_server_stats stats;
  http_server_stats(wire->server, &stats);
  return stats;
}

static inline void wire_await_held(struct wire *wire, unsigned count) {
  while (wire->held_count < count) wire_turn(wire);
}

struct client {
  struct wire *wire;
  int fd;
  struct loop_io *io;
  struct buf got; // not yet taken by client_take
  bool closed, reset;
};

static inline void on_client_readable(void *ctx, int fd, unsigned events) {
  (void)events;
  struct client *client = ctx;
  char bytes[64 * 1024];
  ssize_t len = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (len < 0 && errno == EAGAIN) return;
  if (len > 0) {
    buf_add(&client->got, bytes, (size_t)len);
    return;
  }
  client->closed = true;
  client->reset = len < 0;
  loop_io_close(client->io);
  client->io = NULL;
}

static inline int connect_to(const char *address) {
  const char *colon = strrchr(address, ':');
  assert_non_null(colon);
  struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  in.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  if (connect(fd, (struct sockaddr *)&in, sizeof in) == 0) return fd;
  close(fd);
  return -1;
}

static inline void client_open(struct client *client, struct wire *wire) {
  *client = (struct client){.wire = wire, .fd = connect_to(http_server_address(wire->server))};
  assert_true(client->fd >= 0);
  buf_init(&client->got, 64 * 1024 * 1024);
  client->io = loop_io_open(wire->loop, client->fd, LOOP_READ, on_client_readable, client);
}

static inline void client_close(struct client *client) {
  loop_io_close(client->io);
  close(client->fd);
  buf_done(&client->got);
}

/// Leaves with a reset instead of an orderly end.
static inline void client_abort(struct client *client) {
  setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
  client_close(client);
}

/// Sends all, turning the loop while there is no room; false when the server does not take it.
static inline bool client_send(struct client *client, struct str bytes) {
  while (bytes.len > 0) {
    ssize_t sent = send(client->fd, bytes.data, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0) bytes = str_skip(bytes, (size_t)sent);
    if (client->wire->guard_expired) fail_msg("the server takes no more bytes");
    if (sent < 0) loop_turn(client->wire->loop, false);
  }
  return true;
}

static inline void client_ask(struct client *client, const char *method, const char *target, const char *fields) {
  AUTO(buf_done) struct buf request;
  buf_init(&request, 256 * 1024);
  buf_addf(&request, "%s %s HTTP/1.1\r\nHost: test\r\n%s\r\n", method, target, fields);
  assert_false(request.over);
  assert_true(client_send(client, buf_str(&request)));
}

static inline const char *find(const struct buf *buf, const char *needle) {
  return buf->len == 0 ? NULL : memmem(buf->data, buf->len, needle, strlen(needle));
}

static inline void client_await(struct client *client, const char *needle) {
  while (find(&client->got, needle) == NULL) {
    if (client->closed) fail_msg("closed before '%s', after '%s'", needle, client->got.data);
    wire_turn(client->wire);
  }
}

static inline void client_await_closed(struct client *client) {
  while (!client->closed) wire_turn(client->wire);
}

static inline void client_drop(struct client *client, size_t bytes) {
  client->got.len -= bytes;
  memmove(client->got.data, client->got.data + bytes, client->got.len);
  client->got.data[client->got.len] = '\0';
}

/// Waits for one whole response with a Content-Length and moves it into `ret_head` (status line and fields) and
/// `ret_body`; the caller releases both.
static inline void client_take(struct client *client, bool has_body, struct buf *ret_head, struct buf *ret_body) {
  client_await(client, "\r\n\r\n");
  size_t head_len = (size_t)(find(&client->got, "\r\n\r\n") - client->got.data) + 4;
  buf_init(ret_head, 64 * 1024);
  buf_add(ret_head, client->got.data, head_len);
  const char *length = find(ret_head, "Content-Length: ");
  assert_non_null(length);
  size_t body_len = has_body ? strtoul(length + strlen("Content-Length: "), NULL, 10) : 0;
  while (client->got.len < head_len + body_len) {
    if (client->closed) fail_msg("closed after %zu of %zu bytes", client->got.len - head_len, body_len);
    wire_turn(client->wire);
  }
  buf_init(ret_body, 64 * 1024 * 1024);
  buf_add(ret_body, client->got.data + head_len, body_len);
  client_drop(client, head_len + body_len);
}

/// The same for the status and the body alone.
static inline void client_expect(struct client *client, unsigned status, const char *body) {
  AUTO(buf_done) struct buf head, got;
  client_take(client, true, &head, &got);
  assert_int_equal(strtoul(head.data + strlen("HTTP/1.1 "), NULL, 10), status);
  assert_string_equal(buf_str(&got).data, body);
}
