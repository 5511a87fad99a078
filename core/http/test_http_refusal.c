// SPDX-License-Identifier: Apache-2.0
// What never reaches the handler: the answer is one, and the connection ends with it. Which of them are the server's
// own and which libmicrohttpd's (HTML) is what docs/http-api.md says.
#include <stdio.h>

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

#define BAD(message) "{\"error\":{\"code\":\"bad_request\",\"message\":\"" message "\"}}"
static const char UNCLEAR[] =
    BAD("The length of the body is not clear: send one Content-Length, or Transfer-Encoding: chunked.");
static const char NO_HOST[] = BAD("Send one Host header: HTTP/1.1 takes neither none nor several.");
static const char BAD_NAME[] = BAD("A header's name holds a blank.");

static unsigned count(const struct buf *buf, const char *needle) {
  unsigned found = 0;
  for (const char *at = find(buf, needle); at != NULL; at = strstr(at + 1, needle)) found++;
  return found;
}

/// Sends `request` and expects exactly one answer, then the end of the connection.
static void expect_end(struct wire *wire, struct str request, const char *status_line, const char *type,
                       const char *body) {
  struct client client;
  client_open(&client, wire);
  client_send(&client, request); // of a long one, the end may not be taken any more
  client_await_closed(&client);
  if (client.got.len == 0) fail_msg("no answer to '%.60s'", request.data);
  AUTO(buf_done) struct buf head, got;
  client_take(&client, true, &head, &got);
  if (strncmp(head.data, status_line, strlen(status_line)) != 0) print_message("'%.60s'\n", request.data);
  assert_memory_equal(head.data, status_line, strlen(status_line));
  assert_memory_equal(head.data + strlen(status_line), "\r\n", 2);
  assert_int_equal(count(&head, "HTTP/1.1 "), 1);
  assert_int_equal(count(&head, "Content-Length: "), 1);
  assert_int_equal(count(&head, "\r\nDate: "), 1);
  assert_int_equal(count(&head, "\r\nConnection: close\r\n"), 1);
  if (type != NULL) {
    assert_non_null(find(&head, type));
    assert_non_null(find(&head, "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_string_equal(got.data, body);
  } else {
    assert_null(find(&head, "Content-Type"));
    assert_memory_equal(got.data, "<html>", 6);
  }
  assert_int_equal(client.got.len, 0); // nothing behind it
  assert_false(client.reset);
  client_close(&client);
}

static void expect_json(struct wire *wire, const char *request, const char *status_line, const char *body) {
  expect_end(wire, str_c(request), status_line, "\r\nContent-Type: application/json\r\n", body);
}

static void a_length_that_is_no_number_is_refused_once(void **state) {
  static const char *const LENGTHS[] = {"abc", "-1", "+1", "1 2", "1, 1", "", "0x1", "1.0", "1 "};
  for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
    char request[256];
    snprintf(request, sizeof request, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: %s\r\n\r\nbody", LENGTHS[i]);
    expect_json(*state, request, "HTTP/1.1 400 Bad Request", UNCLEAR);
  }
  assert_int_equal(wire_stats(*state).requests, 0);
}

static void lengths_that_contradict_are_refused_once(void **state) {
  static const char *const FIELDS[] = {
      "Content-Length: 2\r\nContent-Length: 3\r\n",
      "Content-Length: abc\r\nContent-Length: 2\r\n",
      "Content-Length: 2\r\nContent-Length: abc\r\n",
      "Content-Length: 0\r\nContent-Length: 4\r\n",
      "Content-Length: 4\r\nContent-Length: 4\r\n",
      "Content-Length: abc\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: gzip\r\n",
      "Transfer-Encoding: chunked, chunked\r\n",
  };
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
    char request[256];
    snprintf(request, sizeof request,
             "POST /x HTTP/1.1\r\nHost: h\r\n%s\r\n{}xxGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n", FIELDS[i]);
    expect_json(*state, request, "HTTP/1.1 400 Bad Request", UNCLEAR);
  }
  assert_int_equal(wire_stats(*state).requests, 0);
}

static void a_length_that_no_64_bits_hold_is_too_large(void **state) {
  expect_json(
      *state, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551616\r\n\r\n",
      "HTTP/1.1 413 Content Too Large",
      "{\"error\":{\"code\":\"request_body_too_large\",\"message\":\"The body is longer than 1048576 bytes.\"}}");
}

static void a_request_has_one_host(void **state) {
  struct wire *wire = *state;
  expect_json(wire, "GET /x HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request", NO_HOST);
  expect_json(wire, "GET /x HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "HTTP/1.1 400 Bad Request", NO_HOST);
  expect_json(wire, "GET /x HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request", NO_HOST);
  struct client client;
  client_open(&client, wire);
  assert_true(client_send(&client, STR("GET /x HTTP/1.0\r\n\r\n")));
  client_expect(&client, 200, "GET path=[/x] ");
  client_await_closed(&client);
  client_close(&client);
}

static void a_name_with_a_blank_is_refused(void **state) {
  static const char *const FIELDS[] = {"Content-Length : 4\r\n", "X Y: 1\r\n", "Authorization\t: Bearer t\r\n"};
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
    char request[256];
    snprintf(request, sizeof request, "POST /x HTTP/1.1\r\nHost: h\r\n%s\r\nbodyGET /y HTTP/1.1\r\nHost: h\r\n\r\n",
             FIELDS[i]);
    expect_json(*state, request, "HTTP/1.1 400 Bad Request", BAD_NAME);
  }
  assert_int_equal(wire_stats(*state).requests, 0);
}

static void a_target_with_a_blank_is_refused(void **state) {
  static const char BODY[] = BAD("The request target holds a blank; write it as %20.");
  expect_json(*state, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 400 Bad Request", BODY);
  expect_json(*state, "GET /a?x=a b HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 400 Bad Request", BODY);
}

static void the_right_one_of_several_connections_is_refused(void **state) {
  struct wire *wire = *state;
  struct client before, after;
  client_open(&before, wire);
  assert_true(client_send(&before, STR("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n")));
  client_open(&after, wire);
  assert_true(client_send(&after, STR("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n")));
  while (wire_stats(wire).exchanges < 2) wire_turn(wire);
  expect_json(wire, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 Bad Request", UNCLEAR);
  assert_true(client_send(&before, STR("\r\n{}")));
  client_expect(&before, 200, "POST path=[/x] body=[{}] ");
  client_close(&before);
  assert_true(client_send(&after, STR("\r\n")));
  client_await_closed(&after);
  client_expect(&after, 400, UNCLEAR);
  client_close(&after);
}

static void a_refusal_comes_behind_the_answers_before_it(void **state) {
  struct client client;
  client_open(&client, *state);
  assert_true(client_send(&client, STR("GET /large HTTP/1.1\r\nHost: h\r\n\r\n"
                                       "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n")));
  AUTO(buf_done) struct buf head, body;
  client_take(&client, true, &head, &body);
  assert_int_equal(body.len, 20 * 1024 * 1024);
  client_expect(&client, 400, UNCLEAR);
  client_await_closed(&client);
  client_close(&client);
}

static void a_client_that_sends_its_body_first_still_reads_the_refusal(void **state) {
  AUTO(buf_done) struct buf request;
  buf_init(&request, 4 * 1024 * 1024);
  buf_add_c(&request, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n");
  size_t bytes = 2 * 1024 * 1024;
  memset(buf_reserve(&request, bytes), 'x', bytes);
  request.len += bytes;
  expect_end(*state, buf_str(&request), "HTTP/1.1 400 Bad Request", "\r\nContent-Type: application/json\r\n", UNCLEAR);
}

static void expect_long(struct wire *wire, const char *before, size_t bytes, const char *after, const char *status_line,
                        const char *json) {
  AUTO(buf_done) struct buf request;
  buf_init(&request, 128 * 1024);
  buf_add_c(&request, before);
  memset(buf_reserve(&request, bytes), 'x', bytes);
  request.len += bytes;
  buf_add_c(&request, after);
  expect_end(wire, buf_str(&request), status_line, json ? "\r\nContent-Type: application/json\r\n" : NULL, json);
}

static void cookies_that_do_not_fit_are_refused_once(void **state) {
  expect_long(*state, "GET /x HTTP/1.1\r\nHost: h\r\nCookie: a=", 17000, "\r\n\r\n",
              "HTTP/1.1 431 Request Header Fields Too Large", BAD("The header fields are too long."));
}

static void what_the_library_refuses_is_one_page_of_html(void **state) {
  struct wire *wire = *state;
  static const struct {
    const char *request, *status_line;
  } CASES[] = {
      {"GET /x HTTP/2.0\r\nHost: h\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported"},
      {"GET /x HTTP/0.9\r\nHost: h\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported"},
      {"GET /x\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"GET /x http/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"\x16\x03\x01 a TLS hello\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"GET /x HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", "HTTP/1.1 400 Bad Request"},
      {"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400 Bad Request"},
      {"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "HTTP/1.1 400 Bad Request"},
      {"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
       "HTTP/1.1 413 Content Too Large"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    expect_end(wire, str_c(CASES[i].request), CASES[i].status_line, NULL, NULL);
  expect_long(wire, "GET /", 33000, " HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 414 URI Too Long", NULL);
  expect_long(wire, "GET / HTTP/1.1\r\nHost: h\r\nX-Long: ", 33000, "\r\n\r\n",
              "HTTP/1.1 431 Request Header Fields Too Large", NULL);
  assert_int_equal(wire_stats(wire).requests, 0);
}

static void a_line_without_a_blank_gets_no_answer(void **state) {
  struct client client;
  client_open(&client, *state);
  assert_true(client_send(&client, STR("GARBAGE\r\n\r\n")));
  client_await_closed(&client);
  assert_int_equal(client.got.len, 0);
  client_close(&client);
}

int main(void) {
#define ON_WIRE(test) cmocka_unit_test_setup_teardown(test, start_wire, end_wire)
  const struct CMUnitTest tests[] = {
      ON_WIRE(a_length_that_is_no_number_is_refused_once),
      ON_WIRE(lengths_that_contradict_are_refused_once),
      ON_WIRE(a_length_that_no_64_bits_hold_is_too_large),
      ON_WIRE(a_request_has_one_host),
      ON_WIRE(a_name_with_a_blank_is_refused),
      ON_WIRE(a_target_with_a_blank_is_refused),
      ON_WIRE(the_right_one_of_several_connections_is_refused),
      ON_WIRE(a_refusal_comes_behind_the_answers_before_it),
      ON_WIRE(a_client_that_sends_its_body_first_still_reads_the_refusal),
      ON_WIRE(cookies_that_do_not_fit_are_refused_once),
      ON_WIRE(what_the_library_refuses_is_one_page_of_html),
      ON_WIRE(a_line_without_a_blank_gets_no_answer),
  };
  return cmocka_run_group_tests_name("http_refusal", tests, NULL, NULL);
}
