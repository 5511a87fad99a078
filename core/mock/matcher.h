// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "mock/json_path.h"
#include "mock/match.h"
#include "mock/mock.h"
#include "mock/regex.h"

// What a mock answers, other than one resource by its whole text. In JSON an object with exactly one member
// (mock_shape.c).

enum matcher_kind {
  MATCHER_RESOURCE,
  MATCHER_PREFIX,
  MATCHER_SUFFIX,
  MATCHER_CONTAINS,
  MATCHER_GLOB,
  MATCHER_REGEX,
  MATCHER_JSON_EQUAL,
  MATCHER_JSON_PARTIAL,
  MATCHER_JSON_PATH,
  MATCHER_ALL,
  MATCHER_ANY,
  MATCHER_NONE,
}; // names as evidence has them: mock_matcher_names

struct matcher_path {
  struct json_path *path;
  json_t *value;
};

struct matcher {
  enum matcher_kind kind;
  struct str text;            ///< of the kinds that are a text; owned
  struct regex *regex;        ///< MATCHER_REGEX
  json_t *value;              ///< MATCHER_JSON_EQUAL, MATCHER_JSON_PARTIAL
  struct matcher_path *paths; ///< MATCHER_JSON_PATH: all must hold
  size_t path_count;
  struct matcher *inner; ///< MATCHER_ALL, MATCHER_ANY, MATCHER_NONE
  size_t inner_count;
};

enum {
  MATCHER_DEPTH_MAX = 8,  // of all, any and none
  MATCHER_PARTS_MAX = 64, // of one mock, all depths together; a JSON path is one too
};

/// Compiles `json`, which has the shape of a Matcher (mock.h). ERR_BAD_REQUEST, at a place that starts with `place`,
/// when it says more or less than one thing, is nested too deep, has too many parts, or holds a pattern or a path that
/// can't be used. `*ret_bytes` is the memory it holds.
bool matcher_new(const json_t *json, const char *place, struct matcher **ret_matcher, size_t *ret_bytes,
                 struct err *err);
void matcher_free(struct matcher *matcher); ///< accepts NULL

/// A request as matchers see it: its text, parsed at most once, and how many steps it may still take.
struct match_input {
  struct str text;
  size_t steps_left;
  bool parsed;
  json_t *json;                  ///< NULL when the text is no JSON document; owned
  struct regex_scratch *scratch; ///< made when it is needed; owned
  bool is_folded;
  struct buf folded; ///< the text after every fold (fold.h), for near-misses
};
void match_input_done(struct match_input *input);
/// Another text; what does not depend on it is kept.
void match_input_set(struct match_input *input, struct str text);
/// The text after every fold.
struct str match_input_folded(struct match_input *input);
/// The text as JSON, or NULL.
const json_t *match_input_json(struct match_input *input);

/// Whether the path leads to a value that is the same as its own.
bool matcher_path_holds(const struct matcher_path *path, const json_t *json);

/// Counts `steps_left` down, which the caller sets (to MATCH_STEPS_MAX for each mock); MATCH_LIMIT when they don't
/// suffice. One thread at a time for one matcher.
enum match matcher_match(const struct matcher *matcher, struct match_input *input);
