// SPDX-License-Identifier: Apache-2.0
// The group-commit writer: one thread that owns the only writing connection. It takes everything that waits, applies it
// inside one transaction, commits, and rings the loop, where the operations' `done` run in the order they were
// submitted.
//
// An operation that fails before it has changed anything needs no undoing. One that fails after a change poisons the
// transaction: it is rolled back and the batch is repeated without it. That is rare, and cheaper than a savepoint
// around every operation.
//
// Thread and connection are made at the first operation, so that a command that only reads has neither.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/store_conn.h"

enum { BATCH_MAX = 512 };

struct list {
  struct store_op *first, **last;
};

struct writer {
  char *path;
  struct loop *loop;
  struct loop_bell *bell;
  struct store_conn *conn; // the thread's
  pthread_t thread;
  bool started;
  uint64_t in_flight; // loop only: submitted, `done` not yet run

  pthread_mutex_t mutex; // guards the rest
  pthread_cond_t wake;
  struct list waiting, finished;
  bool stopping;
  struct store_stats stats;
  struct err why_unhealthy;
};

static void list_init(struct list *list) {
  *list = (struct list){NULL, &list->first};
}

static void list_add(struct list *list, struct store_op *op) {
  op->next = NULL;
  *list->last = op;
  list->last = &op->next;
}

static struct store_op *list_take(struct list *list, size_t most, size_t *ret_count) {
  struct store_op *first = list->first, **at = &list->first;
  size_t count = 0;
  while (*at && count < most) {
    at = &(*at)->next;
    count++;
  }
  struct store_op *rest = *at;
  *at = NULL;
  list->first = rest;
  if (!rest) list->last = &list->first;
  *ret_count = count;
  return first;
}

// ---- the thread ----

static void fail_op(struct store_op *op, const struct err *why) {
  op->ok = false;
  op->err = *why;
}

static void fail_batch(struct store_op *batch, const struct err *why) {
  for (struct store_op *op = batch; op; op = op->next)
    if (op->ok) fail_op(op, why);
}

static void roll_back(struct store_conn *conn) {
  struct err ignored = {0};
  if (!sqlite3_get_autocommit(conn->db)) conn_exec(conn, "ROLLBACK", &ignored);
}

enum applied { APPLIED, POISONED, LOST };

/// Applies every operation that is still `ok`. POISONED: one failed after a change and is marked; LOST: the database
/// gave up the transaction.
static enum applied apply_batch(struct store_conn *conn, struct store_op *batch, struct err *why) {
  for (struct store_op *op = batch; op; op = op->next) {
    if (!op->ok) continue;
    op->err = (struct err){0};
    sqlite3_int64 before = sqlite3_total_changes64(conn->db);
    if (op->apply(op, conn)) continue;
    op->ok = false;
    if (op->err.code == ERR_NONE) err_set(&op->err, ERR_INTERNAL, "An operation failed without saying why.");
    if (sqlite3_get_autocommit(conn->db)) {
      *why = op->err;
      return LOST;
    }
    if (sqlite3_total_changes64(conn->db) != before) return POISONED;
  }
  return APPLIED;
}

static bool any_ok(const struct store_op *batch) {
  for (; batch; batch = batch->next)
    if (batch->ok) return true;
  return false;
}

static bool ensure_conn(struct writer *w, struct err *err) {
  return w->conn || conn_open(w->path, false, &w->conn, err);
}

/// Returns whether the database took what it was given; `*why` says why not.
static bool commit_batch(struct writer *w, struct store_op *batch, struct err *why) {
  for (struct store_op *op = batch; op; op = op->next) op->ok = true;
  if (!ensure_conn(w, why)) {
    fail_batch(batch, why);
    return false;
  }
  while (any_ok(batch)) {
    if (!conn_exec(w->conn, "BEGIN IMMEDIATE", why)) break;
    enum applied applied = apply_batch(w->conn, batch, why);
    if (applied == LOST) break;
    if (applied == POISONED) {
      roll_back(w->conn);
      continue;
    }
    if (conn_exec(w->conn, "COMMIT", why)) return true;
    break;
  }
  roll_back(w->conn);
  if (why->code != ERR_NONE) fail_batch(batch, why);
  return why->code == ERR_NONE;
}

static void count(struct writer *w, struct store_op *batch, size_t ops, bool took, const struct err *why) {
  w->stats.commits += took;
  w->stats.ops += ops;
  for (struct store_op *op = batch; op; op = op->next) w->stats.ops_failed += !op->ok;
  if (took)
    w->why_unhealthy = (struct err){0};
  else
    w->why_unhealthy = *why;
}

static void *writer_main(void *ctx) {
  struct writer *w = ctx;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    while (!w->waiting.first && !w->stopping) pthread_cond_wait(&w->wake, &w->mutex);
    if (!w->waiting.first) break;
    size_t ops;
    struct store_op *batch = list_take(&w->waiting, BATCH_MAX, &ops);
    pthread_mutex_unlock(&w->mutex);

    struct err why = {0};
    bool took = commit_batch(w, batch, &why);

    pthread_mutex_lock(&w->mutex);
    w->stats.queue_len -= ops;
    count(w, batch, ops, took, &why);
    while (batch) {
      struct store_op *next = batch->next;
      list_add(&w->finished, batch);
      batch = next;
    }
    loop_bell_ring(w->bell);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

// ---- the loop ----

static void deliver(void *ctx) {
  struct writer *w = ctx;
  pthread_mutex_lock(&w->mutex);
  size_t count_taken;
  struct store_op *op = list_take(&w->finished, SIZE_MAX, &count_taken);
  pthread_mutex_unlock(&w->mutex);
  while (op) {
    struct store_op *next = op->next; // `done` may release it
    w->in_flight--;
    op->done(op);
    op = next;
  }
}

struct writer *writer_new(const char *path, struct loop *loop) {
  struct writer *w = mem_zalloc(sizeof *w);
  w->path = mem_strdup(str_c(path));
  w->loop = loop;
  w->bell = loop_bell_open(loop, deliver, w);
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->wake, NULL);
  list_init(&w->waiting);
  list_init(&w->finished);
  return w;
}

void writer_submit(struct writer *w, struct store_op *op) {
  if (!w->started) {
    int failed = pthread_create(&w->thread, NULL, writer_main, w);
    assert(failed == 0);
    w->started = true;
  }
  w->in_flight++;
  pthread_mutex_lock(&w->mutex);
  list_add(&w->waiting, op);
  w->stats.queue_len++;
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->mutex);
}

bool writer_idle(const struct writer *w) {
  return w->in_flight == 0;
}

void writer_free(struct writer *w) {
  if (!w) return;
  while (w->in_flight > 0) loop_turn(w->loop, true);
  if (w->started) {
    pthread_mutex_lock(&w->mutex);
    w->stopping = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
  }
  conn_close(w->conn);
  loop_bell_close(w->bell);
  pthread_cond_destroy(&w->wake);
  pthread_mutex_destroy(&w->mutex);
  free(w->path);
  free(w);
}

void writer_stats(struct writer *w, struct store_stats *ret_stats) {
  pthread_mutex_lock(&w->mutex);
  *ret_stats = w->stats;
  pthread_mutex_unlock(&w->mutex);
}

bool writer_healthy(struct writer *w, struct err *ret_why) {
  pthread_mutex_lock(&w->mutex);
  *ret_why = w->why_unhealthy;
  pthread_mutex_unlock(&w->mutex);
  return ret_why->code == ERR_NONE;
}
