// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bench this layer's tests work on: a real store in a temporary directory. The writer thread lends its connection,
// inside a transaction, to the test: it waits in an operation's `apply` until the test hands the connection back. So a
// test reads like the flows it tests, and the connection is still used by one thread at a time.

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/accounts.h"
#include "access/audit.h"
#include "base/mem.h"
#include "base/secret.h"
#include "store/stmt.h"
#include "store/store.h"

#define BENCH_NOW    INT64_C(1767225600000000000) // 2026-01-01T00:00:00Z
#define BENCH_SECOND INT64_C(1000000000)
#define BENCH_HASH   "not a hash, nobody logs in with it"

struct bench {
  char dir[64];
  struct loop *loop;
  struct store *store;
  struct arena *arena;
  struct err err; // what the last call said
  struct store_op op;
  sem_t lent, returned;
  struct store_conn *conn; // the writer's, while it is lent
  bool keep, done;
};

static inline bool bench_lend(struct store_op *op, struct store_conn *conn) {
  struct bench *b = (struct bench *)((char *)op - offsetof(struct bench, op));
  b->conn = conn;
  sem_post(&b->lent);
  sem_wait(&b->returned);
  return b->keep || err_set(&op->err, ERR_INTERNAL, "undone by the test");
}

static inline void bench_done(struct store_op *op) {
  struct bench *b = (struct bench *)((char *)op - offsetof(struct bench, op));
  b->done = true;
}

static inline void bench_begin(struct bench *b) {
  b->op = (struct store_op){.apply = bench_lend, .done = bench_done};
  b->done = false;
  store_submit(b->store, &b->op);
  loop_turn(b->loop, false);
  sem_wait(&b->lent);
}

static inline void bench_end(struct bench *b, bool keep) {
  b->keep = keep;
  b->conn = NULL;
  sem_post(&b->returned);
  while (!b->done) loop_turn(b->loop, true);
  assert_int_equal(b->op.ok, keep);
}

static inline void bench_open(struct bench *b) {
  assert_true(loop_new(&b->loop, &b->err));
  struct store_config config = {.dir = b->dir, .loop = b->loop, .migrations = &access_migration, .migration_count = 1};
  if (!store_open(&config, &b->store, &b->err)) fail_msg("%s", b->err.msg);
  bench_begin(b);
}

static inline void bench_close(struct bench *b) {
  if (b->conn) bench_end(b, true);
  store_close(b->store);
  loop_free(b->loop);
  b->store = NULL;
  b->loop = NULL;
}

/// As if the engine had been stopped and started.
static inline void bench_restart(struct bench *b) {
  bench_close(b);
  bench_open(b);
}

static inline int bench_setup(void **state) {
  secret_setup();
  struct bench *b = mem_zalloc(sizeof *b);
  snprintf(b->dir, sizeof b->dir, "/tmp/olivares-access-XXXXXX");
  assert_non_null(mkdtemp(b->dir));
  sem_init(&b->lent, 0, 0);
  sem_init(&b->returned, 0, 0);
  b->arena = arena_new();
  bench_open(b);
  *state = b;
  return 0;
}

static inline int bench_teardown(void **state) {
  struct bench *b = *state;
  bench_close(b);
  arena_free(b->arena);
  sem_destroy(&b->lent);
  sem_destroy(&b->returned);
  static const char *const names[] = {"olivares.db", "olivares.db-wal", "olivares.db-shm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", b->dir, names[i]);
    unlink(path);
  }
  int left = rmdir(b->dir);
  free(b);
  return left;
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

static inline void bench_ok(struct bench *b, bool ok, const char *file, int line) {
  if (!ok) print_error("%s\n", b->err.msg);
  _assert_true(ok, "the call succeeds", file, line);
}
#define CHECK_OK(b, call) bench_ok((b), (call), __FILE__, __LINE__)

static inline void bench_fails(struct bench *b, bool ok, enum err_code code, const char *words, const char *file,
                               int line) {
  _assert_true(!ok, "the call fails", file, line);
  if (b->err.code != code || !strstr(b->err.msg, words))
    print_error("%s: %s\n(expected %s with '%s')\n", err_code_name(b->err.code), b->err.msg, err_code_name(code),
                words);
  _assert_int_equal(b->err.code, code, file, line);
  _assert_true(strstr(b->err.msg, words) != NULL, words, file, line);
  err_clear(&b->err);
}
/// `call` fails with `code` and a sentence that contains `words`.
#define CHECK_FAILS(b, call, code, words) bench_fails((b), (call), (code), (words), __FILE__, __LINE__)

#define CHECK_STR(text, expected)                                                                                      \
  do {                                                                                                                 \
    struct str check_text = (text), check_expected = str_c(expected);                                                  \
    assert_int_equal(check_text.len, check_expected.len);                                                              \
    assert_memory_equal(check_text.data, check_expected.data, check_expected.len);                                     \
  } while (0)

/// Runs a statement of the test's own; ?1 is `id` when the statement has it.
static inline bool bench_sql(struct bench *b, const char *sql, struct id id) {
  AUTO(stmt_close) struct stmt *q = stmt_open(b->conn, sql, &b->err);
  if (!q) return false;
  if (strstr(sql, "?1")) stmt_bind_id(q, 1, id);
  return stmt_run(&q, &b->err);
}

/// The newest entry of a ledger, as one line: "<actor> <action> <target> <details>".
struct bench_line {
  char text[512];
};

static inline void bench_line_take(void *ctx, const struct audit_row *row) {
  struct bench_line *line = ctx;
  snprintf(line->text, sizeof line->text, "%.*s %.*s %.*s %.*s", STR_ARG(row->actor), STR_ARG(row->action),
           STR_ARG(row->target), STR_ARG(row->details));
}

static inline struct bench_line bench_newest(struct bench *b, struct id tenant) {
  struct bench_line line = {{0}};
  CHECK_OK(b, audit_list(b->conn, tenant, STR_NONE, STR_NONE, true, 0, 1, bench_line_take, &line, &b->err));
  return line;
}

static inline void bench_count_take(void *ctx, const struct audit_row *row) {
  (void)row;
  ++*(int *)ctx;
}

static inline int bench_entries(struct bench *b, struct id tenant) {
  int count = 0;
  CHECK_OK(b, audit_list(b->conn, tenant, STR_NONE, STR_NONE, false, 0, 10000, bench_count_take, &count, &b->err));
  return count;
}

static inline struct principal bench_local(void) {
  struct principal who;
  principal_local(&who);
  return who;
}

static inline struct organization bench_org(struct bench *b, const char *slug) {
  struct principal local = bench_local();
  struct organization org;
  CHECK_OK(b, organization_create(b->conn, b->arena, &local, str_c(slug), str_c(slug), BENCH_NOW, &org, &b->err));
  return org;
}

static inline struct user bench_user(struct bench *b, const char *email, struct id tenant, enum role role) {
  struct principal local = bench_local();
  struct user user;
  CHECK_OK(b, user_create(b->conn, b->arena, &local, str_c(email), BENCH_HASH, STR_NONE, tenant, role, BENCH_NOW, &user,
                          &b->err));
  return user;
}

/// The principal a user is after login and entering `tenant`.
static inline struct principal bench_as(const struct user *user, struct id tenant, enum role role) {
  struct principal who = {
      .kind = PRINCIPAL_USER, .id = user->id, .superadmin = user->superadmin, .tenant = tenant, .role = role};
  snprintf(who.actor, sizeof who.actor, "user:%s", id_format(user->id).text);
  return who;
}
