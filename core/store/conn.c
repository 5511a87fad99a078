// SPDX-License-Identifier: Apache-2.0
// One connection: its settings, and what its failures mean.
//
// A reader is opened for writing all the same: SQLite creates the log's shared-memory file when it is missing, and
// cleans up after a crash, neither of which a read-only handle can do. `query_only` keeps its statements from writing.
//
// No memory mapping: with it, an I/O error would be a SIGBUS in the middle of the engine.
#include "store/conn.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/stmt_cache.h"

// The writer's log is brought into the database by writer.c, after it has answered; its file is kept at most this long.
static const char reader_settings[] = "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                                      "PRAGMA cache_size = -16384; PRAGMA query_only = ON";
static const char writer_settings[] = "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                                      "PRAGMA cache_size = -65536; PRAGMA foreign_keys = ON;"
                                      "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864";

/// A failure of the storage, as opposed to one of a statement. Delayed allocation reports a full disk as an I/O error.
static bool describe_trouble(int code, int sys_errno, const char *text, struct err *err) {
  int primary = code & 0xff;
  if (primary == SQLITE_FULL || (primary == SQLITE_IOERR && (sys_errno == ENOSPC || sys_errno == EDQUOT))) {
    err_set(err, ERR_UNAVAILABLE, CONN_DISK_FULL);
    return true;
  }
  switch (primary) {
  case SQLITE_READONLY:
    err_set(err, ERR_UNAVAILABLE, "The database can't be written: %s. Make its directory and files writable.", text);
    return true;
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
  case SQLITE_PROTOCOL:
    if (sys_errno == 0)
      err_set(err, ERR_UNAVAILABLE, "The database can't be read or written: %s. Check the disk.", text);
    else
      err_set_sys(err, ERR_UNAVAILABLE, sys_errno, "The database can't be read or written, check the disk: %s", text);
    return true;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    err_set(err, ERR_UNAVAILABLE, "Another program holds the database: %s. Close it and try again.", text);
    return true;
  case SQLITE_NOMEM:
    err_set(err, ERR_UNAVAILABLE, "The database ran out of memory. Try again, or give the engine more.");
    return true;
  default: return false;
  }
}

static void describe_statement(int code, const char *text, struct err *err) {
  switch (code) {
  case SQLITE_CONSTRAINT_UNIQUE:
  case SQLITE_CONSTRAINT_PRIMARYKEY:
  case SQLITE_CONSTRAINT_ROWID:
    err_set(err, ERR_CONFLICT, "Something with this identity exists already: %s.", text);
    return;
  // A trigger of ours speaks for itself.
  case SQLITE_CONSTRAINT_TRIGGER: err_set(err, ERR_INTERNAL, "%s", text); return;
  default: break;
  }
  int primary = code & 0xff;
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB)
    err_set(err, ERR_UNAVAILABLE, "The database is damaged or not a database (%s): restore it from a backup.", text);
  else
    err_set(err, ERR_INTERNAL, "The database refused a statement: %s.", text);
}

bool conn_fail(struct store_conn *conn, int code, struct err *err) {
  struct err failure = {0};
  // The connection remembers its last failure only; a binding's may be older.
  bool last = sqlite3_extended_errcode(conn->db) == code;
  const char *text = last ? sqlite3_errmsg(conn->db) : sqlite3_errstr(code);
  if (describe_trouble(code, last ? sqlite3_system_errno(conn->db) : 0, text, &failure)) {
    if (conn->trouble.code == ERR_NONE) conn->trouble = failure;
  } else {
    describe_statement(code, text, &failure);
  }
  if (err->code == ERR_NONE) *err = failure;
  return false;
}

bool conn_exec(struct store_conn *conn, const char *sql, struct err *err) {
  if (sqlite3_exec(conn->db, sql, NULL, NULL, NULL) == SQLITE_OK) return true;
  return conn_fail(conn, sqlite3_extended_errcode(conn->db), err);
}

static int note_wal(void *ctx, sqlite3 *db, const char *schema, int frames) {
  (void)db, (void)schema;
  struct store_conn *conn = ctx;
  conn->wal_frames = frames;
  return SQLITE_OK;
}

static bool set_up(struct store_conn *conn, const char *path, enum conn_kind kind, struct err *err) {
  int code = sqlite3_open_v2(path, &conn->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return conn_fail(conn, sqlite3_extended_errcode(conn->db), err);
  sqlite3_busy_timeout(conn->db, CONN_BUSY_MS);
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  if (!conn_exec(conn, kind == CONN_READER ? reader_settings : writer_settings, err)) return false;
  // Behind the settings: that of the automatic checkpoint takes the hook away.
  sqlite3_wal_hook(conn->db, note_wal, conn);
  return true;
}

bool conn_open(const char *path, enum conn_kind kind, struct store_conn **ret_conn, struct err *err) {
  // Each connection is one thread's at a time, but the library itself must be built for threads.
  assert(sqlite3_threadsafe() != 0);
  // Counting memory takes one lock, shared by all threads, at every allocation, and nobody asks for the count. Only the
  // first call of the process counts; SQLite refuses the later ones.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  struct store_conn *conn = mem_zalloc(sizeof *conn);
  if (!set_up(conn, path, kind, err)) {
    conn_close(conn);
    return err_wrap(err, "%s", path);
  }
  *ret_conn = conn;
  return true;
}

void conn_close(struct store_conn *conn) {
  if (!conn) return;
  assert(conn->open_count == 0);
  stmt_cache_clear(conn);
  sqlite3_close(conn->db);
  free(conn);
}
