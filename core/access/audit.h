// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/store.h"

// The ledger: one hash chain a tenant, entries numbered from 1. hash = SHA-256 over the fields, each preceded by its
// length as a 64-bit big-endian integer: previous hash (32 bytes; zeros for the first), tenant id (16 bytes), seq
// (decimal text), id (text), occurred_at (RFC 3339 text), actor, action, target, details (as stored). The newest seq
// and hash also stand in audit_heads, so that a removed tail shows.
//
// What the chain can't show: whoever can write the database file can also rewrite every entry from some point on
// together with audit_heads, put an older copy of both back, or take a tenant's entries and head away altogether.
// Against that, keep what audit_verify reports (entries and head) somewhere else from time to time: an intact ledger
// still has that hash at that number.

struct audit_entry {
  struct id tenant;
  struct str actor;   ///< "user:<uuid>", "token:<uuid>", "local", "engine"
  struct str action;  ///< "scenario.create", "run.stream", …
  struct str target;  ///< "scenario:<uuid>", or ""
  struct str details; ///< a JSON object, or absent for {}
};

/// Appends inside the caller's transaction (writer thread only). ERR_INTERNAL when the ledger was tampered with so that
/// its next number is taken.
bool audit_append(struct store_conn *conn, const struct audit_entry *entry, int64_t now_ns, struct err *err);

enum audit_fault { AUDIT_INTACT, AUDIT_EDITED, AUDIT_MISSING, AUDIT_REORDERED, AUDIT_TAIL_REMOVED };
const char *audit_fault_name(enum audit_fault fault); ///< "intact", "edited", "missing", "reordered", "tail_removed"

struct audit_report {
  enum audit_fault fault;
  int64_t entries;        ///< entries found
  int64_t first_bad_seq;  ///< number of the first entry that is wrong or gone; 0 when intact
  struct id first_bad_id; ///< zero when intact or the entry is gone
  struct digest head;     ///< hash of the newest entry found; zeros for an empty ledger
  char message[256];      ///< one sentence
};

/// Recomputes the chain of a tenant and names the first fault; audit_verify.c says how they are told apart. An entry
/// that agrees with itself but not with the one before is named although that other one may be what was rewritten. For
/// a worker thread with a connection of its own (a long ledger takes seconds). False only when the database can't be
/// read; a broken chain is a result.
bool audit_verify(struct store_conn *conn, struct id tenant, struct audit_report *ret_report, struct err *err);

/// One entry as read back; text is borrowed until the next call of the visitor returns.
struct audit_row {
  int64_t seq;
  struct id id;
  int64_t occurred_at;
  struct str actor, action, target, details;
  struct digest previous_hash, hash;
};
/// Visits up to `limit` entries from behind `after_seq` (0 = from the end given by `newest_first`). For newest_first,
/// entries with seq < after_seq; otherwise seq > after_seq. Optional filters: `action`, `actor`, absent for all.
bool audit_list(struct store_conn *conn, struct id tenant, struct str action, struct str actor, bool newest_first,
                int64_t after_seq, int limit, void (*visit)(void *ctx, const struct audit_row *row), void *ctx,
                struct err *err);
