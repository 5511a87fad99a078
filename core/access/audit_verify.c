// SPDX-License-Identifier: Apache-2.0
// Recomputes the hash chain of one tenant and names what was done to it.
//
// Entries are read in the order of their numbers; the first one that is not what the chain makes it is the result, the
// rest is only counted. How the faults are told apart:
//
//   missing       a number is skipped.
//   reordered     the stored hash is not the one of the fields at this number, but is the one of the same fields at
//                 another number of this ledger: a real entry in a wrong place. Since the number is hashed, nothing but
//                 an entry appended there (or a SHA-256 collision) can show this.
//   edited        the stored hash is the one of no number; or the entry agrees with itself but does not follow from the
//                 one before (one of the two was rewritten together with its hash); or it stands behind the recorded
//                 head, where nothing was appended.
//   tail_removed  the chain agrees with itself, but ends before the head, or at an entry that is not the head, or there
//                 is no head: what was newest is gone or was replaced.
//
// Everything that is compared comes from one statement, and so from one moment, while the writer goes on appending.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "access/audit.h"
#include "access/audit_chain.h"
#include "base/mem.h"
#include "store/stmt.h"

struct walk {
  struct store_conn *conn;
  struct id tenant;
  struct audit_report report;
  int64_t last_seq; // of the newest entry that was as it should be
  struct id last_id;
  bool has_head; // as recorded in audit_heads
  int64_t head_seq;
  struct digest head_hash;
};

const char *audit_fault_name(enum audit_fault fault) {
  switch (fault) {
  case AUDIT_INTACT: return "intact";
  case AUDIT_EDITED: return "edited";
  case AUDIT_MISSING: return "missing";
  case AUDIT_REORDERED: return "reordered";
  case AUDIT_TAIL_REMOVED: return "tail_removed";
  }
  return "unknown";
}

static void fault_set(struct walk *walk, enum audit_fault fault, int64_t seq, struct id id) {
  walk->report.fault = fault;
  walk->report.first_bad_seq = seq;
  walk->report.first_bad_id = id;
}

__attribute__((format(printf, 2, 3))) static void say(struct walk *walk, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(walk->report.message, sizeof walk->report.message, fmt, args);
  va_end(args);
}

/// The number under which the row's stored hash was made, 0 when there is none. One hash a number, for one row a
/// verification. Numbers up to the count of entries are tried: a bound that tampering can't raise without adding rows.
static bool place_find(struct walk *walk, const struct audit_row *row, int64_t *ret_place, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(walk->conn, "SELECT count(*) FROM audit WHERE tenant_id = ?1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, walk->tenant);
  if (stmt_step(q, err) != STMT_ROW) return false;
  int64_t count = stmt_int(q, 0);

  *ret_place = 0;
  for (int64_t place = 1; place <= count; place++) {
    struct digest hash = audit_chain_hash(walk->tenant, place, row);
    if (digest_eq(&hash, &row->hash)) {
      *ret_place = place;
      break;
    }
  }
  return true;
}

static bool misfit_name(struct walk *walk, const struct audit_row *row, struct err *err) {
  int64_t place;
  if (!place_find(walk, row, &place, err)) return false;
  if (place == row->seq && place > 0) {
    fault_set(walk, AUDIT_EDITED, row->seq, row->id);
    say(walk, "Entry %" PRId64 " does not follow from the entry before it: one of the two was rewritten.", row->seq);
  } else if (place > 0) {
    fault_set(walk, AUDIT_REORDERED, row->seq, row->id);
    say(walk, "Entry %" PRId64 " was appended as entry %" PRId64 ": entries were reordered.", row->seq, place);
  } else if (row->seq < 1) {
    fault_set(walk, AUDIT_EDITED, row->seq, row->id);
    say(walk, "Entry %" PRId64 " has a number that is never given: it was added later.", row->seq);
  } else {
    fault_set(walk, AUDIT_EDITED, row->seq, row->id);
    say(walk, "Entry %" PRId64 " was edited: its hash is not the hash of its fields.", row->seq);
  }
  return true;
}

static void gap_name(struct walk *walk, const struct audit_row *next) {
  int64_t first = walk->last_seq + 1, last = next->seq - 1;
  fault_set(walk, AUDIT_MISSING, first, (struct id){0});
  if (first == last)
    say(walk, "Entry %" PRId64 " is missing.", first);
  else
    say(walk, "Entries %" PRId64 " to %" PRId64 " are missing.", first, last);
}

/// `walk->report.head` is still the hash of the entry before.
static bool entry_check(struct walk *walk, const struct audit_row *row, struct err *err) {
  if (row->seq > walk->last_seq + 1) {
    gap_name(walk, row);
    return true;
  }
  struct digest hash = audit_chain_hash(walk->tenant, row->seq, row);
  bool fits = row->seq == walk->last_seq + 1 && digest_eq(&hash, &row->hash) &&
              digest_eq(&row->previous_hash, &walk->report.head);
  if (!fits) return misfit_name(walk, row, err);
  if (walk->has_head && row->seq > walk->head_seq) {
    fault_set(walk, AUDIT_EDITED, row->seq, row->id);
    say(walk, "Entry %" PRId64 " stands behind entry %" PRId64 ", which is recorded as the newest: it was added later.",
        row->seq, walk->head_seq);
  }
  walk->last_seq = row->seq;
  walk->last_id = row->id;
  return true;
}

static void end_check(struct walk *walk) {
  int64_t last = walk->last_seq;
  if (!walk->has_head && last > 0) {
    fault_set(walk, AUDIT_TAIL_REMOVED, last + 1, (struct id){0});
    say(walk, "The record of the newest entry is gone: how many entries followed entry %" PRId64 " can't be known.",
        last);
  } else if (walk->head_seq > last) {
    fault_set(walk, AUDIT_TAIL_REMOVED, last + 1, (struct id){0});
    say(walk,
        "The ledger ends at entry %" PRId64 ", but entry %" PRId64 " is recorded as the newest: its tail was removed.",
        last, walk->head_seq);
  } else if (walk->has_head && !digest_eq(&walk->head_hash, &walk->report.head)) {
    fault_set(walk, AUDIT_TAIL_REMOVED, last, walk->last_id);
    say(walk, "Entry %" PRId64 " is not the one recorded as the newest: the ledger's end was replaced.", last);
  } else {
    say(walk, last == 1 ? "The ledger is intact: %" PRId64 " entry." : "The ledger is intact: %" PRId64 " entries.",
        last);
  }
}

/// A ledger without entries has no row to carry the head beside it: this asks for both in one statement. Entries
/// appended since the walk began make it answer nothing, and then nothing is wrong. An organization begins with an
/// entry of its own, so where there is one, a first entry there was.
static bool empty_head_read(struct walk *walk, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(walk->conn,
                             "SELECT seq, hash FROM audit_heads WHERE tenant_id = ?1"
                             " AND NOT EXISTS (SELECT 1 FROM audit WHERE tenant_id = ?1)"
                             " UNION ALL SELECT 1, zeroblob(32) FROM organizations WHERE tenant_id = ?1"
                             " AND NOT EXISTS (SELECT 1 FROM audit_heads WHERE tenant_id = ?1)"
                             " AND NOT EXISTS (SELECT 1 FROM audit WHERE tenant_id = ?1)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, walk->tenant);
  switch (stmt_step(q, err)) {
  case STMT_ROW:
    walk->has_head = true;
    walk->head_seq = stmt_int(q, 0);
    walk->head_hash = stmt_digest(q, 1);
    return true;
  case STMT_DONE: return true;
  case STMT_ERROR: return false;
  }
  return false;
}

static bool row_take(struct walk *walk, struct stmt *q, struct err *err) {
  struct audit_row row = {.seq = stmt_int(q, 0),
                          .id = stmt_id(q, 1),
                          .occurred_at = stmt_int(q, 2),
                          .actor = stmt_str(q, 3),
                          .action = stmt_str(q, 4),
                          .target = stmt_str(q, 5),
                          .details = stmt_str(q, 6),
                          .previous_hash = stmt_digest(q, 7),
                          .hash = stmt_digest(q, 8)};
  if (walk->report.entries == 0) {
    walk->has_head = !stmt_is_null(q, 9);
    walk->head_seq = stmt_int(q, 9);
    walk->head_hash = stmt_digest(q, 10);
  }
  if (walk->report.fault == AUDIT_INTACT && !entry_check(walk, &row, err)) return false;
  walk->report.entries++;
  walk->report.head = row.hash;
  return true;
}

static bool walk_all(struct walk *walk, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(walk->conn,
                             "SELECT seq, id, occurred_at, actor, action, target, details, previous_hash, hash,"
                             " (SELECT seq FROM audit_heads WHERE tenant_id = ?1),"
                             " (SELECT hash FROM audit_heads WHERE tenant_id = ?1)"
                             " FROM audit WHERE tenant_id = ?1 ORDER BY seq",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, walk->tenant);
  for (;;) {
    switch (stmt_step(q, err)) {
    case STMT_ROW:
      if (!row_take(walk, q, err)) return false;
      break;
    case STMT_DONE: return true;
    case STMT_ERROR: return false;
    }
  }
}

bool audit_verify(struct store_conn *conn, struct id tenant, struct audit_report *ret_report, struct err *err) {
  struct walk walk = {.conn = conn, .tenant = tenant};
  if (!walk_all(&walk, err)) return false;
  if (walk.report.entries == 0 && !empty_head_read(&walk, err)) return false;
  if (walk.report.fault == AUDIT_INTACT) end_check(&walk);
  *ret_report = walk.report;
  return true;
}
