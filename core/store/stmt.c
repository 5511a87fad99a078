// SPDX-License-Identifier: Apache-2.0
//
// Prepared statements, kept by the connection. Most SQL in the program is a literal, so a cached statement is found by
// comparing pointers; text that was composed is compared as text. When the cache is full, the statement that was not
// used for the longest makes room.
#include "store/stmt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/store_conn.h"

static struct stmt *prepare(struct store_conn *conn, const char *sql, struct err *err) {
  sqlite3_stmt *handle = NULL;
  if (sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, NULL) != SQLITE_OK) {
    conn_fail(conn, "preparing a statement", err);
    return NULL;
  }
  struct stmt *stmt = mem_zalloc(sizeof *stmt);
  stmt->handle = handle;
  stmt->conn = conn;
  stmt->sql = mem_strdup(str_c(sql));
  stmt->literal = sql;
  return stmt;
}

static struct stmt *find(struct store_conn *conn, const char *sql) {
  for (int i = 0; i < conn->stmt_count; i++) {
    struct stmt *stmt = conn->stmts[i];
    // A composed text may stand at the address of an earlier one.
    if (!stmt->in_use && stmt->literal == sql && strcmp(stmt->sql, sql) == 0) return stmt;
  }
  for (int i = 0; i < conn->stmt_count; i++)
    if (!conn->stmts[i]->in_use && strcmp(conn->stmts[i]->sql, sql) == 0) return conn->stmts[i];
  return NULL;
}

static void stmt_free(struct stmt *stmt) {
  sqlite3_finalize(stmt->handle);
  free(stmt->sql);
  free(stmt);
}

/// A place in the cache, made free when need be; NULL when every statement is in use.
static struct stmt **place(struct store_conn *conn) {
  if (conn->stmt_count < STMT_CACHE_MAX) return &conn->stmts[conn->stmt_count++];
  struct stmt **oldest = NULL;
  for (int i = 0; i < STMT_CACHE_MAX; i++) {
    struct stmt **at = &conn->stmts[i];
    if (!(*at)->in_use && (!oldest || (*at)->last_used < (*oldest)->last_used)) oldest = at;
  }
  if (oldest) stmt_free(*oldest);
  return oldest;
}

struct stmt *stmt_open(struct store_conn *conn, const char *sql, struct err *err) {
  struct stmt *stmt = find(conn, sql);
  if (!stmt) {
    stmt = prepare(conn, sql, err);
    if (!stmt) return NULL;
    struct stmt **at = place(conn);
    if (at) {
      *at = stmt;
      stmt->cached = true;
    }
  }
  stmt->in_use = true;
  stmt->last_used = ++conn->clock;
  return stmt;
}

void stmt_close(struct stmt **stmt) {
  if (!stmt || !*stmt) return;
  struct stmt *closing = *stmt;
  *stmt = NULL;
  if (!closing->cached) {
    stmt_free(closing);
    return;
  }
  sqlite3_reset(closing->handle);
  sqlite3_clear_bindings(closing->handle);
  closing->in_use = false;
}

void stmt_bind_int(struct stmt *stmt, int at, int64_t value) {
  sqlite3_bind_int64(stmt->handle, at, value);
}
void stmt_bind_real(struct stmt *stmt, int at, double value) {
  sqlite3_bind_double(stmt->handle, at, value);
}
void stmt_bind_bool(struct stmt *stmt, int at, bool value) {
  sqlite3_bind_int(stmt->handle, at, value);
}
void stmt_bind_null(struct stmt *stmt, int at) {
  sqlite3_bind_null(stmt->handle, at);
}

void stmt_bind_str(struct stmt *stmt, int at, struct str text) {
  if (str_present(text))
    sqlite3_bind_text64(stmt->handle, at, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_null(stmt->handle, at);
}

void stmt_bind_blob(struct stmt *stmt, int at, const void *bytes, size_t len) {
  sqlite3_bind_blob64(stmt->handle, at, bytes, len, SQLITE_STATIC);
}

void stmt_bind_id(struct stmt *stmt, int at, struct id id) {
  // The value is passed by copy, so SQLite keeps a copy too.
  if (id_is_zero(id))
    sqlite3_bind_null(stmt->handle, at);
  else
    sqlite3_bind_blob(stmt->handle, at, id.bytes, sizeof id.bytes, SQLITE_TRANSIENT);
}

void stmt_bind_digest(struct stmt *stmt, int at, const struct digest *digest) {
  sqlite3_bind_blob(stmt->handle, at, digest->bytes, DIGEST_BYTES, SQLITE_STATIC);
}

enum stmt_result stmt_step(struct stmt *stmt, struct err *err) {
  int code = sqlite3_step(stmt->handle);
  if (code == SQLITE_ROW) return STMT_ROW;
  if (code == SQLITE_DONE) return STMT_DONE;
  conn_fail(stmt->conn, "a statement", err);
  return STMT_ERROR;
}

bool stmt_run(struct stmt **stmt, struct err *err) {
  bool ok = stmt_step(*stmt, err) != STMT_ERROR;
  stmt_close(stmt);
  return ok;
}

int64_t stmt_changes(struct store_conn *conn) {
  return sqlite3_changes64(conn->db);
}

int64_t stmt_int(struct stmt *stmt, int at) {
  return sqlite3_column_int64(stmt->handle, at);
}
double stmt_real(struct stmt *stmt, int at) {
  return sqlite3_column_double(stmt->handle, at);
}
bool stmt_bool(struct stmt *stmt, int at) {
  return sqlite3_column_int(stmt->handle, at) != 0;
}
bool stmt_is_null(struct stmt *stmt, int at) {
  return sqlite3_column_type(stmt->handle, at) == SQLITE_NULL;
}

struct str stmt_str(struct stmt *stmt, int at) {
  const char *text = (const char *)sqlite3_column_text(stmt->handle, at);
  return text ? (struct str){text, (size_t)sqlite3_column_bytes(stmt->handle, at)} : STR_NONE;
}

/// Fills `ret` only from a blob of exactly its size.
static void read_blob(struct stmt *stmt, int at, void *ret, size_t size) {
  const void *bytes = sqlite3_column_blob(stmt->handle, at);
  if (bytes && (size_t)sqlite3_column_bytes(stmt->handle, at) == size) memcpy(ret, bytes, size);
}

struct id stmt_id(struct stmt *stmt, int at) {
  struct id id = {0};
  read_blob(stmt, at, id.bytes, sizeof id.bytes);
  return id;
}

struct digest stmt_digest(struct stmt *stmt, int at) {
  struct digest digest = {0};
  read_blob(stmt, at, digest.bytes, sizeof digest.bytes);
  return digest;
}
