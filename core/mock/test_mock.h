// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of this folder share: mocks from text, asked in one run, and looks at what came back.
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

/// One run over the layers given; everything is released by close_run.
struct subject {
  struct mock_set *set;
  struct mock_run *run;
};

static inline int setup_secret(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

/// JSON from a text in which ' stands for ", so that it can be read between the quotes of C.
static inline json_t *json_of(const char *text) {
  AUTO(mem_auto_free) char *quoted = mem_strdup(str_c(text));
  for (char *at = quoted; (at = strchr(at, '\''));) *at = '"';
  json_error_t error;
  json_t *json = json_loads(quoted, JSON_DECODE_ANY, &error);
  if (!json) fail_msg("%s: %s", error.text, text);
  return json;
}

static inline void assert_text(struct str actual, const char *expected) {
  assert_true(str_present(actual));
  if (!str_eq(actual, str_c(expected))) fail_msg("'%.*s' is not '%s'", STR_ARG(actual), expected);
}

static inline void open_layers(struct subject *subject, const struct mock_layer *layers, size_t count) {
  struct err err = {0};
  if (!mock_set_new(layers, count, &subject->set, &err)) fail_msg("%s: %s", err.place, err.msg);
  subject->run = mock_run_new(subject->set);
}

/// Mocks in their stored form.
static inline void open_mocks(struct subject *subject, json_t *take_mocks) {
  assert_non_null(take_mocks);
  open_layers(subject, &(struct mock_layer){"mocks", take_mocks, NULL}, 1);
  json_decref(take_mocks);
}

/// Mocks as a stranger writes them (json_of), read as a scenario's are.
static inline void open_text(struct subject *subject, const char *text) {
  json_t *mocks = json_of(text), *mock;
  size_t i, bytes = 0;
  json_array_foreach(mocks, i, mock) {
    struct err err = {0};
    if (!schema_check(&mock_shape, mock, &err) || !mock_read(mock, "mocks[?]", &bytes, &err))
      fail_msg("%zu: %s: %s", i, err.place, err.msg);
  }
  open_mocks(subject, mocks);
}

static inline void close_run(struct subject *subject) {
  mock_run_free(subject->run);
  mock_set_free(subject->set);
}

static inline struct mock_answer resolve(struct subject *subject, const char *resource) {
  struct mock_answer answer = {.mock = -2};
  mock_resolve(subject->run, (struct mock_resource){.text = str_c(resource)}, &answer);
  return answer;
}

static inline void assert_hit(struct subject *subject, const char *resource, int mock, const char *response) {
  struct mock_answer answer = resolve(subject, resource);
  if (!answer.hit) fail_msg("'%s' is a miss", resource);
  assert_int_equal(answer.mock, mock);
  assert_text(answer.response, response);
}

static inline void assert_miss(struct subject *subject, const char *resource, const char *marker) {
  struct mock_answer answer = resolve(subject, resource);
  if (answer.hit) fail_msg("'%s' is answered by %d", resource, answer.mock);
  assert_int_equal(answer.mock, MOCK_NONE);
  assert_text(answer.response, marker);
}

/// `expected`: "2 answered, 0 behind".
static inline void assert_candidates(const struct mock_answer *answer, const char *expected) {
  char text[400] = "";
  size_t len = 0;
  for (size_t i = 0; i < answer->candidate_count; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%d %s", i ? ", " : "", answer->candidates[i].mock,
                            mock_outcome_names[answer->candidates[i].outcome]);
  assert_string_equal(text, expected);
}
