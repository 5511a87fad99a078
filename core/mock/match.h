// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a matcher says of an input. LIMIT: undecided, since deciding it would cost more than one mock may. The limits
/// count steps, never time, so that they are the same in every run and on every machine.
enum match { MATCH_NO, MATCH_YES, MATCH_LIMIT };

enum {
  MATCH_STEPS_MAX = 1000000,    // of one mock's matcher, all its parts together; a step is some nanoseconds
  MATCH_REGEX_ITEM_STEPS = 10,  // what an item of a regular expression counts, each time it is tried
  MATCH_REGEX_DEPTH_MAX = 5000, // PCRE2's depth limit: nested backtracking points
  MATCH_REGEX_HEAP_KIB = 1024,  // PCRE2's heap limit
};
