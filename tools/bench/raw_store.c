// SPDX-License-Identifier: Apache-2.0
// The yardstick for durable runs: how fast SQLite alone takes the rows that a run leaves behind.
//
// The schema (tables, indexes, triggers) and the rows come from a database that an engine has just filled, so that the
// work is the engine's own and can't drift from it: one row of runs, the run's outputs, the ledger entry, the ledger's
// head. Every run gets fresh UUIDv7 keys and the next ledger number, hence the trees grow as they do in reality. What
// is left out is what is not storing: HTTP, JSON, resolving, hashing, and the engine's own reads inside a transaction.
//
// Only the inserts and commits are timed. The settings of the connection are those of the engine's writer.
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/secret.h"

enum { TEMPLATES_MAX = 1000, COLUMNS_MAX = 64 };

/// A table as its rows are written again. A fresh column gets a new value in place of the one that was read.
struct table {
  const char *name;
  const char *select; // ?1 is the run's id, for rows that belong to one
  const char *fresh_id, *fresh_run, *fresh_seq;
};

static const struct table runs_table = {
    .name = "runs", .select = "SELECT * FROM runs WHERE status = 'completed' ORDER BY id LIMIT ?1", .fresh_run = "id"};
static const struct table outputs_table = {
    .name = "outputs",
    .select = "SELECT * FROM outputs WHERE tenant_id = (SELECT tenant_id FROM runs) AND run_id = ?1 ORDER BY seq",
    .fresh_id = "id",
    .fresh_run = "run_id"};
static const struct table audit_table = {
    .name = "audit",
    .select = "SELECT * FROM audit WHERE action = 'run.launch' ORDER BY tenant_id, seq LIMIT ?1",
    .fresh_id = "id",
    .fresh_seq = "seq"};

struct row {
  sqlite3_value *values[COLUMNS_MAX];
};

struct rows {
  struct row *at;
  size_t count, allocated;
};

struct template {
  struct row *run, *entry;
  struct rows outputs;
};

struct insert {
  const struct table *table;
  sqlite3_stmt *stmt;
  int columns;
  int fresh_id, fresh_run, fresh_seq; // parameters, 0 = none
};

struct target {
  sqlite3 *db;
  struct insert runs, outputs, audit;
  sqlite3_stmt *head;
  int64_t seq; // of the ledger
  struct clock clock;
};

struct options {
  const char *source, *target;
  long runs, commit_rows; // commit_rows 0: one commit for each run
};

// ---- SQLite without ceremony: a failure of a measurement ends it ----

__attribute__((noreturn)) static void fail(sqlite3 *db, const char *doing) {
  fprintf(stderr, "raw_store: %s: %s\n", doing, db ? sqlite3_errmsg(db) : "failed");
  exit(EXIT_FAILURE);
}

static sqlite3 *open_database(const char *path, int flags) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) fail(db, path);
  return db;
}

static void execute(sqlite3 *db, const char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(db, sql);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK) fail(db, sql);
  return stmt;
}

static bool step(sqlite3_stmt *stmt) {
  int code = sqlite3_step(stmt);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(sqlite3_db_handle(stmt), sqlite3_sql(stmt));
  return code == SQLITE_ROW;
}

static void run_once(sqlite3_stmt *stmt) {
  step(stmt);
  sqlite3_reset(stmt);
}

// ---- reading the source ----

static void copy_schema(sqlite3 *source, sqlite3 *target) {
  sqlite3_stmt *q = prepare(source, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
  while (step(q)) execute(target, (const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
}

static struct row *add_row(struct rows *rows, sqlite3_stmt *q) {
  if (rows->count == rows->allocated) {
    rows->allocated = rows->allocated ? 2 * rows->allocated : 2;
    rows->at = mem_realloc(rows->at, rows->allocated * sizeof *rows->at);
  }
  struct row *row = &rows->at[rows->count++];
  for (int i = 0; i < sqlite3_column_count(q); i++) row->values[i] = sqlite3_value_dup(sqlite3_column_value(q, i));
  return row;
}

static void read_rows(sqlite3_stmt *q, struct rows *rows) {
  while (step(q)) add_row(rows, q);
  sqlite3_reset(q);
}

static int column_named(sqlite3_stmt *q, const char *name) {
  for (int i = 0; i < sqlite3_column_count(q); i++)
    if (strcmp(sqlite3_column_name(q, i), name) == 0) return i;
  fail(NULL, name);
}

/// The first runs of the source, each with a ledger entry and its outputs.
static struct template *read_templates(sqlite3 *source, size_t *ret_count) {
  struct rows runs = {0}, entries = {0};
  sqlite3_stmt *run = prepare(source, runs_table.select);
  sqlite3_stmt *entry = prepare(source, audit_table.select);
  sqlite3_stmt *outputs = prepare(source, outputs_table.select);
  sqlite3_bind_int(run, 1, TEMPLATES_MAX);
  sqlite3_bind_int(entry, 1, TEMPLATES_MAX);
  int run_id = column_named(run, "id");
  read_rows(run, &runs);
  read_rows(entry, &entries);
  if (runs.count == 0 || entries.count < runs.count) fail(NULL, "the source has no completed runs, or no ledger");

  struct template *templates = mem_array(runs.count, sizeof *templates);
  for (size_t i = 0; i < runs.count; i++) {
    templates[i].run = &runs.at[i];
    templates[i].entry = &entries.at[i];
    sqlite3_bind_value(outputs, 1, runs.at[i].values[run_id]);
    read_rows(outputs, &templates[i].outputs);
  }
  sqlite3_finalize(run);
  sqlite3_finalize(entry);
  sqlite3_finalize(outputs);
  *ret_count = runs.count;
  return templates;
}

// ---- writing the target ----

static int fresh_parameter(sqlite3_stmt *q, const char *column) {
  return column ? column_named(q, column) + 1 : 0;
}

static struct insert insert_prepare(sqlite3 *db, const struct table *table) {
  char sql[1024];
  snprintf(sql, sizeof sql, "SELECT * FROM %s", table->name);
  sqlite3_stmt *q = prepare(db, sql);
  struct insert insert = {
      .table = table,
      .columns = sqlite3_column_count(q),
      .fresh_id = fresh_parameter(q, table->fresh_id),
      .fresh_run = fresh_parameter(q, table->fresh_run),
      .fresh_seq = fresh_parameter(q, table->fresh_seq),
  };
  sqlite3_finalize(q);
  if (insert.columns > COLUMNS_MAX) fail(NULL, "more columns than this program has room for");
  int len = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table->name);
  for (int i = 1; i < insert.columns; i++) len += snprintf(sql + len, sizeof sql - (size_t)len, ",?");
  snprintf(sql + len, sizeof sql - (size_t)len, ")");
  insert.stmt = prepare(db, sql);
  return insert;
}

/// Text and blobs are bound as they lie, without a copy; the templates outlive the statement.
static void bind(sqlite3_stmt *stmt, int at, sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER: sqlite3_bind_int64(stmt, at, sqlite3_value_int64(value)); break;
  case SQLITE_FLOAT: sqlite3_bind_double(stmt, at, sqlite3_value_double(value)); break;
  case SQLITE_TEXT:
    sqlite3_bind_text(stmt, at, (const char *)sqlite3_value_text(value), sqlite3_value_bytes(value), SQLITE_STATIC);
    break;
  case SQLITE_BLOB:
    sqlite3_bind_blob(stmt, at, sqlite3_value_blob(value), sqlite3_value_bytes(value), SQLITE_STATIC);
    break;
  default: sqlite3_bind_null(stmt, at); break;
  }
}

static void bind_id(sqlite3_stmt *stmt, int at, const struct id *id) {
  sqlite3_bind_blob(stmt, at, id->bytes, sizeof id->bytes, SQLITE_STATIC);
}

static void insert_row(struct target *target, const struct insert *insert, const struct row *row,
                       const struct id *run) {
  struct id id;
  for (int at = 1; at <= insert->columns; at++) {
    if (at == insert->fresh_run) {
      bind_id(insert->stmt, at, run);
    } else if (at == insert->fresh_id) {
      id = id_new(clock_wall_ns(&target->clock));
      bind_id(insert->stmt, at, &id);
    } else if (at == insert->fresh_seq) {
      sqlite3_bind_int64(insert->stmt, at, target->seq);
    } else {
      bind(insert->stmt, at, row->values[at - 1]);
    }
  }
  run_once(insert->stmt);
}

/// Returns how many rows were written.
static long store_run(struct target *target, const struct template *template) {
  struct id run = id_new(clock_wall_ns(&target->clock));
  target->seq++;
  insert_row(target, &target->runs, template->run, &run);
  insert_row(target, &target->audit, template->entry, &run);
  sqlite3_bind_int64(target->head, 1, target->seq);
  run_once(target->head);
  for (size_t i = 0; i < template->outputs.count; i++)
    insert_row(target, &target->outputs, &template->outputs.at[i], &run);
  return 3 + (long)template->outputs.count;
}

static void target_open(struct target *target, const char *path, sqlite3 *source) {
  target->clock = clock_system();
  target->db = open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  execute(target->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                      "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000");
  copy_schema(source, target->db);
  execute(target->db, "INSERT INTO audit_heads (tenant_id, seq, hash) VALUES (randomblob(16), 0, randomblob(32))");
  target->runs = insert_prepare(target->db, &runs_table);
  target->outputs = insert_prepare(target->db, &outputs_table);
  target->audit = insert_prepare(target->db, &audit_table);
  target->head = prepare(target->db, "UPDATE audit_heads SET seq = ?1, hash = randomblob(32)");
}

static void target_close(struct target *target) {
  sqlite3_finalize(target->runs.stmt);
  sqlite3_finalize(target->outputs.stmt);
  sqlite3_finalize(target->audit.stmt);
  sqlite3_finalize(target->head);
  sqlite3_close(target->db);
}

static void measure(struct target *target, const struct template *templates, size_t count,
                    const struct options *options) {
  long rows = 0, rows_open = 0, commits = 0;
  int64_t begin_ns = clock_mono_ns(&target->clock);
  for (long i = 0; i < options->runs; i++) {
    if (rows_open == 0) execute(target->db, "BEGIN IMMEDIATE");
    long stored = store_run(target, &templates[(size_t)i % count]);
    rows += stored;
    rows_open += stored;
    if (rows_open < options->commit_rows && i + 1 < options->runs) continue;
    execute(target->db, "COMMIT");
    rows_open = 0;
    commits++;
  }
  double seconds = (double)(clock_mono_ns(&target->clock) - begin_ns) / 1e9;
  printf("runs=%ld rows=%ld commits=%ld seconds=%.6f runs_per_s=%.1f rows_per_s=%.1f\n", options->runs, rows, commits,
         seconds, (double)options->runs / seconds, (double)rows / seconds);
}

static bool read_count(const char *text, long *ret_count) {
  char *end;
  *ret_count = strtol(text, &end, 10);
  return end != text && *end == '\0' && *ret_count >= 0;
}

static bool read_options(int argc, char **argv, struct options *ret) {
  if (argc != 5) return false;
  ret->source = argv[1];
  ret->target = argv[2];
  return read_count(argv[3], &ret->runs) && read_count(argv[4], &ret->commit_rows) && access(ret->target, F_OK) != 0;
}

int main(int argc, char **argv) {
  struct options options;
  if (!read_options(argc, argv, &options)) {
    fprintf(stderr, "usage: raw_store SOURCE.db NEW.db RUNS ROWS_PER_COMMIT   (0 rows: a commit for each run)\n");
    return 2;
  }
  secret_setup();
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); // as the engine does
  sqlite3 *source = open_database(options.source, SQLITE_OPEN_READONLY);
  struct target target = {0};
  target_open(&target, options.target, source);
  size_t count;
  struct template *templates = read_templates(source, &count);
  measure(&target, templates, count, &options);
  target_close(&target);
  sqlite3_close(source);
  return EXIT_SUCCESS; // the templates go with the process
}
