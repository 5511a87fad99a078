// SPDX-License-Identifier: Apache-2.0
// What is kept of a step's requests, and who is told when there is more to read.
#include "sandbox/limits.h"
#include "sandbox/test_job.h"

// ---- evidence of requests ----

static bool keep_output(void *ctx, const struct output *output) {
  struct said *said = ctx;
  said->announced = output->clamped; // a place for what the test looks at
  said->run.attestation = arena_str(said->b->arena, output->calls);
  said->run.subject_ref = arena_str(said->b->arena, output->output);
  return false;
}

static struct said only_output(struct bench *b, struct id run) {
  struct said kept = {.b = b};
  CHECK_OK(b, run_outputs(store_reader(b->store), b->tenant, run, false, -1, 1, keep_output, &kept, &b->err));
  return kept;
}

static void a_request_over_the_text_limit_is_cut_and_marked(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(INPUT_MAX_BYTES + 1);
  memset(text, 'r', INPUT_MAX_BYTES + 1);
  b->fake.request = (struct str){text, INPUT_MAX_BYTES + 1};
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  assert_int_equal(said.run.status, RUN_COMPLETED);
  struct said kept = only_output(b, said.run.id);
  assert_int_equal(kept.run.subject_ref.len, strlen("[[mock-miss:]]") + INPUT_MAX_BYTES);
  struct digest whole = hash_of(b->fake.request);
  AUTO(json_auto_decref) json_t *calls = NULL;
  CHECK_OK(b, json_read(kept.run.attestation, &calls, &b->err));
  CHECK_STR(json_member_str(json_array_get(calls, 0), "resource_whole"), digest_format(&whole).text);
  assert_int_equal(json_member_str(json_array_get(calls, 0), "resource").len, INPUT_MAX_BYTES);
}

static void requests_over_the_evidence_of_a_step_are_left_out_and_said(void **state) {
  struct bench *b = *state;
  AUTO(mem_auto_free) char *text = mem_alloc(INPUT_MAX_BYTES);
  memset(text, 'r', INPUT_MAX_BYTES);
  b->fake.request = (struct str){text, INPUT_MAX_BYTES};
  b->fake.requests = 200;
  struct said said;
  start_job(b, 1, false, &said);
  SETTLE(b);
  struct said kept = only_output(b, said.run.id);
  assert_true(kept.announced);
  AUTO(json_auto_decref) json_t *calls = NULL;
  CHECK_OK(b, json_read(kept.run.attestation, &calls, &b->err));
  assert_in_range(json_array_size(calls), 100, 199);
}

// ---- watching ----

struct counting {
  struct run_watch watch;
  struct bench *b;
  int wakes;
  struct run_watch *leaves; // taken off the list by a wake
};

static void count_wake(struct run_watch *watch) {
  struct counting *c = (struct counting *)watch;
  c->wakes++;
  if (c->leaves) sandbox_unwatch(c->b->sandbox, c->leaves);
}

static void a_watcher_is_woken_whenever_more_is_durable(void **state) {
  struct bench *b = *state;
  b->fake.allow = 0;
  struct said said;
  start_job(b, 600, true, &said);
  UNTIL(b, said.announced == 1);
  struct counting mine = {.watch = {said.run.id, count_wake, NULL}}, other = {.watch = {b->tenant, count_wake, NULL}};
  sandbox_watch(b->sandbox, &other.watch);
  sandbox_watch(b->sandbox, &mine.watch);
  fake_allow(&b->fake, FAKE_ALL);
  SETTLE(b);
  assert_int_equal(mine.wakes, 3);
  assert_int_equal(other.wakes, 0);
  sandbox_unwatch(b->sandbox, &mine.watch);
  sandbox_unwatch(b->sandbox, &mine.watch); // harmless
  sandbox_unwatch(b->sandbox, &other.watch);
}

static void a_wake_may_end_any_watcher(void **state) {
  struct bench *b = *state;
  struct counting last = {.watch = {b->tenant, count_wake, NULL}};
  struct counting middle = {.watch = {b->tenant, count_wake, NULL}};
  struct counting first = {.watch = {b->tenant, count_wake, NULL}, .b = b, .leaves = &middle.watch};
  sandbox_watch(b->sandbox, &last.watch);
  sandbox_watch(b->sandbox, &middle.watch);
  sandbox_watch(b->sandbox, &first.watch);
  sandbox_notify(b->sandbox, b->tenant);
  assert_int_equal(first.wakes, 1);
  assert_int_equal(middle.wakes, 0);
  assert_int_equal(last.wakes, 1);
  first.leaves = &first.watch;
  sandbox_notify(b->sandbox, b->tenant);
  sandbox_notify(b->sandbox, b->tenant);
  assert_int_equal(first.wakes, 2);
  assert_int_equal(last.wakes, 3);
  sandbox_unwatch(b->sandbox, &last.watch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_request_over_the_text_limit_is_cut_and_marked),
      BENCH_TEST(requests_over_the_evidence_of_a_step_are_left_out_and_said),
      BENCH_TEST(a_watcher_is_woken_whenever_more_is_durable),
      BENCH_TEST(a_wake_may_end_any_watcher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
