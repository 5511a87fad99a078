// SPDX-License-Identifier: Apache-2.0
// Two hash tables for texts that mean the same (folded, and as JSON), and two sorted lists for texts that begin or end
// alike. In a sorted list the neighbours of a text are those that share most of its beginning.
//
// Built at the first miss, so it must not cost more than a few hundred requests do: what all resources begin (or end)
// with is skipped, and the eight bytes behind it are kept beside each entry, so that sorting hardly ever looks at
// texts.
#include "mock/near_index.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "mock/fold.h"
#include "mock/mock_set.h"

enum { KEY_BYTES = 8, NEIGHBOURS = 3, SCRATCH_MAX_BYTES = 1024 * 1024 };

struct entry {
  uint64_t key; // the KEY_BYTES bytes behind what all share, big-endian
  int mock;
};

struct sorted {
  struct entry *entries; // owned
  size_t shared;         // bytes that all have in common
  bool backwards;        // texts are read from their ends
};

struct table {
  uint8_t key[16];
  uint64_t *hashes; // 0 in a free slot; owned
  int *mocks;
  uint64_t *by_mock; // its hash, 0 for none: tells without folding whether a text means the same; owned
  size_t slot_count;
};

struct near_index {
  const struct mock_set *set; // borrowed
  size_t count;
  struct sorted beginnings, ends;
  struct table folded, json;
  struct buf scratch;
};

// ---- texts, read from either end ----

static unsigned char byte_at(struct str text, size_t at, bool backwards) {
  return (unsigned char)text.data[backwards ? text.len - 1 - at : at];
}

static size_t common(struct str a, struct str b, bool backwards) {
  size_t most = a.len < b.len ? a.len : b.len, len = 0;
  while (len < most && byte_at(a, len, backwards) == byte_at(b, len, backwards)) len++;
  return len;
}

static uint64_t key_of(struct str text, size_t from, bool backwards) {
  uint64_t key = 0;
  for (size_t i = 0; i < KEY_BYTES; i++)
    key = key << 8 | (from + i < text.len ? byte_at(text, from + i, backwards) : 0);
  return key;
}

static int compare_texts(struct str a, struct str b, bool backwards) {
  size_t same = common(a, b, backwards);
  if (same == a.len || same == b.len) return (a.len > b.len) - (a.len < b.len);
  return byte_at(a, same, backwards) < byte_at(b, same, backwards) ? -1 : 1;
}

static struct str text_of(const struct near_index *index, int mock) {
  return index->set->mocks[mock].resource.text;
}

struct ordering {
  const struct near_index *index;
  bool backwards;
};

static int compare_entries(const void *pa, const void *pb, void *ctx) {
  const struct entry *a = pa, *b = pb;
  const struct ordering *o = ctx;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  int order = compare_texts(text_of(o->index, a->mock), text_of(o->index, b->mock), o->backwards);
  return order ? order : a->mock - b->mock;
}

static void sort_all(struct near_index *index, struct sorted *sorted, bool backwards) {
  const struct mock_set *set = index->set;
  sorted->backwards = backwards;
  sorted->entries = mem_array(index->count + 1, sizeof *sorted->entries);
  size_t n = 0, first = SIZE_MAX;
  for (size_t i = 0; i < set->count; i++) {
    if (set->mocks[i].matcher) continue;
    struct str text = set->mocks[i].resource.text;
    if (first == SIZE_MAX) {
      first = i;
      sorted->shared = text.len;
    } else if (sorted->shared > 0) {
      size_t same = common(set->mocks[first].resource.text, text, backwards);
      if (same < sorted->shared) sorted->shared = same;
    }
    sorted->entries[n++].mock = (int)i;
  }
  for (size_t i = 0; i < n; i++)
    sorted->entries[i].key = key_of(text_of(index, sorted->entries[i].mock), sorted->shared, backwards);
  struct ordering ordering = {index, backwards};
  qsort_r(sorted->entries, n, sizeof *sorted->entries, compare_entries, &ordering);
}

/// How many entries stand in front of `text`.
static size_t position(const struct near_index *index, const struct sorted *sorted, struct str text) {
  size_t from = 0, to = index->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    struct str other = text_of(index, sorted->entries[middle].mock);
    if (compare_texts(other, text, sorted->backwards) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

// ---- tables ----

static void table_init(struct table *table, size_t count, size_t mocks) {
  table->slot_count = 2;
  while (table->slot_count < 2 * count) table->slot_count *= 2;
  table->hashes = mem_array(table->slot_count, sizeof *table->hashes);
  table->mocks = mem_array(table->slot_count, sizeof *table->mocks);
  table->by_mock = mem_array(mocks + 1, sizeof *table->by_mock);
  secret_random(table->key, sizeof table->key);
}

static uint64_t table_hash(const struct table *table, struct str bytes) {
  uint64_t hash = hash_short(table->key, bytes);
  return hash ? hash : 1;
}

// The slot of this hash, or the free one where it would go. Equal hashes are taken for equal bytes: what a person is
// told is found out from the texts themselves.
static size_t slot_of(const struct table *table, uint64_t hash) {
  size_t at = (size_t)hash & (table->slot_count - 1);
  while (table->hashes[at] && table->hashes[at] != hash) at = (at + 1) & (table->slot_count - 1);
  return at;
}

static void table_add(struct table *table, struct str bytes, int mock) {
  uint64_t hash = table_hash(table, bytes);
  size_t at = slot_of(table, hash);
  table->by_mock[mock] = hash;
  if (table->hashes[at]) return;
  table->hashes[at] = hash;
  table->mocks[at] = mock;
}

static int table_find(const struct table *table, uint64_t hash) {
  size_t at = slot_of(table, hash);
  return table->hashes[at] ? table->mocks[at] : MOCK_NONE;
}

static bool looks_like_json(struct str text) {
  size_t at = 0;
  while (at < text.len && strchr(" \t\r\n", text.data[at])) at++;
  return at < text.len && strchr("{[\"-0123456789tfn", text.data[at]);
}

// One form of a text that is JSON: the canonical one, or, since that has no integers beyond 2^53, the next best.
static bool canonical(struct near_index *index, struct str text) {
  if (!looks_like_json(text)) return false;
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err ignored = {0};
  buf_clear(&index->scratch);
  if (!json_read(text, &json, &ignored)) return false;
  if (json_canonical(json, &index->scratch, &ignored)) return true;
  AUTO(mem_auto_free) char *dumped = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
  return dumped && buf_add_c(&index->scratch, dumped);
}

// ---- all of it ----

struct near_index *near_index_new(const struct mock_set *set) {
  struct near_index *index = mem_zalloc(sizeof *index);
  index->set = set;
  index->count = set->count - set->other_count;
  buf_init(&index->scratch, SCRATCH_MAX_BYTES);
  sort_all(index, &index->beginnings, false);
  sort_all(index, &index->ends, true);
  table_init(&index->folded, index->count, set->count);
  table_init(&index->json, index->count, set->count);
  for (size_t i = 0; i < set->count; i++) {
    struct str text = set->mocks[i].resource.text;
    if (set->mocks[i].matcher) continue;
    fold_text(text, FOLD_ALL, &index->scratch);
    if (index->scratch.len) table_add(&index->folded, buf_str(&index->scratch), (int)i);
    if (canonical(index, text)) table_add(&index->json, buf_str(&index->scratch), (int)i);
  }
  return index;
}

size_t near_index_bytes(size_t exact, size_t all) {
  size_t slots = 4 * exact * (sizeof(uint64_t) + sizeof(int));
  return sizeof(struct near_index) + 2 * exact * sizeof(struct entry) + 2 * (slots + all * sizeof(uint64_t));
}

static void table_done(struct table *table) {
  free(table->hashes);
  free(table->mocks);
  free(table->by_mock);
}

void near_index_free(struct near_index *index) {
  if (!index) return;
  free(index->beginnings.entries);
  free(index->ends.entries);
  table_done(&index->folded);
  table_done(&index->json);
  buf_done(&index->scratch);
  free(index);
}

// What is looked for, as hashes; 0 when there is nothing to compare.
struct meaning {
  uint64_t folded, json;
};

static struct near_found look_at(const struct near_index *index, const struct meaning *wanted, int mock) {
  return (struct near_found){
      .mock = mock,
      .folded = wanted->folded && index->folded.by_mock[mock] == wanted->folded,
      .json = wanted->json && index->json.by_mock[mock] == wanted->json,
  };
}

static size_t add_neighbours(const struct near_index *index, const struct sorted *sorted, struct str text,
                             const struct meaning *wanted, struct near_found *ret_found) {
  size_t at = position(index, sorted, text), n = 0;
  size_t from = at > NEIGHBOURS ? at - NEIGHBOURS : 0;
  for (size_t i = from; i < at + NEIGHBOURS && i < index->count; i++)
    ret_found[n++] = look_at(index, wanted, sorted->entries[i].mock);
  return n;
}

size_t near_index_find(struct near_index *index, struct str text, struct near_found ret_found[NEAR_FOUND_MAX]) {
  struct meaning wanted = {0, 0};
  size_t n = 0;
  int same;
  fold_text(text, FOLD_ALL, &index->scratch);
  if (index->scratch.len) wanted.folded = table_hash(&index->folded, buf_str(&index->scratch));
  if (canonical(index, text)) wanted.json = table_hash(&index->json, buf_str(&index->scratch));
  if (wanted.folded && (same = table_find(&index->folded, wanted.folded)) != MOCK_NONE)
    ret_found[n++] = look_at(index, &wanted, same);
  if (wanted.json && (same = table_find(&index->json, wanted.json)) != MOCK_NONE)
    ret_found[n++] = look_at(index, &wanted, same);
  n += add_neighbours(index, &index->beginnings, text, &wanted, ret_found + n);
  n += add_neighbours(index, &index->ends, text, &wanted, ret_found + n);
  return n;
}
