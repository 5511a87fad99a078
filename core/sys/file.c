// SPDX-License-Identifier: Apache-2.0
// Files and paths as the engine needs them: private directories, whole files under a cap, replacement that survives a
// crash. What a file means is its owner's business; who may use a data directory is sys/dir_lock's.
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void fd_close(int *fd) {
  if (*fd < 0) return;
  int saved = errno;
  close(*fd);
  errno = saved;
  *fd = -1;
}

static bool is_directory(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool make_one(const char *path, struct err *err) {
  if (mkdir(path, 0700) == 0) return true;
  int saved = errno;
  if (is_directory(path)) return true;
  return err_set_sys(err, ERR_UNAVAILABLE, saved == EEXIST ? ENOTDIR : saved, "can't create the directory '%s'", path);
}

bool dir_make(const char *path, struct err *err) {
  if (is_directory(path)) return true;
  AUTO(mem_auto_free) char *prefix = mem_strdup(str_c(path));
  for (char *slash = strchr(prefix + (prefix[0] == '/'), '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (!make_one(prefix, err)) return false;
    *slash = '/';
  }
  return make_one(path, err);
}

char *path_join(const char *dir, const char *name) {
  size_t dir_len = strlen(dir), name_len = strlen(name);
  bool need_slash = dir_len > 0 && dir[dir_len - 1] != '/';
  char *path = mem_alloc(dir_len + need_slash + name_len + 1);
  memcpy(path, dir, dir_len);
  if (need_slash) path[dir_len] = '/';
  memcpy(path + dir_len + need_slash, name, name_len + 1);
  return path;
}

static const char *env_or_null(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

bool path_default_data(char **ret_path, struct err *err) {
  const char *data = env_or_null("OLIVARES_DATA");
  if (data != NULL) {
    *ret_path = mem_strdup(str_c(data));
    return true;
  }
  // The XDG Base Directory Specification has relative values ignored; a relative home is no more use.
  const char *xdg = env_or_null("XDG_DATA_HOME");
  if (xdg != NULL && xdg[0] == '/') {
    *ret_path = path_join(xdg, "olivares");
    return true;
  }
  const char *home = env_or_null("HOME");
  if (home == NULL || home[0] != '/') {
    home = NULL;
    const struct passwd *entry = getpwuid(getuid());
    if (entry != NULL && entry->pw_dir != NULL && entry->pw_dir[0] == '/') home = entry->pw_dir;
  }
  if (home == NULL) {
    return err_set(err, ERR_BAD_REQUEST,
                   "no home directory to keep the data in; name one with --data or OLIVARES_DATA");
  }
  *ret_path = path_join(home, ".local/share/olivares");
  return true;
}

static bool read_all(int fd, const char *shown, size_t cap_bytes, struct buf *content, struct err *err) {
  for (;;) {
    char chunk[16 * 1024];
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return err_set_sys(err, ERR_BAD_REQUEST, errno, "can't read %s", shown);
    if (got == 0) return true;
    if (!buf_add(content, chunk, (size_t)got)) {
      return err_set(err, ERR_BAD_REQUEST, "%s is larger than %zu bytes", shown, cap_bytes);
    }
  }
}

bool file_read(const char *path, size_t cap_bytes, struct buf *out, struct err *err) {
  buf_init(out, cap_bytes);
  if (strcmp(path, "-") == 0) {
    if (read_all(STDIN_FILENO, "standard input", cap_bytes, out, err)) return true;
    buf_done(out);
    return false;
  }
  AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return err_set_sys(err, ERR_BAD_REQUEST, errno, "can't open '%s'", path);
  AUTO(buf_done) struct buf shown;
  buf_init(&shown, 8192);
  if (!buf_addf(&shown, "'%s'", path)) buf_add_c(&shown, "the file");
  if (read_all(fd, shown.data, cap_bytes, out, err)) return true;
  buf_done(out);
  return false;
}

static bool write_all(int fd, struct str content) {
  while (content.len > 0) {
    ssize_t wrote = write(fd, content.data, content.len);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    content = str_skip(content, (size_t)wrote);
  }
  return true;
}

// The rename is durable only once the directory that holds the name is.
static bool sync_parent(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t len = slash == NULL ? 0 : (size_t)(slash - path);
  AUTO(mem_auto_free) char *dir = mem_strdup(slash == NULL ? STR(".") : (struct str){path, len == 0 ? 1 : len});
  AUTO(fd_close) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd >= 0 && fsync(fd) == 0;
}

bool file_write_atomic(const char *path, struct str content, mode_t mode, struct err *err) {
  size_t len = strlen(path);
  static const char SUFFIX[] = ".tmp-XXXXXX";
  AUTO(mem_auto_free) char *temporary = mem_alloc(len + sizeof SUFFIX);
  memcpy(temporary, path, len);
  memcpy(temporary + len, SUFFIX, sizeof SUFFIX);

  AUTO(fd_close) int fd = mkostemp(temporary, O_CLOEXEC);
  if (fd < 0) return err_set_sys(err, ERR_UNAVAILABLE, errno, "can't write '%s'", path);
  if (!write_all(fd, content) || fchmod(fd, mode) != 0 || fsync(fd) != 0 || rename(temporary, path) != 0) {
    int saved = errno;
    unlink(temporary);
    return err_set_sys(err, ERR_UNAVAILABLE, saved, "can't write '%s'", path);
  }
  if (!sync_parent(path)) return err_set_sys(err, ERR_UNAVAILABLE, errno, "can't make '%s' durable", path);
  return true;
}
