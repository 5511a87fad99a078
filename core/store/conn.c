// SPDX-License-Identifier: Apache-2.0
//
// One connection: its settings, its errors, and its prepared statements.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/store_conn.h"

enum { BUSY_MS = 5000 };

/// What SQLite says, as one of our codes with a way out.
bool conn_fail(struct store_conn *conn, const char *doing, struct err *err) {
  int code = sqlite3_extended_errcode(conn->db);
  const char *text = sqlite3_errmsg(conn->db);
  switch (code & 0xff) {
  case SQLITE_FULL:
    return err_set(err, ERR_UNAVAILABLE, "The disk is full: %s was not done. Free some space and try again.", doing);
  case SQLITE_READONLY: return err_set(err, ERR_UNAVAILABLE, "The database is read-only: %s was not done.", doing);
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
    return err_set(err, ERR_UNAVAILABLE, "The database can't be read or written (%s): %s was not done.", text, doing);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return err_set(err, ERR_UNAVAILABLE, "Another program holds the database: %s was not done.", doing);
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return err_set(err, ERR_UNAVAILABLE, "The database is damaged or not a database (%s); restore it from a backup.",
                   text);
  default: break;
  }
  if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY)
    return err_set(err, ERR_CONFLICT, "Something with this identity exists already (%s).", text);
  return err_set(err, ERR_INTERNAL, "%s: %s", doing, text);
}

bool conn_exec(struct store_conn *conn, const char *sql, struct err *err) {
  if (sqlite3_exec(conn->db, sql, NULL, NULL, NULL) == SQLITE_OK) return true;
  return conn_fail(conn, "a statement", err);
}

bool conn_open(const char *path, bool read_only, struct store_conn **ret_conn, struct err *err) {
  struct store_conn *conn = mem_zalloc(sizeof *conn);
  // A read-only handle could not make the shared-memory file of the log; query_only says the same to every statement.
  int code =
      sqlite3_open_v2(path, &conn->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  bool ok = code == SQLITE_OK || conn_fail(conn, "opening the database", err);
  if (ok) {
    sqlite3_busy_timeout(conn->db, BUSY_MS);
    sqlite3_db_config(conn->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    ok = conn_exec(conn,
                   read_only ? "PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY"
                             : "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; "
                               "PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000",
                   err);
  }
  if (!ok) {
    conn_close(conn);
    return false;
  }
  *ret_conn = conn;
  return true;
}

static void stmt_free(struct stmt *stmt) {
  sqlite3_finalize(stmt->handle);
  free(stmt->sql);
  free(stmt);
}

void conn_close(struct store_conn *conn) {
  if (!conn) return;
  for (int i = 0; i < conn->stmt_count; i++) stmt_free(conn->stmts[i]);
  sqlite3_close_v2(conn->db);
  free(conn);
}
