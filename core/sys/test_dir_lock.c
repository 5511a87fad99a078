// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/dir_lock.h"
#include "sys/file.h"

static int make_scratch(void **state) {
  char template[] = "/tmp/olivares-test-lock-XXXXXX";
  if (mkdtemp(template) == NULL) return -1;
  *state = mem_strdup(str_c(template));
  return 0;
}

static int remove_scratch(void **state) {
  char *dir = *state;
  char *lock = path_join(dir, "lock");
  unlink(lock);
  free(lock);
  int removed = rmdir(dir);
  free(dir);
  return removed;
}

// Another process that holds the lock: until killed, or for `hold_ms`.
static pid_t start_holder(const char *dir, const char *note, int hold_ms) {
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct dir_lock *lock = NULL;
    struct err err = {0};
    if (!dir_lock_open(dir, note, 0, &lock, &err) || write(ready[1], "1", 1) != 1) _exit(1);
    usleep((useconds_t)hold_ms * 1000);
    _exit(0);
  }
  close(ready[1]);
  char byte = 0;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return pid;
}

static void end_holder(pid_t pid) {
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

enum { LONG_MS = 60 * 1000 };

static void a_free_directory_is_locked_and_noted(void **state) {
  struct dir_lock *lock = NULL;
  struct err err = {0};
  assert_true(dir_lock_open(*state, "pid 1, serving", 0, &lock, &err));
  AUTO(mem_auto_free) char *path = path_join(*state, "lock");
  AUTO(buf_done) struct buf note;
  assert_true(file_read(path, 100, &note, &err));
  assert_string_equal(note.data, "pid 1, serving");
  dir_lock_close(lock);
}

static void a_shorter_note_replaces_a_longer_one_whole(void **state) {
  struct dir_lock *lock = NULL;
  struct err err = {0};
  assert_true(dir_lock_open(*state, "a long first note", 0, &lock, &err));
  dir_lock_note(lock, "short");
  AUTO(mem_auto_free) char *path = path_join(*state, "lock");
  AUTO(buf_done) struct buf note;
  assert_true(file_read(path, 100, &note, &err));
  assert_string_equal(note.data, "short");
  dir_lock_close(lock);
}

static void a_serving_engine_is_named_and_not_waited_for(void **state) {
  pid_t holder = start_holder(*state, "pid 123, serving http://127.0.0.1:8440", LONG_MS);
  struct dir_lock *lock = NULL;
  struct err err = {0};
  bool locked = dir_lock_open(*state, "pid 2", LONG_MS, &lock, &err); // returns at once or the test times out
  end_holder(holder);
  assert_false(locked);
  assert_null(lock);
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(err.msg, "pid 123, serving http://127.0.0.1:8440"));
  assert_non_null(strstr(err.msg, "--server"));
}

static void a_command_is_waited_for(void **state) {
  pid_t holder = start_holder(*state, "command sandbox runs ls", 100);
  struct dir_lock *lock = NULL;
  struct err err = {0};
  bool locked = dir_lock_open(*state, "pid 2", LONG_MS, &lock, &err);
  end_holder(holder);
  assert_true(locked);
  dir_lock_close(lock);
}

static void the_wait_for_a_command_ends(void **state) {
  pid_t holder = start_holder(*state, "command that hangs", LONG_MS);
  struct dir_lock *lock = NULL;
  struct err err = {0};
  bool locked = dir_lock_open(*state, "pid 2", 50, &lock, &err);
  end_holder(holder);
  assert_false(locked);
  assert_non_null(strstr(err.msg, "command that hangs"));
}

static void a_killed_holder_leaves_the_directory_free(void **state) {
  pid_t holder = start_holder(*state, "pid 123, serving", LONG_MS);
  end_holder(holder);
  struct dir_lock *lock = NULL;
  struct err err = {0};
  assert_true(dir_lock_open(*state, "pid 2", 0, &lock, &err));
  dir_lock_close(lock);
  dir_lock_close(NULL);
}

static void control_bytes_in_a_note_do_not_reach_the_message(void **state) {
  pid_t holder = start_holder(*state, "pid 1\033[31m\nserving", LONG_MS);
  struct dir_lock *lock = NULL;
  struct err err = {0};
  bool locked = dir_lock_open(*state, "pid 2", 0, &lock, &err);
  end_holder(holder);
  assert_false(locked);
  assert_non_null(strstr(err.msg, "pid 1 [31m serving"));
}

static void a_missing_directory_says_so(void **state) {
  AUTO(mem_auto_free) char *absent = path_join(*state, "absent");
  struct dir_lock *lock = NULL;
  struct err err = {0};
  assert_false(dir_lock_open(absent, "pid 2", 0, &lock, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_int_equal(err.sys_errno, ENOENT);
  assert_non_null(strstr(err.msg, absent));
}

int main(void) {
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)
  const struct CMUnitTest tests[] = {
      IN_SCRATCH(a_free_directory_is_locked_and_noted),
      IN_SCRATCH(a_shorter_note_replaces_a_longer_one_whole),
      IN_SCRATCH(a_serving_engine_is_named_and_not_waited_for),
      IN_SCRATCH(a_command_is_waited_for),
      IN_SCRATCH(the_wait_for_a_command_ends),
      IN_SCRATCH(a_killed_holder_leaves_the_directory_free),
      IN_SCRATCH(control_bytes_in_a_note_do_not_reach_the_message),
      IN_SCRATCH(a_missing_directory_says_so),
  };
  return cmocka_run_group_tests_name("dir_lock", tests, NULL, NULL);
}
