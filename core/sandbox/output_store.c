// SPDX-License-Identifier: Apache-2.0
// Outputs in the store: the evidence of what each step gave, in execution order.
#include "sandbox/run.h"
#include "store/stmt.h"

bool run_insert_output(struct store_conn *conn, struct id tenant, const struct output *o, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn,
                "INSERT INTO outputs (tenant_id, run_id, seq, id, step_key, mock_hit, clamped, occurred_at, calls, "
                "output) VALUES (?,?,?,?,?,?,?,?,?,?)",
                err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, o->run);
  stmt_bind_int(q, 3, o->seq);
  stmt_bind_id(q, 4, o->id);
  stmt_bind_str(q, 5, o->step_key);
  stmt_bind_bool(q, 6, o->mock_hit);
  stmt_bind_bool(q, 7, o->clamped);
  stmt_bind_int(q, 8, o->occurred_at);
  stmt_bind_str(q, 9, o->calls);
  stmt_bind_str(q, 10, o->output);
  return stmt_run(&q, err);
}

bool run_outputs(struct store_conn *conn, struct id tenant, struct id run, bool descending, int64_t after, int limit,
                 bool (*visit)(void *ctx, const struct output *output), void *ctx, struct err *err) {
  static const char ascending_sql[] =
      "SELECT seq, id, step_key, mock_hit, clamped, occurred_at, calls, output FROM outputs "
      "WHERE tenant_id = ? AND run_id = ? AND seq > ? ORDER BY seq LIMIT ?";
  static const char descending_sql[] =
      "SELECT seq, id, step_key, mock_hit, clamped, occurred_at, calls, output FROM outputs "
      "WHERE tenant_id = ? AND run_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?";
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, descending ? descending_sql : ascending_sql, err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, run);
  stmt_bind_int(q, 3, after);
  stmt_bind_int(q, 4, limit);
  enum stmt_result result;
  while ((result = stmt_step(q, err)) == STMT_ROW) {
    const struct output o = {
        .run = run,
        .seq = stmt_int(q, 0),
        .id = stmt_id(q, 1),
        .step_key = stmt_str(q, 2),
        .mock_hit = stmt_bool(q, 3),
        .clamped = stmt_bool(q, 4),
        .occurred_at = stmt_int(q, 5),
        .calls = stmt_str(q, 6),
        .output = stmt_str(q, 7),
    };
    if (!visit(ctx, &o)) return true;
  }
  return result == STMT_DONE;
}

bool run_step_keys(struct store_conn *conn, struct id tenant, struct id run,
                   bool (*visit)(void *ctx, int64_t seq, struct str key), void *ctx, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "SELECT seq, step_key FROM outputs WHERE tenant_id = ? AND run_id = ? ORDER BY seq", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, run);
  enum stmt_result result;
  while ((result = stmt_step(q, err)) == STMT_ROW)
    if (!visit(ctx, stmt_int(q, 0), stmt_str(q, 1))) return true;
  return result == STMT_DONE;
}
