// SPDX-License-Identifier: Apache-2.0
// One engine per data directory. The lock is an open file description lock (fcntl(2), F_OFD_SETLK) on "<dir>/lock": it
// belongs to the open file, so the kernel drops it however the holder ends. The file itself is never removed: that
// would let two holders lock two different files of the same name. The file's text is only for people and for telling a
// short command, worth waiting for, from a serving engine.
#include "sys/dir_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "sys/file.h"

enum { NOTE_MAX_BYTES = 255, RETRY_MS = 20 };

struct dir_lock {
  int fd;
};

void dir_lock_note(struct dir_lock *lock, const char *note) {
  size_t len = strnlen(note, NOTE_MAX_BYTES);
  // A reader may see the old tail for a moment; a note that can't be written costs a less helpful message, no more.
  bool noted = pwrite(lock->fd, note, len, 0) == (ssize_t)len && ftruncate(lock->fd, (off_t)len) == 0;
  (void)noted;
}

static void read_note(int fd, char ret_note[NOTE_MAX_BYTES + 1]) {
  ssize_t got = pread(fd, ret_note, NOTE_MAX_BYTES, 0);
  ret_note[got > 0 ? got : 0] = '\0';
  for (char *c = ret_note; *c != '\0'; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  }
}

static bool set_unwritable(const char *dir, int sys_errno, struct err *err) {
  if (sys_errno == EROFS) {
    return err_set(err, ERR_UNAVAILABLE, "the data directory '%s' is read-only; name another one with --data", dir);
  }
  return err_set_sys(err, ERR_UNAVAILABLE, sys_errno, "can't write to the data directory '%s'", dir);
}

static bool set_held(const char *dir, const char *note, struct err *err) {
  return err_set(err, ERR_UNAVAILABLE,
                 "the data directory '%s' is in use (%s); use that server with --server, stop it, or name another "
                 "directory with --data",
                 dir, note[0] != '\0' ? note : "by an unnamed process");
}

static int64_t now_ms(void) {
  struct clock clock = clock_system();
  return clock_mono_ns(&clock) / 1000000;
}

static bool try_lock(int fd) {
  struct flock whole_file = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &whole_file) == 0;
}

static bool take(int fd, const char *dir, int wait_ms, struct err *err) {
  int64_t deadline_ms = now_ms() + wait_ms;
  for (;;) {
    if (try_lock(fd)) return true;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES)
      return err_set_sys(err, ERR_UNAVAILABLE, errno, "can't lock the data directory '%s'", dir);
    char note[NOTE_MAX_BYTES + 1];
    read_note(fd, note);
    // An empty note: the holder has the lock but has not said who it is yet.
    bool brief = note[0] == '\0' || str_starts(str_c(note), STR("command"));
    if (!brief || now_ms() >= deadline_ms) return set_held(dir, note, err);
    nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000L}, NULL);
  }
}

bool dir_lock_open(const char *dir, const char *note, int wait_ms, struct dir_lock **ret_lock, struct err *err) {
  AUTO(mem_auto_free) char *path = path_join(dir, "lock");
  AUTO(fd_close) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return set_unwritable(dir, errno, err);
  if (!take(fd, dir, wait_ms, err)) return false;

  struct dir_lock *lock = mem_zalloc(sizeof *lock);
  lock->fd = fd;
  fd = -1;
  dir_lock_note(lock, note);
  *ret_lock = lock;
  return true;
}

void dir_lock_close(struct dir_lock *lock) {
  if (lock == NULL) return;
  // Emptied while still held, so that nobody reads the note of one that is gone.
  dir_lock_note(lock, "");
  fd_close(&lock->fd);
  free(lock);
}
