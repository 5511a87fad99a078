// SPDX-License-Identifier: Apache-2.0
// Finding a prepared statement again. Nearly all SQL in the program is a literal, asked for with the same address every
// time, so a table of hints by address finds it at once. A hint is only a guess: text that was composed may stand where
// another stood before, and two addresses may share a hint. Hence the text is always compared, and when the guess is
// wrong the statements are gone through one by one.
#include "store/stmt_cache.h"

#include <stdlib.h>
#include <string.h>

static struct stmt **hint_for(struct store_conn *conn, const char *sql) {
  // Multiplicative hashing (Knuth, The Art of Computer Programming, 6.4): the top bits depend on all of the address.
  uint64_t mixed = (uint64_t)(uintptr_t)sql * UINT64_C(0x9e3779b97f4a7c15);
  return &conn->hints[mixed >> (64 - STMT_HINT_BITS)];
}

static bool fits(const struct stmt *stmt, const char *sql, size_t len) {
  return !stmt->in_use && stmt->len == len && memcmp(stmt->sql, sql, len) == 0;
}

struct stmt *stmt_cache_find(struct store_conn *conn, const char *sql) {
  size_t len = strlen(sql);
  struct stmt **hint = hint_for(conn, sql);
  if (*hint && fits(*hint, sql, len)) return *hint;
  for (int i = 0; i < conn->stmt_count; i++)
    if (fits(conn->stmts[i], sql, len)) return *hint = conn->stmts[i];
  return NULL;
}

void stmt_free(struct stmt *stmt) {
  sqlite3_finalize(stmt->handle);
  free(stmt->sql);
  free(stmt);
}

static void forget(struct store_conn *conn, struct stmt *stmt) {
  for (int i = 0; i < 1 << STMT_HINT_BITS; i++)
    if (conn->hints[i] == stmt) conn->hints[i] = NULL;
  stmt_free(stmt);
}

/// Where a further statement goes; NULL when every statement is in use.
static struct stmt **place(struct store_conn *conn) {
  if (conn->stmt_count < STMT_CACHE_MAX) return &conn->stmts[conn->stmt_count++];
  struct stmt **oldest = NULL;
  for (int i = 0; i < STMT_CACHE_MAX; i++) {
    struct stmt **at = &conn->stmts[i];
    if (!(*at)->in_use && (!oldest || (*at)->last_used < (*oldest)->last_used)) oldest = at;
  }
  if (oldest) forget(conn, *oldest);
  return oldest;
}

void stmt_cache_add(struct store_conn *conn, struct stmt *stmt, const char *sql) {
  struct stmt **at = place(conn);
  if (!at) return;
  *at = stmt;
  stmt->cached = true;
  *hint_for(conn, sql) = stmt;
}

void stmt_cache_clear(struct store_conn *conn) {
  for (int i = 0; i < conn->stmt_count; i++) stmt_free(conn->stmts[i]);
  conn->stmt_count = 0;
  memset(conn->hints, 0, sizeof conn->hints);
}
