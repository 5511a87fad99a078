// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/// A UUIDv7 (RFC 9562, section 5.7): 48 bits of milliseconds, then random bits.
struct id {
  uint8_t bytes[16];
};
enum { ID_TEXT_LEN = 36 };
struct id_text {
  char text[ID_TEXT_LEN + 1];
};

/// A new id for the moment `wall_ns`. Ids made by one process are strictly increasing even within a millisecond and
/// across a clock that steps back (RFC 9562, section 6.2, method 2). Safe from several threads.
struct id id_new(int64_t wall_ns);

/// Reads the canonical form: lower case, hyphens in place, version 7, variant 2. False for anything else.
bool id_parse(struct str text, struct id *ret_id);

struct id_text id_format(struct id id);
bool id_eq(struct id a, struct id b);
bool id_is_zero(struct id id);
