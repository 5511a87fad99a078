// SPDX-License-Identifier: Apache-2.0
// Values are bound in the order in which they were added. A list that is asked for in the same way gives the same SQL
// text, so that the connection has it prepared already.
#include "store/list_query.h"

#include <assert.h>
#include <stdio.h>

enum { SQL_MAX_BYTES = 8192 };

static void add_value(struct list_query *list, struct list_value value) {
  assert(list->count < LIST_QUERY_VALUES_MAX);
  list->values[list->count++] = value;
}

void list_query_init(struct list_query *list, const char *select, struct id tenant) {
  *list = (struct list_query){0};
  buf_init(&list->sql, SQL_MAX_BYTES);
  buf_add_c(&list->sql, select);
  add_value(list, (struct list_value){.kind = LIST_VALUE_ID, .id = tenant});
}

void list_query_done(struct list_query *list) {
  buf_done(&list->sql);
}

void list_query_plain(struct list_query *list, const char *condition) {
  buf_addf(&list->sql, " AND %s", condition);
}

void list_query_id(struct list_query *list, const char *condition, struct id id) {
  if (id_is_zero(id)) return;
  list_query_plain(list, condition);
  add_value(list, (struct list_value){.kind = LIST_VALUE_ID, .id = id});
}

void list_query_text(struct list_query *list, const char *condition, struct str text) {
  if (!str_present(text)) return;
  list_query_plain(list, condition);
  add_value(list, (struct list_value){.kind = LIST_VALUE_TEXT, .text = text});
}

static void bind(const struct list_query *list, struct stmt *q) {
  for (int i = 0; i < list->count; i++) {
    const struct list_value *value = &list->values[i];
    switch (value->kind) {
    case LIST_VALUE_ID: stmt_bind_id(q, i + 1, value->id); break;
    case LIST_VALUE_TEXT: stmt_bind_str(q, i + 1, value->text); break;
    case LIST_VALUE_INT: stmt_bind_int(q, i + 1, value->number); break;
    }
  }
}

struct stmt *list_query_open(struct list_query *list, struct store_conn *conn, const char *id_column, bool oldest_first,
                             struct id after, int limit, struct err *err) {
  char behind[64];
  snprintf(behind, sizeof behind, "%s %s ?", id_column, oldest_first ? ">" : "<");
  list_query_id(list, behind, after);
  buf_addf(&list->sql, " ORDER BY %s%s LIMIT ?", id_column, oldest_first ? "" : " DESC");
  add_value(list, (struct list_value){.kind = LIST_VALUE_INT, .number = limit});
  assert(!list->sql.over);
  struct stmt *q = stmt_open(conn, list->sql.data, err);
  if (q) bind(list, q);
  return q;
}
