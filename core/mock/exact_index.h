// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "mock/mock.h"

/// Whether two resources are the same: text, and where they were cut the digest of the whole.
bool mock_resource_eq(const struct mock_resource *a, const struct mock_resource *b);

struct exact_slot {
  const struct mock_resource *resource; // borrowed; NULL in a free slot
  uint32_t tag;
  int mock;
};

/// Finds the mock of a resource in constant expected time: an open-addressing table over borrowed resources.
struct exact_index {
  uint8_t key[16];
  struct exact_slot *slots; // owned
  size_t slot_count;        // a power of two
};

/// Makes room for at most `count` resources.
void exact_index_init(struct exact_index *index, size_t count);
void exact_index_done(struct exact_index *index); ///< accepts a zeroed index

/// Adds `resource` (borrowed as long as the index lives). When an equal one is there already, that one stays. Returns
/// the mock that is there.
int exact_index_add(struct exact_index *index, const struct mock_resource *resource, int mock);

/// The mock added first for this resource, or MOCK_NONE.
int exact_index_find(const struct exact_index *index, struct mock_resource resource);
