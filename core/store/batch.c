// SPDX-License-Identifier: Apache-2.0
// One batch of operations, one transaction. An operation that fails must leave nothing behind while its neighbours
// commit, and a savepoint around each would do that at a price all pay. Failing is rare, and failing after a write is
// rarer. So the first pass goes without: an operation that failed before it changed anything needs no undoing, and one
// that failed after a change spoils the transaction. Then everything is rolled back, that operation is left out, and
// the second pass puts a savepoint around each, so that no further failure can spoil it.
//
// When the storage fails (conn->trouble), no operation can be trusted to have been whole: the batch is lost as one.
#include "store/batch.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"

enum applied { APPLIED, FAILED_CLEAN, SPOILED, LOST };

static bool roll_back(struct store_conn *conn) {
  struct err ignored = {0};
  // After some failures SQLite has rolled back on its own.
  return sqlite3_get_autocommit(conn->db) || conn_exec(conn, "ROLLBACK", &ignored);
}

/// Deferred references that lead nowhere would make the whole COMMIT fail; found here, they are the one operation's.
static bool references_hold(struct store_conn *conn) {
  int open = 0, unused = 0;
  sqlite3_db_status(conn->db, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &unused, 0);
  return open == 0;
}

static bool fail_op(struct store_op *op, const char *why) {
  op->ok = false;
  return err_set(&op->err, ERR_INTERNAL, "%s", why);
}

static enum applied apply_one(struct store_conn *conn, struct store_op *op) {
  op->err = (struct err){0};
  sqlite3_int64 before = sqlite3_total_changes64(conn->db);
  op->ok = op->apply(op, conn);
  assert(conn->open_count == 0);
  if (conn->trouble.code != ERR_NONE) return LOST;
  bool ended = sqlite3_get_autocommit(conn->db);
  if (op->ok) {
    if (!ended && references_hold(conn)) return APPLIED;
    fail_op(op, ended ? "An operation ended the transaction it ran in." : "A reference leads nowhere.");
  } else if (op->err.code == ERR_NONE) {
    fail_op(op, "An operation failed without saying why.");
  }
  return ended || sqlite3_total_changes64(conn->db) != before ? SPOILED : FAILED_CLEAN;
}

/// Like apply_one with a savepoint around it: what fails after a change is undone.
static enum applied apply_guarded(struct store_conn *conn, struct store_op *op, struct err *why) {
  if (!conn_exec(conn, "SAVEPOINT op", why)) return LOST;
  enum applied applied = apply_one(conn, op);
  if (applied == LOST || sqlite3_get_autocommit(conn->db)) return applied;
  if (applied == SPOILED) {
    if (!conn_exec(conn, "ROLLBACK TO op", why)) return LOST;
    applied = FAILED_CLEAN;
  }
  return conn_exec(conn, "RELEASE op", why) ? applied : LOST;
}

static enum applied apply_all(struct store_conn *conn, struct store_op *batch, bool guarded, struct err *why) {
  for (struct store_op *op = batch; op; op = op->next) {
    if (!op->ok) continue;
    enum applied applied = guarded ? apply_guarded(conn, op, why) : apply_one(conn, op);
    if (applied == SPOILED || applied == LOST) return applied;
  }
  return APPLIED;
}

static bool any_ok(const struct store_op *batch) {
  for (; batch; batch = batch->next)
    if (batch->ok) return true;
  return false;
}

void batch_fail(struct store_op *batch, const struct err *why) {
  for (struct store_op *op = batch; op; op = op->next) {
    op->ok = false;
    op->err = *why;
  }
}

static enum batch_result lose(struct store_conn *conn, struct store_op *batch, struct err *why) {
  if (conn->trouble.code != ERR_NONE) *why = conn->trouble;
  roll_back(conn);
  batch_fail(batch, why);
  return BATCH_LOST;
}

enum batch_result batch_commit(struct store_conn *conn, struct store_op *batch, struct err *why) {
  for (struct store_op *op = batch; op; op = op->next) op->ok = true;
  conn->trouble = (struct err){0};
  conn->wal_frames = 0;
  // A guarded pass is spoiled only by an operation that ends the transaction itself; each pass leaves one more out.
  for (bool guarded = false; any_ok(batch); guarded = true) {
    if (!conn_exec(conn, "BEGIN IMMEDIATE", why)) return lose(conn, batch, why);
    enum applied applied = apply_all(conn, batch, guarded, why);
    if (applied == SPOILED && roll_back(conn)) continue;
    if (applied != APPLIED || !conn_exec(conn, "COMMIT", why)) return lose(conn, batch, why);
    return conn->wal_frames > 0 ? BATCH_WRITTEN : BATCH_IDLE;
  }
  return BATCH_IDLE;
}

bool batch_probe(struct store_conn *conn, struct err *why) {
  conn->trouble = (struct err){0};
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "PRAGMA user_version", why);
  if (!q || stmt_step(q, why) != STMT_ROW) return false;
  char same[64];
  snprintf(same, sizeof same, "PRAGMA user_version = %lld", (long long)stmt_int(q, 0));
  stmt_close(&q);
  return conn_exec(conn, same, why);
}
