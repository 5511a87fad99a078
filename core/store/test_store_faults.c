// SPDX-License-Identifier: Apache-2.0
// The writer when the world fails: the disk fills up, the process is killed.
#include <signal.h>
#include <sys/wait.h>

#include "store/test_store.h"

// ---- a full disk ----

enum { DISK_BYTES = 4 << 20, BALLAST_BYTES = 2 << 20, BLOB_BYTES = 128 << 10 };

static bool insert_blob(struct work *work, struct store_conn *conn, struct err *err) {
  static const char bytes[BLOB_BYTES] = {1};
  struct stmt *q = stmt_open(conn, "INSERT INTO items (name, value, bytes) VALUES (?, ?, ?)", err);
  if (!q) return false;
  stmt_bind_str(q, 1, str_c(work->name));
  stmt_bind_int(q, 2, work->value);
  stmt_bind_blob(q, 3, bytes, sizeof bytes);
  return stmt_run(&q, err);
}

static void ballast_path(const struct bench *b, char path[300]) {
  snprintf(path, 300, "%s/ballast", b->dir);
}

static void open_on_small_disk(struct bench *b) {
  bench_small_disk(b, DISK_BYTES);
  char path[300];
  ballast_path(b, path);
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_int_equal(posix_fallocate(fd, 0, BALLAST_BYTES), 0);
  close(fd);
  bench_open(b, bench_schema, 1);
}

static void free_space(struct bench *b) {
  char path[300];
  ballast_path(b, path);
  assert_int_equal(unlink(path), 0);
}

/// Fills the disk one operation at a time; returns how many took effect before the one that failed.
static int fill(struct bench *b, struct work *ret_failed) {
  for (int i = 0;; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    struct work work = {.fn = insert_blob, .name = name};
    if (work_run(b, &work)) continue;
    *ret_failed = work;
    ret_failed->name = NULL;
    return i;
  }
}

static int64_t count_items(struct bench *b) {
  return query_int(store_reader(b->store), "SELECT COUNT(*) FROM items");
}

static void a_full_disk_fails_the_operation_and_passes_with_space(void **state) {
  struct bench *b = *state;
  open_on_small_disk(b);
  struct work failed;
  int kept = fill(b, &failed);
  assert_true(kept > 0);
  assert_int_equal(failed.op.err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(failed.op.err.msg, "The disk is full"));
  assert_non_null(strstr(failed.op.err.msg, "Free some space"));
  assert_int_equal(count_items(b), kept);
  assert_false(store_healthy(b->store, &b->err));
  assert_non_null(strstr(b->err.msg, "The disk is full"));

  free_space(b);
  struct work again = {.fn = insert_blob, .name = "again"};
  assert_true(work_run(b, &again));
  b->err = (struct err){0};
  assert_true(store_healthy(b->store, &b->err));
  assert_int_equal(count_items(b), kept + 1);
  bench_small_disk_end(b);
}

static void a_full_disk_fails_the_whole_batch(void **state) {
  struct bench *b = *state;
  open_on_small_disk(b);
  struct work works[40];
  char names[40][16];
  for (int i = 0; i < 40; i++) { // 5 MiB at once
    snprintf(names[i], sizeof names[i], "%d", i);
    works[i] = (struct work){.fn = i == 0 ? work_insert : insert_blob, .name = names[i]};
    work_submit(b, &works[i]);
  }
  bench_settle(b);
  for (int i = 0; i < 40; i++) {
    assert_true(works[i].done);
    assert_false(works[i].op.ok);
    assert_int_equal(works[i].op.err.code, ERR_UNAVAILABLE);
  }
  assert_int_equal(count_items(b), 0);
  struct work small = {.fn = work_insert, .name = "small"};
  assert_true(work_run(b, &small));
  assert_int_equal(count_items(b), 1);
  bench_small_disk_end(b);
}

static bool run_sql(struct store_conn *conn, const char *sql, struct err *err) {
  struct stmt *q = stmt_open(conn, sql, err);
  return q && stmt_run(&q, err);
}

/// The database may not grow from here on; SQLite says that it is full while the operation runs. A statement of several
/// rows is undone by itself then, and the transaction stays open.
static bool insert_into_full_database(struct work *work, struct store_conn *conn, struct err *err) {
  (void)work;
  return run_sql(conn, "PRAGMA max_page_count = 1", err) &&
         run_sql(conn, "INSERT INTO items SELECT column1, 0, zeroblob(131072) FROM (VALUES ('x'), ('y'))", err);
}

/// An operation may not hide that the storage failed under it.
static bool insert_and_pretend(struct work *work, struct store_conn *conn, struct err *err) {
  struct err hidden = {0};
  (void)err;
  (void)insert_into_full_database(work, conn, &hidden);
  return true;
}

static bool let_it_grow(struct work *work, struct store_conn *conn, struct err *err) {
  return run_sql(conn, "PRAGMA max_page_count = 1000000", err) && insert_blob(work, conn, err);
}

static void storage_that_fails_under_an_operation_fails_the_batch(void **state) {
  struct bench *b = *state;
  struct work works[] = {{.fn = work_insert, .name = "a"}, {.name = "b"}, {.fn = work_insert, .name = "c"}};
  for (int pretend = 0; pretend < 2; pretend++) {
    works[1].fn = pretend ? insert_and_pretend : insert_into_full_database;
    for (int i = 0; i < 3; i++) work_submit(b, &works[i]);
    bench_settle(b);
    for (int i = 0; i < 3; i++) {
      assert_false(works[i].op.ok);
      assert_int_equal(works[i].op.err.code, ERR_UNAVAILABLE);
    }
    assert_int_equal(count_items(b), 0);
  }
  struct work after = {.fn = let_it_grow, .name = "d"};
  assert_true(work_run(b, &after));
  assert_int_equal(count_items(b), 1);
}

static void asking_for_health_finds_out_that_space_is_back(void **state) {
  struct bench *b = *state;
  open_on_small_disk(b);
  struct work failed;
  fill(b, &failed);
  assert_false(store_healthy(b->store, &b->err));
  loop_turn(b->loop, true); // the writer has tried
  assert_false(store_healthy(b->store, &b->err));
  loop_turn(b->loop, true);

  free_space(b);
  while (!store_healthy(b->store, &b->err)) loop_turn(b->loop, true);
  assert_int_equal(b->err.code, ERR_NONE);
  assert_int_equal(query_int(store_reader(b->store), "PRAGMA user_version"), 1);
  bench_small_disk_end(b);
}

// ---- a killed process ----

static const struct store_migration pairs_schema[] = {
    {1, "CREATE TABLE lefts (n INTEGER PRIMARY KEY) STRICT; CREATE TABLE rights (n INTEGER PRIMARY KEY) STRICT"}};

enum { IN_FLIGHT = 16, ROUNDS = 12 };

struct pair {
  struct store_op op;
  struct bench *b;
  uint32_t n, *next;
  int acks;
};

static bool insert_n(struct store_conn *conn, const char *sql, int64_t n, struct err *err) {
  struct stmt *q = stmt_open(conn, sql, err);
  if (!q) return false;
  stmt_bind_int(q, 1, n);
  return stmt_run(&q, err);
}

static bool insert_pair(struct store_op *op, struct store_conn *conn) {
  struct pair *pair = (struct pair *)op;
  if (!insert_n(conn, "INSERT INTO lefts VALUES (?)", pair->n, &op->err)) return false;
  // Some fail half-way, so that batches are repeated under way.
  if (pair->n % 11 == 0) return err_set(&op->err, ERR_CONFLICT, "half a pair");
  return insert_n(conn, "INSERT INTO rights VALUES (?)", pair->n, &op->err);
}

static void acknowledge(struct store_op *op) {
  struct pair *pair = (struct pair *)op;
  if (op->ok == (pair->n % 11 == 0)) _exit(3);
  if (op->ok && write(pair->acks, &pair->n, sizeof pair->n) != (ssize_t)sizeof pair->n) _exit(4);
  pair->n = (*pair->next)++;
  store_submit(pair->b->store, op);
}

/// Inserts pairs for ever, and writes the number of each that is durable.
__attribute__((noreturn)) static void be_the_engine(const char *dir, uint32_t first, int acks) {
  struct bench b = {0};
  struct pair pairs[IN_FLIGHT];
  bench_dir(&b, dir);
  if (!loop_new(&b.loop, &b.err) || !bench_try_open(&b, pairs_schema, 1)) _exit(2);
  uint32_t next = first;
  for (int i = 0; i < IN_FLIGHT; i++) {
    pairs[i] = (struct pair){
        .op = {.apply = insert_pair, .done = acknowledge}, .b = &b, .n = next++, .next = &next, .acks = acks};
    store_submit(b.store, &pairs[i].op);
  }
  for (;;) loop_turn(b.loop, true);
}

/// Reads acknowledgements, kills the process after `enough`, reads what was still under way. Marks the numbers in
/// `acked`.
static void kill_after(pid_t pid, int acks, int enough, bool *acked, size_t size) {
  uint32_t n;
  int seen = 0;
  while (read(acks, &n, sizeof n) == (ssize_t)sizeof n) {
    assert_true(n < size);
    acked[n] = true;
    if (++seen == enough) assert_int_equal(kill(pid, SIGKILL), 0);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_true(seen >= enough);
}

static void check_acknowledged(struct store_conn *reader, const bool *acked, size_t size) {
  struct err err = {0};
  for (size_t n = 1; n < size; n++) {
    if (!acked[n]) continue;
    AUTO(stmt_close) struct stmt *q = stmt_open(reader, "SELECT EXISTS (SELECT 1 FROM lefts WHERE n = ?)", &err);
    stmt_bind_int(q, 1, (int64_t)n);
    assert_int_equal(stmt_step(q, &err), STMT_ROW);
    if (!stmt_bool(q, 0)) fail_msg("pair %zu was acknowledged and is gone", n);
  }
}

static void what_was_acknowledged_survives_a_kill_and_nothing_is_half(void **state) {
  enum { SIZE = 1 << 20 };
  struct bench *b = *state;
  bool *acked = mem_array(SIZE, sizeof *acked);
  uint32_t next = 1, random = 12345;
  for (int round = 0; round < ROUNDS; round++) {
    int acks[2];
    assert_int_equal(pipe2(acks, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) be_the_engine(b->dir, next, acks[1]);
    close(acks[1]);
    random = random * 1103515245 + 12345;
    kill_after(pid, acks[0], 1 + (int)(random >> 16) % 400, acked, SIZE);
    close(acks[0]);

    bench_open(b, pairs_schema, 1);
    struct store_conn *reader = store_reader(b->store);
    assert_int_equal(query_int(reader, "SELECT COUNT(*) FROM (SELECT n FROM lefts EXCEPT SELECT n FROM rights)"), 0);
    assert_int_equal(query_int(reader, "SELECT COUNT(*) FROM (SELECT n FROM rights EXCEPT SELECT n FROM lefts)"), 0);
    check_acknowledged(reader, acked, SIZE);
    next = (uint32_t)query_int(reader, "SELECT COALESCE(MAX(n), 0) + 1 FROM lefts");
    bench_close(b);
  }
  free(acked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_full_disk_fails_the_operation_and_passes_with_space),
      BENCH_TEST(a_full_disk_fails_the_whole_batch),
      BENCH_OPEN_TEST(storage_that_fails_under_an_operation_fails_the_batch),
      BENCH_TEST(asking_for_health_finds_out_that_space_is_back),
      BENCH_TEST(what_was_acknowledged_survives_a_kill_and_nothing_is_half),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
