// SPDX-License-Identifier: Apache-2.0
#include "store/list_query.h"
#include "store/test_store.h"

static const struct store_migration schema[] = {
    {1, "CREATE TABLE things (tenant_id BLOB NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL, part BLOB,"
        " PRIMARY KEY (tenant_id, id)) STRICT, WITHOUT ROWID"}};

static struct id numbered(uint8_t number) {
  struct id id = {{0}};
  id.bytes[15] = number;
  return id;
}

// Things 1 to 4 of the tenant 9, of the kinds a and b in turns; the last two are part of 7. Thing 5 is another
// tenant's.
static void fill(struct bench *b) {
  bench_open(b, schema, 1);
  char sql[] = "INSERT INTO things VALUES"
               " (x'00000000000000000000000000000009', x'00000000000000000000000000000001', 'a', NULL),"
               " (x'00000000000000000000000000000009', x'00000000000000000000000000000002', 'b', NULL),"
               " (x'00000000000000000000000000000009', x'00000000000000000000000000000003', 'a',"
               "  x'00000000000000000000000000000007'),"
               " (x'00000000000000000000000000000009', x'00000000000000000000000000000004', 'b',"
               "  x'00000000000000000000000000000007'),"
               " (x'00000000000000000000000000000008', x'00000000000000000000000000000005', 'a', NULL)";
  bench_sqlite(b, sql);
}

struct asking {
  const char *kind, *plain;
  uint8_t part, after;
  bool oldest_first;
  int limit;
  const char *expected; // the numbers of the things
};

static void ask(struct bench *b, const struct asking *a) {
  AUTO(list_query_done) struct list_query list;
  list_query_init(&list, "SELECT id FROM things WHERE tenant_id = ?", numbered(9));
  list_query_text(&list, "kind = ?", str_c(a->kind));
  list_query_id(&list, "part = ?", numbered(a->part));
  if (a->plain) list_query_plain(&list, a->plain);
  AUTO(stmt_close)
  struct stmt *q =
      list_query_open(&list, store_reader(b->store), "id", a->oldest_first, numbered(a->after), a->limit, &b->err);
  if (!q) fail_msg("%s", b->err.msg);
  char found[16] = "";
  while (stmt_step(q, &b->err) == STMT_ROW)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%d", stmt_id(q, 0).bytes[15]);
  assert_string_equal(found, a->expected);
}

static void each_condition_that_is_named_counts_and_no_other(void **state) {
  struct bench *b = *state;
  fill(b);
  static const struct asking cases[] = {
      {.limit = 9, .expected = "4321"},
      {.limit = 9, .oldest_first = true, .expected = "1234"},
      {.limit = 2, .expected = "43"},
      {.limit = 9, .after = 3, .expected = "21"},
      {.limit = 1, .after = 1, .oldest_first = true, .expected = "2"},
      {.limit = 9, .kind = "a", .expected = "31"},
      {.limit = 9, .kind = "a", .part = 7, .expected = "3"},
      {.limit = 9, .kind = "", .expected = ""},
      {.limit = 9, .part = 7, .after = 4, .expected = "3"},
      {.limit = 9, .plain = "part IS NULL", .kind = "b", .expected = "2"},
      {.limit = 0, .expected = ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) ask(b, &cases[i]);
}

static void a_select_that_is_wrong_is_an_error(void **state) {
  struct bench *b = *state;
  fill(b);
  AUTO(list_query_done) struct list_query list;
  list_query_init(&list, "SELECT nothing FROM things WHERE tenant_id = ?", numbered(9));
  assert_null(list_query_open(&list, store_reader(b->store), "id", false, numbered(0), 1, &b->err));
  assert_int_equal(b->err.code, ERR_INTERNAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(each_condition_that_is_named_counts_and_no_other),
      BENCH_TEST(a_select_that_is_wrong_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
