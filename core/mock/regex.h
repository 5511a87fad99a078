// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "mock/match.h"

/// A regular expression (PCRE2). Not anchored unless it says so; `$` is the very end of the text, never in front of a
/// last newline. Text and pattern are UTF-8; classes like \d mean ASCII. \C (a single byte), \X (a grapheme) and script
/// runs are refused: what they cost can't be counted.
struct regex;

/// ERR_BAD_REQUEST with what is wrong and where (the byte in the pattern).
bool regex_new(struct str pattern, struct regex **ret_regex, struct err *err);
void regex_free(struct regex *regex); ///< accepts NULL
size_t regex_bytes(const struct regex *regex);

/// What matching takes besides the expression. For one thread at a time, and any number of expressions.
struct regex_scratch;
struct regex_scratch *regex_scratch_new(void);
void regex_scratch_free(struct regex_scratch *scratch); ///< accepts NULL

/// Counts `*steps_left` down, as match.h says. MATCH_LIMIT when they don't suffice, or PCRE2 needed more depth or
/// memory than match.h allows; which of these is the same on every machine.
enum match regex_match(const struct regex *regex, struct regex_scratch *scratch, struct str text, size_t *steps_left);
