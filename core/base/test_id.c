// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "base/secret.h"

// Later than any other test of this process, since the generator never goes back.
static const int64_t NOON_NS = 4000000000000000000;

static int compare_ids(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct id));
}

static int64_t milliseconds(struct id id) {
  int64_t ms = 0;
  for (size_t i = 0; i < 6; i++) ms = ms << 8 | id.bytes[i];
  return ms;
}

static void ids_of_the_epoch_increase_too(void **state) {
  (void)state;
  struct id first = id_new(0), second = id_new(0), third = id_new(-5);
  assert_int_equal(milliseconds(first), 0);
  assert_true(compare_ids(&first, &second) < 0);
  assert_true(compare_ids(&second, &third) < 0);
}

static void an_id_carries_time_version_and_variant(void **state) {
  (void)state;
  struct id id = id_new(1645557742000000000); // the moment of RFC 9562, appendix A.6: 017F22E2-79B0-7…
  assert_int_equal(milliseconds(id), 0x017f22e279b0);
  assert_int_equal(id.bytes[6] >> 4, 7);
  assert_int_equal(id.bytes[8] >> 6, 2);
  assert_memory_equal(id_format(id).text, "017f22e2-79b0-7", 15);
}

static void ids_of_one_millisecond_increase(void **state) {
  (void)state;
  struct id before = id_new(NOON_NS);
  for (int i = 0; i < 100000; i++) {
    struct id id = id_new(NOON_NS);
    assert_true(compare_ids(&before, &id) < 0);
    before = id;
  }
  assert_int_equal(milliseconds(before), NOON_NS / 1000000);
}

static void ids_increase_when_the_clock_steps_back(void **state) {
  (void)state;
  struct id before = id_new(NOON_NS + 5000000);
  int64_t ms = milliseconds(before);
  for (int64_t back = 0; back < 1000; back++) {
    struct id id = id_new(NOON_NS - back * 3600000000000);
    assert_true(compare_ids(&before, &id) < 0);
    assert_int_equal(milliseconds(id), ms);
    before = id;
  }
  struct id caught_up = id_new(NOON_NS + 6000000);
  assert_int_equal(milliseconds(caught_up), ms + 1);
}

enum { THREADS = 8, IDS_PER_THREAD = 20000 };

static void *make_ids(void *ids) {
  struct id *all = ids;
  for (int i = 0; i < IDS_PER_THREAD; i++) all[i] = id_new(NOON_NS + (i % 7) * 1000000);
  return NULL;
}

static void ids_of_several_threads_differ_and_increase_in_each(void **state) {
  (void)state;
  struct id *ids = calloc((size_t)THREADS * IDS_PER_THREAD, sizeof(*ids));
  assert_non_null(ids);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, make_ids, ids + i * IDS_PER_THREAD), 0);
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (size_t i = 1; i < (size_t)THREADS * IDS_PER_THREAD; i++) {
    if (i % IDS_PER_THREAD != 0) assert_true(compare_ids(&ids[i - 1], &ids[i]) < 0);
  }
  qsort(ids, (size_t)THREADS * IDS_PER_THREAD, sizeof(*ids), compare_ids);
  for (size_t i = 1; i < (size_t)THREADS * IDS_PER_THREAD; i++) assert_false(id_eq(ids[i - 1], ids[i]));
  free(ids);
}

static void a_forked_child_makes_other_ids(void **state) {
  (void)state;
  id_new(NOON_NS + 9000000);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  struct id id = id_new(NOON_NS + 9000000);
  if (child == 0) _exit(write(ends[1], &id, sizeof(id)) == sizeof(id) ? 0 : 1);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  struct id of_child;
  assert_int_equal(read(ends[0], &of_child, sizeof(of_child)), sizeof(of_child));
  close(ends[0]);
  close(ends[1]);
  assert_int_equal(milliseconds(of_child), milliseconds(id));
  // 74 random bits each: that the two are even in the same 2^40 neighbourhood does not happen by chance.
  assert_memory_not_equal(of_child.bytes + 6, id.bytes + 6, 5);
}

static void text_form_is_read_back(void **state) {
  (void)state;
  struct str text = STR("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"); // RFC 9562, appendix A.6
  struct id id = {{0}};
  assert_true(id_parse(text, &id));
  const uint8_t bytes[16] = {0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3,
                             0x98, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f};
  assert_memory_equal(id.bytes, bytes, 16);
  assert_string_equal(id_format(id).text, text.data);
}

static void any_other_form_is_refused(void **state) {
  (void)state;
  const char *bad[] = {
      "",
      "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
      "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f",
      "017f22e279b07cc398c4dc0c0c07398f",
      "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
      "017f22e2_79b0-7cc3-98c4-dc0c0c07398f",
      "017f22e27-9b0-7cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
      "00000000-0000-0000-0000-000000000000",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct id id = {{1}};
    assert_false(id_parse(str_c(bad[i]), &id));
    assert_int_equal(id.bytes[0], 1);
  }
  struct id id;
  assert_false(id_parse(STR_NONE, &id));
}

static void equality_and_zero(void **state) {
  (void)state;
  struct id zero = {{0}}, last = {{0}};
  last.bytes[15] = 1;
  assert_true(id_is_zero(zero));
  assert_false(id_is_zero(last));
  assert_true(id_eq(last, last));
  assert_false(id_eq(zero, last));
}

int main(void) {
  secret_setup();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_of_the_epoch_increase_too),
      cmocka_unit_test(an_id_carries_time_version_and_variant),
      cmocka_unit_test(ids_of_one_millisecond_increase),
      cmocka_unit_test(ids_increase_when_the_clock_steps_back),
      cmocka_unit_test(ids_of_several_threads_differ_and_increase_in_each),
      cmocka_unit_test(a_forked_child_makes_other_ids),
      cmocka_unit_test(text_form_is_read_back),
      cmocka_unit_test(any_other_form_is_refused),
      cmocka_unit_test(equality_and_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
