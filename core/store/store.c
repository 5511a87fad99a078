// SPDX-License-Identifier: Apache-2.0
// Opening and closing the database. Opening one that is current writes nothing and makes no writing connection: a
// command that only reads stays cheap. The write-ahead log is kept by the writer (writer.c); readers are on the loop
// or, for long work, of their own.
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/store_conn.h"
#include "sys/file.h"

struct store {
  char *path;
  struct store_conn *reader;
  struct writer *writer;
  int schema_version;
};

static bool check_writable(const char *dir, const char *path, struct err *err) {
  struct statvfs fs;
  if (statvfs(dir, &fs) != 0)
    return err_set_sys(err, ERR_UNAVAILABLE, errno, "The data directory %s can't be used", dir);
  bool read_only = (fs.f_flag & ST_RDONLY) != 0;
  bool writable = faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0;
  bool exists = access(path, F_OK) == 0;
  if (writable && exists) writable = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
  if (read_only || !writable)
    return err_set(err, ERR_UNAVAILABLE,
                   "The data directory %s is read-only; make it writable or choose another with --data.", dir);
  return true;
}

static bool make_file(const char *path, struct err *err) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return err_set_sys(err, ERR_UNAVAILABLE, errno, "The database %s can't be opened", path);
  close(fd);
  return true;
}

static bool bring_up(struct store *store, const struct store_config *config, struct err *err) {
  struct store_conn *conn;
  if (!conn_open(store->path, false, &conn, err)) return false;
  bool ok = migrate(conn, store->path, config->migrations, config->migration_count, err);
  conn_close(conn);
  return ok;
}

static bool open_all(struct store *store, const struct store_config *config, struct err *err) {
  if (!check_writable(config->dir, store->path, err) || !make_file(store->path, err)) return false;
  if (!conn_open(store->path, true, &store->reader, err)) return false;
  bool current;
  if (!migrate_check(store->reader, store->path, config->migrations, config->migration_count, &current, err))
    return false;
  if (!current) {
    conn_close(store->reader);
    store->reader = NULL;
    if (!bring_up(store, config, err) || !conn_open(store->path, true, &store->reader, err)) return false;
  }
  store->schema_version = config->migration_count;
  store->writer = writer_new(store->path, config->loop);
  return true;
}

bool store_open(const struct store_config *config, struct store **ret_store, struct err *err) {
  struct store *store = mem_zalloc(sizeof *store);
  store->path = path_join(config->dir, "olivares.db");
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
  conn_close(store->reader);
  free(store->path);
  free(store);
}

struct store_conn *store_reader(struct store *store) {
  return store->reader;
}

bool store_reader_open(struct store *store, struct store_conn **ret_conn, struct err *err) {
  return conn_open(store->path, true, ret_conn, err);
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
