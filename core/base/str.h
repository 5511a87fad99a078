// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Borrowed text: `len` bytes at `data`, not necessarily NUL-terminated. data is NULL for "absent" (STR_NONE) and
/// non-NULL for the empty text; str_eq treats both as empty.
struct str {
  const char *data;
  size_t len;
};

#define STR_NONE ((struct str){NULL, 0})
/// A literal as borrowed text.
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
/// For printf: `"%.*s", STR_ARG(text)`.
#define STR_ARG(s) ((int)((s).len > 0x7fffffff ? 0x7fffffff : (s).len)), ((s).data ? (s).data : "")

static inline struct str str_c(const char *text) {
  return (struct str){text, text ? strlen(text) : 0};
}
static inline bool str_present(struct str s) {
  return s.data != NULL;
}

bool str_eq(struct str a, struct str b);
int str_cmp(struct str a, struct str b); ///< by bytes, shorter first on a common prefix
bool str_starts(struct str s, struct str prefix);
struct str str_skip(struct str s, size_t bytes); ///< what follows the first `bytes` (at most all)

/// Cuts `rest` at the first `sep`: returns what stands before it and moves `rest` behind it. When there is no
/// separator, returns all of it and leaves `rest` absent.
struct str str_cut(struct str *rest, char sep);

/// Reads a whole decimal integer, optional leading '-', nothing else around it. False on anything else or overflow.
bool str_int(struct str s, int64_t *ret_value);

/// The entry of `words` (NULL-terminated) closest to `s` by edit distance, or NULL when none is close enough to be
/// what a person meant. Used for "did you mean".
const char *str_nearest(struct str s, const char *const *words);
