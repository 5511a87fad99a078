// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/id.h"
#include "store/stmt.h"

// One page of a list: the rows of a tenant in the order of their ids, with the conditions that a request names.
//
//   AUTO(list_query_done) struct list_query list;
//   list_query_init(&list, "SELECT id, name FROM things WHERE tenant_id = ?", tenant);
//   list_query_text(&list, "name = ?", filter->name);
//   AUTO(stmt_close) struct stmt *q = list_query_open(&list, conn, "id", oldest_first, after, limit, err);

enum { LIST_QUERY_VALUES_MAX = 12 };

struct list_value {
  enum { LIST_VALUE_ID, LIST_VALUE_TEXT, LIST_VALUE_INT } kind;
  struct id id;
  struct str text; // borrowed
  int64_t number;
};

struct list_query {
  struct buf sql;
  struct list_value values[LIST_QUERY_VALUES_MAX]; // of the `?` in order
  int count;
};

/// `select` ends with the condition on the tenant, whose value is its first and only `?`.
void list_query_init(struct list_query *list, const char *select, struct id tenant);
void list_query_done(struct list_query *list); ///< for AUTO

/// Adds a condition with one `?`; nothing when the value is absent (zero for an id). Text is borrowed.
void list_query_id(struct list_query *list, const char *condition, struct id id);
void list_query_text(struct list_query *list, const char *condition, struct str text);
/// Adds a condition without a value.
void list_query_plain(struct list_query *list, const char *condition);

/// Opens it for the rows behind `after` (zero: from the first), at most `limit`, in the order of `id_column`. Newest
/// first unless `oldest_first`. NULL as stmt_open.
struct stmt *list_query_open(struct list_query *list, struct store_conn *conn, const char *id_column, bool oldest_first,
                             struct id after, int limit, struct err *err);
