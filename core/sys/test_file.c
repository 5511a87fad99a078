// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"

static int make_scratch(void **state) {
  char template[] = "/tmp/olivares-test-file-XXXXXX";
  if (mkdtemp(template) == NULL) return -1;
  *state = mem_strdup(str_c(template));
  return 0;
}

static int remove_scratch(void **state) {
  char *dir = *state;
  static const char *const NAMES[] = {"a/b/c", "a/b", "a", "plain", "file", ""};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    AUTO(mem_auto_free) char *path = path_join(dir, NAMES[i]);
    remove(path);
  }
  bool gone = access(dir, F_OK) != 0;
  free(dir);
  return gone ? 0 : -1;
}

static void closing_keeps_errno_and_forgets_the_fd(void **state) {
  (void)state;
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int copy = fd;
  assert_true(fd >= 0);
  errno = EXDEV;
  fd_close(&fd);
  assert_int_equal(fd, -1);
  assert_int_equal(errno, EXDEV);
  fd_close(&fd);
  assert_int_equal(fd, -1);
  assert_int_equal(fcntl(copy, F_GETFD), -1);
}

static void paths_are_joined_by_one_slash(void **state) {
  (void)state;
  static const struct {
    const char *dir, *name, *path;
  } CASES[] = {{"/a", "b", "/a/b"}, {"/a/", "b", "/a/b"}, {"/", "b", "/b"}, {"", "b", "b"}, {"/a", "b/c", "/a/b/c"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    AUTO(mem_auto_free) char *path = path_join(CASES[i].dir, CASES[i].name);
    assert_string_equal(path, CASES[i].path);
  }
}

static void missing_parents_are_made_private(void **state) {
  AUTO(mem_auto_free) char *deep = path_join(*state, "a/b/c");
  struct err err = {0};
  assert_true(dir_make(deep, &err));
  assert_true(dir_make(deep, &err)); // it is there already
  AUTO(mem_auto_free) char *parent = path_join(*state, "a");
  struct stat st;
  assert_int_equal(stat(parent, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
}

static void a_file_in_the_way_of_a_directory_is_named(void **state) {
  AUTO(mem_auto_free) char *plain = path_join(*state, "plain");
  struct err err = {0};
  assert_true(file_write_atomic(plain, STR("x"), 0600, &err));
  AUTO(mem_auto_free) char *below = path_join(plain, "below");
  assert_false(dir_make(below, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_int_equal(err.sys_errno, ENOTDIR);
  assert_non_null(strstr(err.msg, plain));
}

static void the_data_directory_follows_the_environment(void **state) {
  (void)state;
  static const struct {
    const char *data, *xdg, *home, *path;
  } CASES[] = {
      {"/d", "/x", "/h", "/d"},
      {"", "/x", "/h", "/x/olivares"},
      {"", "relative", "/h", "/h/.local/share/olivares"},
      {"", "", "/h", "/h/.local/share/olivares"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    setenv("OLIVARES_DATA", CASES[i].data, 1);
    setenv("XDG_DATA_HOME", CASES[i].xdg, 1);
    setenv("HOME", CASES[i].home, 1);
    AUTO(mem_auto_free) char *path = NULL;
    struct err err = {0};
    assert_true(path_default_data(&path, &err));
    assert_string_equal(path, CASES[i].path);
  }
}

static void a_home_that_is_no_absolute_path_counts_as_unset(void **state) {
  (void)state;
  const struct passwd *entry = getpwuid(getuid());
  if (entry == NULL || entry->pw_dir[0] != '/') skip();
  AUTO(mem_auto_free) char *expected = path_join(entry->pw_dir, ".local/share/olivares");
  static const char *const HOMES[] = {"", "relative", "./relative"};
  for (size_t i = 0; i < sizeof HOMES / sizeof *HOMES; i++) {
    setenv("OLIVARES_DATA", "", 1);
    setenv("XDG_DATA_HOME", "", 1);
    setenv("HOME", HOMES[i], 1);
    AUTO(mem_auto_free) char *path = NULL;
    struct err err = {0};
    assert_true(path_default_data(&path, &err));
    assert_string_equal(path, expected);
  }
}

static void what_was_written_is_read_back(void **state) {
  AUTO(mem_auto_free) char *path = path_join(*state, "file");
  struct err err = {0};
  assert_true(file_write_atomic(path, STR("first, and longer"), 0640, &err));
  assert_true(file_write_atomic(path, STR("sec\0nd"), 0640, &err));
  AUTO(buf_done) struct buf content;
  assert_true(file_read(path, 6, &content, &err));
  assert_int_equal(content.len, 6);
  assert_memory_equal(content.data, "sec\0nd", 6);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0640);
}

static void a_file_over_the_cap_is_refused_with_the_cap(void **state) {
  AUTO(mem_auto_free) char *path = path_join(*state, "file");
  struct err err = {0};
  assert_true(file_write_atomic(path, STR("1234567"), 0600, &err));
  struct buf content;
  assert_false(file_read(path, 6, &content, &err));
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_non_null(strstr(err.msg, "larger than 6 bytes"));
  assert_null(content.data);
}

static void a_missing_file_is_a_bad_request_that_names_it(void **state) {
  AUTO(mem_auto_free) char *path = path_join(*state, "absent");
  struct buf content;
  struct err err = {0};
  assert_false(file_read(path, 6, &content, &err));
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_int_equal(err.sys_errno, ENOENT);
  assert_non_null(strstr(err.msg, path));
}

static void a_directory_can_not_be_read_as_a_file(void **state) {
  struct buf content;
  struct err err = {0};
  assert_false(file_read(*state, 6, &content, &err));
  assert_int_equal(err.sys_errno, EISDIR);
}

static void standard_input_is_read_for_a_dash(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_int_equal(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  AUTO(buf_done) struct buf content;
  struct err err = {0};
  bool read = file_read("-", 100, &content, &err);
  dup2(saved, STDIN_FILENO);
  close(saved);
  assert_true(read);
  assert_string_equal(content.data, "piped");
}

static void a_failed_write_leaves_nothing_behind(void **state) {
  struct err err = {0};
  AUTO(mem_auto_free) char *path = path_join(*state, "a"); // a directory: the rename fails
  assert_true(dir_make(path, &err));
  assert_false(file_write_atomic(path, STR("x"), 0600, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_int_equal(err.sys_errno, EISDIR);
  // remove_scratch fails when a temporary file is left.
}

int main(void) {
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closing_keeps_errno_and_forgets_the_fd),
      cmocka_unit_test(paths_are_joined_by_one_slash),
      IN_SCRATCH(missing_parents_are_made_private),
      IN_SCRATCH(a_file_in_the_way_of_a_directory_is_named),
      cmocka_unit_test(the_data_directory_follows_the_environment),
      cmocka_unit_test(a_home_that_is_no_absolute_path_counts_as_unset),
      IN_SCRATCH(what_was_written_is_read_back),
      IN_SCRATCH(a_file_over_the_cap_is_refused_with_the_cap),
      IN_SCRATCH(a_missing_file_is_a_bad_request_that_names_it),
      IN_SCRATCH(a_directory_can_not_be_read_as_a_file),
      cmocka_unit_test(standard_input_is_read_for_a_dash),
      IN_SCRATCH(a_failed_write_leaves_nothing_behind),
  };
  return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
