// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

static void memory_of_no_bytes_is_memory_still(void **state) {
  (void)state;
  void *a = mem_alloc(0);
  void *b = mem_array(0, 8);
  void *c = mem_realloc(NULL, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_non_null(c);
  free(a);
  free(b);
  free(c);
}

static void zeroed_memory_is_zero(void **state) {
  (void)state;
  AUTO(mem_auto_free) unsigned char *bytes = mem_zalloc(4096);
  AUTO(mem_auto_free) uint64_t *words = mem_array(100, sizeof(*words));
  for (size_t i = 0; i < 4096; i++) assert_int_equal(bytes[i], 0);
  for (size_t i = 0; i < 100; i++) assert_int_equal(words[i], 0);
}

static void copies_of_text_end_with_nul(void **state) {
  (void)state;
  AUTO(mem_auto_free) char *part = mem_strdup((struct str){"abcdef", 3});
  AUTO(mem_auto_free) char *absent = mem_strdup(STR_NONE);
  assert_string_equal(part, "abc");
  assert_string_equal(absent, "");
}

static void arena_memory_is_zeroed_aligned_and_apart(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  unsigned char *blocks[400];
  for (size_t i = 0; i < 400; i++) {
    size_t bytes = i * 7 % 900 + 1;
    blocks[i] = arena_alloc(arena, bytes);
    assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
    for (size_t j = 0; j < bytes; j++) assert_int_equal(blocks[i][j], 0);
    memset(blocks[i], (int)(i % 256), bytes);
    arena_strdup(arena, STR("x"));
  }
  for (size_t i = 0; i < 400; i++) {
    for (size_t j = 0; j < i * 7 % 900 + 1; j++) assert_int_equal(blocks[i][j], i % 256);
  }
}

static void large_and_small_share_an_arena(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  char *before = arena_strdup(arena, STR("before"));
  unsigned char *large = arena_alloc(arena, 1 << 20);
  char *after = arena_strdup(arena, STR("after"));
  for (size_t i = 0; i < 1 << 20; i++) assert_int_equal(large[i], 0);
  memset(large, 0xff, 1 << 20);
  assert_string_equal(before, "before");
  assert_string_equal(after, "after");
  assert_non_null(arena_alloc(arena, 0));
}

static void arena_text_is_a_terminated_copy(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  char source[] = "abc";
  struct str copy = arena_str(arena, (struct str){source, 2});
  source[0] = 'z';
  assert_int_equal(copy.len, 2);
  assert_string_equal(copy.data, "ab");
  struct str absent = arena_str(arena, STR_NONE);
  assert_string_equal(absent.data, "");
}

static void arena_printf_takes_any_length(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  const int lengths[] = {0, 1, 254, 255, 256, 257, 5000, 100000};
  for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
    struct str text = arena_printf(arena, "%*s", lengths[i], "");
    assert_int_equal(text.len, lengths[i]);
    assert_int_equal(strlen(text.data), lengths[i]);
  }
  assert_string_equal(arena_printf(arena, "%s-%04d", "sample", 7).data, "sample-0007");
}

static void freeing_nothing_is_fine(void **state) {
  (void)state;
  struct arena *none = NULL;
  arena_free(none);
  arena_auto_free(&none);
  void *nothing = NULL;
  mem_auto_free(&nothing);
  assert_null(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_of_no_bytes_is_memory_still), cmocka_unit_test(zeroed_memory_is_zero),
      cmocka_unit_test(copies_of_text_end_with_nul),        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
      cmocka_unit_test(large_and_small_share_an_arena),     cmocka_unit_test(arena_text_is_a_terminated_copy),
      cmocka_unit_test(arena_printf_takes_any_length),      cmocka_unit_test(freeing_nothing_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
