// SPDX-License-Identifier: Apache-2.0
// Requests and answers. Bodies and limits are in test_http_body.c, event streams in test_http_stream.c, opening,
// draining and closing in test_http_lifecycle.c.
#include "http/test_wire.h"

static int start_wire(void **state) {
  struct wire *wire = mem_zalloc(sizeof *wire);
  wire_open(wire, 0, 0);
  *state = wire;
  return 0;
}

static int end_wire(void **state) {
  wire_close(*state);
  free(*state);
  return 0;
}

static void an_answer_has_its_fields_and_body(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "GET", "/x", "");
  AUTO(buf_done) struct buf head, body;
  client_take(&client, true, &head, &body);
  assert_non_null(find(&head, "HTTP/1.1 200 OK\r\n"));
  assert_non_null(find(&head, "\r\nContent-Type: application/json\r\n"));
  assert_non_null(find(&head, "\r\nCache-Control: no-store\r\n"));
  assert_non_null(find(&head, "\r\nX-Content-Type-Options: nosniff\r\n"));
  assert_null(find(&head, "Connection: close"));
  assert_string_equal(body.data, "GET path=[/x] ");
  client_close(&client);
}

static void allow_retry_after_and_content_type_are_sent(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "GET", "/busy", "");
  AUTO(buf_done) struct buf head, body;
  client_take(&client, true, &head, &body);
  assert_non_null(find(&head, "HTTP/1.1 503 "));
  assert_non_null(find(&head, "\r\nAllow: GET, PUT\r\n"));
  assert_non_null(find(&head, "\r\nRetry-After: 7\r\n"));
  assert_non_null(find(&head, "\r\nContent-Type: text/plain\r\n"));
  assert_non_null(find(&head, "\r\nContent-Length: 0\r\n"));
  client_close(&client);
}

static void the_handler_sees_what_was_sent(void **state) {
  static const struct {
    const char *method, *target, *fields, *seen;
  } CASES[] = {
      {"GET", "/a%2Fb/%C3%A9?x=%2B+1&y=", "", "GET path=[/a%2Fb/%C3%A9] x:+ 1 y: "},
      {"PUT", "/a", "authorization:   Bearer t0ken \t\r\n", "PUT path=[/a] authorization=[Bearer t0ken] "},
      {"DELETE", "/a", "x-olivares-tenant: 1\r\nLast-Event-ID: 42\r\n", "DELETE path=[/a] tenant=[1] last=[42] "},
      {"POST", "/a", "Content-Length: 4\r\n\r\nbody", "POST path=[/a] body=[body] "},
      {"POST", "/a", "Content-Length: 0\r\n", "POST path=[/a] "},
      {"PATCH", "/a?x=%zz", "", "PATCH path=[/a] malformed "},
      {"OPTIONS", "*", "", "OPTIONS path=[*] "},
      {"GET", "/a", "Authorization: 1\r\nauthorization: 2\r\n",
       "GET path=[/a] authorization=[1] repeated=[Authorization] "},
      {"GET", "/a", "X-Olivares-Tenant: 1\r\nX-Olivares-Tenant: 1\r\n",
       "GET path=[/a] tenant=[1] repeated=[X-Olivares-Tenant] "},
      {"GET", "/a", "Last-Event-ID: 1\r\nLast-Event-ID:\r\n", "GET path=[/a] last=[1] repeated=[Last-Event-ID] "},
      {"GET", "/a", "Content-Type: a/b\r\ncontent-type: a/b\r\n", "GET path=[/a] repeated=[Content-Type] "},
      {"GET", "/a", "Accept: a/b\r\nAccept: c/d\r\n", "GET path=[/a] "},
      {"GET", "http://elsewhere:1/a?b=c", "", "GET path=[/a] b:c "},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    struct client client;
    client_open(&client, *state);
    AUTO(buf_done) struct buf request;
    buf_init(&request, 1000);
    bool has_body = strstr(CASES[i].fields, "\r\n\r\n") != NULL;
    buf_addf(&request, "%s %s HTTP/1.1\r\nHost: h\r\n%s%s", CASES[i].method, CASES[i].target, CASES[i].fields,
             has_body ? "" : "\r\n");
    assert_true(client_send(&client, buf_str(&request)));
    client_expect(&client, 200, CASES[i].seen);
    client_close(&client);
  }
}

static void head_is_answered_like_get_without_the_body(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "HEAD", "/x", "");
  AUTO(buf_done) struct buf head, body;
  client_take(&client, false, &head, &body);
  assert_non_null(find(&head, "HTTP/1.1 200 OK\r\n"));
  assert_non_null(find(&head, "\r\nContent-Length: 15\r\n"));
  client_ask(&client, "GET", "/y", ""); // its answer follows at once
  client_expect(&client, 200, "GET path=[/y] ");
  client_close(&client);
}

static void a_connection_serves_one_request_after_the_other(void **state) {
  struct wire *wire = *state;
  struct client client;
  client_open(&client, wire);
  for (int i = 0; i < 3; i++) {
    client_ask(&client, "GET", "/x", "");
    client_expect(&client, 200, "GET path=[/x] ");
    client_ask(&client, "GET", "/later", "");
    client_expect(&client, 200, "later");
  }
  assert_int_equal(wire_stats(wire).requests, 6);
  assert_int_equal(wire_stats(wire).connections, 1);
  assert_int_equal(wire_stats(wire).exchanges, 0);
  client_close(&client);
}

static void pipelined_requests_are_answered_in_order(void **state) {
  struct client client;
  client_open(&client, *state);
  assert_true(client_send(&client, STR("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
                                       "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxx"
                                       "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
                                       "GET /later HTTP/1.1\r\nHost: h\r\n\r\n"
                                       "GET /3 HTTP/1.1\r\nHost: h\r\n\r\n")));
  client_expect(&client, 200, "GET path=[/1] ");
  client_expect(&client, 200, "later");
  client_expect(&client, 200, "GET path=[/2] ");
  client_expect(&client, 200, "later");
  client_expect(&client, 200, "GET path=[/3] ");
  client_close(&client);
}

static void a_request_may_come_byte_by_byte(void **state) {
  struct wire *wire = *state;
  struct client client;
  client_open(&client, wire);
  struct str request = STR("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  for (size_t i = 0; i < request.len; i++) {
    assert_true(client_send(&client, (struct str){request.data + i, 1}));
    loop_turn(wire->loop, false);
  }
  client_expect(&client, 200, "POST path=[/x] body=[abc] ");
  client_close(&client);
}

static void others_are_served_while_an_answer_waits(void **state) {
  struct wire *wire = *state;
  struct client slow, quick;
  client_open(&slow, wire);
  client_open(&quick, wire);
  client_ask(&slow, "GET", "/hold", "");
  wire_await_held(wire, 1);
  client_ask(&quick, "GET", "/x", "");
  client_expect(&quick, 200, "GET path=[/x] ");
  assert_int_equal(wire_stats(wire).exchanges, 1);
  http_reply(wire->held[0], 201);
  client_expect(&slow, 201, "");
  client_close(&slow);
  client_close(&quick);
}

static void a_client_that_shut_down_its_half_still_gets_the_answer(void **state) {
  struct wire *wire = *state;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/hold", "");
  shutdown(client.fd, SHUT_WR);
  wire_await_held(wire, 1);
  for (int i = 0; i < 3; i++) loop_turn(wire->loop, false);
  http_reply(wire->held[0], 200);
  client_expect(&client, 200, "");
  client_await_closed(&client);
  client_close(&client);
}

static void leave_before_the_answer(struct wire *wire, void (*leave)(struct client *client)) {
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/hold", "");
  unsigned before = wire->held_count;
  wire_await_held(wire, before + 1);
  leave(&client);
  for (int i = 0; i < 5; i++) loop_turn(wire->loop, false);
  assert_int_equal(wire_stats(wire).exchanges, 1); // the handler's until it answers
  buf_add_c(&wire->held[before]->body, "nobody reads this");
  http_reply(wire->held[before], 200);
  while (wire_stats(wire).exchanges > 0 || wire_stats(wire).connections > 0) wire_turn(wire);
}

static void a_client_gone_before_the_answer_harms_nobody(void **state) {
  leave_before_the_answer(*state, client_close);
  leave_before_the_answer(*state, client_abort);
}

static void abort_at_once(struct wire *wire) {
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/hold", "");
  client_abort(&client);
}

// The reset may come before the request is read, before it is suspended or after.
static void a_client_gone_at_any_moment_leaves_no_exchange(void **state) {
  struct wire *wire = *state;
  for (int round = 0; round < 6; round++) {
    abort_at_once(wire);
    for (int i = 0; i < round + 4; i++) loop_turn(wire->loop, false);
    for (unsigned i = 0; i < wire->held_count; i++) http_reply(wire->held[i], 200);
    wire->held_count = 0;
    while (wire_stats(wire).exchanges > 0 || wire_stats(wire).connections > 0) wire_turn(wire);
  }
}

static void a_large_answer_arrives_whole(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "GET", "/large", "");
  AUTO(buf_done) struct buf head, body;
  client_take(&client, true, &head, &body);
  assert_int_equal(body.len, 20 * 1024 * 1024);
  assert_null(memchr(body.data, '\0', body.len));
  client_ask(&client, "GET", "/x", "");
  client_expect(&client, 200, "GET path=[/x] ");
  client_close(&client);
}

static void connection_close_is_honoured(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "GET", "/x", "Connection: close\r\n");
  client_expect(&client, 200, "GET path=[/x] ");
  client_await_closed(&client);
  client_close(&client);
}

static void what_is_not_http_is_refused_and_the_next_client_served(void **state) {
  static const char *const JUNK[] = {
      "\x16\x03\x01 a TLS hello\r\n\r\n", "GARBAGE\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",           "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n", // no Host
  };
  for (size_t i = 0; i < sizeof JUNK / sizeof *JUNK; i++) {
    struct client client;
    client_open(&client, *state);
    client_send(&client, str_c(JUNK[i]));
    client_await_closed(&client);
    assert_null(find(&client.got, "path=["));
    client_close(&client);
  }
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "GET", "/x", "");
  client_expect(&client, 200, "GET path=[/x] ");
  client_close(&client);
}

int main(void) {
#define ON_WIRE(test) cmocka_unit_test_setup_teardown(test, start_wire, end_wire)
  const struct CMUnitTest tests[] = {
      ON_WIRE(an_answer_has_its_fields_and_body),
      ON_WIRE(allow_retry_after_and_content_type_are_sent),
      ON_WIRE(the_handler_sees_what_was_sent),
      ON_WIRE(head_is_answered_like_get_without_the_body),
      ON_WIRE(a_connection_serves_one_request_after_the_other),
      ON_WIRE(pipelined_requests_are_answered_in_order),
      ON_WIRE(a_request_may_come_byte_by_byte),
      ON_WIRE(others_are_served_while_an_answer_waits),
      ON_WIRE(a_client_that_shut_down_its_half_still_gets_the_answer),
      ON_WIRE(a_client_gone_before_the_answer_harms_nobody),
      ON_WIRE(a_client_gone_at_any_moment_leaves_no_exchange),
      ON_WIRE(a_large_answer_arrives_whole),
      ON_WIRE(connection_close_is_honoured),
      ON_WIRE(what_is_not_http_is_refused_and_the_next_client_served),
  };
  return cmocka_run_group_tests_name("http_server", tests, NULL, NULL);
}
