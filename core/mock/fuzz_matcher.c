// SPDX-License-Identifier: Apache-2.0
// Any bytes as an array of mocks and, behind a NUL each, requests to them. Held to: what is read can be built from, and
// read again changes nothing; every place is one; what a person is shown is well-formed text; two runs answer alike,
// however the questions were cut into pieces.
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/secret.h"
#include "base/utf8.h"
#include "mock/mock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static const struct schema shape_mocks = {.kind = SCHEMA_ARRAY, .items = &mock_shape};

static bool read_mocks(json_t *mocks) {
  size_t i, bytes = 0;
  json_t *mock;
  json_array_foreach(mocks, i, mock) {
    struct err err = {0};
    size_t again = 0;
    if (!mock_read(mock, "mocks[0]", &bytes, &err)) {
      require(err.code == ERR_BAD_REQUEST && str_starts(str_c(err.place), STR("mocks[0]")));
      return false;
    }
    AUTO(json_auto_decref) json_t *copy = json_deep_copy(mock);
    require(mock_read(copy, "mocks[0]", &again, &err) && json_equal(copy, mock));
  }
  return true;
}

static void check_text(struct str text) {
  require(str_present(text) && utf8_valid(text, NULL));
}

static bool is_candidate(const struct mock_answer *answer, int mock) {
  for (size_t i = 0; i < answer->candidate_count; i++)
    if (answer->candidates[i].mock == mock) return true;
  return false;
}

static void check_answer(const struct mock_set *set, const struct mock_answer *answer) {
  size_t answered = 0;
  check_text(answer->response);
  require(answer->hit == (answer->mock != MOCK_NONE) && !(answer->hit && answer->undecided != MOCK_NONE));
  require(answer->candidate_count <= MOCK_CANDIDATES_MAX);
  for (size_t i = 0; i < answer->candidate_count; i++) {
    const struct mock_candidate *candidate = &answer->candidates[i];
    require(candidate->mock >= 0 && (size_t)candidate->mock < mock_set_count(set));
    check_text(mock_set_place(set, (size_t)candidate->mock));
    if (candidate->outcome == MOCK_ANSWERED) require(candidate->mock == answer->mock && ++answered == 1);
  }
  require(!answer->hit || answered == 1 || answer->candidates_omitted > 0);
}

static void check_near(const struct mock_set *set, struct str text, const struct mock_answer *answer,
                       const struct mock_near_miss *near) {
  require(near->mock >= 0 && (size_t)near->mock < mock_set_count(set) && !is_candidate(answer, near->mock));
  check_text(near->criterion);
  check_text(near->why);
  check_text(near->expected);
  if (str_present(near->got)) check_text(near->got);
  require(near->criterion.len > 0 && near->why.len > 0 && near->expected.len <= 200 && near->got.len <= 200);
  if (!near->has_at) return;
  require(near->at <= text.len && utf8_valid((struct str){text.data, near->at}, NULL));
}

static void check_request(const struct mock_set *set, struct mock_run *run, struct mock_run *other, struct str text) {
  struct mock_answer answer, again;
  struct mock_near_miss near[MOCK_NEAR_MAX], near_again[MOCK_NEAR_MAX];
  mock_ask(run, (struct mock_resource){.text = text});
  while (!mock_decide(run, &answer)) {
  }
  mock_resolve(other, (struct mock_resource){.text = text}, &again);
  check_answer(set, &answer);
  require(answer.mock == again.mock && answer.undecided == again.undecided && answer.use == again.use);
  require(str_eq(answer.response, again.response) && answer.candidate_count == again.candidate_count);
  if (answer.hit) return;
  size_t count = mock_near_misses(run, near);
  require(count <= MOCK_NEAR_MAX && count == mock_near_misses(other, near_again));
  for (size_t i = 0; i < count; i++) {
    check_near(set, text, &answer, &near[i]);
    require(near[i].mock == near_again[i].mock && str_eq(near[i].why, near_again[i].why));
  }
}

static void ask_all(const json_t *mocks, struct str requests) {
  struct mock_set *set = NULL;
  struct err err = {0};
  require(mock_set_new(&(struct mock_layer){"mocks", mocks, NULL}, 1, &set, &err));
  struct mock_run *run = mock_run_new(set), *other = mock_run_new(set);
  while (str_present(requests)) check_request(set, run, other, str_cut(&requests, '\0'));
  require(mock_run_unused(run) == mock_run_unused(other));
  mock_run_free(run);
  mock_run_free(other);
  mock_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  secret_setup();
  AUTO(mem_auto_free) char *text = mem_strdup((struct str){(const char *)data, size});
  utf8_mend(text, size);
  struct str requests = {text, size}, mocks_text = str_cut(&requests, '\0');
  struct err err = {0};
  AUTO(json_auto_decref) json_t *mocks = NULL;
  if (!json_read(mocks_text, &mocks, &err) || !schema_check(&shape_mocks, mocks, &err) || !read_mocks(mocks)) return 0;
  ask_all(mocks, requests);
  return 0;
}
