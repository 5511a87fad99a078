// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include "store/stmt.h"
#include "store/store.h"

// What the files of this folder share: the only header that shows SQLite.

enum { STMT_CACHE_MAX = 128 };

struct stmt {
  sqlite3_stmt *handle;
  struct store_conn *conn;
  char *sql;
  const char *literal; // the pointer it was last asked for with: most SQL is a literal, and the same one
  bool in_use, cached;
  uint64_t last_used;
};

struct store_conn {
  sqlite3 *db;
  struct stmt *stmts[STMT_CACHE_MAX];
  int stmt_count;
  uint64_t clock;
};

/// Opens one connection with the settings every connection has.
bool conn_open(const char *path, bool read_only, struct store_conn **ret_conn, struct err *err);
void conn_close(struct store_conn *conn); ///< accepts NULL
bool conn_exec(struct store_conn *conn, const char *sql, struct err *err);
/// Fills err from the connection's last error; always false.
bool conn_fail(struct store_conn *conn, const char *doing, struct err *err);

/// Checks and migrates the database behind a fresh read-write connection.
bool migrate(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
             struct err *err);
/// Whether the schema is current, by a read-only look. False in *ret_current also for an empty file.
bool migrate_check(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
                   bool *ret_current, struct err *err);

struct writer;
struct writer *writer_new(const char *path, struct loop *loop);
void writer_submit(struct writer *writer, struct store_op *op);
bool writer_idle(const struct writer *writer);
void writer_free(struct writer *writer); ///< drains, joins; accepts NULL
void writer_stats(struct writer *writer, struct store_stats *ret_stats);
bool writer_healthy(struct writer *writer, struct err *ret_why);
