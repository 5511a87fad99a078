// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include "store/stmt.h"
#include "store/store.h"

// One connection to SQLite, for the files of this folder.

// The engine's directory lock keeps other engines out, so a busy database is somebody's tool at work on the file.
enum { STMT_CACHE_MAX = 128, STMT_HINT_BITS = 10, CONN_BUSY_MS = 5000 };

struct stmt {
  sqlite3_stmt *handle;
  struct store_conn *conn;
  char *sql;
  size_t len;
  int bind_code; // of the first binding that failed since it was opened; else SQLITE_OK
  bool in_use, cached;
  uint64_t last_used;
};

struct store_conn {
  sqlite3 *db;
  struct stmt *stmts[STMT_CACHE_MAX];
  int stmt_count;
  struct stmt
      *hints[1 << STMT_HINT_BITS]; // borrowed from stmts, by the address of the SQL they were last asked for with
  int open_count;                  // statements handed out and not closed yet
  uint64_t clock;
  int wal_frames;     // in the log after the last commit of this connection
  struct err trouble; // the first failure since it was cleared that lies with the storage, not with a statement
};

#define CONN_DISK_FULL "The disk is full: the database can't grow. Free some space and try again."

enum conn_kind { CONN_READER, CONN_WRITER };

/// Opens one connection with the settings every connection has. `path` is absolute. Errors carry the path.
bool conn_open(const char *path, enum conn_kind kind, struct store_conn **ret_conn, struct err *err);
void conn_close(struct store_conn *conn); ///< accepts NULL
bool conn_exec(struct store_conn *conn, const char *sql, struct err *err);
/// Says what SQLite failed with (`code` is its extended result code), the mapping stmt_step promises. When the storage
/// is at fault, notes it in conn->trouble too. Always false.
bool conn_fail(struct store_conn *conn, int code, struct err *err);
