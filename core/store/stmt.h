// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

// Statements. A connection keeps its prepared statements (bounded, by SQL text); stmt_open hands one out and stmt_close
// resets it, so that no read transaction is held longer than needed:
//
//   AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT name FROM scenarios WHERE tenant_id = ? AND id = ?",
//   err); if (!q) return false; stmt_bind_id(q, 1, tenant); stmt_bind_id(q, 2, id); switch (stmt_step(q, err)) { case
//   STMT_ROW: … case STMT_DONE: … case STMT_ERROR: return false; }

struct stmt;

/// NULL with ERR_INTERNAL when the SQL is wrong, ERR_UNAVAILABLE when the database fails. Parameters are numbered
/// from 1.
struct stmt *stmt_open(struct store_conn *conn, const char *sql, struct err *err);
void stmt_close(struct stmt **stmt); ///< accepts NULL and *stmt == NULL; for AUTO

/// Bound text and blobs are borrowed until the statement is closed.
void stmt_bind_int(struct stmt *stmt, int at, int64_t value);
void stmt_bind_real(struct stmt *stmt, int at, double value);
void stmt_bind_bool(struct stmt *stmt, int at, bool value);
void stmt_bind_str(struct stmt *stmt, int at, struct str text); ///< an absent text binds NULL
void stmt_bind_blob(struct stmt *stmt, int at, const void *bytes, size_t len);
void stmt_bind_id(struct stmt *stmt, int at, struct id id); ///< 16 bytes; the zero id binds NULL
void stmt_bind_digest(struct stmt *stmt, int at, const struct digest *digest);
void stmt_bind_null(struct stmt *stmt, int at);

enum stmt_result { STMT_ROW, STMT_DONE, STMT_ERROR };
/// STMT_ERROR fills err: ERR_CONFLICT for a violated UNIQUE constraint, ERR_UNAVAILABLE for disk full, read-only and
/// I/O errors, ERR_INTERNAL otherwise.
enum stmt_result stmt_step(struct stmt *stmt, struct err *err);
/// For statements without rows: steps once, closes. False on error.
bool stmt_run(struct stmt **stmt, struct err *err);
/// Rows changed by the last completed statement of the connection.
int64_t stmt_changes(struct store_conn *conn);

/// Columns are numbered from 0. Borrowed until the next step or close.
int64_t stmt_int(struct stmt *stmt, int at);
double stmt_real(struct stmt *stmt, int at);
bool stmt_bool(struct stmt *stmt, int at);
struct str stmt_str(struct stmt *stmt, int at);       ///< STR_NONE for NULL
struct id stmt_id(struct stmt *stmt, int at);         ///< zero for NULL
struct digest stmt_digest(struct stmt *stmt, int at); ///< zero for NULL
bool stmt_is_null(struct stmt *stmt, int at);
