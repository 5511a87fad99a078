// SPDX-License-Identifier: Apache-2.0
// Event streams over a socket.
#include "http/server_state.h"
#include "http/test_wire.h"

// A stream that gives what the test puts in front of it.
struct source {
  struct http_stream stream; // first
  struct str next;           // for the next pull; absent: WAIT
  bool end;
  bool wake_inside; // wakes itself from inside pull, once, with `after_wake` to give
  struct str after_wake;
  unsigned pulls, closes;
};

static enum http_pull source_pull(struct http_stream *stream, struct buf *out) {
  struct source *source = (struct source *)stream;
  source->pulls++;
  if (str_present(source->next)) {
    buf_add_str(out, source->next);
    source->next = STR_NONE;
    return HTTP_PULL_DATA;
  }
  if (source->wake_inside) {
    source->wake_inside = false;
    source->next = source->after_wake;
    http_stream_wake(stream);
  }
  return source->end ? HTTP_PULL_END : HTTP_PULL_WAIT;
}

static void source_close(struct http_stream *stream) {
  ((struct source *)stream)->closes++;
}

static struct source source_init(void) {
  return (struct source){.stream = {.pull = source_pull, .close = source_close}};
}

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

static void give(struct source *source, const char *event) {
  source->next = str_c(event);
  http_stream_wake(&source->stream);
}

static void finish(struct source *source) {
  source->end = true;
  http_stream_wake(&source->stream);
}

// The stream lives in the test's frame: it must be closed before that goes.
static void await_end(struct wire *wire, const struct source *source) {
  while (source->closes == 0 || wire_stats(wire).exchanges > 0) wire_turn(wire);
  assert_int_equal(source->closes, 1);
}

static void events_are_sent_as_they_come(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, ": keep-alive\n\n"); // the headers don't wait for the first event
  assert_non_null(find(&client.got, "HTTP/1.1 200 OK\r\n"));
  assert_non_null(find(&client.got, "\r\nContent-Type: text/event-stream\r\n"));
  assert_non_null(find(&client.got, "\r\nCache-Control: no-store\r\n"));
  assert_non_null(find(&client.got, "\r\nX-Accel-Buffering: no\r\n"));
  assert_non_null(find(&client.got, "\r\nTransfer-Encoding: chunked\r\n"));
  give(&source, "data: 1\n\n");
  client_await(&client, "data: 1\n\n");
  give(&source, "data: 2\n\n");
  client_await(&client, "data: 2\n\n");
  assert_int_equal(source.closes, 0);
  finish(&source);
  client_await(&client, "\r\n0\r\n\r\n");
  await_end(wire, &source);
  client_drop(&client, client.got.len);
  client_ask(&client, "GET", "/x", ""); // the connection goes on
  client_expect(&client, 200, "GET path=[/x] ");
  client_close(&client);
  assert_int_equal(source.closes, 1);
}

static void a_stream_that_has_all_at_once_never_waits(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  source.next = STR("data: all\n\n");
  source.end = true;
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, "\r\n0\r\n\r\n");
  assert_non_null(find(&client.got, "data: all\n\n"));
  assert_null(find(&client.got, "keep-alive"));
  await_end(wire, &source);
  assert_int_equal(source.pulls, 2);
  client_close(&client);
}

static void a_wake_from_inside_pull_is_not_lost(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  source.wake_inside = true;
  source.after_wake = STR("data: woken\n\n");
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, "data: woken\n\n");
  finish(&source);
  client_await(&client, "\r\n0\r\n\r\n");
  await_end(wire, &source);
  client_close(&client);
}

static void waking_when_nobody_waits_is_harmless(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  http_stream_wake(&source.stream);
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, ": keep-alive\n\n");
  for (int i = 0; i < 3; i++) http_stream_wake(&source.stream);
  for (int i = 0; i < 3; i++) loop_turn(wire->loop, false);
  finish(&source);
  client_await(&client, "\r\n0\r\n\r\n");
  await_end(wire, &source);
  http_stream_wake(&source.stream);
  client_close(&client);
}

static void a_silent_stream_sends_heartbeats(void **state) {
  struct wire *wire = *state;
  wire->server->heartbeat_ms = 5;
  struct source source = source_init();
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  for (int i = 0; i < 3; i++) {
    client_await(&client, ": keep-alive\n\n");
    client_drop(&client, client.got.len);
  }
  client_close(&client);
  await_end(wire, &source);
}

static void the_heartbeat_finds_a_client_that_left(void **state) {
  struct wire *wire = *state;
  wire->server->heartbeat_ms = 5;
  struct source source = source_init();
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, ": keep-alive\n\n");
  client_close(&client);
  await_end(wire, &source);
}

static void a_large_event_arrives_whole(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  AUTO(buf_done) struct buf event;
  buf_init(&event, 4 * 1024 * 1024);
  buf_add_c(&event, "data: ");
  size_t bytes = 3 * 1024 * 1024;
  memset(buf_reserve(&event, bytes), 'e', bytes);
  event.len += bytes;
  buf_add_c(&event, "\n\n");
  source.next = buf_str(&event);
  source.end = true;
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, "\r\n0\r\n\r\n");
  size_t seen = 0;
  for (size_t i = 0; i < client.got.len; i++) seen += client.got.data[i] == 'e';
  // Header names and chunk sizes hold a few more.
  assert_in_range(seen, bytes, bytes + 2000);
  await_end(wire, &source);
  client_close(&client);
}

static void an_old_client_gets_the_stream_until_the_end_of_the_connection(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  source.next = STR("data: 1\n\n");
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  assert_true(client_send(&client, STR("GET /stream HTTP/1.0\r\n\r\n")));
  client_await(&client, "data: 1\n\n");
  assert_null(find(&client.got, "chunked"));
  give(&source, "data: 2\n\n");
  client_await(&client, "data: 2\n\n");
  finish(&source);
  client_await_closed(&client);
  await_end(wire, &source);
  client_close(&client);
}

static void head_of_a_stream_has_no_body_and_closes_it(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  wire->stream = &source.stream;
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "HEAD", "/stream", "");
  client_await(&client, "\r\n\r\n");
  await_end(wire, &source);
  assert_int_equal(source.pulls, 0);
  client_close(&client);
}

static void a_stream_may_begin_late(void **state) {
  struct wire *wire = *state;
  struct source source = source_init();
  struct client client;
  client_open(&client, wire);
  client_ask(&client, "GET", "/hold", "");
  wire_await_held(wire, 1);
  source.next = STR("data: late\n\n");
  source.end = true;
  http_reply_stream(wire->held[0], &source.stream);
  client_await(&client, "data: late\n\n");
  await_end(wire, &source);
  client_close(&client);
}

static void closing_the_server_closes_the_stream_once(void **state) {
  (void)state;
  struct wire wire;
  wire_open(&wire, 0, 0);
  struct source waiting = source_init(), late = source_init();
  wire.stream = &waiting.stream;
  struct client client, second;
  client_open(&client, &wire);
  client_ask(&client, "GET", "/stream", "");
  client_await(&client, ": keep-alive\n\n");
  client_open(&second, &wire);
  client_ask(&second, "GET", "/hold", "");
  wire_await_held(&wire, 1);
  http_server_close(wire.server);
  wire.server = NULL;
  assert_int_equal(waiting.closes, 1);
  http_stream_wake(&waiting.stream);
  http_reply_stream(wire.held[0], &late.stream); // nobody is left to read it
  assert_int_equal(late.closes, 1);
  assert_int_equal(late.pulls, 0);
  client_close(&client);
  client_close(&second);
  wire_close(&wire);
}

int main(void) {
#define ON_WIRE(test) cmocka_unit_test_setup_teardown(test, start_wire, end_wire)
  const struct CMUnitTest tests[] = {
      ON_WIRE(events_are_sent_as_they_come),
      ON_WIRE(a_stream_that_has_all_at_once_never_waits),
      ON_WIRE(a_wake_from_inside_pull_is_not_lost),
      ON_WIRE(waking_when_nobody_waits_is_harmless),
      ON_WIRE(a_silent_stream_sends_heartbeats),
      ON_WIRE(the_heartbeat_finds_a_client_that_left),
      ON_WIRE(a_large_event_arrives_whole),
      ON_WIRE(an_old_client_gets_the_stream_until_the_end_of_the_connection),
      ON_WIRE(head_of_a_stream_has_no_body_and_closes_it),
      ON_WIRE(a_stream_may_begin_late),
      cmocka_unit_test(closing_the_server_closes_the_stream_once),
  };
  return cmocka_run_group_tests_name("http_stream", tests, NULL, NULL);
}
