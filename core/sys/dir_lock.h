// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/// One engine per data directory: an open file description lock on "<dir>/lock", which the kernel releases however the
/// process ends. The file's text says who holds it ("pid 123, serving http://127.0.0.1:8440"), for the message the
/// other one gets.
struct dir_lock;

/// Takes the lock. While somebody whose note starts with "command" holds it, waits up to `wait_ms`; a serving engine is
/// not waited for. ERR_UNAVAILABLE otherwise, naming the holder and the way out. ERR_UNAVAILABLE too when the directory
/// can't be written (the message says "read-only" or the errno text).
bool dir_lock_open(const char *dir, const char *note, int wait_ms, struct dir_lock **ret_lock, struct err *err);
/// Replaces the note, e.g. once the listening address is known.
void dir_lock_note(struct dir_lock *lock, const char *note);
void dir_lock_close(struct dir_lock *lock); ///< accepts NULL
