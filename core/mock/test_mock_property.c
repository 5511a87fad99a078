// SPDX-License-Identifier: Apache-2.0
// The resolver against a second one that is too simple to be wrong: go through all mocks in order and compare.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret.h"
#include "mock/mock.h"

enum { CASES = 10000, LAYERS_MAX = 3, LAYER_MOCKS_MAX = 12, MOCKS_MAX = LAYERS_MAX * LAYER_MOCKS_MAX, REQUESTS = 8 };
enum { TEXT_MAX = 4, WHOLES = 3 };

// SplitMix64 (Steele, Lea, Flood 2014): the same cases in every run.
static uint64_t next_random(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static size_t below(uint64_t *seed, size_t bound) {
  return (size_t)(next_random(seed) % bound);
}

// Few letters and short texts, so that equal and nearly equal ones are common.
struct sample {
  char text[TEXT_MAX + 1];
  int whole; // which of the digests it was cut from, or -1
};

static struct sample sample_draw(uint64_t *seed) {
  static const char letters[] = {'a', 'b', 'A', ' ', '\n'};
  struct sample sample = {.whole = below(seed, 4) == 0 ? (int)below(seed, WHOLES) : -1};
  size_t len = 1 + below(seed, TEXT_MAX);
  for (size_t i = 0; i < len; i++) sample.text[i] = letters[below(seed, sizeof(letters))];
  return sample;
}

struct pool {
  struct digest wholes[WHOLES];
  struct sample mocks[MOCKS_MAX];
  size_t count;
};

static int naive_resolve(const struct pool *pool, const struct sample *request) {
  for (size_t i = 0; i < pool->count; i++) {
    if (pool->mocks[i].whole == request->whole && strcmp(pool->mocks[i].text, request->text) == 0) return (int)i;
  }
  return MOCK_NONE;
}

static json_t *layer_draw(struct pool *pool, uint64_t *seed) {
  json_t *layer = json_array();
  size_t mocks = below(seed, LAYER_MOCKS_MAX + 1);
  for (size_t i = 0; i < mocks; i++) {
    struct sample *sample = &pool->mocks[pool->count];
    *sample = sample_draw(seed);
    json_t *mock = json_pack("{ss}", "resource", sample->text);
    json_object_set_new(mock, "response", json_sprintf("answer %zu", pool->count));
    if (sample->whole >= 0)
      json_object_set_new(mock, "resource_whole", json_string(digest_format(&pool->wholes[sample->whole]).text));
    json_array_append_new(layer, mock);
    pool->count++;
  }
  return layer;
}

static void check_request(const struct pool *pool, struct mock_run *run, const struct sample *request,
                          bool answered[MOCKS_MAX]) {
  struct mock_resource resource = {str_c(request->text), request->whole < 0 ? NULL : &pool->wholes[request->whole]};
  struct mock_answer answer;
  mock_resolve(run, resource, &answer);

  int expected = naive_resolve(pool, request);
  char response[64];
  if (expected == MOCK_NONE) {
    snprintf(response, sizeof(response), "[[mock-miss:%s]]", request->text);
  } else {
    snprintf(response, sizeof(response), "answer %d", expected);
    answered[expected] = true;
  }
  assert_int_equal(answer.mock, expected);
  assert_int_equal(answer.hit, expected != MOCK_NONE);
  assert_int_equal(answer.response.len, strlen(response));
  assert_memory_equal(answer.response.data, response, strlen(response));
}

static size_t check_case(uint64_t *seed) {
  struct pool pool = {.wholes = {hash_of(STR("one")), hash_of(STR("two")), hash_of(STR("three"))}};
  json_t *documents[LAYERS_MAX];
  struct mock_layer layers[LAYERS_MAX];
  size_t layer_count = below(seed, LAYERS_MAX + 1);
  for (size_t i = 0; i < layer_count; i++) {
    documents[i] = layer_draw(&pool, seed);
    layers[i] = (struct mock_layer){"mocks", documents[i], NULL};
  }

  struct mock_set *set = NULL;
  struct err err = {0};
  if (!mock_set_new(layers, layer_count, &set, &err)) fail_msg("%s: %s", err.place, err.msg);
  for (size_t i = 0; i < layer_count; i++) json_decref(documents[i]);
  struct mock_run *run = mock_run_new(set);
  bool answered[MOCKS_MAX] = {false};
  for (size_t i = 0; i < REQUESTS; i++) {
    struct sample request = pool.count > 0 && below(seed, 2) ? pool.mocks[below(seed, pool.count)] : sample_draw(seed);
    check_request(&pool, run, &request, answered);
  }
  size_t used = 0;
  for (size_t i = 0; i < pool.count; i++) used += answered[i];
  assert_int_equal(mock_run_unused(run), pool.count - used);
  mock_run_free(run);
  mock_set_free(set);
  return used;
}

static void the_index_agrees_with_a_linear_search(void **state) {
  (void)state;
  uint64_t seed = 7;
  size_t used = 0;
  for (int i = 0; i < CASES; i++) used += check_case(&seed);
  assert_true(used > CASES); // the cases are not all misses
}

static int setup(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_index_agrees_with_a_linear_search)};
  return cmocka_run_group_tests(tests, setup, NULL);
}
