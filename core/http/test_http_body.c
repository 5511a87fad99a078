// SPDX-License-Identifier: Apache-2.0
// Request bodies and headers at and over their limits.
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

static void add_filler(struct buf *buf, size_t bytes) {
  memset(buf_reserve(buf, bytes), 'x', bytes);
  buf->len += bytes;
}

static void send_filler(struct client *client, size_t bytes) {
  AUTO(buf_done) struct buf filler;
  buf_init(&filler, bytes);
  add_filler(&filler, bytes);
  assert_true(client_send(client, buf_str(&filler)));
}

// As chunks of uneven sizes; false when the server stops taking them.
static bool send_chunked(struct client *client, size_t bytes) {
  while (bytes > 0) {
    size_t len = bytes < 60001 ? bytes : 60001;
    AUTO(buf_done) struct buf chunk;
    buf_init(&chunk, 70000);
    buf_addf(&chunk, "%zx\r\n", len);
    add_filler(&chunk, len);
    buf_add_c(&chunk, "\r\n");
    if (!client_send(client, buf_str(&chunk))) return false;
    bytes -= len;
  }
  return client_send(client, STR("0\r\n\r\n"));
}

static void expect_served(struct client *client) {
  client_ask(client, "GET", "/x", "");
  client_expect(client, 200, "GET path=[/x] ");
}

static void exactly_one_mebibyte_is_accepted(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Content-Length: 1048576\r\n");
  send_filler(&client, 1048576);
  client_expect(&client, 200, "1048576");
  client_ask(&client, "POST", "/count", "Transfer-Encoding: chunked\r\n");
  assert_true(send_chunked(&client, 1048576));
  client_expect(&client, 200, "1048576");
  expect_served(&client);
  client_close(&client);
}

static void one_byte_more_is_refused_before_it_is_sent(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Content-Length: 1048577\r\n");
  AUTO(buf_done) struct buf head, body;
  client_take(&client, true, &head, &body);
  assert_non_null(find(&head, "HTTP/1.1 413 "));
  assert_non_null(find(&head, "Connection: close\r\n"));
  client_await_closed(&client);
  client_close(&client);
}

static void a_client_that_sends_all_before_it_reads_gets_the_refusal(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Content-Length: 4194304\r\n");
  send_filler(&client, 4194304);
  client_expect(&client, 413, "");
  client_await_closed(&client);
  assert_false(client.reset);
  client_close(&client);
}

static void an_absurd_length_is_refused(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Content-Length: 18446744073709551614\r\n");
  client_expect(&client, 413, "");
  client_await_closed(&client);
  client_close(&client);
}

static void a_refusal_may_come_later(void **state) {
  static const char *const FIELDS[] = {"Content-Length: 1048577\r\n",
                                       "Content-Length: 1048577\r\nExpect: 100-continue\r\n"};
  for (size_t i = 0; i < 2; i++) {
    struct client client;
    client_open(&client, *state);
    client_ask(&client, "POST", "/later", FIELDS[i]);
    client_expect(&client, 413, ""); // not preceded by 100 Continue
    client_await_closed(&client);
    client_close(&client);
  }
}

static void a_body_that_is_expected_is_asked_for(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Content-Length: 3\r\nExpect: 100-continue\r\n");
  client_await(&client, "HTTP/1.1 100 Continue\r\n\r\n");
  client_drop(&client, client.got.len);
  assert_true(client_send(&client, STR("abc")));
  client_expect(&client, 200, "3");
  client_close(&client);
}

static void chunks_over_the_cap_are_read_to_their_end_and_refused(void **state) {
  struct client client;
  client_open(&client, *state);
  client_ask(&client, "POST", "/count", "Transfer-Encoding: chunked\r\n");
  assert_true(send_chunked(&client, 1048577));
  client_expect(&client, 413, "");
  expect_served(&client);
  client_close(&client);
}

static void endless_chunks_are_cut_off(void **state) {
  struct wire *wire = *state;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "POST", "/count", "Transfer-Encoding: chunked\r\n");
  send_chunked(&client, 32 * 1024 * 1024);
  client_await_closed(&client);
  assert_int_equal(client.got.len, 0);
  assert_int_equal(wire_stats(wire).requests, 0);
  client_close(&client);
}

static void a_body_cut_short_never_reaches_the_handler(void **state) {
  struct wire *wire = *state;
  static const char *const FIELDS[] = {"Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n"};
  for (size_t i = 0; i < 2; i++) {
    struct client client;
    client_open(&client, wire);
    client_ask(&client, "POST", "/count", FIELDS[i]);
    assert_true(client_send(&client, STR("5\r\nabc")));
    while (wire_stats(wire).exchanges == 0) wire_turn(wire);
    client_close(&client);
    while (wire_stats(wire).exchanges > 0) wire_turn(wire);
  }
  assert_int_equal(wire_stats(wire).requests, 0);
}

static void a_length_that_can_be_read_in_two_ways_is_refused(void **state) {
  static const char *const FIELDS[] = {
      "Content-Length: 3\r\nContent-Length: 4\r\n",
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: gzip\r\n",
  };
  struct wire *wire = *state;
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
    struct client client;
    client_open(&client, wire);
    client_ask(&client, "POST", "/count", FIELDS[i]);
    assert_true(client_send(&client, STR("abcGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")));
    client_await_closed(&client);
    assert_non_null(find(&client.got, "HTTP/1.1 400 "));
    assert_non_null(find(&client.got, "\"code\":\"bad_request\""));
    assert_null(find(&client.got, "HTTP/1.1 200 "));
    client_close(&client);
  }
  assert_int_equal(wire_stats(wire).requests, 0);
}

static void headers_of_sixteen_kibibytes_fit(void **state) {
  struct client client;
  client_open(&client, *state);
  AUTO(buf_done) struct buf fields;
  buf_init(&fields, 20000);
  for (int i = 0; i < 15; i++) {
    buf_addf(&fields, "X-%02d: ", i);
    add_filler(&fields, 1024 - 8);
    buf_add_c(&fields, "\r\n");
  }
  buf_add_c(&fields, "X-Olivares-Tenant: 1\r\n");
  for (int i = 0; i < 2; i++) {
    client_ask(&client, "GET", "/x", fields.data);
    client_expect(&client, 200, "GET path=[/x] tenant=[1] ");
  }
  client_close(&client);
}

static void headers_far_too_long_are_refused_and_the_next_client_served(void **state) {
  struct client client;
  client_open(&client, *state);
  AUTO(buf_done) struct buf fields;
  buf_init(&fields, 200000);
  buf_add_c(&fields, "X-Long: ");
  add_filler(&fields, 150000);
  buf_add_c(&fields, "\r\n");
  AUTO(buf_done) struct buf request;
  buf_init(&request, 200000);
  buf_addf(&request, "GET /x HTTP/1.1\r\nHost: h\r\n%s\r\n", fields.data);
  client_send(&client, buf_str(&request));
  client_await_closed(&client);
  assert_null(find(&client.got, "HTTP/1.1 200"));
  client_close(&client);
  client_open(&client, *state);
  expect_served(&client);
  client_close(&client);
}

int main(void) {
#define ON_WIRE(test) cmocka_unit_test_setup_teardown(test, start_wire, end_wire)
  const struct CMUnitTest tests[] = {
      ON_WIRE(exactly_one_mebibyte_is_accepted),
      ON_WIRE(one_byte_more_is_refused_before_it_is_sent),
      ON_WIRE(a_client_that_sends_all_before_it_reads_gets_the_refusal),
      ON_WIRE(an_absurd_length_is_refused),
      ON_WIRE(a_refusal_may_come_later),
      ON_WIRE(a_body_that_is_expected_is_asked_for),
      ON_WIRE(chunks_over_the_cap_are_read_to_their_end_and_refused),
      ON_WIRE(endless_chunks_are_cut_off),
      ON_WIRE(a_body_cut_short_never_reaches_the_handler),
      ON_WIRE(a_length_that_can_be_read_in_two_ways_is_refused),
      ON_WIRE(headers_of_sixteen_kibibytes_fit),
      ON_WIRE(headers_far_too_long_are_refused_and_the_next_client_served),
  };
  return cmocka_run_group_tests_name("http_body", tests, NULL, NULL);
}
