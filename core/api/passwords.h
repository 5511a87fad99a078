// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct api_call;

// Passwords cost tens of milliseconds and 64 MiB on purpose, so they are worked on by the loop's worker thread. Each of
// the two answers the call itself when it can't go on (too much waits: ERR_RATE_LIMITED); otherwise `then` goes on, on
// the loop. `password` is borrowed until then, and at most one piece of work a call is under way.

/// `hash` lives in the call's arena.
void password_hash(struct api_call *call, struct str password, void (*then)(struct api_call *call, const char *hash));

/// `hash` is copied.
void password_check_hash(struct api_call *call, const char *hash, struct str password,
                         void (*then)(struct api_call *call, bool matches));
