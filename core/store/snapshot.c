// SPDX-License-Identifier: Apache-2.0
// Beginning and ending a read transaction takes more time than finding a row: both are system calls for a lock of the
// log. A request makes several reads, and a turn of the loop serves many requests; so they share a transaction. It ends
// with the turn, since the log can't be emptied below what a reader still sees.
//
// Nobody can tell it from reads in transactions of their own. What was committed after it began is known to no one yet:
// before the first `done` of a commit runs, the version is another one, and the next read begins a new transaction.
#include "store/snapshot.h"

static bool is_open(const struct snapshot *s) {
  return !sqlite3_get_autocommit(s->conn->db);
}

/// A failure is left to the reads: without a transaction around them, each has its own.
static void run(struct snapshot *s, const char *sql) {
  struct err ignored = {0};
  struct stmt *q = stmt_open(s->conn, sql, &ignored);
  if (q) stmt_run(&q, &ignored);
}

static void end(void *ctx) {
  struct snapshot *s = ctx;
  if (is_open(s)) run(s, "COMMIT");
}

void snapshot_init(struct snapshot *s, struct store_conn *conn, struct loop *loop) {
  *s = (struct snapshot){.conn = conn, .end_of_turn = loop_timer_open(loop, end, s)};
}

void snapshot_done(struct snapshot *s) {
  if (!s->conn) return;
  end(s);
  loop_timer_close(s->end_of_turn);
  *s = (struct snapshot){0};
}

void snapshot_take(struct snapshot *s, uint64_t version) {
  if (s->version != version) end(s);
  if (is_open(s)) return;
  run(s, "BEGIN");
  s->version = version;
  loop_timer_set(s->end_of_turn, 0);
}
