// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "store/test_store.h"

static const struct store_migration two_steps[] = {
    {1, "CREATE TABLE items (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT"},
    {2, "ALTER TABLE items ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'"},
};

static void a_fresh_database_gets_every_step(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  struct store_conn *reader = store_reader(b->store);
  assert_int_equal(store_schema_version(b->store), 2);
  assert_int_equal(query_int(reader, "PRAGMA user_version"), 2);
  assert_int_equal(query_int(reader, "PRAGMA application_id"), 0x4f4c4956);
  assert_int_equal(query_int(reader, "SELECT COUNT(colour) FROM items"), 0);
}

static void its_files_are_for_the_owner_alone(void **state) {
  static const char *const suffixes[] = {"", "-wal", "-shm"};
  struct bench *b = *state;
  mode_t old = umask(0);
  bench_open(b, two_steps, 2);
  struct work work = {.fn = work_insert, .name = "a"};
  assert_true(work_run(b, &work));
  umask(old);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    char path[320];
    struct stat st;
    snprintf(path, sizeof path, "%s%s", b->database, suffixes[i]);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
  }
}

/// The number the next file would be opened with: the lowest that is free.
static int next_fd(void) {
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  close(fd);
  return fd;
}

static void closing_and_refusing_leave_no_file_open(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2); // what is opened once for the process stays
  bench_close(b);
  int before = next_fd();
  bench_open(b, two_steps, 2);
  struct work work = {.fn = work_insert, .name = "a"};
  assert_true(work_run(b, &work));
  assert_true(next_fd() > before);
  bench_close(b);
  assert_int_equal(next_fd(), before);
  bench_refuses(b, two_steps, 1, "has schema version 2, this engine knows 1", b->database);
  bench_write_file(b->database, "no database");
  bench_refuses(b, two_steps, 2, b->database, "restore it from a backup");
  assert_int_equal(next_fd(), before);
}

static void opening_a_current_database_writes_nothing(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  bench_close(b);
  struct stat before, after;
  assert_int_equal(stat(b->database, &before), 0);
  bench_open(b, two_steps, 2);
  assert_int_equal(query_int(store_reader(b->store), "SELECT COUNT(*) FROM items"), 0);
  bench_close(b);
  assert_int_equal(stat(b->database, &after), 0);
  assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  assert_int_equal(after.st_ino, before.st_ino);
}

static void an_older_database_is_brought_up_with_its_rows(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 1);
  struct work work = {.fn = work_insert, .name = "a", .value = 7};
  assert_true(work_run(b, &work));
  bench_close(b);
  bench_open(b, two_steps, 2);
  assert_int_equal(store_schema_version(b->store), 2);
  assert_int_equal(query_int(store_reader(b->store), "SELECT value FROM items WHERE colour = 'green'"), 7);
}

static void a_step_that_fails_is_undone_whole(void **state) {
  static const struct store_migration broken[] = {
      {1, "CREATE TABLE items (name TEXT PRIMARY KEY)"},
      {2, "CREATE TABLE half (name TEXT); ALTER TABLE nowhere ADD COLUMN colour TEXT"},
  };
  struct bench *b = *state;
  assert_false(bench_try_open(b, broken, 2));
  assert_non_null(strstr(b->err.msg, "the step to schema version 2: "));
  assert_non_null(strstr(b->err.msg, "no such table: nowhere"));
  bench_open(b, broken, 1);
  assert_int_equal(query_int(store_reader(b->store), "PRAGMA user_version"), 1);
  assert_int_equal(query_int(store_reader(b->store), "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'half'"), 0);
}

static const char families[] = "CREATE TABLE parents (name TEXT PRIMARY KEY);"
                               "CREATE TABLE children (name TEXT, parent TEXT NOT NULL"
                               " REFERENCES parents (name) ON DELETE CASCADE);"
                               "INSERT INTO parents VALUES ('p'); INSERT INTO children VALUES ('c', 'p')";

static void a_step_may_rebuild_a_table_others_refer_to(void **state) {
  static const struct store_migration rebuilding[] = {
      {1, families},
      {2, "CREATE TABLE new_parents (name TEXT PRIMARY KEY, age INTEGER);"
          "INSERT INTO new_parents SELECT name, 40 FROM parents;"
          "DROP TABLE parents; ALTER TABLE new_parents RENAME TO parents"},
  };
  struct bench *b = *state;
  bench_open(b, rebuilding, 2);
  assert_int_equal(query_int(store_reader(b->store), "SELECT age FROM children AS c JOIN parents AS p"
                                                     " ON p.name = c.parent"),
                   40);
}

static void a_step_that_breaks_a_reference_is_refused(void **state) {
  static const struct store_migration breaking[] = {{1, families}, {2, "DELETE FROM parents"}};
  struct bench *b = *state;
  assert_false(bench_try_open(b, breaking, 2));
  assert_non_null(strstr(b->err.msg, "a row of children refers to nothing"));
  bench_open(b, breaking, 1);
  assert_int_equal(query_int(store_reader(b->store), "SELECT COUNT(*) FROM parents"), 1);
}

static void a_newer_database_is_left_alone(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  bench_close(b);
  bench_sqlite(b, "PRAGMA user_version = 9");
  bench_refuses(b, two_steps, 2, "has schema version 9, this engine knows 2", "restore a backup");
  bench_sqlite(b, "PRAGMA user_version = 2");
  bench_open(b, two_steps, 2);
}

static void a_database_of_another_program_is_refused(void **state) {
  struct bench *b = *state;
  bench_sqlite(b, "PRAGMA application_id = 1234");
  bench_refuses(b, two_steps, 2, "made by another program (application id 1234)", "--data");
}

static void a_database_without_any_mark_but_with_tables_is_refused(void **state) {
  struct bench *b = *state;
  bench_sqlite(b, "CREATE TABLE theirs (name TEXT)");
  bench_refuses(b, two_steps, 2, "made by another program (application id 0)", b->database);
}

static void a_file_that_is_no_database_is_refused(void **state) {
  struct bench *b = *state;
  static const char *const texts[] = {"", "no", "SQLite format 4",
                                      "this has never been a database, whatever it is called"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bench_write_file(b->database, texts[i]);
    bench_refuses(b, two_steps, 2, b->database, "restore it from a backup");
  }
}

static void a_truncated_database_is_refused(void **state) {
  struct bench *b = *state;
  static const off_t lengths[] = {4096, 600, 100, 50, 16, 0};
  bench_open(b, two_steps, 2);
  bench_close(b);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    assert_int_equal(truncate(b->database, lengths[i]), 0);
    bench_refuses(b, two_steps, 2, b->database, "restore it from a backup");
  }
}

static void a_copy_without_a_log_gets_one(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  bench_close(b);
  char sql[400];
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = DELETE; VACUUM INTO '%s/copy'", b->dir);
  bench_sqlite(b, sql);
  snprintf(sql, sizeof sql, "%s/copy", b->dir);
  assert_int_equal(rename(sql, b->database), 0);
  bench_open(b, two_steps, 2);
  AUTO(stmt_close) struct stmt *q = stmt_open(store_reader(b->store), "PRAGMA journal_mode", &b->err);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_true(str_eq(stmt_str(q, 0), STR("wal")));
}

static void a_missing_directory_is_named(void **state) {
  struct bench *b = *state;
  char dir[256];
  snprintf(dir, sizeof dir, "%s", b->dir);
  bench_dir(b, "/nonexistent/olivares");
  bench_refuses(b, two_steps, 2, "/nonexistent/olivares", "No such file or directory");
  bench_dir(b, dir);
}

static void a_directory_in_the_place_of_the_database_is_refused(void **state) {
  struct bench *b = *state;
  assert_int_equal(mkdir(b->database, 0700), 0);
  bench_refuses(b, two_steps, 2, b->database, "can't be");
}

static void a_relative_directory_is_never_read_as_a_uri(void **state) {
  struct bench *b = *state;
  char dir[256], cwd[1024];
  snprintf(dir, sizeof dir, "%s", b->dir);
  assert_non_null(getcwd(cwd, sizeof cwd));
  assert_int_equal(chdir(dir), 0);
  assert_int_equal(mkdir("file:x?mode=memory", 0700), 0);
  bench_dir(b, "file:x?mode=memory");
  bench_open(b, two_steps, 2);
  bench_close(b);
  struct stat st;
  assert_int_equal(stat(b->database, &st), 0);
  assert_true(st.st_size > 0);
  assert_int_equal(bench_remove(b->dir), 0);
  assert_int_equal(chdir(cwd), 0);
  bench_dir(b, dir);
}

static void a_directory_without_permission_is_refused(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  bench_close(b);
  bool root = geteuid() == 0;
  if (root && seteuid(65534) != 0) {
    print_message("skipped: root can't become somebody else here\n");
    skip();
  }
  if (root) assert_int_equal(seteuid(0), 0);
  assert_int_equal(chmod(b->dir, 0555), 0);
  if (root) assert_int_equal(seteuid(65534), 0);
  bool opened = bench_try_open(b, two_steps, 2);
  if (root) assert_int_equal(seteuid(0), 0);
  assert_int_equal(chmod(b->dir, 0700), 0);
  assert_false(opened);
  assert_int_equal(b->err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(b->err.msg, "is read-only; make it writable"));
}

static void a_read_only_file_system_is_refused(void **state) {
  struct bench *b = *state;
  bench_open(b, two_steps, 2);
  bench_close(b);
  bench_private_mounts();
  assert_int_equal(mount(b->dir, b->dir, NULL, MS_BIND, NULL), 0);
  assert_int_equal(mount(NULL, b->dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
  bool opened = bench_try_open(b, two_steps, 2);
  assert_int_equal(umount2(b->dir, MNT_DETACH), 0);
  assert_false(opened);
  assert_int_equal(b->err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(b->err.msg, "is read-only; make it writable"));
}

static void a_disk_too_small_for_the_schema_is_said_to_be_full(void **state) {
  struct bench *b = *state;
  bench_small_disk(b, 16384);
  bench_refuses(b, two_steps, 2, "The disk is full", "Free some space");
  bench_small_disk_end(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_fresh_database_gets_every_step),
      BENCH_TEST(its_files_are_for_the_owner_alone),
      BENCH_TEST(closing_and_refusing_leave_no_file_open),
      BENCH_TEST(opening_a_current_database_writes_nothing),
      BENCH_TEST(an_older_database_is_brought_up_with_its_rows),
      BENCH_TEST(a_step_that_fails_is_undone_whole),
      BENCH_TEST(a_step_may_rebuild_a_table_others_refer_to),
      BENCH_TEST(a_step_that_breaks_a_reference_is_refused),
      BENCH_TEST(a_newer_database_is_left_alone),
      BENCH_TEST(a_database_of_another_program_is_refused),
      BENCH_TEST(a_database_without_any_mark_but_with_tables_is_refused),
      BENCH_TEST(a_file_that_is_no_database_is_refused),
      BENCH_TEST(a_truncated_database_is_refused),
      BENCH_TEST(a_copy_without_a_log_gets_one),
      BENCH_TEST(a_missing_directory_is_named),
      BENCH_TEST(a_directory_in_the_place_of_the_database_is_refused),
      BENCH_TEST(a_relative_directory_is_never_read_as_a_uri),
      BENCH_TEST(a_directory_without_permission_is_refused),
      BENCH_TEST(a_read_only_file_system_is_refused),
      BENCH_TEST(a_disk_too_small_for_the_schema_is_said_to_be_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
