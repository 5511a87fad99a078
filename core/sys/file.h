// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

void fd_close(int *fd); ///< closes and sets to -1; accepts -1; keeps errno. Usable with AUTO.

/// Creates the directory and its missing parents, mode 0700 for what it creates.
bool dir_make(const char *path, struct err *err);

/// "<dir>/<name>", to be released with free().
char *path_join(const char *dir, const char *name);

/// The data directory when none is given: $OLIVARES_DATA, else $XDG_DATA_HOME/olivares, else ~/.local/share/olivares
/// (home from the password database when HOME is unset). Empty variables count as unset, and so do XDG_DATA_HOME and
/// HOME when they are no absolute path. Released with free(). ERR_BAD_REQUEST when there is no home.
bool path_default_data(char **ret_path, struct err *err);

/// Reads a whole file, or standard input when `path` is "-". ERR_BAD_REQUEST when it is over `cap_bytes` (the message
/// says the cap) or can't be read. `out` is initialised by this function.
bool file_read(const char *path, size_t cap_bytes, struct buf *out, struct err *err);

/// Writes a file so that a crash leaves the old or the new content, never a part: temporary file, fsync, rename, fsync
/// of the directory.
bool file_write_atomic(const char *path, struct str content, mode_t mode, struct err *err);
