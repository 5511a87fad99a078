// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bench this layer's tests work on: a scratch directory, a loop, and a store in it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/stmt.h"
#include "store/store.h"

struct bench {
  char dir[256];
  char database[300]; // the database's path
  struct loop *loop;
  struct store *store;
  struct err err;
};

static const struct store_migration bench_schema[] = {
    {1, "CREATE TABLE items (name TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK (value >= 0), bytes BLOB) STRICT"}};

static inline void bench_dir(struct bench *b, const char *dir) {
  snprintf(b->dir, sizeof b->dir, "%.255s", dir); // of mkdtemp, far shorter
  snprintf(b->database, sizeof b->database, "%.255s/olivares.db", dir);
}

static inline bool bench_try_open(struct bench *b, const struct store_migration *steps, int count) {
  b->err = (struct err){0};
  struct store_config config = {.dir = b->dir, .loop = b->loop, .migrations = steps, .migration_count = count};
  return store_open(&config, &b->store, &b->err);
}

static inline void bench_open(struct bench *b, const struct store_migration *steps, int count) {
  if (!bench_try_open(b, steps, count)) fail_msg("%s", b->err.msg);
}

static inline void bench_close(struct bench *b) {
  store_close(b->store);
  b->store = NULL;
}

/// Opening must fail with ERR_UNAVAILABLE and with each of the two texts in the message.
static inline void bench_refuses(struct bench *b, const struct store_migration *steps, int count, const char *text,
                                 const char *more) {
  if (bench_try_open(b, steps, count)) fail_msg("the database was opened");
  assert_null(b->store);
  assert_int_equal(b->err.code, ERR_UNAVAILABLE);
  if (!strstr(b->err.msg, text) || !strstr(b->err.msg, more))
    fail_msg("'%s' and '%s' are not both in: %s", text, more, b->err.msg);
}

static inline int bench_setup(void **state) {
  struct bench *b = mem_zalloc(sizeof *b);
  char template[] = "/tmp/olivares-test-store-XXXXXX";
  if (!mkdtemp(template) || !loop_new(&b->loop, &b->err)) return -1;
  bench_dir(b, template);
  *state = b;
  return 0;
}

/// Removes the files this layer and its tests leave in a directory, and the directory.
static inline int bench_remove(const char *dir) {
  static const char *const names[] = {"olivares.db", "olivares.db-wal", "olivares.db-shm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[320];
    snprintf(path, sizeof path, "%s/%s", dir, names[i]);
    remove(path);
  }
  return rmdir(dir);
}

static inline int bench_teardown(void **state) {
  struct bench *b = *state;
  bench_close(b);
  loop_free(b->loop);
  int left = bench_remove(b->dir);
  free(b);
  return left;
}

static inline int bench_setup_open(void **state) {
  if (bench_setup(state) != 0) return -1;
  bench_open(*state, bench_schema, 1);
  return 0;
}

#define BENCH_TEST(name)      cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
#define BENCH_OPEN_TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup_open, bench_teardown)

/// Something the test does on the writing connection, and whether it was kept.
struct work {
  struct store_op op;
  bool (*fn)(struct work *work, struct store_conn *conn, struct err *err);
  const char *name;
  int64_t value;
  int applied; // how often
  bool done;
};

static inline bool work_apply(struct store_op *op, struct store_conn *conn) {
  struct work *work = (struct work *)op;
  work->applied++;
  return work->fn(work, conn, &op->err);
}

static inline void work_done(struct store_op *op) {
  ((struct work *)op)->done = true;
}

static inline void work_submit(struct bench *b, struct work *work) {
  work->op.apply = work_apply;
  if (!work->op.done) work->op.done = work_done;
  store_submit(b->store, &work->op);
}

static inline void bench_settle(struct bench *b) {
  while (!store_idle(b->store)) loop_turn(b->loop, true);
}

/// Submits one and waits for it.
static inline bool work_run(struct bench *b, struct work *work) {
  work_submit(b, work);
  bench_settle(b);
  assert_true(work->done);
  return work->op.ok;
}

static inline bool insert(struct store_conn *conn, const char *name, int64_t value, struct err *err) {
  struct stmt *q = stmt_open(conn, "INSERT INTO items (name, value) VALUES (?, ?)", err);
  if (!q) return false;
  stmt_bind_str(q, 1, str_c(name));
  stmt_bind_int(q, 2, value);
  return stmt_run(&q, err);
}

static inline bool work_insert(struct work *work, struct store_conn *conn, struct err *err) {
  return insert(conn, work->name, work->value, err);
}

/// The first column of the first row; the statement must give one.
static inline int64_t query_int(struct store_conn *conn, const char *sql) {
  struct err err = {0};
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, sql, &err);
  if (!q || stmt_step(q, &err) != STMT_ROW) fail_msg("%s: %s", sql, err.msg);
  return stmt_int(q, 0);
}

/// Runs SQL on the closed database's file without this layer.
static inline void bench_sqlite(struct bench *b, const char *sql) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(b->database, &db), SQLITE_OK);
  char *text = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) fail_msg("%s: %s", sql, text);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline void bench_write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
}

/// From here on this process mounts for itself alone. Skips the test, visibly, where that is not allowed.
static inline void bench_private_mounts(void) {
  bool root = geteuid() == 0;
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %d 1", (int)geteuid());
  snprintf(groups, sizeof groups, "0 %d 1", (int)getegid());
  if (unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)) != 0) {
    print_message("skipped: needs a mount namespace\n");
    skip();
  }
  if (!root) {
    bench_write_file("/proc/self/setgroups", "deny");
    bench_write_file("/proc/self/uid_map", users);
    bench_write_file("/proc/self/gid_map", groups);
  }
  assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
}

/// Mounts a file system of so many bytes on a new directory, and keeps the store there from now on.
static inline void bench_small_disk(struct bench *b, size_t bytes) {
  bench_private_mounts();
  char mount_point[280], options[64];
  snprintf(mount_point, sizeof mount_point, "%s/disk", b->dir);
  snprintf(options, sizeof options, "size=%zu,mode=0700", bytes);
  assert_int_equal(mkdir(mount_point, 0700), 0);
  assert_int_equal(mount("tmpfs", mount_point, "tmpfs", 0, options), 0);
  bench_dir(b, mount_point);
}

/// Back to the scratch directory.
static inline void bench_small_disk_end(struct bench *b) {
  bench_close(b);
  char mount_point[280];
  snprintf(mount_point, sizeof mount_point, "%s", b->dir);
  assert_int_equal(umount(mount_point), 0);
  assert_int_equal(rmdir(mount_point), 0);
  *strrchr(mount_point, '/') = '\0';
  bench_dir(b, mount_point);
}
