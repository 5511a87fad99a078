// SPDX-License-Identifier: Apache-2.0
// The schema's history. `application_id` says whose file it is, `user_version` how far it has come; a file that is
// newer than this engine is left alone. Each step is one transaction together with its version, so a crash leaves a
// step done or not begun.
//
// Foreign keys are not enforced while a step runs, since a step that rebuilds a table has to drop the old one, and that
// would take the rows that refer to it along. What a step leaves behind is checked before it commits.
#include "store/migrate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { APPLICATION_ID = 0x4f4c4956 }; // "OLIV"

struct state {
  int64_t application, version, objects;
  bool wal;
};

static bool read_int(struct store_conn *conn, const char *sql, int64_t *ret_value, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, sql, err);
  if (!q || stmt_step(q, err) == STMT_ERROR) return false;
  *ret_value = stmt_int(q, 0);
  return true;
}

static bool is_wal(struct store_conn *conn, const char *sql, bool *ret_wal, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, sql, err);
  if (!q || stmt_step(q, err) == STMT_ERROR) return false;
  *ret_wal = str_eq(stmt_str(q, 0), STR("wal"));
  return true;
}

static bool look(struct store_conn *conn, struct state *ret, struct err *err) {
  // The count comes last: it reads the schema, and so finds out whether it can be read.
  return is_wal(conn, "PRAGMA journal_mode", &ret->wal, err) &&
         read_int(conn, "PRAGMA application_id", &ret->application, err) &&
         read_int(conn, "PRAGMA user_version", &ret->version, err) &&
         read_int(conn, "SELECT COUNT(*) FROM sqlite_schema", &ret->objects, err);
}

bool migrate_check(struct store_conn *conn, const char *path, int count, bool *ret_current, struct err *err) {
  struct state state;
  if (!look(conn, &state, err)) return err_wrap(err, "%s", path);
  bool empty = state.application == 0 && state.version == 0 && state.objects == 0;
  if (!empty && state.application != APPLICATION_ID)
    return err_set(err, ERR_UNAVAILABLE,
                   "%s was made by another program (application id %lld); choose another directory with --data.", path,
                   (long long)state.application);
  if (state.version > count)
    return err_set(err, ERR_UNAVAILABLE,
                   "%s has schema version %lld, this engine knows %d: it was written by a newer engine. Use that one, "
                   "or restore a backup from before the upgrade.",
                   path, (long long)state.version, count);
  // A copy that SQLite made of itself comes back without the write-ahead log.
  *ret_current = state.version == count && state.wal;
  return true;
}

static bool check_references(struct store_conn *conn, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "PRAGMA foreign_key_check", err);
  if (!q) return false;
  switch (stmt_step(q, err)) {
  case STMT_DONE: return true;
  case STMT_ERROR: return false;
  case STMT_ROW: break;
  }
  return err_set(err, ERR_INTERNAL, "a row of %.*s refers to nothing", STR_ARG(stmt_str(q, 0)));
}

static bool step_inside(struct store_conn *conn, const struct store_migration *migration, struct err *err) {
  char stamp[96];
  snprintf(stamp, sizeof stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
           migration->version);
  return conn_exec(conn, migration->sql, err) && check_references(conn, err) && conn_exec(conn, stamp, err);
}

static bool step(struct store_conn *conn, const struct store_migration *migration, struct err *err) {
  if (!conn_exec(conn, "BEGIN IMMEDIATE", err)) return false;
  if (step_inside(conn, migration, err) && conn_exec(conn, "COMMIT", err)) return true;
  struct err ignored = {0};
  if (!sqlite3_get_autocommit(conn->db)) conn_exec(conn, "ROLLBACK", &ignored);
  return err_wrap(err, "the step to schema version %d", migration->version);
}

static bool start_wal(struct store_conn *conn, struct err *err) {
  bool wal;
  if (!is_wal(conn, "PRAGMA journal_mode = WAL", &wal, err)) return false;
  return wal || err_set(err, ERR_UNAVAILABLE,
                        "The database can't keep a write-ahead log here; choose a directory on a local disk.");
}

static bool bring_up(struct store_conn *conn, const struct store_migration *migrations, int count, struct err *err) {
  int64_t version;
  if (!start_wal(conn, err) || !conn_exec(conn, "PRAGMA foreign_keys = OFF", err) ||
      !read_int(conn, "PRAGMA user_version", &version, err))
    return false;
  for (int i = 0; i < count; i++) {
    assert(migrations[i].version == i + 1);
    if (migrations[i].version > version && !step(conn, &migrations[i], err)) return false;
  }
  return true;
}

bool migrate(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
             struct err *err) {
  return bring_up(conn, migrations, count, err) || err_wrap(err, "%s", path);
}
