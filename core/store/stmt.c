// SPDX-License-Identifier: Apache-2.0
// Statements: opening, binding, stepping, reading. A statement opened twice at the same time is prepared twice. How a
// closed one is found again is in stmt_cache.c, what a failure means in conn.c.
//
// A binding can't say that it failed; the statement remembers, and refuses to be stepped.
#include "store/stmt.h"

#include <string.h>

#include "base/mem.h"
#include "store/conn.h"
#include "store/stmt_cache.h"

static struct stmt *prepare(struct store_conn *conn, const char *sql, struct err *err) {
  sqlite3_stmt *handle = NULL;
  const char *rest = NULL;
  if (sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, &rest) != SQLITE_OK) {
    conn_fail(conn, sqlite3_extended_errcode(conn->db), err);
    return NULL;
  }
  // SQLite leaves alone what stands behind the first statement: it would silently not be done.
  if (!handle || rest[strspn(rest, " \n")] != '\0') {
    err_set(err, ERR_INTERNAL, "There is %s in: %s", handle ? "more than one statement" : "no statement", sql);
    sqlite3_finalize(handle);
    return NULL;
  }
  struct stmt *stmt = mem_zalloc(sizeof *stmt);
  stmt->handle = handle;
  stmt->conn = conn;
  stmt->len = strlen(sql);
  stmt->sql = mem_strdup((struct str){sql, stmt->len});
  return stmt;
}

struct stmt *stmt_open(struct store_conn *conn, const char *sql, struct err *err) {
  struct stmt *stmt = stmt_cache_find(conn, sql);
  if (!stmt) {
    stmt = prepare(conn, sql, err);
    if (!stmt) return NULL;
    stmt_cache_add(conn, stmt, sql);
  }
  stmt->in_use = true;
  stmt->bind_code = SQLITE_OK;
  stmt->last_used = ++conn->clock;
  conn->open_count++;
  return stmt;
}

void stmt_close(struct stmt **stmt) {
  if (!stmt || !*stmt) return;
  struct stmt *closing = *stmt;
  *stmt = NULL;
  closing->conn->open_count--;
  if (!closing->cached) {
    stmt_free(closing);
    return;
  }
  sqlite3_reset(closing->handle);
  sqlite3_clear_bindings(closing->handle);
  closing->in_use = false;
}

static void note_binding(struct stmt *stmt, int code) {
  if (stmt->bind_code == SQLITE_OK) stmt->bind_code = code;
}

void stmt_bind_int(struct stmt *stmt, int at, int64_t value) {
  note_binding(stmt, sqlite3_bind_int64(stmt->handle, at, value));
}
void stmt_bind_real(struct stmt *stmt, int at, double value) {
  note_binding(stmt, sqlite3_bind_double(stmt->handle, at, value));
}
void stmt_bind_bool(struct stmt *stmt, int at, bool value) {
  note_binding(stmt, sqlite3_bind_int(stmt->handle, at, value));
}
void stmt_bind_null(struct stmt *stmt, int at) {
  note_binding(stmt, sqlite3_bind_null(stmt->handle, at));
}

void stmt_bind_str(struct stmt *stmt, int at, struct str text) {
  if (str_present(text))
    note_binding(stmt, sqlite3_bind_text64(stmt->handle, at, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8));
  else
    note_binding(stmt, sqlite3_bind_null(stmt->handle, at));
}

void stmt_bind_blob(struct stmt *stmt, int at, const void *bytes, size_t len) {
  note_binding(stmt, sqlite3_bind_blob64(stmt->handle, at, bytes, len, SQLITE_STATIC));
}

void stmt_bind_id(struct stmt *stmt, int at, struct id id) {
  // The value is passed by copy, so SQLite keeps a copy too.
  if (id_is_zero(id))
    note_binding(stmt, sqlite3_bind_null(stmt->handle, at));
  else
    note_binding(stmt, sqlite3_bind_blob(stmt->handle, at, id.bytes, sizeof id.bytes, SQLITE_TRANSIENT));
}

void stmt_bind_digest(struct stmt *stmt, int at, const struct digest *digest) {
  note_binding(stmt, sqlite3_bind_blob(stmt->handle, at, digest->bytes, DIGEST_BYTES, SQLITE_STATIC));
}

enum stmt_result stmt_step(struct stmt *stmt, struct err *err) {
  if (stmt->bind_code != SQLITE_OK) {
    conn_fail(stmt->conn, stmt->bind_code, err);
    return STMT_ERROR;
  }
  int code = sqlite3_step(stmt->handle);
  if (code == SQLITE_ROW) return STMT_ROW;
  if (code == SQLITE_DONE) return STMT_DONE;
  conn_fail(stmt->conn, sqlite3_extended_errcode(stmt->conn->db), err);
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
