// SPDX-License-Identifier: Apache-2.0
// The schema's history. `application_id` says whose file it is, `user_version` how far it has come; a file that is
// newer than this engine is left alone. Each step is one transaction together with its version, so a crash leaves a
// step done or not begun.
#include <stdio.h>

#include "store/store_conn.h"

enum { APPLICATION_ID = 0x4f4c4956 }; // "OLIV"

static bool read_number(struct store_conn *conn, const char *pragma, int64_t *ret_number, struct err *err) {
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(conn->db, pragma, -1, &q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(q);
  if (code == SQLITE_ROW) *ret_number = sqlite3_column_int64(q, 0);
  bool ok = code == SQLITE_ROW || conn_fail(conn, "reading the database", err);
  sqlite3_finalize(q);
  return ok;
}

struct state {
  int64_t application, version, tables;
};

static bool look(struct store_conn *conn, const char *path, int known, struct state *ret, struct err *err) {
  if (!read_number(conn, "PRAGMA application_id", &ret->application, err) ||
      !read_number(conn, "PRAGMA user_version", &ret->version, err) ||
      !read_number(conn, "SELECT COUNT(*) FROM sqlite_schema", &ret->tables, err))
    return err_wrap(err, "%s", path);
  bool empty = ret->application == 0 && ret->version == 0 && ret->tables == 0;
  if (!empty && ret->application != APPLICATION_ID)
    return err_set(err, ERR_UNAVAILABLE,
                   "%s was made by another program (application id %lld); choose another directory with --data.", path,
                   (long long)ret->application);
  if (ret->version > known)
    return err_set(err, ERR_UNAVAILABLE,
                   "%s has schema version %lld, this engine knows %d: it was written by a newer engine. Use that one, "
                   "or restore a "
                   "backup of before the upgrade.",
                   path, (long long)ret->version, known);
  return true;
}

bool migrate_check(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
                   bool *ret_current, struct err *err) {
  (void)migrations;
  struct state state;
  if (!look(conn, path, count, &state, err)) return false;
  *ret_current = state.version == count;
  return true;
}

static bool step(struct store_conn *conn, const struct store_migration *migration, struct err *err) {
  char stamp[96];
  snprintf(stamp, sizeof stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
           migration->version);
  if (!conn_exec(conn, "BEGIN IMMEDIATE", err)) return false;
  if (conn_exec(conn, migration->sql, err) && conn_exec(conn, stamp, err) && conn_exec(conn, "COMMIT", err))
    return true;
  struct err ignored = {0};
  conn_exec(conn, "ROLLBACK", &ignored);
  return err_wrap(err, "schema version %d", migration->version);
}

bool migrate(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
             struct err *err) {
  struct state state;
  if (!conn_exec(conn, "PRAGMA journal_mode = WAL", err) || !look(conn, path, count, &state, err)) return false;
  for (int i = 0; i < count; i++)
    if (migrations[i].version > state.version && !step(conn, &migrations[i], err)) return false;
  return true;
}
