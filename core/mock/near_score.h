// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mock/matcher.h"

// How near a request came, as a number from 0 (nothing in common) to 1. Numbers of different kinds of matchers only
// order what a person is shown; nothing is decided by them.

/// Of two texts that are not equal: how much of the longer one their common beginning and common end make up.
double near_score_text(struct str a, struct str b);

/// What a text scores that would match after folding: what a person overlooks is nearest of all.
extern const double near_score_folded;

/// How a text may hold another one, for fold_until.
bool near_starts(struct str wanted, struct str text);
bool near_ends(struct str wanted, struct str text);
bool near_has(struct str wanted, struct str text);

/// Of a matcher that did not match. Counts the input's steps down; without any left the number is smaller.
double near_score_matcher(const struct matcher *matcher, struct match_input *input);

/// The longest beginning of `part` that `text` has somewhere, in bytes; `*ret_at` is where its first place ends.
size_t near_longest_beginning(struct str part, struct str text, size_t *ret_at);
