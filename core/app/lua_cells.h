// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

// Text on a terminal: what must not reach it as it is, and how many cells the rest takes.

/// Appends `text` with everything neutralised that a terminal would act on or that reorders or hides what stands beside
/// it: C0 and C1 controls and malformed bytes (`\x1b`), bidirectional and invisible format characters (`\u{202e}`). A
/// line feed is kept when `keep_lines`, and is `\n` otherwise.
void cells_clean(struct str text, bool keep_lines, struct buf *out);

/// Cells of clean text, by the C library's wcwidth where a UTF-8 locale can be had, else by a short table of ranges.
size_t cells_width(struct str text);

/// The longest prefix of clean text that takes at most `cells`.
struct str cells_prefix(struct str text, size_t cells);
