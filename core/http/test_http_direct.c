// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdlib.h>

#include "http/direct.h"
#include "loop/loop.h"

struct desk {
  struct http_handler handler;
  struct http_exchange *held;
  struct http_stream *stream;
  struct buf seen; // what the handler saw, then what came back
  unsigned ends, status;
};

static void reply_with_request(struct http_exchange *exchange) {
  const struct http_request *request = &exchange->request;
  buf_addf(&exchange->body, "%s %.*s query=%zu tenant=%.*s last=%.*s body=%.*s local=%d large=%d malformed=%d",
           http_method_name(request->method), STR_ARG(request->path), request->query_count, STR_ARG(request->tenant),
           STR_ARG(request->last_event_id), STR_ARG(request->body), request->local, request->body_too_large,
           request->query_malformed);
  http_reply(exchange, 201);
}

static void handle(void *ctx, struct http_exchange *exchange) {
  struct desk *desk = ctx;
  if (str_eq(exchange->request.path, STR("/hold"))) {
    desk->held = exchange;
  } else if (str_eq(exchange->request.path, STR("/stream"))) {
    http_reply_stream(exchange, desk->stream);
  } else if (str_eq(exchange->request.path, STR("/over"))) {
    buf_done(&exchange->body);
    buf_init(&exchange->body, 4);
    buf_add_c(&exchange->body, "more than four");
    http_reply(exchange, 200);
  } else {
    reply_with_request(exchange);
  }
}

static void on_event_bytes(void *ctx, struct str bytes) {
  struct desk *desk = ctx;
  assert_int_equal(desk->ends, 0);
  buf_addf(&desk->seen, "<%.*s>", STR_ARG(bytes));
}

static void on_end(void *ctx, unsigned status, struct str body) {
  struct desk *desk = ctx;
  desk->ends++;
  desk->status = status;
  buf_add_str(&desk->seen, body);
}

static int start_desk(void **state) {
  struct desk *desk = mem_zalloc(sizeof *desk);
  desk->handler = (struct http_handler){handle, desk};
  buf_init(&desk->seen, 1000);
  *state = desk;
  return 0;
}

static int end_desk(void **state) {
  struct desk *desk = *state;
  buf_done(&desk->seen);
  free(desk);
  return 0;
}

static struct http_direct request_to(struct desk *desk, const char *target) {
  return (struct http_direct){
      .path_and_query = str_c(target), .on_event_bytes = on_event_bytes, .on_end = on_end, .ctx = desk};
}

static void a_direct_request_looks_like_any_other_but_local(void **state) {
  struct desk *desk = *state;
  struct http_direct request = request_to(desk, "/a%20b?x=1&y=2");
  request.method = HTTP_PUT;
  request.tenant = STR("t");
  request.last_event_id = STR("7");
  request.body = STR("{}");
  http_direct_send(&desk->handler, &request);
  assert_int_equal(desk->ends, 1);
  assert_int_equal(desk->status, 201);
  assert_string_equal(desk->seen.data, "PUT /a%20b query=2 tenant=t last=7 body={} local=1 large=0 malformed=0");
}

static void a_malformed_query_and_a_body_over_the_cap_are_marked(void **state) {
  struct desk *desk = *state;
  AUTO(buf_done) struct buf body;
  buf_init(&body, HTTP_BODY_MAX_BYTES + 1);
  memset(buf_reserve(&body, HTTP_BODY_MAX_BYTES + 1), 'x', HTTP_BODY_MAX_BYTES + 1);
  body.len = HTTP_BODY_MAX_BYTES + 1;
  struct http_direct request = request_to(desk, "/a?x=%");
  request.body = buf_str(&body);
  http_direct_send(&desk->handler, &request);
  assert_string_equal(desk->seen.data, "GET /a query=0 tenant= last= body= local=1 large=1 malformed=1");
}

static void an_answer_may_come_later_and_the_request_was_copied(void **state) {
  struct desk *desk = *state;
  char target[] = "/hold?x=1", text[] = "body";
  struct http_direct request = request_to(desk, target);
  request.body = str_c(text);
  http_direct_send(&desk->handler, &request);
  memset(target, '!', sizeof target - 1);
  memset(text, '!', sizeof text - 1);
  assert_int_equal(desk->ends, 0);
  reply_with_request(desk->held);
  assert_int_equal(desk->ends, 1);
  assert_string_equal(desk->seen.data, "GET /hold query=1 tenant= last= body=body local=1 large=0 malformed=0");
}

static void half_an_answer_becomes_an_internal_error(void **state) {
  struct desk *desk = *state;
  struct http_direct request = request_to(desk, "/over");
  http_direct_send(&desk->handler, &request);
  assert_int_equal(desk->status, 500);
  assert_non_null(strstr(desk->seen.data, "\"code\":\"internal\""));
  assert_null(strstr(desk->seen.data, "more"));
}

struct source {
  struct http_stream stream; // first
  const char *const *events; // NULL entries are waits; "END" ends
  bool wake_inside;
  bool flood; // one event over every cap
  unsigned next, closes;
};

static enum http_pull source_pull(struct http_stream *stream, struct buf *out) {
  struct source *source = (struct source *)stream;
  if (source->flood) {
    while (buf_add_c(out, "data: more and more and more and more and more and more and more\n\n")) continue;
    return HTTP_PULL_DATA;
  }
  const char *event = source->events[source->next++];
  if (event == NULL) {
    if (source->wake_inside) http_stream_wake(stream);
    return HTTP_PULL_WAIT;
  }
  if (strcmp(event, "END") == 0) return HTTP_PULL_END;
  buf_add_c(out, event);
  return HTTP_PULL_DATA;
}

static void source_close(struct http_stream *stream) {
  ((struct source *)stream)->closes++;
}

static void a_stream_is_handed_over_piece_by_piece_until_it_ends(void **state) {
  struct desk *desk = *state;
  static const char *const EVENTS[] = {"a", "b", NULL, NULL, "c", "END"};
  struct source source = {.stream = {.pull = source_pull, .close = source_close}, .events = EVENTS};
  desk->stream = &source.stream;
  struct http_direct request = request_to(desk, "/stream");
  http_direct_send(&desk->handler, &request);
  assert_string_equal(desk->seen.data, "<a><b>");
  http_stream_wake(&source.stream);
  assert_string_equal(desk->seen.data, "<a><b>");
  assert_int_equal(desk->ends, 0);
  http_stream_wake(&source.stream);
  assert_string_equal(desk->seen.data, "<a><b><c>");
  assert_int_equal(desk->ends, 1);
  assert_int_equal(desk->status, 200);
  assert_int_equal(source.closes, 1);
  http_stream_wake(&source.stream);
}

static void a_direct_wake_from_inside_pull_is_not_lost(void **state) {
  struct desk *desk = *state;
  static const char *const EVENTS[] = {NULL, "a", "END"};
  struct source source = {
      .stream = {.pull = source_pull, .close = source_close}, .events = EVENTS, .wake_inside = true};
  desk->stream = &source.stream;
  struct http_direct request = request_to(desk, "/stream");
  request.on_event_bytes = NULL; // not everybody listens
  http_direct_send(&desk->handler, &request);
  assert_int_equal(desk->ends, 1);
  assert_int_equal(source.closes, 1);
}

static void an_event_too_large_ends_the_stream_as_failed(void **state) {
  struct desk *desk = *state;
  struct source source = {.stream = {.pull = source_pull, .close = source_close}, .flood = true};
  desk->stream = &source.stream;
  struct http_direct request = request_to(desk, "/stream");
  http_direct_send(&desk->handler, &request);
  assert_int_equal(desk->ends, 1);
  assert_int_equal(desk->status, 500);
  assert_int_equal(source.closes, 1);
}

int main(void) {
#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, start_desk, end_desk)
  const struct CMUnitTest tests[] = {
      AT_DESK(a_direct_request_looks_like_any_other_but_local),
      AT_DESK(a_malformed_query_and_a_body_over_the_cap_are_marked),
      AT_DESK(an_answer_may_come_later_and_the_request_was_copied),
      AT_DESK(half_an_answer_becomes_an_internal_error),
      AT_DESK(a_stream_is_handed_over_piece_by_piece_until_it_ends),
      AT_DESK(a_direct_wake_from_inside_pull_is_not_lost),
      AT_DESK(an_event_too_large_ends_the_stream_as_failed),
  };
  return cmocka_run_group_tests_name("http_direct", tests, NULL, NULL);
}
