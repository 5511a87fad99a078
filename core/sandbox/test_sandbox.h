// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bench this layer's tests work on: a real store and loop in a temporary directory, the module on them with the
// scripted backend of test_runner.h, and a clock that stands still until a test moves it. For what writes to the store,
// the writer thread lends its connection to the test: it waits in an operation's `apply` until it gets it back.

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
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
#include "sandbox/plan.h"
#include "sandbox/run.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_private.h"
#include "sandbox/scenario.h"
#include "sandbox/test_runner.h"
#include "store/stmt.h"

#define BENCH_NOW    INT64_C(1767225600000000000) // 2026-01-01T00:00:00Z
#define BENCH_SECOND INT64_C(1000000000)
#define BENCH_ACTOR  STR("user:tester")

struct bench {
  char dir[64];
  struct loop *loop;
  struct store *store;
  struct sandbox *sandbox;
  struct fake fake, absent; // "fake" is the default; "absent" is known and not available
  struct runner *runners[2];
  struct arena *arena;
  struct id tenant, other_tenant;
  _Atomic int64_t now_ns;
  struct err err; // what the last call said
  struct store_op op;
  sem_t lent, returned;
  struct store_conn *conn; // the writer's, while it is lent
  bool keep, done;
};

static inline int64_t bench_wall(void *ctx) {
  return ((struct bench *)ctx)->now_ns;
}
static inline int64_t bench_mono(void *ctx) {
  return ((struct bench *)ctx)->now_ns - BENCH_NOW;
}

static inline bool bench_lend(struct store_op *op, struct store_conn *conn) {
  struct bench *b = (struct bench *)((char *)op - offsetof(struct bench, op));
  b->conn = conn;
  sem_post(&b->lent);
  sem_wait(&b->returned);
  return b->keep || err_set(&op->err, ERR_INTERNAL, "undone by the test");
}

static inline void bench_lend_done(struct store_op *op) {
  ((struct bench *)((char *)op - offsetof(struct bench, op)))->done = true;
}

static inline void bench_begin(struct bench *b) {
  b->op = (struct store_op){.apply = bench_lend, .done = bench_lend_done};
  b->done = false;
  store_submit(b->store, &b->op);
  loop_turn(b->loop, false);
  sem_wait(&b->lent);
}

static inline void bench_end(struct bench *b) {
  b->keep = true;
  b->conn = NULL;
  sem_post(&b->returned);
  while (!b->done) loop_turn(b->loop, true);
  if (!b->op.ok) fail_msg("%s", b->op.err.msg);
}

static inline bool bench_work(void *loop, void (*work)(void *ctx), void (*done)(void *ctx), void *ctx) {
  return loop_work(loop, work, done, ctx);
}

static inline int bench_setup(void **state) {
  secret_setup();
  struct bench *b = mem_zalloc(sizeof *b);
  snprintf(b->dir, sizeof b->dir, "/tmp/olivares-sandbox-XXXXXX");
  if (!mkdtemp(b->dir) || !loop_new(&b->loop, &b->err)) return -1;
  const struct store_migration migrations[] = {access_migration, sandbox_migration, sandbox_migration_resolution};
  const struct store_config config = {.dir = b->dir, .loop = b->loop, .migrations = migrations, .migration_count = 3};
  if (!store_open(&config, &b->store, &b->err)) return -1;
  sem_init(&b->lent, 0, 0);
  sem_init(&b->returned, 0, 0);
  b->arena = arena_new();
  b->now_ns = BENCH_NOW;
  b->tenant = id_new(BENCH_NOW);
  b->other_tenant = id_new(BENCH_NOW);
  fake_init(&b->fake, "fake", b->loop);
  fake_init(&b->absent, "absent", b->loop);
  b->absent.report = (struct runner_report){.missing = "a kernel", .reason = "There is none."};
  b->runners[0] = &b->fake.port;
  b->runners[1] = &b->absent.port;
  b->sandbox = sandbox_new(&(struct sandbox_config){.store = b->store,
                                                    .clock = {bench_wall, bench_mono, b},
                                                    .work = bench_work,
                                                    .work_ctx = b->loop,
                                                    .runners = b->runners,
                                                    .runner_count = 2});
  *state = b;
  return 0;
}

static inline int bench_teardown(void **state) {
  struct bench *b = *state;
  if (b->conn) bench_end(b);
  sandbox_stop_all(b->sandbox);
  while (!store_idle(b->store) || !sandbox_settled(b->sandbox)) loop_turn(b->loop, true);
  store_close(b->store);
  sandbox_free(b->sandbox);
  int left = (int)b->fake.live + (int)b->absent.live; // executions that nobody destroyed
  loop_turn(b->loop, false);                          // slices that are due find their execution gone
  loop_free(b->loop);
  arena_free(b->arena);
  sem_destroy(&b->lent);
  sem_destroy(&b->returned);
  static const char *const names[] = {"olivares.db", "olivares.db-wal", "olivares.db-shm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", b->dir, names[i]);
    unlink(path);
  }
  left += rmdir(b->dir);
  free(b);
  return left;
}

/// As above with the writer's connection lent from the start.
static inline int bench_setup_lent(void **state) {
  if (bench_setup(state) != 0) return -1;
  bench_begin(*state);
  return 0;
}

#define BENCH_TEST(name)      cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
#define BENCH_LENT_TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup_lent, bench_teardown)

// ---- checks ----

static inline void bench_ok(struct bench *b, bool ok, const char *file, int line) {
  if (!ok) print_error("%s: %s\n", b->err.place, b->err.msg);
  _assert_true(ok, "the call succeeds", file, line);
}
#define CHECK_OK(b, call) bench_ok((b), (call), __FILE__, __LINE__)

static inline void check_err(const struct err *err, enum err_code code, const char *words, const char *file, int line) {
  if (err->code != code || !strstr(err->msg, words))
    print_error("%s: %s\n(expected %s with '%s')\n", err_code_name(err->code), err->msg, err_code_name(code), words);
  _assert_int_equal(err->code, code, file, line);
  _assert_true(strstr(err->msg, words) != NULL, words, file, line);
}
/// A failure with `code` and a sentence that contains `words`.
#define CHECK_ERR(err, code, words) check_err((err), (code), (words), __FILE__, __LINE__)

static inline void bench_fails(struct bench *b, bool ok, enum err_code code, const char *words, const char *file,
                               int line) {
  _assert_true(!ok, "the call fails", file, line);
  check_err(&b->err, code, words, file, line);
  err_clear(&b->err);
}
#define CHECK_FAILS(b, call, code, words) bench_fails((b), (call), (code), (words), __FILE__, __LINE__)

static inline void check_str(struct str text, struct str expected, const char *file, int line) {
  if (!str_eq(text, expected)) print_error("\"%.*s\" != \"%.*s\"\n", STR_ARG(text), STR_ARG(expected));
  _assert_true(str_eq(text, expected), "the texts are equal", file, line);
}
#define CHECK_STR(text, expected)      check_str((text), str_c(expected), __FILE__, __LINE__)
#define CHECK_DIGEST(digest, expected) check_str(str_c(digest_format(digest).text), str_c(expected), __FILE__, __LINE__)
#define CHECK_ID(id, expected)         assert_string_equal(id_format(id).text, id_format(expected).text)

// ---- the store ----

/// Runs a statement of the test's own on the lent connection; ?1 is `id` when the statement has it.
static inline bool bench_sql(struct bench *b, const char *sql, struct id id) {
  AUTO(stmt_close) struct stmt *q = stmt_open(b->conn, sql, &b->err);
  if (!q) return false;
  if (strstr(sql, "?1")) stmt_bind_id(q, 1, id);
  return stmt_run(&q, &b->err);
}

/// The same in an operation of its own.
static inline void bench_do_sql(struct bench *b, const char *sql, struct id id) {
  bench_begin(b);
  CHECK_OK(b, bench_sql(b, sql, id));
  bench_end(b);
}

/// The first column of the first row, as the loop's reader sees it; ?1 as above.
static inline int64_t bench_int(struct bench *b, const char *sql, struct id id) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(b->conn ? b->conn : store_reader(b->store), sql, &b->err);
  if (q && strstr(sql, "?1")) stmt_bind_id(q, 1, id);
  if (!q || stmt_step(q, &b->err) != STMT_ROW) fail_msg("%s: %s", sql, b->err.msg);
  return stmt_int(q, 0);
}

struct bench_lines {
  struct buf text;
};

static inline void bench_lines_take(void *ctx, const struct audit_row *row) {
  struct bench_lines *lines = ctx;
  buf_addf(&lines->text, "%.*s %.*s %.*s\n", STR_ARG(row->actor), STR_ARG(row->action), STR_ARG(row->details));
}

/// The tenant's ledger, oldest first: "<actor> <action> <details>" a line. Lives in the arena.
static inline const char *bench_ledger(struct bench *b, struct id tenant) {
  struct bench_lines lines;
  buf_init(&lines.text, 1 << 20);
  CHECK_OK(b, audit_list(b->conn ? b->conn : store_reader(b->store), tenant, STR_NONE, STR_NONE, false, 0, 10000,
                         bench_lines_take, &lines, &b->err));
  const char *text = arena_strdup(b->arena, buf_str(&lines.text));
  buf_done(&lines.text);
  return text;
}

// ---- scenarios and plans ----

/// A scenario read from a body, with ids, revision and hash; not stored. Text in the arena.
static inline struct scenario bench_scenario(struct bench *b, const char *body) {
  AUTO(json_auto_decref) json_t *json = NULL;
  struct scenario s;
  struct plan *plan;
  CHECK_OK(b, json_read(str_c(body), &json, &b->err) && scenario_read(json, false, b->arena, &s, &b->err) &&
                  plan_from_scenario(&s, STR_NONE, s.seed, &plan, &b->err));
  s.tenant = b->tenant;
  s.id = id_new(b->now_ns);
  s.revision = 1;
  s.spec_hash = plan->spec_hash;
  plan_unref(plan);
  return s;
}

/// The same, stored.
static inline struct scenario bench_store_scenario(struct bench *b, const char *body) {
  struct scenario s = bench_scenario(b, body);
  bool lent = b->conn != NULL;
  if (!lent) bench_begin(b);
  CHECK_OK(b, scenario_insert(b->conn, &s, BENCH_ACTOR, b->now_ns, &b->err));
  if (!lent) bench_end(b);
  return s;
}

/// A plan of so many steps "s00000" with the inputs "i00000", of which every second one has a mock that answers "yes".
static inline struct plan *bench_plan(struct bench *b, int steps) {
  AUTO(buf_done) struct buf steps_json;
  AUTO(buf_done) struct buf mocks_json;
  buf_init(&steps_json, 1 << 24);
  buf_init(&mocks_json, 1 << 24);
  for (int i = 0; i < steps; i++) {
    buf_addf(&steps_json, "%c{\"key\":\"s%05d\",\"input\":\"i%05d\"}", i ? ',' : '[', i, i);
    if (i % 2 == 0) buf_addf(&mocks_json, "%c{\"resource\":\"i%05d\",\"response\":\"yes\"}", i ? ',' : '[', i);
  }
  buf_add_char(&steps_json, ']');
  buf_add_char(&mocks_json, ']');
  struct plan *plan;
  CHECK_OK(b, plan_from_json(buf_str(&steps_json), buf_str(&mocks_json), 0, &plan, &b->err));
  return plan;
}
