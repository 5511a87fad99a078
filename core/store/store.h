// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "loop/loop.h"

// The database: schema migrations, the group-commit writer, read connections, statements. The only user of SQLite;
// nothing in this header is SQLite's, so that another database can stand behind it.
//
// One writer thread owns the only writing connection. Mutations are operations in a queue; the thread takes all that
// wait, applies each inside one transaction, commits (WAL, synchronous=FULL) and only then lets their `done` run on the
// loop: nothing is answered before it is durable. An operation that fails is undone alone; the others in the batch
// commit.

struct store;
struct store_conn; ///< a connection; used by one thread at a time

/// One step of the schema's history. Steps are applied in order, each in a transaction, and never edited once released.
struct store_migration {
  int version; ///< 1, 2, 3, … without gaps
  const char *sql;
};

struct store_config {
  const char *dir; ///< data directory; holds olivares.db
  struct loop *loop;
  const struct store_migration *migrations;
  int migration_count;
};

/// Opens or creates the database, checks it, migrates it. Errors (ERR_UNAVAILABLE, with the path and the way out): not
/// a database or corrupt, made by another program, made by a newer version ("schema version 9, this engine knows 3"),
/// read-only, disk full.
bool store_open(const struct store_config *config, struct store **ret_store, struct err *err);
/// Finishes what is queued (their `done` run), stops the writer, checkpoints, closes. Accepts NULL.
void store_close(struct store *store);

/// The loop's read-only connection, for reads of the current turn: what is read in one turn is one state of the
/// database, and a newer one from the `done` of a mutation on. Ask again in the next turn rather than keep it.
struct store_conn *store_reader(struct store *store);
/// A read-only connection of its own for a worker thread.
bool store_reader_open(struct store *store, struct store_conn **ret_conn, struct err *err);
void store_reader_close(struct store_conn *conn); ///< accepts NULL

int store_schema_version(struct store *store);
struct store_stats {
  uint64_t commits, ops, ops_failed; ///< since start
  uint64_t queue_len;                ///< now
  int64_t database_bytes, wal_bytes; ///< files' sizes, now
};
void store_stats(struct store *store, struct store_stats *ret_stats); ///< any thread

/// A mutation. Embedded in the caller's own struct, which stays alive until `done`.
struct store_op {
  /// On the writer thread, inside the transaction: reads and writes through `conn`. False with `op->err` undoes this
  /// operation alone. May run twice when the batch has to be repeated: it must set, not add to, what it leaves in the
  /// caller's struct.
  bool (*apply)(struct store_op *op, struct store_conn *conn);
  /// On the loop, after the commit. `op->ok` says whether it is durable; otherwise `op->err` says why not.
  void (*done)(struct store_op *op);
  bool ok;
  struct err err;
  struct store_op *next; // the queue's
};
/// Loop thread, also from within a `done`; never blocks. The writer gets the operation at the end of the loop's turn,
/// together with all others of that turn.
void store_submit(struct store *store, struct store_op *op);
/// True when nothing is queued or being committed.
bool store_idle(struct store *store);

/// Whether the writer can still write: false after a disk-full or I/O error until a later commit succeeds. Being asked
/// makes a writer that could not try again by itself, so that readiness returns without traffic. Any thread.
bool store_healthy(struct store *store, struct err *ret_why);
