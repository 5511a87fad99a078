// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/// The start of the code point that the byte at `at` belongs to; `at` itself at the end.
size_t excerpt_boundary(struct str text, size_t at);

/// Where two well-formed texts differ first: a byte offset at a code point boundary of both; the shorter one's length
/// when it is a beginning of the other.
size_t first_difference(struct str a, struct str b);

/// Appends what stands around `at`, with the code point there between ⟦ and ⟧ (nothing between them at the end of the
/// text) and … where something was left out. At most about 150 bytes.
void excerpt_marked(struct buf *out, struct str text, size_t at);

/// Appends the beginning of the text, with … when something was left out.
void excerpt_plain(struct buf *out, struct str text);
