// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "mock/match.h"

/// A regular expression (PCRE2). Not anchored unless it says so; `$` is the very end of the text, never in front of a
/// last newline. Text and pattern are UTF-8; classes like \d mean ASCII.
struct regex;

/// ERR_BAD_REQUEST with what is wrong and where (the byte in the pattern).
bool regex_new(struct str pattern, struct regex **ret_regex, struct err *err);
void regex_free(struct regex *regex); ///< accepts NULL
size_t regex_bytes(const struct regex *regex);

/// `*steps_left` is counted down; MATCH_LIMIT when it comes to nothing, or PCRE2 gave up at the limits of match.h. One
/// thread at a time.
enum match regex_match(const struct regex *regex, struct str text, size_t *steps_left);
