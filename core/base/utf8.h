// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/// Whether `text` is well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF). When not,
/// `*ret_bad_at` (may be NULL) is the offset of the first byte that does not belong; all before it is well-formed.
bool utf8_valid(struct str text, size_t *ret_bad_at);

/// The longest prefix of well-formed `text` with at most `max_bytes` bytes that ends at a code point boundary.
struct str utf8_clamp(struct str text, size_t max_bytes);

/// Overwrites every byte of `text` that does not belong with '?'; well-formed text stays as it is.
void utf8_mend(char *text, size_t len);
