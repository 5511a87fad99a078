// SPDX-License-Identifier: Apache-2.0
// Opening and closing the database. Opening one that is current writes nothing and makes no writing connection: a
// command that only reads stays cheap. Yet what the first write would run into, a read-only directory or file, is found
// here. The reader the loop uses lives as long as the store; long work opens its own.
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/migrate.h"
#include "store/snapshot.h"
#include "store/writer.h"
#include "sys/file.h"

enum { DATABASE_MIN_BYTES = 512 }; // the smallest page (SQLite file format, 1.3.2)

struct store {
  char *path; // absolute: SQLite would read a relative one that starts with "file:" as a URI
  struct store_conn *reader;
  struct snapshot snapshot; // of the reader
  struct writer *writer;
  int schema_version;
};

static bool check_writable(const char *dir, const char *path, struct err *err) {
  struct statvfs fs;
  if (statvfs(dir, &fs) != 0)
    return err_set_sys(err, ERR_UNAVAILABLE, errno, "The data directory %s can't be used", dir);
  bool writable = (fs.f_flag & ST_RDONLY) == 0 && faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
  if (!writable)
    return err_set(err, ERR_UNAVAILABLE,
                   "The data directory %s is read-only; make it writable or choose another with --data.", dir);
  if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0 && errno != ENOENT)
    return err_set_sys(err, ERR_UNAVAILABLE, errno, "The database %s can't be read and written", path);
  return true;
}

static bool bring_up(const char *path, const struct store_config *config, struct err *err) {
  struct store_conn *conn;
  if (!conn_open(path, CONN_WRITER, &conn, err)) return false;
  bool ok = migrate(conn, path, config->migrations, config->migration_count, err);
  conn_close(conn);
  return ok;
}

/// A file that is too short to be a database was cut by somebody: SQLite would take it for a new one, and what was in
/// it would be gone without a word. One that exists is not opened here: closing it again would release the locks that
/// this process may hold on it through SQLite (fcntl(2), record locks).
static bool check_whole(const char *path, bool *ret_exists, struct err *err) {
  struct stat st;
  *ret_exists = stat(path, &st) == 0;
  if (!*ret_exists || !S_ISREG(st.st_mode) || st.st_size >= DATABASE_MIN_BYTES) return true;
  return err_set(
      err, ERR_UNAVAILABLE,
      "%s: The database is damaged or not a database (it has %lld bytes): restore it from a backup, or remove "
      "the file to start anew.",
      path, (long long)st.st_size);
}

static bool sync_dir(const char *dir, struct err *err) {
  AUTO(fd_close) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return (fd >= 0 && fsync(fd) == 0) ||
         err_set_sys(err, ERR_UNAVAILABLE, errno, "The data directory %s can't be used", dir);
}

/// A new database gets its name when it is complete, so that a first start that is killed leaves none. SQLite would
/// create the file with a mode of its own choice.
static bool make_database(const char *dir, const char *path, const struct store_config *config, struct err *err) {
  static const char *const leftovers[] = {"olivares.db.new", "olivares.db.new-wal", "olivares.db.new-shm"};
  for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
    AUTO(mem_auto_free) char *leftover = path_join(dir, leftovers[i]);
    unlink(leftover);
  }
  AUTO(mem_auto_free) char *making = path_join(dir, leftovers[0]);
  AUTO(fd_close) int fd = open(making, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return err_set_sys(err, ERR_UNAVAILABLE, errno, "The database %s can't be created", path);
  fd_close(&fd); // before SQLite opens it, see check_whole
  if (!bring_up(making, config, err)) return false;
  if (rename(making, path) != 0)
    return err_set_sys(err, ERR_UNAVAILABLE, errno, "The database %s can't be created", path);
  return sync_dir(dir, err);
}

static bool open_reader(struct store *store, int migration_count, bool *ret_current, struct err *err) {
  return conn_open(store->path, CONN_READER, &store->reader, err) &&
         migrate_check(store->reader, store->path, migration_count, ret_current, err);
}

static bool open_all(struct store *store, const struct store_config *config, struct err *err) {
  AUTO(mem_auto_free) char *dir = realpath(config->dir, NULL);
  if (!dir) return err_set_sys(err, ERR_UNAVAILABLE, errno, "The data directory %s can't be used", config->dir);
  store->path = path_join(dir, "olivares.db");
  bool exists;
  if (!check_writable(dir, store->path, err) || !check_whole(store->path, &exists, err)) return false;
  if (!exists && !make_database(dir, store->path, config, err)) return false;

  bool current;
  if (!open_reader(store, config->migration_count, &current, err)) return false;
  if (!current) {
    conn_close(store->reader);
    store->reader = NULL;
    if (!bring_up(store->path, config, err) || !open_reader(store, config->migration_count, &current, err))
      return false;
  }
  store->schema_version = config->migration_count;
  store->writer = writer_new(store->path, config->loop);
  snapshot_init(&store->snapshot, store->reader, config->loop);
  return true;
}

bool store_open(const struct store_config *config, struct store **ret_store, struct err *err) {
  struct store *store = mem_zalloc(sizeof *store);
  if (!open_all(store, config, err)) {
    store_close(store);
    return false;
  }
  *ret_store = store;
  return true;
}

void store_close(struct store *store) {
  if (!store) return;
  writer_free(store->writer);
  snapshot_done(&store->snapshot);
  conn_close(store->reader);
  free(store->path);
  free(store);
}

struct store_conn *store_reader(struct store *store) {
  snapshot_take(&store->snapshot, writer_version(store->writer));
  return store->reader;
}

bool store_reader_open(struct store *store, struct store_conn **ret_conn, struct err *err) {
  return conn_open(store->path, CONN_READER, ret_conn, err);
}

void store_reader_close(struct store_conn *conn) {
  conn_close(conn);
}
int store_schema_version(struct store *store) {
  return store->schema_version;
}
void store_submit(struct store *store, struct store_op *op) {
  writer_submit(store->writer, op);
}
bool store_idle(struct store *store) {
  return writer_idle(store->writer);
}
bool store_healthy(struct store *store, struct err *ret_why) {
  return writer_healthy(store->writer, ret_why);
}

static int64_t file_size(const char *path, const char *suffix) {
  char name[4096];
  struct stat st;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

void store_stats(struct store *store, struct store_stats *ret_stats) {
  writer_stats(store->writer, ret_stats);
  ret_stats->database_bytes = file_size(store->path, "");
  ret_stats->wal_bytes = file_size(store->path, "-wal");
}
