// SPDX-License-Identifier: Apache-2.0
// Appending to a tenant's ledger and reading it back.
//
// Appending happens in every mutation, so it is three statements by primary key and one hash. The head in audit_heads
// is the truth about what comes next: it is read inside the caller's transaction, by the one writer, and never cached,
// so that a transaction undone takes its entries' numbers back with it. Checking the chain is audit_verify.c's.
#include "access/audit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "access/audit_chain.h"
#include "base/mem.h"
#include "store/stmt.h"

struct head {
  int64_t seq; // 0: nothing was appended yet
  struct digest hash;
};

static bool head_read(struct store_conn *conn, struct id tenant, struct head *ret_head, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT seq, hash FROM audit_heads WHERE tenant_id = ?1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  switch (stmt_step(q, err)) {
  case STMT_ROW: *ret_head = (struct head){.seq = stmt_int(q, 0), .hash = stmt_digest(q, 1)}; return true;
  case STMT_DONE: *ret_head = (struct head){0}; return true;
  case STMT_ERROR: return false;
  }
  return false;
}

static bool row_add(struct store_conn *conn, struct id tenant, const struct audit_row *row, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO audit (tenant_id, seq, id, occurred_at, actor, action, target, details,"
                             " previous_hash, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_int(q, 2, row->seq);
  stmt_bind_id(q, 3, row->id);
  stmt_bind_int(q, 4, row->occurred_at);
  stmt_bind_str(q, 5, row->actor);
  stmt_bind_str(q, 6, row->action);
  stmt_bind_str(q, 7, row->target);
  stmt_bind_str(q, 8, row->details);
  stmt_bind_digest(q, 9, &row->previous_hash);
  stmt_bind_digest(q, 10, &row->hash);
  return stmt_run(&q, err);
}

static bool head_move(struct store_conn *conn, struct id tenant, const struct audit_row *row, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO audit_heads (tenant_id, seq, hash) VALUES (?1, ?2, ?3)"
                             " ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_int(q, 2, row->seq);
  stmt_bind_digest(q, 3, &row->hash);
  return stmt_run(&q, err);
}

bool audit_append(struct store_conn *conn, const struct audit_entry *entry, int64_t now_ns, struct err *err) {
  assert(entry->actor.len > 0 && entry->action.len > 0);
  assert(!str_present(entry->details) || str_starts(entry->details, STR("{")));
  struct head head;
  if (!head_read(conn, entry->tenant, &head, err)) return false;

  struct audit_row row = {
      .seq = head.seq + 1,
      .id = id_new(now_ns),
      .occurred_at = now_ns,
      .actor = entry->actor,
      .action = entry->action,
      .target = str_present(entry->target) ? entry->target : STR(""),
      .details = str_present(entry->details) ? entry->details : STR("{}"),
      .previous_hash = head.hash,
  };
  row.hash = audit_chain_hash(entry->tenant, row.seq, &row);
  struct err failed = {0};
  if (row_add(conn, entry->tenant, &row, &failed)) return head_move(conn, entry->tenant, &row, err);
  if (failed.code != ERR_UNAVAILABLE)
    return err_set(err, ERR_INTERNAL,
                   "The audit ledger can't go on at entry %" PRId64 " (%s); run `olivares audit verify`.", row.seq,
                   failed.msg);
  *err = failed;
  return false;
}

enum { LIST_SQL_MAX = 320 };

/// Each combination is a statement of its own: a filter written as "?4 IS NULL OR …" would keep SQLite from using the
/// index, and a ledger is long.
static void list_sql(char ret_sql[LIST_SQL_MAX], struct str action, struct str actor, bool newest_first) {
  snprintf(ret_sql, LIST_SQL_MAX,
           "SELECT seq, id, occurred_at, actor, action, target, details, previous_hash, hash FROM audit"
           " WHERE tenant_id = ?1 AND seq %s ?2%s%s ORDER BY seq %s LIMIT ?3",
           newest_first ? "<" : ">", str_present(action) ? " AND action = ?4" : "",
           str_present(actor) ? " AND actor = ?5" : "", newest_first ? "DESC" : "ASC");
}

bool audit_list(struct store_conn *conn, struct id tenant, struct str action, struct str actor, bool newest_first,
                int64_t after_seq, int limit, void (*visit)(void *ctx, const struct audit_row *row), void *ctx,
                struct err *err) {
  char sql[LIST_SQL_MAX];
  list_sql(sql, action, actor, newest_first);
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, sql, err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_int(q, 2, newest_first && after_seq == 0 ? INT64_MAX : after_seq);
  stmt_bind_int(q, 3, limit);
  if (str_present(action)) stmt_bind_str(q, 4, action);
  if (str_present(actor)) stmt_bind_str(q, 5, actor);
  for (;;) {
    switch (stmt_step(q, err)) {
    case STMT_ROW: {
      struct audit_row row = {.seq = stmt_int(q, 0),
                              .id = stmt_id(q, 1),
                              .occurred_at = stmt_int(q, 2),
                              .actor = stmt_str(q, 3),
                              .action = stmt_str(q, 4),
                              .target = stmt_str(q, 5),
                              .details = stmt_str(q, 6),
                              .previous_hash = stmt_digest(q, 7),
                              .hash = stmt_digest(q, 8)};
      visit(ctx, &row);
      break;
    }
    case STMT_DONE: return true;
    case STMT_ERROR: return false;
    }
  }
}
