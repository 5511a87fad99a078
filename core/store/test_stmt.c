// SPDX-License-Identifier: Apache-2.0
#include "store/conn.h"
#include "store/test_store.h"

static const char select_values[] = "SELECT ?, ?, ?, ?";

static struct stmt *open_row(struct bench *b, const char *sql) {
  struct stmt *q = stmt_open(store_reader(b->store), sql, &b->err);
  if (!q) fail_msg("%s", b->err.msg);
  return q;
}

static void numbers_come_back(void **state) {
  struct bench *b = *state;
  AUTO(stmt_close) struct stmt *q = open_row(b, select_values);
  stmt_bind_int(q, 1, INT64_MIN);
  stmt_bind_int(q, 2, INT64_MAX);
  stmt_bind_real(q, 3, 0.1);
  stmt_bind_bool(q, 4, true);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(stmt_int(q, 0) == INT64_MIN);
  assert_true(stmt_int(q, 1) == INT64_MAX);
  assert_true(stmt_real(q, 2) >= 0.1 && stmt_real(q, 2) <= 0.1);
  assert_true(stmt_bool(q, 3));
  assert_int_equal(stmt_step(q, &b->err), STMT_DONE);
}

static void bytes_come_back(void **state) {
  struct bench *b = *state;
  struct id id = {{1, 2, 3, 0, 5, [15] = 16}};
  struct digest digest = {{9, 0, 7, [31] = 32}};
  AUTO(stmt_close) struct stmt *q = open_row(b, select_values);
  stmt_bind_id(q, 1, id);
  stmt_bind_digest(q, 2, &digest);
  stmt_bind_str(q, 3,
                STR("Gr\xc3\xb6\xc3\x9f"
                    "e\0hidden"));
  stmt_bind_blob(q, 4, "\0\xff", 2);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(id_eq(stmt_id(q, 0), id));
  struct digest read = stmt_digest(q, 1);
  assert_memory_equal(read.bytes, digest.bytes, DIGEST_BYTES);
  assert_true(str_eq(stmt_str(q, 2), STR("Gr\xc3\xb6\xc3\x9f"
                                         "e\0hidden")));
  assert_int_equal(stmt_str(q, 3).len, 2);
}

static void absent_is_null_and_empty_is_not(void **state) {
  struct bench *b = *state;
  AUTO(stmt_close) struct stmt *q = open_row(b, select_values);
  stmt_bind_str(q, 1, STR_NONE);
  stmt_bind_str(q, 2, STR(""));
  stmt_bind_id(q, 3, (struct id){0});
  stmt_bind_null(q, 4);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(stmt_is_null(q, 0) && !str_present(stmt_str(q, 0)));
  assert_true(!stmt_is_null(q, 1) && str_present(stmt_str(q, 1)));
  assert_int_equal(stmt_str(q, 1).len, 0);
  assert_true(stmt_is_null(q, 2) && id_is_zero(stmt_id(q, 2)));
  assert_true(stmt_is_null(q, 3));
  assert_int_equal(stmt_int(q, 3), 0);
  struct digest zero = {0}, read = stmt_digest(q, 3);
  assert_memory_equal(read.bytes, zero.bytes, DIGEST_BYTES);
}

static void bytes_of_another_length_are_no_id(void **state) {
  struct bench *b = *state;
  AUTO(stmt_close) struct stmt *q = open_row(b, "SELECT x'0102', zeroblob(17)");
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(id_is_zero(stmt_id(q, 0)));
  assert_true(id_is_zero(stmt_id(q, 1)));
}

static void a_megabyte_of_text_comes_back(void **state) {
  enum { BYTES = 1 << 20 };
  struct bench *b = *state;
  char *text = mem_alloc(BYTES);
  for (size_t i = 0; i < BYTES; i++) text[i] = (char)('a' + i % 26);
  struct stmt *q = open_row(b, "SELECT ?");
  stmt_bind_str(q, 1, (struct str){text, BYTES});
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_int_equal(stmt_str(q, 0).len, BYTES);
  assert_memory_equal(stmt_str(q, 0).data, text, BYTES);
  stmt_close(&q);
  free(text);
}

static void bindings_do_not_outlive_a_close(void **state) {
  struct bench *b = *state;
  struct stmt *q = open_row(b, "SELECT ?");
  stmt_bind_int(q, 1, 7);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  stmt_close(&q);
  assert_null(q);
  q = open_row(b, "SELECT ?");
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(stmt_is_null(q, 0));
  stmt_close(&q);
  stmt_close(&q);
  stmt_close(NULL);
}

// ---- failures ----

static void wrong_sql_is_internal(void **state) {
  struct bench *b = *state;
  assert_null(stmt_open(store_reader(b->store), "SELEC 1", &b->err));
  assert_int_equal(b->err.code, ERR_INTERNAL);
  assert_non_null(strstr(b->err.msg, "syntax error"));
}

static void sql_of_two_statements_or_none_is_refused(void **state) {
  static const char *const texts[] = {"SELECT 1; SELECT 2", "SELECT 1;\nDELETE FROM items", "", " -- nothing"};
  struct bench *b = *state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    b->err = (struct err){0};
    if (stmt_open(store_reader(b->store), texts[i], &b->err)) fail_msg("accepted: %s", texts[i]);
    assert_int_equal(b->err.code, ERR_INTERNAL);
    assert_non_null(strstr(b->err.msg, i < 2 ? "more than one statement" : "no statement"));
  }
  struct stmt *q = open_row(b, "SELECT 1; \n");
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  stmt_close(&q);
}

static void a_parameter_that_is_not_there_fails_the_step(void **state) {
  struct bench *b = *state;
  struct stmt *q = open_row(b, "SELECT ?");
  stmt_bind_int(q, 2, 1);
  stmt_bind_int(q, 1, 1);
  assert_int_equal(stmt_step(q, &b->err), STMT_ERROR);
  assert_int_equal(b->err.code, ERR_INTERNAL);
  stmt_close(&q);
  b->err = (struct err){0};
  q = open_row(b, "SELECT ?");
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  stmt_close(&q);
}

static void a_reader_refuses_to_write(void **state) {
  struct bench *b = *state;
  struct stmt *q = open_row(b, "DELETE FROM items");
  assert_false(stmt_run(&q, &b->err));
  assert_null(q);
  assert_int_equal(b->err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(b->err.msg, "can't be written"));
}

static void a_taken_name_is_a_conflict(void **state) {
  struct bench *b = *state;
  struct work first = {.fn = work_insert, .name = "a"}, second = {.fn = work_insert, .name = "a"};
  assert_true(work_run(b, &first));
  assert_false(work_run(b, &second));
  assert_int_equal(second.op.err.code, ERR_CONFLICT);
  assert_non_null(strstr(second.op.err.msg, "items.name"));
}

static void a_violated_check_is_internal(void **state) {
  struct bench *b = *state;
  struct work work = {.fn = work_insert, .name = "a", .value = -1};
  assert_false(work_run(b, &work));
  assert_int_equal(work.op.err.code, ERR_INTERNAL);
  assert_non_null(strstr(work.op.err.msg, "CHECK"));
}

static void a_trigger_speaks_for_itself(void **state) {
  static const struct store_migration guarded[] = {{1, "CREATE TABLE items (name TEXT PRIMARY KEY, value INTEGER);"
                                                       "CREATE TRIGGER items_guard BEFORE INSERT ON items"
                                                       " BEGIN SELECT RAISE(ABORT, 'nothing is added here'); END"}};
  struct bench *b = *state;
  bench_open(b, guarded, 1);
  struct work work = {.fn = work_insert, .name = "a"};
  assert_false(work_run(b, &work));
  assert_int_equal(work.op.err.code, ERR_INTERNAL);
  assert_string_equal(work.op.err.msg, "nothing is added here");
}

static bool count_changes(struct work *work, struct store_conn *conn, struct err *err) {
  if (!insert(conn, "a", 1, err) || !insert(conn, "b", 2, err)) return false;
  struct stmt *q = stmt_open(conn, "UPDATE items SET value = 3", err);
  if (!q || !stmt_run(&q, err)) return false;
  work->value = stmt_changes(conn);
  return true;
}

static void changes_are_those_of_the_last_statement(void **state) {
  struct bench *b = *state;
  struct work work = {.fn = count_changes};
  assert_true(work_run(b, &work));
  assert_int_equal(work.value, 2);
}

static void a_statement_sees_what_was_committed_before_its_first_step(void **state) {
  static const char all[] = "SELECT name FROM items ORDER BY name";
  struct bench *b = *state;
  struct work first = {.fn = work_insert, .name = "a"}, second = {.fn = work_insert, .name = "b"};
  assert_true(work_run(b, &first));
  struct stmt *q = open_row(b, all);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(work_run(b, &second));
  assert_int_equal(stmt_step(q, &b->err), STMT_DONE);
  stmt_close(&q);
  assert_int_equal(query_int(store_reader(b->store), "SELECT COUNT(*) FROM items"), 2);
}

static void a_reader_of_its_own_sees_commits(void **state) {
  struct bench *b = *state;
  struct work work = {.fn = work_insert, .name = "a", .value = 5};
  assert_true(work_run(b, &work));
  struct store_conn *conn;
  assert_true(store_reader_open(b->store, &conn, &b->err));
  assert_int_equal(query_int(conn, "SELECT value FROM items"), 5);
  store_reader_close(conn);
  store_reader_close(NULL);
}

// ---- the cache ----

static void compose(char sql[64], int number) {
  snprintf(sql, 64, "SELECT %d, ?", number);
}

static void check_number(struct bench *b, const char *sql, int number) {
  AUTO(stmt_close) struct stmt *q = open_row(b, sql);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_int_equal(stmt_int(q, 0), number);
}

static void a_closed_statement_is_used_again(void **state) {
  struct bench *b = *state;
  struct stmt *first = open_row(b, "SELECT 1 + 1"), *kept = first;
  stmt_close(&first);
  char same[] = "SELECT 1 + 1"; // the text counts, not where it stands
  struct stmt *second = open_row(b, same);
  assert_ptr_equal(second, kept);
  stmt_close(&second);
}

static void the_same_sql_may_be_open_twice(void **state) {
  static const char numbers[] = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
                                " SELECT i FROM n";
  struct bench *b = *state;
  AUTO(stmt_close) struct stmt *outer = open_row(b, numbers);
  int64_t seen = 0;
  while (stmt_step(outer, &b->err) == STMT_ROW) {
    AUTO(stmt_close) struct stmt *inner = open_row(b, numbers);
    assert_ptr_not_equal(inner, outer);
    while (stmt_step(inner, &b->err) == STMT_ROW) seen = seen * 10 + stmt_int(outer, 0) * stmt_int(inner, 0);
  }
  assert_int_equal(seen, 123246369);
}

static void text_composed_in_the_same_place_is_another_statement(void **state) {
  struct bench *b = *state;
  char sql[64];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 20; i++) {
      compose(sql, i);
      check_number(b, sql, i);
    }
}

static void the_statement_unused_for_longest_makes_room(void **state) {
  struct bench *b = *state;
  struct store_conn *conn = store_reader(b->store);
  char sql[64];
  compose(sql, 0);
  struct stmt *q = open_row(b, sql), *kept = q;
  stmt_close(&q);
  for (int i = 1; i < 1000; i++) {
    compose(sql, i);
    check_number(b, sql, i);
    compose(sql, 0);
    q = open_row(b, sql);
    assert_ptr_equal(q, kept);
    stmt_close(&q);
  }
  assert_int_equal(conn->stmt_count, STMT_CACHE_MAX);
  // The youngest 127 besides are there still: asking for them replaces nothing.
  struct stmt *before[STMT_CACHE_MAX];
  memcpy(before, conn->stmts, sizeof before);
  for (int i = 999; i > 999 - (STMT_CACHE_MAX - 1); i--) {
    compose(sql, i);
    check_number(b, sql, i);
  }
  assert_memory_equal(conn->stmts, before, sizeof before);
}

static void more_may_be_open_than_are_kept(void **state) {
  enum { COUNT = 3 * STMT_CACHE_MAX };
  struct bench *b = *state;
  struct store_conn *conn = store_reader(b->store);
  struct stmt *all[COUNT];
  char sql[64];
  for (int i = 0; i < COUNT; i++) {
    compose(sql, i);
    all[i] = open_row(b, sql);
  }
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(stmt_step(all[i], &b->err), STMT_ROW);
    assert_int_equal(stmt_int(all[i], 0), i);
    stmt_close(&all[i]);
  }
  assert_int_equal(conn->stmt_count, STMT_CACHE_MAX);
  assert_int_equal(conn->open_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_OPEN_TEST(numbers_come_back),
      BENCH_OPEN_TEST(bytes_come_back),
      BENCH_OPEN_TEST(absent_is_null_and_empty_is_not),
      BENCH_OPEN_TEST(bytes_of_another_length_are_no_id),
      BENCH_OPEN_TEST(a_megabyte_of_text_comes_back),
      BENCH_OPEN_TEST(bindings_do_not_outlive_a_close),
      BENCH_OPEN_TEST(wrong_sql_is_internal),
      BENCH_OPEN_TEST(sql_of_two_statements_or_none_is_refused),
      BENCH_OPEN_TEST(a_parameter_that_is_not_there_fails_the_step),
      BENCH_OPEN_TEST(a_reader_refuses_to_write),
      BENCH_OPEN_TEST(a_taken_name_is_a_conflict),
      BENCH_OPEN_TEST(a_violated_check_is_internal),
      BENCH_TEST(a_trigger_speaks_for_itself),
      BENCH_OPEN_TEST(changes_are_those_of_the_last_statement),
      BENCH_OPEN_TEST(a_statement_sees_what_was_committed_before_its_first_step),
      BENCH_OPEN_TEST(a_reader_of_its_own_sees_commits),
      BENCH_OPEN_TEST(a_closed_statement_is_used_again),
      BENCH_OPEN_TEST(the_same_sql_may_be_open_twice),
      BENCH_OPEN_TEST(text_composed_in_the_same_place_is_another_statement),
      BENCH_OPEN_TEST(the_statement_unused_for_longest_makes_room),
      BENCH_OPEN_TEST(more_may_be_open_than_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
