// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/str.h"
#include "mock/match.h"

/// How far a pattern came: how much of it was satisfied at most, and up to where in the text. In bytes.
struct glob_reach {
  size_t pattern, text;
};

/// Whether all of `text` has the form of `pattern`: `*` stands for any text within a line, `**` for any text across
/// lines, `?` for one character of a line, a backslash takes the next character as it is; everything else, line ends
/// too, stands for itself. Both are well-formed UTF-8. `*steps_left` is counted down; MATCH_LIMIT when it comes to
/// nothing. `*ret_reach` may be NULL.
enum match glob_match(struct str pattern, struct str text, size_t *steps_left, struct glob_reach *ret_reach);
