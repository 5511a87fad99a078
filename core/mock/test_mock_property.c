// SPDX-License-Identifier: Apache-2.0
// The resolver against a second one that is too simple to be wrong: go through all mocks in order and ask each, with
// matching as in test_naive.h.
#include "mock/test_mock.h"
#include "mock/test_naive.h"

enum { CASES = 10000, LAYERS_MAX = 3, LAYER_MOCKS_MAX = 12, MOCKS_MAX = LAYERS_MAX * LAYER_MOCKS_MAX, REQUESTS = 12 };
enum { TEXT_MAX = 4, ROOM = 24, WHOLES = 3, COMBINED_MAX = 3 };

#define PICK(seed, words) (words)[below(seed, sizeof(words) / sizeof *(words))]

// ---- chance ----

// Few letters and short texts, so that equal and nearly equal ones are common.
static void draw_text(uint64_t *seed, const char *letters, char out[ROOM]) {
  size_t len = 1 + below(seed, TEXT_MAX);
  for (size_t i = 0; i < len; i++) out[i] = letters[below(seed, strlen(letters))];
  out[len] = '\0';
}

static json_t *draw_matcher(uint64_t *seed, int depth);

static json_t *draw_parts(uint64_t *seed, int depth) {
  json_t *parts = json_array();
  for (size_t n = 1 + below(seed, COMBINED_MAX); n > 0; n--)
    json_array_append_new(parts, draw_matcher(seed, depth - 1));
  return parts;
}

static json_t *draw_json(uint64_t *seed) {
  static const char *const values[] = {"{'equal':1}",         "{'equal':[1]}",         "{'equal':{'a':1.0}}",
                                       "{'partial':{'a':1}}", "{'partial':{'a':[1]}}", "{'path':{'$.a':1}}"};
  return json_of(PICK(seed, values));
}

static json_t *draw_matcher(uint64_t *seed, int depth) {
  static const char *const texts[] = {"resource", "prefix", "suffix", "contains"};
  static const char *const combined[] = {"all", "any", "none"};
  char text[ROOM], regex[ROOM + 2];
  draw_text(seed, "abA \n", text);
  switch (below(seed, depth > 0 ? 8 : 6)) {
  case 0:
  case 1:
  case 2: return json_pack("{ss}", PICK(seed, texts), text);
  case 3:
    snprintf(regex, sizeof regex, "%s%s%s", below(seed, 2) ? "^" : "", text, below(seed, 2) ? "$" : "");
    return json_pack("{ss}", "regex", regex);
  case 4: draw_text(seed, "ab**?\n", text); return json_pack("{ss}", "glob", text);
  case 5: return json_pack("{so}", "json", draw_json(seed));
  default: return json_pack("{so}", PICK(seed, combined), draw_parts(seed, depth));
  }
}

struct pool {
  struct digest wholes[WHOLES];
  json_t *mocks[MOCKS_MAX]; // in order of precedence, without those left out; borrowed
  int used[MOCKS_MAX];
  size_t count;
};

static json_t *draw_mock(const struct pool *pool, uint64_t *seed) {
  static const char *const exhausted[] = {"miss", "repeat", "cycle"};
  char text[ROOM];
  json_t *mock = json_object();
  if (below(seed, 2)) {
    draw_text(seed, "abA \n", text);
    json_object_set_new(mock, "resource", json_string(text));
    if (below(seed, 4) == 0)
      json_object_set_new(mock, "resource_whole", json_string(digest_format(&pool->wholes[below(seed, WHOLES)]).text));
  } else {
    json_object_set_new(mock, "match", draw_matcher(seed, 2));
  }
  if (below(seed, 2)) {
    json_object_set_new(mock, "response", json_string("one"));
  } else {
    json_object_set_new(mock, "responses", json_of(below(seed, 2) ? "['1','2','3']" : "['1']"));
    if (below(seed, 2)) json_object_set_new(mock, "exhausted", json_string(PICK(seed, exhausted)));
  }
  if (below(seed, 4) == 0) json_object_set_new(mock, "times", json_integer(1 + (json_int_t)below(seed, 3)));
  return mock;
}

static json_t *draw_layer(struct pool *pool, uint64_t *seed, bool left_out[LAYER_MOCKS_MAX]) {
  json_t *layer = json_array();
  size_t mocks = below(seed, LAYER_MOCKS_MAX + 1);
  for (size_t i = 0; i < mocks; i++) {
    json_t *mock = draw_mock(pool, seed);
    json_array_append_new(layer, mock);
    left_out[i] = below(seed, 8) == 0;
    if (!left_out[i]) pool->mocks[pool->count++] = mock;
  }
  return layer;
}

struct request {
  char text[ROOM];
  int whole; // which of the digests it was cut from, or -1
};

static struct request draw_request(const struct pool *pool, uint64_t *seed) {
  static const char *const json[] = {"1", "1.0", "[1]", "{\"a\":1}", "{\"a\":[1],\"b\":2}", " [1.0]\n"};
  struct request request = {.whole = below(seed, 4) == 0 ? (int)below(seed, WHOLES) : -1};
  struct str known = STR_NONE;
  if (pool->count > 0 && below(seed, 2)) known = json_member_str(pool->mocks[below(seed, pool->count)], "resource");
  if (str_present(known))
    memcpy(request.text, known.data, known.len + 1);
  else if (below(seed, 4) == 0)
    snprintf(request.text, sizeof request.text, "%s", PICK(seed, json));
  else
    draw_text(seed, "abA \n", request.text);
  return request;
}

// ---- the second resolver ----

static bool naive_matches(const struct pool *pool, const json_t *mock, const struct request *request) {
  const json_t *match = json_object_get(mock, "match"), *whole = json_object_get(mock, "resource_whole");
  if (match) return request->whole < 0 && naive_match(match, request->text);
  if (strcmp(json_string_value(json_object_get(mock, "resource")), request->text) != 0) return false;
  if (!whole || request->whole < 0) return !whole && request->whole < 0;
  return strcmp(json_string_value(whole), digest_format(&pool->wholes[request->whole]).text) == 0;
}

// What the mock answers when it has answered `used` times already; NULL when nothing any more.
static const char *naive_answer(const json_t *mock, int used) {
  const json_t *times = json_object_get(mock, "times"), *responses = json_object_get(mock, "responses");
  const char *exhausted = json_string_value(json_object_get(mock, "exhausted"));
  if (times && used >= json_integer_value(times)) return NULL;
  if (!responses) return json_string_value(json_object_get(mock, "response"));
  int count = (int)json_array_size(responses);
  if (used < count) return json_string_value(json_array_get(responses, (size_t)used));
  if (!exhausted || strcmp(exhausted, "miss") == 0) return NULL;
  return json_string_value(json_array_get(responses, (size_t)(*exhausted == 'c' ? used % count : count - 1)));
}

struct expected {
  int mock;
  const char *response;
  struct mock_candidate candidates[MOCKS_MAX];
  size_t count;
};

static void naive_ask(struct pool *pool, int at, const struct request *request, struct expected *e) {
  const json_t *mock = pool->mocks[at];
  if (!naive_matches(pool, mock, request)) return;
  const char *response = naive_answer(mock, pool->used[at]);
  struct mock_candidate *candidate = &e->candidates[e->count++];
  *candidate = (struct mock_candidate){at, response ? MOCK_BEHIND : MOCK_USED_UP};
  if (!response || e->mock != MOCK_NONE) return;
  candidate->outcome = MOCK_ANSWERED;
  pool->used[at]++;
  e->mock = at;
  e->response = response;
}

static struct expected naive_resolve(struct pool *pool, const struct request *request) {
  struct expected e = {.mock = MOCK_NONE};
  for (int matchers = 0; matchers < 2; matchers++)
    for (size_t i = 0; i < pool->count; i++)
      if ((json_object_get(pool->mocks[i], "match") != NULL) == (matchers == 1)) naive_ask(pool, (int)i, request, &e);
  return e;
}

// ---- both ----

static bool check_request(struct pool *pool, struct mock_run *run, const struct request *request) {
  struct mock_resource resource = {str_c(request->text), request->whole < 0 ? NULL : &pool->wholes[request->whole]};
  struct mock_answer answer;
  struct expected e = naive_resolve(pool, request);
  mock_resolve(run, resource, &answer);

  char miss[ROOM + 20];
  snprintf(miss, sizeof miss, "[[mock-miss:%s]]", request->text);
  assert_int_equal(answer.mock, e.mock);
  assert_int_equal(answer.hit, e.mock != MOCK_NONE);
  assert_text(answer.response, answer.hit ? e.response : miss);
  assert_int_equal(answer.undecided, MOCK_NONE);
  assert_int_equal(answer.candidate_count + answer.candidates_omitted, e.count);
  for (size_t i = 0; i < answer.candidate_count; i++) {
    assert_int_equal(answer.candidates[i].mock, e.candidates[i].mock);
    assert_int_equal(answer.candidates[i].outcome, e.candidates[i].outcome);
  }
  return answer.hit;
}

static size_t check_case(uint64_t *seed) {
  struct pool pool = {.wholes = {hash_of(STR("one")), hash_of(STR("two")), hash_of(STR("three"))}};
  json_t *documents[LAYERS_MAX];
  bool left_out[LAYERS_MAX][LAYER_MOCKS_MAX];
  struct mock_layer layers[LAYERS_MAX];
  size_t layer_count = below(seed, LAYERS_MAX + 1), hits = 0, used = 0;
  for (size_t i = 0; i < layer_count; i++) {
    documents[i] = draw_layer(&pool, seed, left_out[i]);
    layers[i] = (struct mock_layer){"mocks", documents[i], left_out[i]};
  }
  struct subject subject;
  open_layers(&subject, layers, layer_count);
  assert_int_equal(mock_set_count(subject.set), pool.count);
  for (size_t i = 0; i < REQUESTS; i++) {
    struct request request = draw_request(&pool, seed);
    hits += check_request(&pool, subject.run, &request);
  }
  for (size_t i = 0; i < pool.count; i++) {
    assert_int_equal(mock_run_used(subject.run, i), pool.used[i] > 0);
    used += pool.used[i] > 0;
  }
  assert_int_equal(mock_run_unused(subject.run), pool.count - used);
  for (size_t i = 0; i < layer_count; i++) json_decref(documents[i]);
  close_run(&subject);
  return hits;
}

static void the_resolver_agrees_with_asking_every_mock_in_order(void **state) {
  (void)state;
  uint64_t seed = 7;
  size_t hits = 0;
  for (int i = 0; i < CASES; i++) hits += check_case(&seed);
  assert_in_range(hits, CASES * REQUESTS / 10, CASES * REQUESTS * 9 / 10); // of either kind
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_resolver_agrees_with_asking_every_mock_in_order)};
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
