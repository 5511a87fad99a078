// SPDX-License-Identifier: Apache-2.0
// Asking matchers. A matcher that is undecided (MATCH_LIMIT) leaves the ones around it undecided as well, unless
// another part decides them anyway: "all" is no as soon as one part is no.
#include "mock/matcher.h"

#include <string.h>

#include "mock/fold.h"
#include "mock/glob.h"
#include "mock/json_same.h"

enum { FOLDED_MAX_BYTES = 1024 * 1024 };

const char *const mock_matcher_names[] = {"resource",   "prefix",       "suffix",    "contains", "glob", "regex",
                                          "json.equal", "json.partial", "json.path", "all",      "any",  "none",
                                          NULL};

void match_input_done(struct match_input *input) {
  json_decref(input->json);
  regex_scratch_free(input->scratch);
  buf_done(&input->folded);
  *input = (struct match_input){0};
}

void match_input_set(struct match_input *input, struct str text) {
  json_decref(input->json);
  *input = (struct match_input){.text = text, .scratch = input->scratch, .folded = input->folded};
}

struct str match_input_folded(struct match_input *input) {
  if (!input->folded.cap_bytes) buf_init(&input->folded, FOLDED_MAX_BYTES);
  if (!input->is_folded) fold_text(input->text, FOLD_ALL, &input->folded);
  input->is_folded = true;
  return buf_str(&input->folded);
}

const json_t *match_input_json(struct match_input *input) {
  if (!input->parsed) {
    struct err ignored = {0};
    input->parsed = true;
    if (!json_read(input->text, &input->json, &ignored)) input->json = NULL;
  }
  return input->json;
}

static enum match match_of(bool yes) {
  return yes ? MATCH_YES : MATCH_NO;
}

static bool ends_with(struct str text, struct str end) {
  return text.len >= end.len && str_eq(str_skip(text, text.len - end.len), end);
}

static bool has(struct str text, struct str part) {
  return part.len == 0 || (text.len > 0 && memmem(text.data, text.len, part.data, part.len) != NULL);
}

struct looking {
  const json_t *value;
  bool found;
};

static bool look(void *ctx, const json_t *value) {
  struct looking *l = ctx;
  l->found = json_same(value, l->value);
  return !l->found;
}

bool matcher_path_holds(const struct matcher_path *path, const json_t *json) {
  struct looking l = {path->value, false};
  json_path_visit(path->path, json, look, &l);
  return l.found;
}

static bool paths_hold(const struct matcher *matcher, const json_t *json) {
  for (size_t i = 0; i < matcher->path_count; i++)
    if (!matcher_path_holds(&matcher->paths[i], json)) return false;
  return true;
}

static bool spend(struct match_input *input, size_t steps) {
  bool enough = steps < input->steps_left;
  input->steps_left = enough ? input->steps_left - steps : 0;
  return enough;
}

static enum match match_regex(const struct matcher *matcher, struct match_input *input) {
  if (!input->scratch) input->scratch = regex_scratch_new();
  return regex_match(matcher->regex, input->scratch, input->text, &input->steps_left);
}

/// What looking through the request's values once counts.
static size_t json_steps(const struct matcher *matcher, const struct match_input *input) {
  return (matcher->path_count + 1) * (input->text.len / 4 + 1);
}

static enum match match_json(const struct matcher *matcher, struct match_input *input) {
  const json_t *json = match_input_json(input);
  if (!json) return MATCH_NO;
  if (!spend(input, json_steps(matcher, input))) return MATCH_LIMIT;
  if (matcher->kind == MATCHER_JSON_EQUAL) return match_of(json_same(json, matcher->value));
  if (matcher->kind == MATCHER_JSON_PARTIAL) return match_of(json_contains(json, matcher->value));
  return match_of(paths_hold(matcher, json));
}

// Asks the parts in order until one says `decisive`; else LIMIT when one was undecided, else what is left.
static enum match match_parts(const struct matcher *matcher, struct match_input *input, enum match decisive,
                              enum match decided, enum match otherwise) {
  enum match result = otherwise;
  for (size_t i = 0; i < matcher->inner_count; i++) {
    enum match part = matcher_match(&matcher->inner[i], input);
    if (part == decisive) return decided;
    if (part == MATCH_LIMIT) result = MATCH_LIMIT;
  }
  return result;
}

enum match matcher_match(const struct matcher *matcher, struct match_input *input) {
  switch (matcher->kind) {
  case MATCHER_RESOURCE: return match_of(str_eq(input->text, matcher->text));
  case MATCHER_PREFIX: return match_of(str_starts(input->text, matcher->text));
  case MATCHER_SUFFIX: return match_of(ends_with(input->text, matcher->text));
  case MATCHER_CONTAINS:
    return spend(input, input->text.len / 16) ? match_of(has(input->text, matcher->text)) : MATCH_LIMIT;
  case MATCHER_GLOB: return glob_match(matcher->text, input->text, &input->steps_left, NULL);
  case MATCHER_REGEX: return match_regex(matcher, input);
  case MATCHER_JSON_EQUAL:
  case MATCHER_JSON_PARTIAL:
  case MATCHER_JSON_PATH: return match_json(matcher, input);
  case MATCHER_ALL: return match_parts(matcher, input, MATCH_NO, MATCH_NO, MATCH_YES);
  case MATCHER_ANY: return match_parts(matcher, input, MATCH_YES, MATCH_YES, MATCH_NO);
  case MATCHER_NONE: return match_parts(matcher, input, MATCH_YES, MATCH_NO, MATCH_YES);
  }
  return MATCH_NO;
}
