// SPDX-License-Identifier: Apache-2.0
// Whether a request misses a pattern or a JSON matcher only by what people overlook. The request is folded, and the
// matcher as far as that can be: a glob and JSON values as text, a regular expression by matching without regard to
// case.
#include "mock/near_fold.h"

#include "base/buf.h"
#include "base/mem.h"
#include "mock/fold.h"
#include "mock/glob.h"
#include "mock/json_same.h"

enum { TRY_STEPS = 20000, TEXT_MAX_BYTES = 1024 * 1024 };

static const unsigned by_size[] = {
    FOLD_TRIM, FOLD_CASE, FOLD_UNICODE, FOLD_TRIM | FOLD_CASE, FOLD_TRIM | FOLD_UNICODE, FOLD_CASE | FOLD_UNICODE,
    FOLD_ALL};

static bool fits(struct str pattern, struct str text) {
  size_t steps_left = TRY_STEPS;
  return glob_match(pattern, text, &steps_left, NULL) == MATCH_YES;
}

// ---- regular expressions ----

static bool regex_holds(struct str pattern, struct str text, unsigned folds) {
  AUTO(buf_done) struct buf written;
  buf_init(&written, TEXT_MAX_BYTES);
  if (folds & FOLD_CASE) buf_add_c(&written, "(?i)");
  buf_add_str(&written, pattern);
  struct regex *regex;
  struct err ignored = {0};
  if (!regex_new(buf_str(&written), &regex, &ignored)) return false;
  struct regex_scratch *scratch = regex_scratch_new();
  size_t steps_left = TRY_STEPS;
  bool holds = regex_match(regex, scratch, text, &steps_left) == MATCH_YES;
  regex_scratch_free(scratch);
  regex_free(regex);
  return holds;
}

// ---- JSON ----

static json_t *parse_folded(struct str text, unsigned folds) {
  AUTO(buf_done) struct buf folded;
  buf_init(&folded, TEXT_MAX_BYTES);
  fold_text(text, folds, &folded);
  json_t *json;
  struct err ignored = {0};
  return json_read(buf_str(&folded), &json, &ignored) ? json : NULL;
}

static json_t *fold_value(const json_t *value, unsigned folds) {
  AUTO(mem_auto_free) char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  return text ? parse_folded(str_c(text), folds) : NULL;
}

static bool value_holds(const struct matcher *matcher, const json_t *json, unsigned folds) {
  AUTO(json_auto_decref) json_t *value = fold_value(matcher->value, folds);
  if (!value) return false;
  return matcher->kind == MATCHER_JSON_EQUAL ? json_same(json, value) : json_contains(json, value);
}

static bool paths_hold(const struct matcher *matcher, const json_t *json, unsigned folds) {
  for (size_t i = 0; i < matcher->path_count; i++) {
    AUTO(json_auto_decref) json_t *value = fold_value(matcher->paths[i].value, folds);
    const struct matcher_path path = {matcher->paths[i].path, value};
    if (!value || !matcher_path_holds(&path, json)) return false;
  }
  return true;
}

static bool json_holds(const struct matcher *matcher, struct str text, unsigned folds) {
  AUTO(json_auto_decref) json_t *json = parse_folded(text, folds);
  if (!json) return false;
  return matcher->kind == MATCHER_JSON_PATH ? paths_hold(matcher, json, folds) : value_holds(matcher, json, folds);
}

// ---- any of them ----

static bool holds_after(const struct matcher *matcher, struct str text, unsigned folds) {
  if (matcher->kind != MATCHER_REGEX) return json_holds(matcher, text, folds);
  AUTO(buf_done) struct buf folded;
  buf_init(&folded, TEXT_MAX_BYTES);
  fold_text(text, folds & ~(unsigned)FOLD_CASE, &folded); // the expression looks to the case
  return regex_holds(matcher->text, buf_str(&folded), folds);
}

unsigned near_fold_matcher(const struct matcher *matcher, struct str text) {
  if (matcher->kind == MATCHER_GLOB) return fold_until(matcher->text, text, fits);
  if (!holds_after(matcher, text, FOLD_ALL)) return 0;
  for (size_t i = 0; i < sizeof by_size / sizeof *by_size; i++)
    if (holds_after(matcher, text, by_size[i])) return by_size[i];
  return 0;
}
