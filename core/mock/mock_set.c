// SPDX-License-Identifier: Apache-2.0
// Builds a set from JSON in two passes: the first reads everything and adds up what it takes, the second copies into
// allocations of exactly that size. So a set is a handful of blocks however many mocks it has, and mocks point into
// them from the start. Layers are laid out one behind the other: the index of a mock is its rank, and the exact index
// keeps the first of equal resources.
//
// What a run consumes is in mock_run.c.
#include "mock/mock_set.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct mock_totals {
  size_t mocks, cut_resources, text_bytes;
};

// One item of a layer, borrowed from its JSON.
struct mock_source {
  struct str resource, response;
  bool cut;
  struct digest whole;
};

static size_t place_len(const struct mock_layer *layer, size_t at) {
  int len = snprintf(NULL, 0, "%s[%zu]", layer->name, at);
  assert(len > 0);
  return (size_t)len;
}

static bool refuse(const struct mock_layer *layer, size_t at, const char *why, struct err *err) {
  char place[sizeof(err->place)];
  snprintf(place, sizeof(place), "%s[%zu]", layer->name, at);
  return err_set_at(err, ERR_INTERNAL, place, "The stored mock can't be used: %s.", why);
}

static bool read_source(const struct mock_layer *layer, size_t at, struct mock_source *ret_source, struct err *err) {
  const json_t *item = json_array_get(layer->mocks, at);
  struct mock_source source = {
      .resource = json_member_str(item, "resource"),
      .response = json_member_str(item, "response"),
      .cut = json_object_get(item, "resource_whole") != NULL,
  };
  if (!str_present(source.resource)) return refuse(layer, at, "it has no \"resource\"", err);
  if (!str_present(source.response)) return refuse(layer, at, "it has no \"response\"", err);
  if (source.cut && !digest_parse(json_member_str(item, "resource_whole"), &source.whole))
    return refuse(layer, at, "its \"resource_whole\" is not a SHA-256 in lower-case hexadecimal", err);
  *ret_source = source;
  return true;
}

static bool add_up(const struct mock_layer *layers, size_t count, struct mock_totals *ret_totals, struct err *err) {
  struct mock_totals totals = {0};
  for (const struct mock_layer *layer = layers; layer < layers + count; layer++) {
    size_t items = json_array_size(layer->mocks);
    for (size_t at = 0; at < items; at++) {
      struct mock_source source;
      if (!read_source(layer, at, &source, err)) return false;
      totals.mocks++;
      totals.cut_resources += source.cut;
      totals.text_bytes += source.resource.len + source.response.len + place_len(layer, at);
    }
  }
  *ret_totals = totals;
  return true;
}

static struct str keep(char **end, struct str text) {
  struct str kept = {*end, text.len};
  if (text.len) memcpy(*end, text.data, text.len);
  *end += text.len;
  return kept;
}

// Writes a NUL behind the place, which the next text overwrites; the block has one byte more for the last one.
static struct str keep_place(char **end, const struct mock_layer *layer, size_t at) {
  struct str kept = {*end, place_len(layer, at)};
  snprintf(*end, kept.len + 1, "%s[%zu]", layer->name, at);
  *end += kept.len;
  return kept;
}

static void copy_layers(struct mock_set *set, const struct mock_layer *layers, size_t count) {
  char *text_end = set->text;
  struct digest *next_whole = set->wholes;
  struct mock *mock = set->mocks;
  for (const struct mock_layer *layer = layers; layer < layers + count; layer++) {
    size_t items = json_array_size(layer->mocks);
    for (size_t at = 0; at < items; at++, mock++) {
      struct mock_source source;
      struct err err = {0};
      bool read = read_source(layer, at, &source, &err);
      assert(read); // add_up has read the same item
      mock->resource.text = keep(&text_end, source.resource);
      mock->response = keep(&text_end, source.response);
      mock->place = keep_place(&text_end, layer, at);
      if (source.cut) {
        *next_whole = source.whole;
        mock->resource.whole = next_whole++;
      }
    }
  }
}

bool mock_set_new(const struct mock_layer *layers, size_t count, struct mock_set **ret_set, struct err *err) {
  struct mock_totals totals;
  if (!add_up(layers, count, &totals, err)) return false;
  assert(totals.mocks <= INT_MAX); // a body of a request is far smaller

  struct mock_set *set = mem_zalloc(sizeof(*set));
  set->count = totals.mocks;
  if (totals.mocks) set->mocks = mem_array(totals.mocks, sizeof(*set->mocks));
  if (totals.cut_resources) set->wholes = mem_array(totals.cut_resources, sizeof(*set->wholes));
  set->text = mem_alloc(totals.text_bytes + 1);
  copy_layers(set, layers, count);

  exact_index_init(&set->exact, set->count);
  for (size_t i = 0; i < set->count; i++) exact_index_add(&set->exact, &set->mocks[i].resource, (int)i);
  set->bytes = sizeof(*set) + totals.mocks * sizeof(*set->mocks) + totals.cut_resources * sizeof(*set->wholes) +
               totals.text_bytes + 1 + set->exact.slot_count * sizeof(*set->exact.slots);
  *ret_set = set;
  return true;
}

void mock_set_free(struct mock_set *set) {
  if (!set) return;
  exact_index_done(&set->exact);
  free(set->wholes);
  free(set->text);
  free(set->mocks);
  free(set);
}

size_t mock_set_count(const struct mock_set *set) {
  return set->count;
}

size_t mock_set_bytes(const struct mock_set *set) {
  return set->bytes;
}

struct str mock_set_place(const struct mock_set *set, size_t index) {
  assert(index < set->count);
  return set->mocks[index].place;
}

struct str mock_set_response(const struct mock_set *set, size_t index) {
  assert(index < set->count);
  return set->mocks[index].response;
}

void mock_set_candidates(const struct mock_set *set, struct mock_resource resource,
                         void (*visit)(void *ctx, size_t index), void *ctx) {
  for (size_t i = 0; i < set->count; i++)
    if (mock_resource_eq(&set->mocks[i].resource, &resource)) visit(ctx, i);
}
