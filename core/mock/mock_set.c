// SPDX-License-Identifier: Apache-2.0
// Builds a set from JSON in two passes: the first reads everything and adds up what it takes, the second copies into
// allocations of exactly that size. So a set is a handful of blocks however many mocks it has (matchers aside), and
// mocks point into them from the start. Layers are laid out one behind the other: the index of a mock is its rank.
//
// What a run consumes is in mock_run.c.
#include "mock/mock_set.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const mock_fault_names[] = {"none", "error", "timeout", "empty", "malformed", "huge", NULL};
const char *const mock_exhausted_names[] = {"miss", "repeat", "cycle", NULL};

// What an answer with the fault "malformed" is cut from when it has no text.
static const struct str malformed_text = {"{\"status\":\"ok\",\"items\":[1,2,3]}", 31};

struct mock_totals {
  size_t mocks, others, answers, cut_resources, text_bytes;
};

// One item of a layer, borrowed from its JSON.
struct mock_source {
  const json_t *item;
  struct str resource;
  const json_t *match;
  bool cut;
  struct digest whole;
  size_t answer_count;
};

// Where the second pass writes next.
struct copying {
  char *text;
  struct digest *whole;
  struct mock *mock;
  struct answer *answer;
  int *other;
  struct mock_set *set;
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

static bool is_left_out(const struct mock_layer *layer, size_t at) {
  return layer->left_out && layer->left_out[at];
}

static const json_t *answer_at(const struct mock_source *source, size_t i) {
  const json_t *responses = json_object_get(source->item, "responses");
  return responses ? json_array_get(responses, i) : json_object_get(source->item, "response");
}

static int word_index(const char *const *words, struct str word) {
  for (int i = 0; words[i]; i++)
    if (str_eq(str_c(words[i]), word)) return i;
  return -1;
}

static bool read_answer(const json_t *json, struct answer *ret_answer) {
  struct answer answer = {.text = json_is_object(json) ? json_member_str(json, "text") : json_str(json)};
  struct str fault = json_member_str(json, "fault");
  const json_t *delay = json_object_get(json, "delay_ms");
  int kind = str_present(fault) ? word_index(mock_fault_names, fault) : MOCK_FAULT_NONE;
  if (kind < 0 || (kind == MOCK_FAULT_NONE && !str_present(answer.text))) return false;
  answer.fault = (enum mock_fault)kind;
  if (answer.fault == MOCK_FAULT_MALFORMED && !str_present(answer.text)) answer.text = malformed_text;
  if (answer.fault == MOCK_FAULT_HUGE && answer.text.len == 0) answer.text = STR("x");
  answer.delay_ms = delay ? json_integer_value(delay) : -1;
  *ret_answer = answer;
  return true;
}

static bool read_source(const struct mock_layer *layer, size_t at, struct mock_source *ret_source, struct err *err) {
  const json_t *item = json_array_get(layer->mocks, at), *responses = json_object_get(item, "responses");
  struct mock_source source = {
      .item = item,
      .resource = json_member_str(item, "resource"),
      .match = json_object_get(item, "match"),
      .cut = json_object_get(item, "resource_whole") != NULL,
      .answer_count = responses ? json_array_size(responses) : 1,
  };
  if (!str_present(source.resource) == !source.match)
    return refuse(layer, at, "it has not exactly one of \"resource\" and \"match\"", err);
  if (source.cut && !digest_parse(json_member_str(item, "resource_whole"), &source.whole))
    return refuse(layer, at, "its \"resource_whole\" is not a SHA-256 in lower-case hexadecimal", err);
  for (size_t i = 0; i < source.answer_count; i++) {
    struct answer answer;
    if (!read_answer(answer_at(&source, i), &answer)) return refuse(layer, at, "it has no usable \"response\"", err);
  }
  if (source.answer_count == 0) return refuse(layer, at, "its \"responses\" is empty", err);
  *ret_source = source;
  return true;
}

static void add_source(const struct mock_source *source, struct mock_totals *totals) {
  totals->mocks++;
  totals->others += source->match != NULL;
  totals->cut_resources += source->cut;
  totals->answers += source->answer_count;
  totals->text_bytes += source->resource.len;
  for (size_t i = 0; i < source->answer_count; i++) {
    struct answer answer = {0};
    read_answer(answer_at(source, i), &answer);
    totals->text_bytes += answer.text.len;
  }
}

static bool add_up(const struct mock_layer *layers, size_t count, struct mock_totals *ret_totals, struct err *err) {
  struct mock_totals totals = {0};
  for (const struct mock_layer *layer = layers; layer < layers + count; layer++) {
    size_t items = json_array_size(layer->mocks);
    for (size_t at = 0; at < items; at++) {
      struct mock_source source;
      if (is_left_out(layer, at)) continue;
      if (!read_source(layer, at, &source, err)) return false;
      add_source(&source, &totals);
      totals.text_bytes += place_len(layer, at);
    }
  }
  *ret_totals = totals;
  return true;
}

static struct str keep(struct copying *c, struct str text) {
  struct str kept = {c->text, text.len};
  if (text.len) memcpy(c->text, text.data, text.len);
  c->text += text.len;
  return kept;
}

// Writes a NUL behind the place, which the next text overwrites; the block has one byte more for the last one.
static struct str keep_place(struct copying *c, const struct mock_layer *layer, size_t at) {
  struct str kept = {c->text, place_len(layer, at)};
  snprintf(c->text, kept.len + 1, "%s[%zu]", layer->name, at);
  c->text += kept.len;
  return kept;
}

static void copy_answers(struct copying *c, const struct mock_source *source, struct mock *mock) {
  const json_t *delay = json_object_get(source->item, "delay_ms");
  mock->answers = c->answer;
  mock->answer_count = source->answer_count;
  for (size_t i = 0; i < source->answer_count; i++, c->answer++) {
    struct answer answer = {0};
    read_answer(answer_at(source, i), &answer);
    answer.text = keep(c, answer.text);
    if (answer.delay_ms < 0)
      answer.delay_ms = delay ? json_integer_value(delay) : answer.fault == MOCK_FAULT_TIMEOUT ? MOCK_TIMEOUT_MS : 0;
    *c->answer = answer;
  }
}

static bool copy_mock(struct copying *c, const struct mock_source *source, const struct mock_layer *layer, size_t at,
                      struct err *err) {
  struct mock *mock = c->mock++;
  mock->next_same = MOCK_NONE;
  mock->place = keep_place(c, layer, at);
  if (source->match) {
    size_t bytes;
    if (!matcher_new(source->match, mock->place.data, &mock->matcher, &bytes, err)) return false;
    c->set->bytes += bytes;
    *c->other++ = (int)(mock - c->set->mocks);
  } else {
    mock->resource.text = keep(c, source->resource);
  }
  if (source->cut) {
    *c->whole = source->whole;
    mock->resource.whole = c->whole++;
  }
  copy_answers(c, source, mock);
  struct str exhausted = json_member_str(source->item, "exhausted");
  // One response answers again and again, a list ends.
  mock->exhausted = json_object_get(source->item, "response") ? MOCK_EXHAUSTED_REPEAT : MOCK_EXHAUSTED_MISS;
  if (str_present(exhausted)) {
    int word = word_index(mock_exhausted_names, exhausted);
    if (word >= 0) mock->exhausted = (enum mock_exhausted)word;
  }
  mock->times = json_integer_value(json_object_get(source->item, "times"));
  mock->counted = mock->times > 0 || json_object_get(source->item, "responses");
  mock->required = json_is_true(json_object_get(source->item, "required"));
  return true;
}

static bool copy_layers(struct mock_set *set, const struct mock_layer *layers, size_t count, struct err *err) {
  struct copying c = {set->text, set->wholes, set->mocks, set->answers, set->others, set};
  for (const struct mock_layer *layer = layers; layer < layers + count; layer++) {
    size_t items = json_array_size(layer->mocks);
    for (size_t at = 0; at < items; at++) {
      struct mock_source source;
      if (is_left_out(layer, at)) continue;
      if (!read_source(layer, at, &source, err) || !copy_mock(&c, &source, layer, at, err)) return false;
    }
  }
  return true;
}

// The first mock of a resource is in the index; the others hang on it in order.
static void index_resources(struct mock_set *set) {
  AUTO(mem_auto_free) int *last = mem_array(set->count + 1, sizeof *last);
  exact_index_init(&set->exact, set->count - set->other_count);
  for (size_t i = 0; i < set->count; i++) {
    struct mock *mock = &set->mocks[i];
    if (mock->matcher) continue;
    int first = exact_index_add(&set->exact, &mock->resource, (int)i);
    if (first != (int)i) set->mocks[last[first]].next_same = (int)i;
    last[first] = (int)i;
  }
}

static void allocate(struct mock_set *set, const struct mock_totals *totals) {
  assert(totals->mocks <= INT_MAX); // a body of a request is far smaller
  set->count = totals->mocks;
  set->other_count = totals->others;
  if (totals->mocks) set->mocks = mem_array(totals->mocks, sizeof *set->mocks);
  if (totals->answers) set->answers = mem_array(totals->answers, sizeof *set->answers);
  if (totals->others) set->others = mem_array(totals->others, sizeof *set->others);
  if (totals->cut_resources) set->wholes = mem_array(totals->cut_resources, sizeof *set->wholes);
  set->text = mem_alloc(totals->text_bytes + 1);
  set->bytes = sizeof *set + totals->mocks * sizeof *set->mocks + totals->answers * sizeof *set->answers +
               totals->others * sizeof *set->others + totals->cut_resources * sizeof *set->wholes + totals->text_bytes +
               1;
}

bool mock_set_new(const struct mock_layer *layers, size_t count, struct mock_set **ret_set, struct err *err) {
  struct mock_totals totals;
  if (!add_up(layers, count, &totals, err)) return false;
  struct mock_set *set = mem_zalloc(sizeof(*set));
  allocate(set, &totals);
  if (!copy_layers(set, layers, count, err)) {
    mock_set_free(set);
    return false;
  }
  index_resources(set);
  set->bytes +=
      set->exact.slot_count * sizeof *set->exact.slots + near_index_bytes(set->count - set->other_count, set->count);
  *ret_set = set;
  return true;
}

void mock_set_free(struct mock_set *set) {
  if (!set) return;
  for (size_t i = 0; i < set->count; i++) matcher_free(set->mocks[i].matcher);
  near_index_free(set->near);
  exact_index_done(&set->exact);
  free(set->wholes);
  free(set->text);
  free(set->others);
  free(set->answers);
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

const char *mock_set_matcher(const struct mock_set *set, size_t index) {
  assert(index < set->count);
  const struct matcher *matcher = set->mocks[index].matcher;
  return mock_matcher_names[matcher ? matcher->kind : MATCHER_RESOURCE];
}

bool mock_set_required(const struct mock_set *set, size_t index) {
  assert(index < set->count);
  return set->mocks[index].required;
}
