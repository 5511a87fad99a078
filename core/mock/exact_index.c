// SPDX-License-Identifier: Apache-2.0
// The resources come from strangers, so the hash is keyed with bytes drawn for each index: nobody can choose texts that
// share a chain. The table is at most half full and never grows, which bounds the probes of a find and guarantees it
// the free slot at which a miss ends. A slot keeps the upper half of the hash, so that text is compared about once a
// find.
#include "mock/exact_index.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/secret.h"

// A cut resource is found by its digest: resources cut from different texts often share all the text that is left.
static uint64_t resource_hash(const struct exact_index *index, const struct mock_resource *resource) {
  struct str bytes = resource->text;
  if (resource->whole) bytes = (struct str){(const char *)resource->whole->bytes, DIGEST_BYTES};
  return hash_short(index->key, bytes);
}

bool mock_resource_eq(const struct mock_resource *a, const struct mock_resource *b) {
  if (!a->whole != !b->whole) return false;
  if (a->whole && !digest_eq(a->whole, b->whole)) return false;
  return str_eq(a->text, b->text);
}

// The slot that holds an equal resource, or the free one where it would go.
static struct exact_slot *slot_for(const struct exact_index *index, const struct mock_resource *resource,
                                   uint32_t *ret_tag) {
  uint64_t hash = resource_hash(index, resource);
  uint32_t tag = (uint32_t)(hash >> 32);
  size_t mask = index->slot_count - 1;
  size_t at = (size_t)hash & mask;
  struct exact_slot *slot = &index->slots[at];
  while (slot->resource && !(slot->tag == tag && mock_resource_eq(slot->resource, resource))) {
    at = (at + 1) & mask;
    slot = &index->slots[at];
  }
  *ret_tag = tag;
  return slot;
}

void exact_index_init(struct exact_index *index, size_t count) {
  size_t slot_count = 2;
  while (slot_count < 2 * count) slot_count *= 2;
  *index = (struct exact_index){.slots = mem_array(slot_count, sizeof(*index->slots)), .slot_count = slot_count};
  secret_random(index->key, sizeof(index->key));
}

void exact_index_done(struct exact_index *index) {
  free(index->slots);
  *index = (struct exact_index){0};
}

int exact_index_add(struct exact_index *index, const struct mock_resource *resource, int mock) {
  uint32_t tag;
  struct exact_slot *slot = slot_for(index, resource, &tag);
  if (!slot->resource) *slot = (struct exact_slot){.resource = resource, .tag = tag, .mock = mock};
  return slot->mock;
}

int exact_index_find(const struct exact_index *index, struct mock_resource resource) {
  uint32_t tag;
  const struct exact_slot *slot = slot_for(index, &resource, &tag);
  return slot->resource ? slot->mock : MOCK_NONE;
}
