// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/call.h"
#include "base/secret.h"

// A list of numbers as a handler would write it, without dispatch: `rows` rows exist, numbered from 1.

static const struct schema shape_any = {.kind = SCHEMA_ANY};
static const struct route_param params[] = {{"colour", &shape_any, NULL}, {"size", &shape_any, NULL}, {0}};
static const struct route things = {.operation = "things.list", .params = params};
static const struct route others = {.operation = "others.list", .params = params};
static const struct api_config config = {.cursor_key = {7}};

struct bench {
  struct api_call call;
  struct buf body;
};

static struct bench *bench(void) {
  static struct bench b;
  buf_done(&b.body);
  b = (struct bench){.call = {.config = &config, .route = &things}};
  buf_init(&b.body, 1 << 20);
  jw_init(&b.call.out, &b.body);
  return &b;
}

static bool read(struct bench *b, const char *limit, const char *order, const char *cursor) {
  return page_read(&b->call, str_c(limit), str_c(order), str_c(cursor), false, &b->call.err);
}

static void refused(struct bench *b, const char *place) {
  assert_int_equal(b->call.err.code, ERR_BAD_REQUEST);
  assert_string_equal(b->call.err.place, place);
}

static const char *list(struct bench *b, int64_t rows) {
  struct page_writer page;
  page_begin(&page, &b->call);
  for (int64_t n = page_after_number(&b->call.page, 0) + 1; n <= rows; n++)
    if (page_item_number(&page, n)) jw_int(&b->call.out, NULL, n);
  page_end(&page);
  return b->body.data;
}

static char *cursor_of(struct bench *b) {
  static char cursor[CURSOR_TEXT_MAX];
  const char *at = strstr(b->body.data, "\"cursor\":\"");
  assert_non_null(at);
  memcpy(cursor, at + 10, 43);
  return cursor;
}

static int setup(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

static void defaults_are_a_hundred_newest_first(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, NULL, NULL, NULL));
  assert_int_equal(b->call.page.limit, 100);
  assert_false(b->call.page.oldest_first);
  assert_false(b->call.page.after_present);
  assert_true(id_is_zero(page_after_id(&b->call.page)));
  assert_int_equal(page_after_number(&b->call.page, -1), -1);
}

static void limits_outside_1_to_1000_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"01", "+5", "-0", "0",   "1001", "-1",
                                    "",   " 1", "1 ", "1.0", "x",    "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct bench *b = bench();
    assert_false(read(b, bad[i], NULL, NULL));
    refused(b, "limit");
  }
  struct bench *b = bench();
  assert_true(read(b, "1", NULL, NULL));
  assert_int_equal(b->call.page.limit, 1);
  assert_true(read(b, "1000", NULL, NULL));
  assert_int_equal(b->call.page.limit, 1000);
}

static void an_order_is_asc_or_desc(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, NULL, "asc", NULL));
  assert_true(b->call.page.oldest_first);
  assert_true(read(b, NULL, "desc", NULL));
  assert_false(b->call.page.oldest_first);
  assert_false(read(b, NULL, "ASC", NULL));
  refused(b, "order");
  b = bench();
  assert_false(read(b, NULL, "", NULL));
  refused(b, "order");
  b = bench();
  assert_true(page_read(&b->call, STR_NONE, STR_NONE, STR_NONE, true, &b->call.err));
  assert_true(b->call.page.oldest_first);
}

static void an_empty_list_has_no_cursor(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, "3", NULL, NULL));
  assert_string_equal(list(b, 0), "{\"items\":[],\"has_more\":false}");
}

static void a_page_that_is_just_full_says_that_there_is_no_more(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, "3", NULL, NULL));
  assert_string_equal(list(b, 3), "{\"items\":[1,2,3],\"has_more\":false}");
}

static void a_row_beyond_the_limit_is_the_next_page_s_first(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, "3", NULL, NULL));
  assert_non_null(strstr(list(b, 4), "{\"items\":[1,2,3],\"cursor\":\""));
  assert_non_null(strstr(b->body.data, ",\"has_more\":true}"));
  char *cursor = cursor_of(b);
  b = bench();
  assert_true(read(b, "3", NULL, cursor));
  assert_string_equal(list(b, 4), "{\"items\":[4],\"has_more\":false}");
}

static void large_numbers_and_ids_survive_as_positions(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, "1", NULL, NULL));
  struct page_writer page;
  page_begin(&page, &b->call);
  assert_true(page_item_number(&page, INT64_MAX - 1));
  jw_int(&b->call.out, NULL, 0);
  assert_false(page_item_number(&page, 5));
  page_end(&page);
  char *cursor = cursor_of(b);
  b = bench();
  assert_true(read(b, NULL, NULL, cursor));
  assert_true(page_after_number(&b->call.page, 0) == INT64_MAX - 1);

  struct id id = id_new(INT64_C(1767225600000000000));
  b = bench();
  assert_true(read(b, "1", NULL, NULL));
  page_begin(&page, &b->call);
  assert_true(page_item_id(&page, id));
  jw_int(&b->call.out, NULL, 0);
  assert_false(page_item_id(&page, id_new(0)));
  page_end(&page);
  cursor = cursor_of(b);
  b = bench();
  assert_true(read(b, NULL, NULL, cursor));
  assert_true(id_eq(page_after_id(&b->call.page), id));
}

static void a_cursor_goes_with_its_route_path_tenant_filters_and_order_only(void **state) {
  (void)state;
  struct bench *b = bench();
  b->call.params[0] = STR("red");
  assert_true(read(b, "1", NULL, NULL));
  list(b, 2);
  char *cursor = cursor_of(b);

  struct {
    const struct route *route;
    struct str colour, size;
    const char *order;
    uint8_t tenant, path_id;
    bool fits;
  } cases[] = {
      {&things, STR("red"), STR_NONE, NULL, 0, 0, true},  {&things, STR("red"), STR_NONE, "desc", 0, 0, true},
      {&others, STR("red"), STR_NONE, NULL, 0, 0, false}, {&things, STR("re"), STR_NONE, NULL, 0, 0, false},
      {&things, STR_NONE, STR_NONE, NULL, 0, 0, false},   {&things, STR_NONE, STR("red"), NULL, 0, 0, false},
      {&things, STR("red"), STR(""), NULL, 0, 0, false},  {&things, STR("red"), STR_NONE, "asc", 0, 0, false},
      {&things, STR("red"), STR_NONE, NULL, 1, 0, false}, {&things, STR("red"), STR_NONE, NULL, 0, 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b = bench();
    b->call.route = cases[i].route;
    b->call.params[0] = cases[i].colour;
    b->call.params[1] = cases[i].size;
    b->call.tenant.bytes[3] = cases[i].tenant;
    b->call.path_id.bytes[3] = cases[i].path_id;
    assert_int_equal(read(b, "1", cases[i].order, cursor), cases[i].fits);
    if (!cases[i].fits) refused(b, "cursor");
  }
}

static void a_page_may_change_its_limit_from_one_to_the_next(void **state) {
  (void)state;
  struct bench *b = bench();
  assert_true(read(b, "1", NULL, NULL));
  list(b, 9);
  char *cursor = cursor_of(b);
  b = bench();
  assert_true(read(b, "1000", NULL, cursor));
  assert_string_equal(list(b, 4), "{\"items\":[2,3,4],\"has_more\":false}");
}

static int teardown(void **state) {
  (void)state;
  buf_done(&bench()->body);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_a_hundred_newest_first),
      cmocka_unit_test(limits_outside_1_to_1000_are_refused),
      cmocka_unit_test(an_order_is_asc_or_desc),
      cmocka_unit_test(an_empty_list_has_no_cursor),
      cmocka_unit_test(a_page_that_is_just_full_says_that_there_is_no_more),
      cmocka_unit_test(a_row_beyond_the_limit_is_the_next_page_s_first),
      cmocka_unit_test(large_numbers_and_ids_survive_as_positions),
      cmocka_unit_test(a_cursor_goes_with_its_route_path_tenant_filters_and_order_only),
      cmocka_unit_test(a_page_may_change_its_limit_from_one_to_the_next),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
