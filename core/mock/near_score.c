// SPDX-License-Identifier: Apache-2.0
// Scores for near-misses: cheap, and bounded by the lengths of the texts.
#include "mock/near_score.h"

#include <string.h>

#include "mock/fold.h"
#include "mock/glob.h"
#include "mock/json_same.h"

enum { FOLD_STEPS = 8, FOLDED_GLOB_STEPS = 2000, PART_STEPS = 20000 };
// What folding a byte counts; of a glob on folded texts; of a part of a combination.

const double near_score_folded = 0.99;

bool near_starts(struct str wanted, struct str text) {
  return str_starts(text, wanted);
}

bool near_ends(struct str wanted, struct str text) {
  return text.len >= wanted.len && str_eq(str_skip(text, text.len - wanted.len), wanted);
}

bool near_has(struct str wanted, struct str text) {
  return text.len > 0 && memmem(text.data, text.len, wanted.data, wanted.len) != NULL;
}

static size_t common_beginning(struct str a, struct str b) {
  size_t most = a.len < b.len ? a.len : b.len, len = 0;
  while (len < most && a.data[len] == b.data[len]) len++;
  return len;
}

static size_t common_end(struct str a, struct str b, size_t most) {
  size_t len = 0;
  while (len < most && a.data[a.len - 1 - len] == b.data[b.len - 1 - len]) len++;
  return len;
}

static double share(size_t part, size_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

double near_score_text(struct str a, struct str b) {
  size_t shorter = a.len < b.len ? a.len : b.len, longer = a.len < b.len ? b.len : a.len;
  size_t beginning = common_beginning(a, b);
  return share(beginning + common_end(a, b, shorter - beginning), longer);
}

static const char *find(struct str part, size_t len, struct str text) {
  return text.len ? memmem(text.data, text.len, part.data, len) : NULL;
}

size_t near_longest_beginning(struct str part, struct str text, size_t *ret_at) {
  size_t from = 0, to = part.len; // found with `from` bytes, not with more than `to`
  while (from < to) {
    size_t middle = from + (to - from + 1) / 2;
    if (find(part, middle, text))
      from = middle;
    else
      to = middle - 1;
  }
  *ret_at = from ? (size_t)(find(part, from, text) - text.data) + from : 0;
  return from;
}

static double score_text(struct str wanted, struct match_input *input,
                         bool (*holds)(struct str wanted, struct str text), double otherwise) {
  size_t steps = FOLD_STEPS * (wanted.len + input->text.len);
  if (steps > input->steps_left) return otherwise;
  input->steps_left -= steps;
  return fold_all_holds(wanted, match_input_folded(input), holds) ? near_score_folded : otherwise;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

// How much of the expression's literal beginning the request has, blanks in front and case aside.
static double score_regex(struct str pattern, struct str text) {
  if (str_starts(pattern, STR("^"))) pattern = str_skip(pattern, 1);
  while (text.len > 0 && strchr(" \t\r\n", text.data[0])) text = str_skip(text, 1);
  size_t most = pattern.len < text.len ? pattern.len : text.len, shared = 0;
  while (shared < most && lower(pattern.data[shared]) == lower(text.data[shared])) shared++;
  return 0.8 * share(shared, pattern.len);
}

static bool globs(struct str pattern, struct str text) {
  size_t steps_left = FOLDED_GLOB_STEPS;
  return glob_match(pattern, text, &steps_left, NULL) == MATCH_YES;
}

static size_t same_members(const json_t *a, const json_t *b) {
  size_t same = 0;
  json_t *object = (json_t *)(uintptr_t)a;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    const json_t *other = json_object_getn(b, json_object_iter_key(at), json_object_iter_key_len(at));
    same += other && json_contains(other, json_object_iter_value(at));
  }
  return same;
}

// Also behind a byte order mark.
static bool begins_as_json(struct str text) {
  if (str_starts(text, STR("\xef\xbb\xbf"))) text = str_skip(text, 3);
  return text.len > 0 && strchr("{[", text.data[0]);
}

static double score_json(const struct matcher *matcher, struct match_input *input) {
  const json_t *json = match_input_json(input);
  size_t steps = (matcher->path_count + 1) * (input->text.len / 4 + 1);
  if (steps > input->steps_left) return 0;
  input->steps_left -= steps;
  // Something that begins as JSON does was meant to be it.
  if (!json) return begins_as_json(input->text) ? 0.5 : 0;
  if (matcher->kind != MATCHER_JSON_PATH) {
    if (json_typeof(json) != json_typeof(matcher->value)) return 0;
    size_t members = json_object_size(matcher->value);
    return 0.3 + 0.6 * share(same_members(matcher->value, json), members + 1);
  }
  size_t holding = 0;
  for (size_t i = 0; i < matcher->path_count; i++) holding += matcher_path_holds(&matcher->paths[i], json);
  return 0.3 + 0.6 * share(holding, matcher->path_count);
}

// One part must not use up what is left for the others.
static bool part_matches(const struct matcher *part, struct match_input *input) {
  const size_t all = input->steps_left, some = all < PART_STEPS ? all : PART_STEPS;
  input->steps_left = some;
  bool matches = matcher_match(part, input) == MATCH_YES;
  input->steps_left = all - (some - input->steps_left);
  return matches;
}

static double score_parts(const struct matcher *matcher, struct match_input *input) {
  double best = 0, sum = 0;
  for (size_t i = 0; i < matcher->inner_count; i++) {
    const struct matcher *part = &matcher->inner[i];
    if (input->steps_left == 0) break;
    double score = part_matches(part, input) ? 1 : near_score_matcher(part, input);
    sum += score;
    if (score > best) best = score;
  }
  if (matcher->kind == MATCHER_NONE) return 0.3; // all that is wrong is that something matched
  return matcher->kind == MATCHER_ANY ? best : sum / (double)matcher->inner_count;
}

double near_score_matcher(const struct matcher *matcher, struct match_input *input) {
  struct str pattern = matcher->text, text = input->text;
  struct glob_reach reach;
  size_t shared, at;
  switch (matcher->kind) {
  case MATCHER_RESOURCE: return score_text(pattern, input, str_eq, near_score_text(pattern, text));
  case MATCHER_PREFIX:
    return score_text(pattern, input, near_starts, share(common_beginning(pattern, text), pattern.len));
  case MATCHER_SUFFIX:
    shared = common_end(pattern, text, pattern.len < text.len ? pattern.len : text.len);
    return score_text(pattern, input, near_ends, share(shared, pattern.len));
  case MATCHER_CONTAINS:
    if (text.len > input->steps_left) return 0;
    input->steps_left -= text.len; // it is searched a dozen times
    shared = near_longest_beginning(pattern, text, &at);
    return score_text(pattern, input, near_has, 0.9 * share(shared, pattern.len));
  case MATCHER_GLOB:
    glob_match(pattern, text, &input->steps_left, &reach);
    return score_text(pattern, input, globs, 0.9 * share(reach.pattern, pattern.len));
  case MATCHER_REGEX: return score_regex(pattern, text);
  case MATCHER_JSON_EQUAL:
  case MATCHER_JSON_PARTIAL:
  case MATCHER_JSON_PATH: return score_json(matcher, input);
  case MATCHER_ALL:
  case MATCHER_ANY:
  case MATCHER_NONE: return score_parts(matcher, input);
  }
  return 0;
}
