// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Finds the exact mocks that look like a request nobody answered, without going through all of them.

struct mock_set;
struct near_index;

struct near_index *near_index_new(const struct mock_set *set); ///< borrows the set
void near_index_free(struct near_index *index);                ///< accepts NULL
size_t near_index_bytes(size_t count);                         ///< what one over so many exact mocks holds

enum { NEAR_FOUND_MAX = 10 };
/// The mocks that may be near `text`: one that is equal after folding, one that is equal as JSON, and the neighbours in
/// the order of beginnings and of ends. Returns how many; a mock may come twice.
size_t near_index_find(struct near_index *index, struct str text, int ret_mocks[NEAR_FOUND_MAX]);
