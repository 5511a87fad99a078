// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/conn.h"

// The prepared statements a connection keeps.

/// A statement with this text that is not in use, or NULL.
struct stmt *stmt_cache_find(struct store_conn *conn, const char *sql);
/// Keeps the statement, in the place of the one unused for longest when the cache is full. When all in it are in use,
/// leaves the statement as it is (stmt->cached stays false).
void stmt_cache_add(struct store_conn *conn, struct stmt *stmt, const char *sql);
void stmt_cache_clear(struct store_conn *conn);
void stmt_free(struct stmt *stmt);
