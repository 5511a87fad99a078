// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include "base/clock.h"
#include "store/test_store.h"

// ---- one batch ----

static bool fail_before_writing(struct work *work, struct store_conn *conn, struct err *err) {
  (void)work, (void)conn;
  return err_set(err, ERR_NOT_FOUND, "there is nothing to change");
}

static bool fail_after_writing(struct work *work, struct store_conn *conn, struct err *err) {
  return insert(conn, work->name, work->value, err) && err_set(err, ERR_FORBIDDEN, "not after all");
}

static bool fail_silently(struct work *work, struct store_conn *conn, struct err *err) {
  (void)work, (void)conn, (void)err;
  return false;
}

static bool run_sql(struct store_conn *conn, const char *sql, struct err *err) {
  struct stmt *q = stmt_open(conn, sql, err);
  return q && stmt_run(&q, err);
}

static bool end_the_transaction(struct work *work, struct store_conn *conn, struct err *err) {
  return insert(conn, work->name, work->value, err) && run_sql(conn, "ROLLBACK", err);
}

static void submit_all(struct bench *b, struct work *works, size_t count) {
  for (size_t i = 0; i < count; i++) work_submit(b, &works[i]);
  bench_settle(b);
  for (size_t i = 0; i < count; i++) assert_true(works[i].done);
}

static int64_t count_items(struct bench *b) {
  return query_int(store_reader(b->store), "SELECT COUNT(*) FROM items");
}

static bool has_item(struct bench *b, const char *name) {
  AUTO(stmt_close) struct stmt *q = stmt_open(store_reader(b->store), "SELECT 1 FROM items WHERE name = ?", &b->err);
  stmt_bind_str(q, 1, str_c(name));
  return stmt_step(q, &b->err) == STMT_ROW;
}

static void operations_of_one_turn_share_a_commit(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"}, {.fn = work_insert, .name = "b"}};
  submit_all(b, works, 2);
  struct store_stats stats;
  store_stats(b->store, &stats);
  assert_int_equal(stats.commits, 1);
  assert_int_equal(stats.ops, 2);
  assert_int_equal(stats.ops_failed, 0);
  assert_int_equal(stats.queue_len, 0);
  assert_true(stats.database_bytes >= 4096 && stats.wal_bytes > 0);
  assert_int_equal(count_items(b), 2);
}

static void a_failing_operation_leaves_its_neighbours(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"},
                         {.fn = fail_before_writing},
                         {.fn = work_insert, .name = "a"},
                         {.fn = fail_silently},
                         {.fn = work_insert, .name = "b"}};
  submit_all(b, works, 5);
  assert_true(works[0].op.ok && works[4].op.ok);
  assert_false(works[1].op.ok || works[2].op.ok || works[3].op.ok);
  assert_int_equal(works[1].op.err.code, ERR_NOT_FOUND);
  assert_int_equal(works[2].op.err.code, ERR_CONFLICT);
  assert_int_equal(works[3].op.err.code, ERR_INTERNAL);
  assert_int_equal(works[0].applied, 1); // nothing had to be repeated
  assert_int_equal(count_items(b), 2);
  assert_true(store_healthy(b->store, &b->err));
}

static void operations_that_fail_after_writing_are_undone_alone(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"},        {.fn = fail_after_writing, .name = "x"},
                         {.fn = work_insert, .name = "b"},        {.fn = fail_after_writing, .name = "y"},
                         {.fn = fail_after_writing, .name = "z"}, {.fn = fail_before_writing},
                         {.fn = work_insert, .name = "c"}};
  submit_all(b, works, 7);
  for (int i = 0; i < 7; i++) {
    assert_int_equal(works[i].op.ok, works[i].fn == work_insert);
    assert_in_range(works[i].applied, 1, 2);
  }
  assert_int_equal(works[1].op.err.code, ERR_FORBIDDEN);
  assert_int_equal(works[4].op.err.code, ERR_FORBIDDEN);
  assert_int_equal(count_items(b), 3);
  assert_true(has_item(b, "a") && has_item(b, "b") && has_item(b, "c"));
}

static void an_operation_that_ends_the_transaction_fails_alone(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"},
                         {.fn = end_the_transaction, .name = "x"},
                         {.fn = end_the_transaction, .name = "y"},
                         {.fn = work_insert, .name = "b"}};
  submit_all(b, works, 4);
  assert_true(works[0].op.ok && works[3].op.ok);
  assert_int_equal(works[1].op.err.code, ERR_INTERNAL);
  assert_int_equal(works[2].op.err.code, ERR_INTERNAL);
  assert_int_equal(count_items(b), 2);
}

static bool insert_orphan(struct work *work, struct store_conn *conn, struct err *err) {
  (void)work;
  return run_sql(conn, "INSERT INTO children VALUES ('nobody')", err);
}

static void a_deferred_reference_that_leads_nowhere_fails_alone(void **state) {
  static const struct store_migration families[] = {
      {1, "CREATE TABLE items (name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
          "CREATE TABLE children (parent TEXT REFERENCES items (name) DEFERRABLE INITIALLY DEFERRED)"}};
  struct bench *b = *state;
  bench_open(b, families, 1);
  struct work works[] = {{.fn = work_insert, .name = "a"}, {.fn = insert_orphan}, {.fn = work_insert, .name = "b"}};
  submit_all(b, works, 3);
  assert_true(works[0].op.ok && works[2].op.ok);
  assert_int_equal(works[1].op.err.code, ERR_INTERNAL);
  assert_int_equal(query_int(store_reader(b->store), "SELECT COUNT(*) FROM children"), 0);
  assert_int_equal(count_items(b), 2);
}

// ---- the queue ----

struct chain {
  struct work work;
  struct bench *b;
  char name[32];
  int64_t *left;
};

static void chain_next(struct store_op *op) {
  struct chain *chain = (struct chain *)op;
  assert_true(op->ok);
  assert_true(has_item(chain->b, chain->name)); // what `done` is told is there for everybody
  if (*chain->left == 0) return;
  snprintf(chain->name, sizeof chain->name, "item %lld", (long long)--*chain->left);
  work_submit(chain->b, &chain->work);
}

static void done_may_submit_again(void **state) {
  struct bench *b = *state;
  struct chain chains[8] = {0};
  int64_t left = 1000;
  for (int i = 0; i < 8; i++) {
    chains[i] = (struct chain){
        .work = {.op.done = chain_next, .fn = work_insert, .name = chains[i].name}, .b = b, .left = &left};
    snprintf(chains[i].name, sizeof chains[i].name, "first %d", i);
    work_submit(b, &chains[i].work);
  }
  bench_settle(b);
  assert_int_equal(count_items(b), 1008);
}

struct ordered {
  struct work work;
  char name[32];
  int *next;
  int number;
};

static void check_order(struct store_op *op) {
  struct ordered *ordered = (struct ordered *)op;
  assert_int_equal(ordered->number, (*ordered->next)++);
}

static void done_runs_in_the_order_of_submission(void **state) {
  enum { COUNT = 1500 }; // several batches
  struct bench *b = *state;
  struct ordered *all = mem_array(COUNT, sizeof *all);
  int next = 0;
  for (int i = 0; i < COUNT; i++) {
    all[i] = (struct ordered){.next = &next, .number = i};
    all[i].work = (struct work){.op.done = check_order, .fn = work_insert, .name = all[i].name};
    if (i % 7 == 3) all[i].work.fn = fail_after_writing;
    if (i % 7 == 5) all[i].work.fn = fail_before_writing;
    snprintf(all[i].name, sizeof all[i].name, "item %d", i);
    work_submit(b, &all[i].work);
    assert_false(store_idle(b->store));
  }
  bench_settle(b);
  assert_int_equal(next, COUNT);
  int kept = 0;
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(all[i].work.op.ok, all[i].work.fn == work_insert);
    assert_in_range(all[i].work.applied, 1, 2);
    kept += all[i].work.op.ok;
  }
  assert_int_equal(count_items(b), kept);
  free(all);
}

struct nested {
  struct work work;
  struct bench *b;
  struct work *other;
};

static void turn_until_the_other_is_done(struct store_op *op) {
  struct nested *nested = (struct nested *)op;
  nested->work.done = true;
  while (!nested->other->done) loop_turn(nested->b->loop, true);
}

static void done_may_turn_the_loop(void **state) {
  struct bench *b = *state;
  struct work other = {.fn = work_insert, .name = "b"};
  struct nested nested = {.b = b, .other = &other};
  nested.work = (struct work){.op.done = turn_until_the_other_is_done, .fn = work_insert, .name = "a"};
  work_submit(b, &nested.work);
  work_submit(b, &other); // the same batch
  struct work later = {.fn = work_insert, .name = "c"};
  work_submit(b, &later);
  bench_settle(b);
  assert_true(nested.work.done && other.done && later.done);
  assert_int_equal(count_items(b), 3);
}

static void closing_finishes_what_is_queued(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"}, {.fn = work_insert, .name = "b"}};
  work_submit(b, &works[0]);
  work_submit(b, &works[1]);
  bench_close(b);
  assert_true(works[0].done && works[0].op.ok && works[1].done && works[1].op.ok);
  char log[320];
  snprintf(log, sizeof log, "%s-wal", b->database);
  assert_int_equal(access(log, F_OK), -1); // all of it is in the database's file
  bench_open(b, bench_schema, 1);
  assert_int_equal(count_items(b), 2);
}

static int count_threads(void) {
  DIR *dir = opendir("/proc/self/task");
  assert_non_null(dir);
  int count = 0;
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

static void reading_needs_no_writer(void **state) {
  struct bench *b = *state;
  int before = count_threads();
  assert_int_equal(count_items(b), 0);
  assert_int_equal(count_threads(), before);
  struct work work = {.fn = work_insert, .name = "a"};
  assert_true(work_run(b, &work));
  assert_int_equal(count_threads(), before + 1);
}

static bool insert_megabyte(struct work *work, struct store_conn *conn, struct err *err) {
  struct stmt *q = stmt_open(conn, "INSERT INTO items (name, value, bytes) VALUES (?, 0, zeroblob(1048576))", err);
  if (!q) return false;
  stmt_bind_str(q, 1, str_c(work->name));
  return stmt_run(&q, err);
}

static void a_long_log_is_brought_into_the_database(void **state) {
  struct bench *b = *state;
  struct store_stats stats;
  int64_t longest = 0;
  for (int i = 0; i < 48; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    struct work work = {.fn = insert_megabyte, .name = name};
    assert_true(work_run(b, &work));
    store_stats(b->store, &stats);
    if (stats.wal_bytes > longest) longest = stats.wal_bytes;
  }
  assert_true(stats.database_bytes > 30 << 20);
  assert_in_range(longest, 16 << 20, 20 << 20);
}

// ---- a log that is being read ----

struct busy_loop {
  struct bench *b;
  int64_t turns;
};

/// Fills every turn with reads for as long as there is something to write: the loop always has a state open that is
/// older than the newest commit.
static void read_all_the_time(void *ctx) {
  struct busy_loop *busy = ctx;
  struct clock clock = clock_system();
  int64_t end_ns = clock_mono_ns(&clock) + 2000000;
  while (clock_mono_ns(&clock) < end_ns) count_items(busy->b);
  busy->turns++;
  if (!store_idle(busy->b->store)) loop_defer(busy->b->loop, read_all_the_time, busy);
}

static void a_log_that_every_turn_reads_is_emptied_all_the_same(void **state) {
  struct bench *b = *state;
  struct busy_loop busy = {.b = b};
  struct store_stats stats;
  int64_t longest = 0;
  for (int i = 0; i < 48; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    struct work work = {.fn = insert_megabyte, .name = name};
    work_submit(b, &work);
    loop_defer(b->loop, read_all_the_time, &busy);
    bench_settle(b);
    assert_true(work.op.ok);
    store_stats(b->store, &stats);
    if (stats.wal_bytes > longest) longest = stats.wal_bytes;
  }
  assert_true(busy.turns >= 48);
  assert_in_range(longest, 16 << 20, 40 << 20);
}

static void insert_megabytes(struct bench *b, int first, int end) {
  for (int i = first; i < end; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    struct work work = {.fn = insert_megabyte, .name = name};
    assert_true(work_run(b, &work));
  }
}

static void a_long_read_keeps_its_state_while_the_log_grows(void **state) {
  struct bench *b = *state;
  struct store_conn *own;
  assert_true(store_reader_open(b->store, &own, &b->err));
  struct work first = {.fn = work_insert, .name = "first"};
  assert_true(work_run(b, &first));
  AUTO(stmt_close)
  struct stmt *q = stmt_open(own, "SELECT COUNT(*) FROM items UNION ALL SELECT COUNT(*) FROM items", &b->err);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  insert_megabytes(b, 0, 18);
  struct store_stats stats;
  store_stats(b->store, &stats);
  assert_true(stats.wal_bytes > 18 << 20);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_int_equal(stmt_int(q, 0), 1);
  stmt_close(&q);
  store_reader_close(own);

  // Without it the log is begun anew, and stays as short as ever.
  insert_megabytes(b, 18, 50);
  store_stats(b->store, &stats);
  assert_true(stats.wal_bytes < 40 << 20);
  assert_true(stats.database_bytes > 30 << 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_OPEN_TEST(operations_of_one_turn_share_a_commit),
      BENCH_OPEN_TEST(a_failing_operation_leaves_its_neighbours),
      BENCH_OPEN_TEST(operations_that_fail_after_writing_are_undone_alone),
      BENCH_OPEN_TEST(an_operation_that_ends_the_transaction_fails_alone),
      BENCH_TEST(a_deferred_reference_that_leads_nowhere_fails_alone),
      BENCH_OPEN_TEST(done_may_submit_again),
      BENCH_OPEN_TEST(done_runs_in_the_order_of_submission),
      BENCH_OPEN_TEST(done_may_turn_the_loop),
      BENCH_OPEN_TEST(closing_finishes_what_is_queued),
      BENCH_OPEN_TEST(reading_needs_no_writer),
      BENCH_OPEN_TEST(a_long_log_is_brought_into_the_database),
      BENCH_OPEN_TEST(a_log_that_every_turn_reads_is_emptied_all_the_same),
      BENCH_OPEN_TEST(a_long_read_keeps_its_state_while_the_log_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
