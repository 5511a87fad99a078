// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Finds the exact mocks that look like a request nobody answered, without going through all of them.

struct mock_set;
struct near_index;

struct near_index *near_index_new(const struct mock_set *set); ///< borrows the set
void near_index_free(struct near_index *index);                ///< accepts NULL
size_t near_index_bytes(size_t exact, size_t all); ///< what one holds over so many exact mocks, of so many in all

/// An exact mock that may be near, and what is known about it without a look at its text.
struct near_found {
  int mock;
  bool folded; ///< equal after folding
  bool json;   ///< equal as JSON
};

enum { NEAR_FOUND_MAX = 14 };
/// The mocks that may be near `text`: one that is equal after folding, one that is equal as JSON, and the neighbours in
/// the order of beginnings and of ends. Returns how many; a mock may come twice.
size_t near_index_find(struct near_index *index, struct str text, struct near_found ret_found[NEAR_FOUND_MAX]);
