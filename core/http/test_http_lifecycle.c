// SPDX-License-Identifier: Apache-2.0
// Opening, draining and closing the server, and the connections it ends by itself.
#include "http/test_wire.h"

static void ignore(void *ctx, struct http_exchange *exchange) {
  (void)ctx;
  http_reply(exchange, 200);
}

static bool open_on(struct loop *loop, const char *listen, struct http_server **ret_server, struct err *err) {
  const struct http_server_config config = {.listen = listen, .loop = loop, .handler = {ignore, NULL}};
  return http_server_open(&config, ret_server, err);
}

static void an_address_that_can_not_be_read_is_a_bad_request(void **state) {
  (void)state;
  static const char *const ADDRESSES[] = {
      "",         "127.0.0.1", ":8440",   "127.0.0.1:",       "127.0.0.1:x",  "127.0.0.1:65536",  "127.0.0.1:-1",
      "::1:8440", "[::1]",     "[]:8440", "[127.0.0.1]:8440", "127.0.0.1:+1", "127.0.0.1:000001", "8440",
  };
  struct loop *loop = NULL;
  struct err err = {0};
  assert_true(loop_new(&loop, &err));
  for (size_t i = 0; i < sizeof ADDRESSES / sizeof *ADDRESSES; i++) {
    struct http_server *server = NULL;
    err_clear(&err);
    if (open_on(loop, ADDRESSES[i], &server, &err)) fail_msg("'%s' was taken", ADDRESSES[i]);
    assert_int_equal(err.code, ERR_BAD_REQUEST);
    assert_non_null(strstr(err.msg, "127.0.0.1:8440"));
    assert_null(server);
  }
  loop_free(loop);
}

static void the_chosen_port_is_told(void **state) {
  (void)state;
  struct loop *loop = NULL;
  struct err err = {0};
  assert_true(loop_new(&loop, &err));
  struct http_server *server = NULL;
  assert_true(open_on(loop, "localhost:0", &server, &err));
  const char *address = http_server_address(server);
  assert_true(strncmp(address, "127.0.0.1:", 10) == 0);
  assert_true(strtoul(address + 10, NULL, 10) > 0);
  http_server_close(server);
  server = NULL;
  if (open_on(loop, "[::1]:0", &server, &err)) {
    assert_true(strncmp(http_server_address(server), "[::1]:", 6) == 0);
  } else {
    print_message("needs IPv6 on the loopback: %s\n", err.msg);
  }
  http_server_close(server);
  loop_free(loop);
}

static void a_port_in_use_says_so(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct http_server *second = NULL;
  struct err err = {0};
  assert_false(open_on(wire.loop, http_server_address(wire.server), &second, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(err.msg, http_server_address(wire.server)));
  assert_non_null(strstr(err.msg, "in use"));
  wire_close(&wire);
}

static void another_machines_address_says_so(void **state) {
  (void)state;
  struct loop *loop = NULL;
  struct http_server *server = NULL;
  struct err err = {0};
  assert_true(loop_new(&loop, &err));
  assert_false(open_on(loop, "192.0.2.1:0", &server, &err)); // a documentation address, RFC 5737
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(err.msg, "not an address of this machine"));
  loop_free(loop);
}

static void on_drained(void *ctx) {
  ((struct wire *)ctx)->drained++;
}

static void draining_ends_idle_connections_and_lets_the_rest_finish(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct client idle, fresh, busy;
  client_open(&idle, &wire);
  client_ask(&idle, "GET", "/x", "");
  client_expect(&idle, 200, "GET path=[/x] ");
  client_open(&fresh, &wire);
  client_open(&busy, &wire);
  client_ask(&busy, "GET", "/hold", "");
  wire_await_held(&wire, 1);

  http_server_drain(wire.server, on_drained, &wire);
  client_await_closed(&idle);
  client_await_closed(&fresh);
  assert_int_equal(connect_to(http_server_address(wire.server)), -1);
  for (int i = 0; i < 3; i++) loop_turn(wire.loop, false);
  assert_int_equal(wire.drained, 0);

  http_reply(wire.held[0], 200);
  AUTO(buf_done) struct buf head, body;
  client_take(&busy, true, &head, &body);
  assert_non_null(find(&head, "Connection: close\r\n"));
  client_await_closed(&busy);
  while (wire.drained == 0) wire_turn(&wire);
  for (int i = 0; i < 3; i++) loop_turn(wire.loop, false);
  assert_int_equal(wire.drained, 1);
  client_close(&idle);
  client_close(&fresh);
  client_close(&busy);
  wire_close(&wire);
}

static void an_idle_server_is_drained_at_once(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  http_server_drain(wire.server, on_drained, &wire);
  assert_int_equal(wire.drained, 0); // on the loop, not from inside
  loop_turn(wire.loop, false);
  assert_int_equal(wire.drained, 1);
  wire_close(&wire);
}

static void a_client_that_left_keeps_the_drain_waiting_for_its_answer(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct client client;
  client_open(&client, &wire);
  client_ask(&client, "GET", "/hold", "");
  wire_await_held(&wire, 1);
  client_abort(&client);
  http_server_drain(wire.server, on_drained, &wire);
  for (int i = 0; i < 5; i++) loop_turn(wire.loop, false);
  assert_int_equal(wire.drained, 0);
  http_reply(wire.held[0], 200);
  while (wire.drained == 0) wire_turn(&wire);
  wire_close(&wire);
}

static void an_exchange_outlives_a_closed_server(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct client client;
  client_open(&client, &wire);
  client_ask(&client, "POST", "/hold", "Content-Length: 4\r\nAuthorization: me\r\n\r\nbody");
  wire_await_held(&wire, 1);
  http_server_close(wire.server);
  wire.server = NULL;
  const struct http_request *request = &wire.held[0]->request;
  assert_true(str_eq(request->path, STR("/hold")));
  assert_true(str_eq(request->authorization, STR("me")));
  assert_true(str_eq(request->body, STR("body")));
  buf_add_c(&wire.held[0]->body, "nobody reads this");
  http_reply(wire.held[0], 200);
  client_await_closed(&client);
  client_close(&client);
  wire_close(&wire);
}

static void a_server_may_close_with_requests_half_read_and_refused(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct client half, refused;
  client_open(&half, &wire);
  client_ask(&half, "POST", "/count", "Content-Length: 10\r\n");
  client_open(&refused, &wire);
  client_ask(&refused, "POST", "/count", "Content-Length: 9999999\r\n");
  client_expect(&refused, 413, "");
  http_server_close(wire.server);
  wire.server = NULL;
  client_close(&half);
  client_close(&refused);
  wire_close(&wire);
}

static void a_connection_over_the_limit_is_served_when_one_ends(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 2, 0);
  struct client clients[3];
  for (int i = 0; i < 3; i++) {
    client_open(&clients[i], &wire);
    client_ask(&clients[i], "GET", "/x", "");
  }
  client_expect(&clients[0], 200, "GET path=[/x] ");
  client_expect(&clients[1], 200, "GET path=[/x] ");
  for (int i = 0; i < 5; i++) loop_turn(wire.loop, false);
  assert_int_equal(clients[2].got.len, 0);
  client_close(&clients[0]);
  client_expect(&clients[2], 200, "GET path=[/x] ");
  client_close(&clients[1]);
  client_close(&clients[2]);
  wire_close(&wire);
}

struct trickle {
  struct client client;
  struct loop_timer *timer;
};

static void send_one_byte(void *ctx) {
  struct trickle *trickle = ctx;
  send(trickle->client.fd, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  loop_timer_set(trickle->timer, 200);
}

// Takes its 2 to 3 seconds: that the time passes is the point.
static void silent_and_slow_clients_are_cut_off(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 1);
  struct client silent, waiting;
  struct trickle slow_head, slow_body;
  client_open(&silent, &wire);
  client_open(&slow_head.client, &wire);
  client_ask(&slow_head.client, "GET", "/hold", "X-Long: "); // the line that follows it is never ended
  client_open(&slow_body.client, &wire);
  client_ask(&slow_body.client, "POST", "/x", "Content-Length: 1000\r\n");
  client_open(&waiting, &wire);
  client_ask(&waiting, "GET", "/hold", "");
  slow_head.timer = loop_timer_open(wire.loop, send_one_byte, &slow_head);
  slow_body.timer = loop_timer_open(wire.loop, send_one_byte, &slow_body);
  send_one_byte(&slow_head);
  send_one_byte(&slow_body);

  client_await_closed(&silent);
  client_await_closed(&slow_head.client);
  client_await_closed(&slow_body.client);
  assert_false(waiting.closed); // it waits for us, not we for it
  http_reply(wire.held[wire.held_count - 1], 200);
  client_expect(&waiting, 200, "");
  loop_timer_close(slow_head.timer);
  loop_timer_close(slow_body.timer);
  client_close(&silent);
  client_close(&slow_head.client);
  client_close(&slow_body.client);
  client_close(&waiting);
  wire_close(&wire);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_address_that_can_not_be_read_is_a_bad_request),
      cmocka_unit_test(the_chosen_port_is_told),
      cmocka_unit_test(a_port_in_use_says_so),
      cmocka_unit_test(another_machines_address_says_so),
      cmocka_unit_test(draining_ends_idle_connections_and_lets_the_rest_finish),
      cmocka_unit_test(an_idle_server_is_drained_at_once),
      cmocka_unit_test(a_client_that_left_keeps_the_drain_waiting_for_its_answer),
      cmocka_unit_test(an_exchange_outlives_a_closed_server),
      cmocka_unit_test(a_server_may_close_with_requests_half_read_and_refused),
      cmocka_unit_test(a_connection_over_the_limit_is_served_when_one_ends),
      cmocka_unit_test(silent_and_slow_clients_are_cut_off),
  };
  return cmocka_run_group_tests_name("http_lifecycle", tests, NULL, NULL);
}
