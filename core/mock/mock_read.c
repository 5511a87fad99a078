// SPDX-License-Identifier: Apache-2.0
// Reads a mock as a stranger wrote it into the form that is stored and built from: what a shape can't say is checked
// here, and the two shorter ways to write a matcher are made one.
#include <stdio.h>

#include "base/mem.h"
#include "mock/matcher.h"
#include "mock/mock.h"

enum { PLACE_MAX = 160 };

static const char *const matcher_members[] = {"prefix", "suffix", "contains", "glob", "regex",
                                              "json",   "all",    "any",      "none", NULL};

static bool refuse(struct err *err, const char *place, const char *member, const char *why) {
  char at[PLACE_MAX];
  snprintf(at, sizeof at, "%s%s%s", place, *member ? "." : "", member);
  return err_set_at(err, ERR_BAD_REQUEST, at, "%s", why);
}

// ---- what it answers ----

// {"prefix": "x"} and {"match": {"resource": "x"}} become {"match": {"prefix": "x"}} and {"resource": "x"}.
static void unify(json_t *mock) {
  for (const char *const *member = matcher_members; *member; member++) {
    json_t *value = json_object_get(mock, *member);
    if (!value) continue;
    json_object_set_new(mock, "match", json_pack("{sO}", *member, value));
    json_object_del(mock, *member);
  }
  json_t *match = json_object_get(mock, "match"), *resource = json_object_get(match, "resource");
  if (!resource || json_object_size(match) != 1) return;
  json_object_set(mock, "resource", resource);
  json_object_del(mock, "match");
}

static bool check_match(json_t *mock, const char *place, size_t *bytes, struct err *err) {
  int ways = !!json_object_get(mock, "resource") + !!json_object_get(mock, "match");
  for (const char *const *member = matcher_members; *member; member++) ways += !!json_object_get(mock, *member);
  if (ways == 0)
    return refuse(err, place, "", "The mock does not say what it answers; give it a resource, or a match.");
  if (ways > 1)
    return refuse(err, place, "", "The mock says in several ways what it answers; combine them with match and all.");
  unify(mock);
  const json_t *match = json_object_get(mock, "match");
  if (!match) return true;
  char at[PLACE_MAX];
  snprintf(at, sizeof at, "%s.match", place);
  struct matcher *matcher;
  size_t held;
  if (!matcher_new(match, at, &matcher, &held, err)) return false;
  matcher_free(matcher);
  *bytes += held;
  return *bytes <= MOCK_MATCHERS_MAX_BYTES ||
         refuse(err, place, "match", "The matchers up to here take more than 32 MiB of memory; use fewer or simpler.");
}

// ---- how it answers ----

static bool check_answer(const json_t *answer, const char *place, const char *member, struct err *err) {
  if (!json_is_object(answer)) return true;
  struct str fault = json_member_str(answer, "fault");
  bool text = json_object_get(answer, "text") != NULL;
  if (!text && !str_present(fault)) return refuse(err, place, member, "An answer needs a text or a fault.");
  if (text && (str_eq(fault, STR("empty")) || str_eq(fault, STR("timeout"))))
    return refuse(err, place, member, "The faults empty and timeout have no text; leave it out.");
  return true;
}

// {"fault": "error", "response": "503"} becomes {"response": {"fault": "error", "text": "503"}}.
static bool unify_fault(json_t *mock, const char *place, struct err *err) {
  json_t *fault = json_object_get(mock, "fault"), *text = json_object_get(mock, "response");
  if (!fault) return true;
  if (json_object_get(mock, "responses") || json_is_object(text))
    return refuse(err, place, "fault", "A fault beside an answer that has its own members; put it into the answer.");
  json_t *response = json_pack("{sO}", "fault", fault);
  if (text) json_object_set(response, "text", text);
  json_object_set_new(mock, "response", response);
  json_object_del(mock, "fault");
  return true;
}

static bool check_answers(const json_t *mock, const char *place, struct err *err) {
  const json_t *response = json_object_get(mock, "response"), *responses = json_object_get(mock, "responses");
  if (!response == !responses)
    return refuse(err, place, "", "Exactly one of response and responses is needed: how the mock answers.");
  if (response) {
    if (json_object_get(mock, "exhausted"))
      return refuse(err, place, "exhausted", "Only a list of responses can be exhausted; use responses, or times.");
    return check_answer(response, place, "response", err);
  }
  for (size_t i = 0; i < json_array_size(responses); i++) {
    char member[40];
    snprintf(member, sizeof member, "responses[%zu]", i);
    if (!check_answer(json_array_get(responses, i), place, member, err)) return false;
  }
  return true;
}

// What says nothing is left out, so that the same mock is the same spec however it was written.
static void leave_out_defaults(json_t *mock) {
  const json_t *delay = json_object_get(mock, "delay_ms");
  if (json_is_false(json_object_get(mock, "required"))) json_object_del(mock, "required");
  if (delay && json_integer_value(delay) == 0) json_object_del(mock, "delay_ms");
  if (str_eq(json_member_str(mock, "exhausted"), STR("miss"))) json_object_del(mock, "exhausted");
  json_t *response = json_object_get(mock, "response"), *text = json_object_get(response, "text");
  if (text && json_object_size(response) == 1) json_object_set(mock, "response", text);
  json_t *responses = json_object_get(mock, "responses"), *answer;
  size_t i;
  json_array_foreach(responses, i, answer) {
    text = json_object_get(answer, "text");
    if (text && json_object_size(answer) == 1) json_array_set(responses, i, text);
  }
}

bool mock_read(json_t *mock, const char *place, size_t *bytes, struct err *err) {
  if (!check_match(mock, place, bytes, err) || !unify_fault(mock, place, err) || !check_answers(mock, place, err))
    return false;
  leave_out_defaults(mock);
  return true;
}
