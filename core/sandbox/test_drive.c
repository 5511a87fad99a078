// SPDX-License-Identifier: Apache-2.0
// What a backend is given and what becomes evidence. What is recorded of it and when is in test_job.c.
#include "sandbox/drive.h"
#include "sandbox/limits.h"
#include "sandbox/test_sandbox.h"

/// Somebody who listens to a drive and writes down what it hears.
struct listener {
  struct drive *drive;
  struct buf heard;
  size_t ready_for; // outputs until it asks to wait
  size_t outputs;
  bool ended, stop_at_first, free_at_end;
  enum runner_end_kind end;
  struct digest hash;
  int64_t unused;
};

static bool ready(void *ctx) {
  struct listener *l = ctx;
  return l->outputs < l->ready_for;
}

static void on_output(void *ctx, const struct output *o) {
  struct listener *l = ctx;
  assert_int_equal(o->seq, l->outputs);
  assert_true(id_is_zero(o->id) && id_is_zero(o->run));
  l->outputs++;
  buf_addf(&l->heard, "%.*s=%.*s%s%s %.*s\n", STR_ARG(o->step_key), STR_ARG(o->output), o->mock_hit ? " hit" : "",
           o->clamped ? " clamped" : "", STR_ARG(o->calls));
  if (l->stop_at_first) drive_stop(l->drive);
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  struct listener *l = ctx;
  (void)detail;
  l->ended = true;
  l->end = end;
  l->hash = drive_outputs_hash(l->drive);
  l->unused = drive_unused_mocks(l->drive);
  if (!l->free_at_end) return;
  drive_free(l->drive, NULL);
  l->drive = NULL;
}

static const struct drive_events events = {ready, on_output, on_end};

static void listener_done(struct listener *l) {
  drive_free(l->drive, NULL);
  buf_done(&l->heard);
}

static void listen_to(struct bench *b, struct listener *at, struct plan *take_plan) {
  buf_init(&at->heard, 1 << 22);
  at->ready_for = SIZE_MAX;
  CHECK_OK(b, drive_new(&b->fake.port, b->tenant, take_plan, &events, at, &at->drive, &b->err));
  plan_unref(take_plan);
}

static void run(struct bench *b, struct listener *l) {
  drive_start(l->drive);
  while (!l->ended) loop_turn(b->loop, true);
}

static struct plan *plan_of(struct bench *b, const char *body, const char *variant) {
  struct scenario s = bench_scenario(b, body);
  struct plan *plan;
  CHECK_OK(b, plan_from_scenario(&s, str_c(variant), s.seed, &plan, &b->err));
  return plan;
}

#define BODY                                                                                                           \
  "{\"name\":\"n\",\"steps\":[{\"key\":\"a\",\"input\":\"x\"},{\"key\":\"b\",\"input\":\"y\"}],"                       \
  "\"mocks\":[{\"resource\":\"x\",\"response\":\"one\"},{\"resource\":\"z\",\"response\":\"two\"}],"                   \
  "\"variants\":{\"v\":{\"mocks\":[{\"resource\":\"x\",\"response\":\"three\"}]}}}"

static void each_step_gives_its_output_and_what_answered_it(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {0};
  listen_to(b, &l, plan_of(b, BODY, NULL));
  run(b, &l);
  assert_int_equal(l.end, RUNNER_END_DONE);
  CHECK_STR(buf_str(&l.heard),
            "a=one hit [{\"resource\":\"x\",\"mock_hit\":true,\"mock\":\"mocks[0]\",\"matched_by\":\"resource\"}]\n"
            "b=[[mock-miss:y]] [{\"resource\":\"y\",\"mock_hit\":false}]\n");
  assert_int_equal(l.unused, 1);
}

static void a_mock_that_a_variant_replaced_is_not_counted_as_unused(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {0};
  struct plan *plan = plan_of(b, BODY, "v");
  listen_to(b, &l, plan_ref(plan));
  assert_int_equal(drive_unused_mocks(l.drive), 2);
  run(b, &l);
  CHECK_STR(buf_str(&l.heard),
            "a=three hit "
            "[{\"resource\":\"x\",\"mock_hit\":true,\"mock\":\"variants.v.mocks[0]\",\"matched_by\":\"resource\"}]\n"
            "b=[[mock-miss:y]] [{\"resource\":\"y\",\"mock_hit\":false}]\n");
  assert_int_equal(l.unused, 1); // the one for z

  // And the same from the spec as it is stored, where there is no variant any more.
  struct plan *again;
  CHECK_OK(b, plan_from_canonical((struct str){plan->canonical, plan->canonical_len}, &again, &b->err));
  AUTO(listener_done) struct listener second = {0};
  listen_to(b, &second, again);
  run(b, &second);
  assert_int_equal(second.unused, 1);
  assert_true(digest_eq(&l.hash, &second.hash));
  plan_unref(plan);
}

// Published in docs/http-api.md; computed apart from this program.
static void the_outputs_hash_is_the_published_one(void **state) {
  struct bench *b = *state;
  static const struct {
    const char *body, *hash;
  } vectors[] = {
      {"{\"name\":\"n\",\"steps\":[{\"key\":\"sample-0001\",\"input\":\"agent:user1@example.test\"},"
       "{\"key\":\"sample-0002\",\"input\":\"agent:user2@example.test\"}],"
       "\"mocks\":[{\"resource\":\"agent:user1@example.test\",\"response\":\"first synthetic account\"}]}",
       "964c6070348f6eb2ad25d34ff188d1bca7ba09b2fd9787aabe7f4cb8a79f9a32"},
      {"{\"name\":\"n\",\"steps\":[{\"input\":\"q\"},{\"key\":\"gr\xc3\xb6\xc3\x9f"
       "e\",\"input\":\"\"}],"
       "\"mocks\":[{\"resource\":\"q\",\"response\":\"\"}]}",
       "be02304f2551be9ef9690a16587e0705edf9b216ee45c7607a0fb6a5a149af9a"},
  };
  for (size_t i = 0; i < 2; i++) {
    AUTO(listener_done) struct listener l = {0};
    listen_to(b, &l, plan_of(b, vectors[i].body, NULL));
    struct digest nothing = drive_outputs_hash(l.drive);
    CHECK_DIGEST(&nothing, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    run(b, &l);
    CHECK_DIGEST(&l.hash, vectors[i].hash);
  }
}

static void the_hash_is_over_the_output_as_it_is_kept(void **state) {
  struct bench *b = *state;
  AUTO(buf_done) struct buf text;
  buf_init(&text, OUTPUT_MAX_BYTES + 2);
  for (int i = 0; i < OUTPUT_MAX_BYTES - 1; i++) buf_add_char(&text, 'x');
  struct digest hashes[2];
  for (int i = 0; i < 2; i++) {
    if (i == 1) buf_add_c(&text, "\xc3\xa9"); // one byte too many, and it can't be halved
    b->fake.output = buf_str(&text);
    AUTO(listener_done) struct listener l = {0};
    listen_to(b, &l, plan_of(b, BODY, NULL));
    run(b, &l);
    hashes[i] = l.hash;
    assert_int_equal(strstr(l.heard.data, "hit clamped") != NULL, i == 1);
  }
  assert_true(digest_eq(&hashes[0], &hashes[1]));
}

static void a_step_with_a_miss_among_its_requests_is_no_hit(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {0};
  b->fake.also = STR("z");
  listen_to(b, &l, plan_of(b, BODY, NULL));
  run(b, &l);
  CHECK_STR(buf_str(&l.heard),
            "a=two hit [{\"resource\":\"x\",\"mock_hit\":true,\"mock\":\"mocks[0]\",\"matched_by\":\"resource\"},"
            "{\"resource\":\"z\",\"mock_hit\":true,\"mock\":\"mocks[1]\",\"matched_by\":\"resource\"}]\n"
            "b=two [{\"resource\":\"y\",\"mock_hit\":false},"
            "{\"resource\":\"z\",\"mock_hit\":true,\"mock\":\"mocks[1]\",\"matched_by\":\"resource\"}]\n");
  assert_int_equal(l.unused, 0);
}

static void a_step_without_requests_is_no_hit(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {0};
  b->fake.requests = 0;
  listen_to(b, &l, plan_of(b, BODY, NULL));
  run(b, &l);
  CHECK_STR(buf_str(&l.heard), "a= []\nb= []\n");
  assert_int_equal(l.unused, 2);
}

// The list of a step's requests is an array of at most 1 MiB: 128 entries of 8191 bytes, their commas and one bracket
// fill it, and then its end does not fit.
static void requests_that_leave_no_room_for_the_end_of_their_list_are_cut(void **state) {
  struct bench *b = *state;
  enum { ENTRIES = 128, ENTRY_BYTES = 8191 };
  static const char frame[] = "{\"resource\":\"\",\"mock_hit\":false}";
  char text[ENTRY_BYTES];
  memset(text, 'r', sizeof text);
  b->fake.request = (struct str){text, ENTRY_BYTES - (sizeof frame - 1)};
  b->fake.requests = ENTRIES;
  b->fake.output = STR("");
  for (int shorter = 0; shorter < 2; shorter++) {
    b->fake.request.len -= (size_t)shorter;
    AUTO(listener_done) struct listener l = {0};
    listen_to(b, &l, plan_of(b, "{\"name\":\"n\",\"steps\":[{\"key\":\"k\",\"input\":\"\"}]}", NULL));
    run(b, &l);
    const char *start = strchr(l.heard.data, '[');
    AUTO(json_auto_decref) json_t *calls = NULL;
    CHECK_OK(b, json_read((struct str){start, (size_t)(strrchr(start, '\n') - start)}, &calls, &b->err));
    assert_int_equal(json_array_size(calls), shorter ? ENTRIES : ENTRIES - 1);
    assert_int_equal(strncmp(l.heard.data, "k= clamped ", 11) == 0, !shorter);
  }
}

// The reference agent requests the input itself; another text with the same bytes is not known to be cut.
static void a_cut_input_is_answered_by_the_mock_for_its_whole_text(void **state) {
  struct bench *b = *state;
  AUTO(buf_done) struct buf body;
  buf_init(&body, 1 << 20);
  buf_add_c(&body, "{\"name\":\"n\",\"steps\":[");
  for (int step = 0; step < 2; step++) {
    buf_addf(&body, "%s{\"key\":\"%c\",\"input\":\"", step ? "," : "", 'a' + step);
    for (int i = 0; i < INPUT_MAX_BYTES; i++) buf_add_char(&body, 'x');
    buf_addf(&body, "%d\"}", step);
  }
  buf_add_c(&body, "],\"mocks\":[{\"response\":\"whole\",\"resource\":\"");
  for (int i = 0; i < INPUT_MAX_BYTES; i++) buf_add_char(&body, 'x');
  buf_add_c(&body, "0\"}]}");
  AUTO(listener_done) struct listener l = {0};
  listen_to(b, &l, plan_of(b, body.data, NULL));
  run(b, &l);
  assert_int_equal(strncmp(l.heard.data, "a=whole hit ", 12), 0);
  assert_non_null(strstr(l.heard.data, "\"resource_whole\":\""));
  assert_non_null(strstr(l.heard.data, "b=[[mock-miss:xx"));
}

static void the_backend_waits_until_whoever_listens_is_ready(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {0};
  listen_to(b, &l, plan_of(b, BODY, NULL));
  l.ready_for = 1;
  drive_start(l.drive);
  while (b->fake.waits == 0) loop_turn(b->loop, true);
  assert_int_equal(l.outputs, 1);
  drive_wake(l.drive); // nothing has changed
  while (b->fake.waits == 1) loop_turn(b->loop, true);
  assert_int_equal(l.outputs, 1);
  l.ready_for = 2;
  drive_wake(l.drive);
  while (!l.ended) loop_turn(b->loop, true);
  assert_int_equal(l.outputs, 2);
}

static void it_may_be_stopped_from_within_an_output(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {.stop_at_first = true};
  listen_to(b, &l, plan_of(b, BODY, NULL));
  run(b, &l);
  assert_int_equal(l.end, RUNNER_END_STOPPED);
  assert_int_equal(l.outputs, 1);
}

static void it_may_be_freed_from_within_its_end(void **state) {
  struct bench *b = *state;
  AUTO(listener_done) struct listener l = {.free_at_end = true};
  listen_to(b, &l, plan_of(b, BODY, NULL));
  run(b, &l);
  assert_null(l.drive);
  assert_int_equal(b->fake.live, 0);
}

static void freeing_says_what_the_backend_saw(void **state) {
  struct bench *b = *state;
  bool gone = false;
  drive_free(NULL, &gone);
  assert_true(gone);
  struct listener l = {0};
  listen_to(b, &l, plan_of(b, BODY, NULL));
  b->fake.remains = true;
  drive_free(l.drive, &gone);
  assert_false(gone);
  buf_done(&l.heard);
}

static void a_backend_that_cannot_prepare_leaves_nothing(void **state) {
  struct bench *b = *state;
  struct plan *plan = plan_of(b, BODY, NULL);
  struct drive *drive = NULL;
  b->fake.prepare_error = "No room.";
  CHECK_FAILS(b, drive_new(&b->fake.port, b->tenant, plan, &events, NULL, &drive, &b->err), ERR_UNAVAILABLE,
              "No room.");
  assert_null(drive);
  assert_int_equal(plan->refs, 1);
  plan_unref(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(each_step_gives_its_output_and_what_answered_it),
      BENCH_TEST(a_mock_that_a_variant_replaced_is_not_counted_as_unused),
      BENCH_TEST(the_outputs_hash_is_the_published_one),
      BENCH_TEST(the_hash_is_over_the_output_as_it_is_kept),
      BENCH_TEST(a_step_with_a_miss_among_its_requests_is_no_hit),
      BENCH_TEST(a_step_without_requests_is_no_hit),
      BENCH_TEST(requests_that_leave_no_room_for_the_end_of_their_list_are_cut),
      BENCH_TEST(a_cut_input_is_answered_by_the_mock_for_its_whole_text),
      BENCH_TEST(the_backend_waits_until_whoever_listens_is_ready),
      BENCH_TEST(it_may_be_stopped_from_within_an_output),
      BENCH_TEST(it_may_be_freed_from_within_its_end),
      BENCH_TEST(freeing_says_what_the_backend_saw),
      BENCH_TEST(a_backend_that_cannot_prepare_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
