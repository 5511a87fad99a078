// SPDX-License-Identifier: Apache-2.0
// Compiling matchers from JSON. Everything a stranger can make large is counted: parts, depth, bytes held. Where the
// part at hand stands is a list on the stack, written out only when something is wrong.
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "mock/matcher.h"

enum { PLACE_MAX_BYTES = 4096, QUOTED_MAX_BYTES = 64, VALUE_MAX_BYTES = 8 * 1024 * 1024 };

// A step on the way to a part: a member's name, with an index when it is an item of that member.
struct place {
  const struct place *outer; // NULL at the matcher itself, whose name is the caller's
  const char *name;
  bool item;
  size_t index;
};

struct compiling {
  size_t parts, bytes;
  struct err *err;
};

static void write_place(const struct place *place, struct buf *text) {
  if (place->outer) {
    write_place(place->outer, text);
    buf_add_char(text, '.');
  }
  buf_add_c(text, place->name);
  if (place->item) buf_addf(text, "[%zu]", place->index);
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct compiling *c, const struct place *place,
                                                         const char *fmt, ...) {
  AUTO(buf_done) struct buf text;
  buf_init(&text, PLACE_MAX_BYTES);
  write_place(place, &text);
  va_list args;
  va_start(args, fmt);
  err_vset_at(c->err, ERR_BAD_REQUEST, buf_str(&text).data, fmt, args);
  va_end(args);
  return false;
}

// Whether the mock may have so many more.
static bool count_parts(struct compiling *c, size_t more, const struct place *place) {
  return c->parts + more <= MATCHER_PARTS_MAX ||
         refuse(c, place, "A mock has at most %d matchers and JSON paths, all levels together.", MATCHER_PARTS_MAX);
}

static bool compile(struct compiling *c, const json_t *json, const struct place *place, unsigned depth,
                    struct matcher *matcher);

// ---- texts ----

static bool compile_text(struct compiling *c, const json_t *json, const struct place *place, enum matcher_kind kind,
                         struct matcher *matcher) {
  struct str text = json_str(json);
  matcher->kind = kind;
  matcher->text = (struct str){mem_strdup(text), text.len};
  c->bytes += text.len + 1;
  if (kind != MATCHER_REGEX) return true;
  struct err why = {0};
  if (!regex_new(text, &matcher->regex, &why)) return refuse(c, place, "%s", why.msg);
  c->bytes += regex_bytes(matcher->regex);
  return true;
}

// ---- JSON ----

// A bound from above of what a copy of the value holds.
static size_t json_bytes(const json_t *json) {
  char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
  size_t bytes = text ? 16 * strlen(text) : 0;
  free(text);
  return bytes;
}

/// A value is part of the spec, whose canonical form must be able to hold it.
static bool keep(struct compiling *c, const json_t *json, const struct place *place, json_t **ret_value) {
  AUTO(buf_done) struct buf canonical;
  buf_init(&canonical, VALUE_MAX_BYTES);
  struct err why = {0};
  if (!json_canonical(json, &canonical, &why))
    return refuse(
        c, place,
        "The value can't be kept exactly (an integer beyond 2^53?); match its digits with contains or regex.");
  c->bytes += json_bytes(json);
  *ret_value = json_deep_copy(json);
  return true;
}

static bool compile_paths(struct compiling *c, const json_t *json, const struct place *place, struct matcher *matcher) {
  matcher->kind = MATCHER_JSON_PATH;
  if (json_object_size(json) == 0) return refuse(c, place, "At least one path is needed, e.g. {\"$.id\": 42}.");
  const size_t more = json_object_size(json) - 1; // the matcher itself stands for the first
  if (!count_parts(c, more, place)) return false;
  c->parts += more;
  matcher->paths = mem_array(json_object_size(json), sizeof *matcher->paths);
  c->bytes += json_object_size(json) * sizeof *matcher->paths;
  const char *text;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)json, text, value) {
    struct matcher_path *path = &matcher->paths[matcher->path_count];
    struct err why = {0};
    if (!json_path_new(str_c(text), &path->path, &why))
      return refuse(c, place, "%s The path is '%.*s'.", why.msg, QUOTED_MAX_BYTES, text);
    matcher->path_count++; // from here on matcher_free releases it
    c->bytes += json_path_bytes(path->path);
    if (!keep(c, value, place, &path->value)) return false;
  }
  return true;
}

static bool compile_json(struct compiling *c, const json_t *json, const struct place *place, struct matcher *matcher) {
  const json_t *equal = json_object_get(json, "equal"), *partial = json_object_get(json, "partial");
  const json_t *path = json_object_get(json, "path");
  if (!!equal + !!partial + !!path != 1) return refuse(c, place, "Exactly one of equal, partial and path is needed.");
  if (path) return compile_paths(c, path, &(struct place){.outer = place, .name = "path"}, matcher);
  matcher->kind = equal ? MATCHER_JSON_EQUAL : MATCHER_JSON_PARTIAL;
  struct place inner = {.outer = place, .name = equal ? "equal" : "partial"};
  return keep(c, equal ? equal : partial, &inner, &matcher->value);
}

// ---- combinations ----

static bool compile_parts(struct compiling *c, const json_t *json, const struct place *place, unsigned depth,
                          enum matcher_kind kind, struct matcher *matcher) {
  matcher->kind = kind;
  if (depth == MATCHER_DEPTH_MAX)
    return refuse(c, place, "Matchers are nested deeper than %d levels.", MATCHER_DEPTH_MAX);
  size_t count = json_array_size(json);
  if (!count_parts(c, count, place)) return false;
  matcher->inner = mem_array(count, sizeof *matcher->inner);
  c->bytes += count * sizeof *matcher->inner;
  for (size_t i = 0; i < count; i++) {
    matcher->inner_count++; // zeroed, so that matcher_free may see it half-built
    struct place inner = {.outer = place->outer, .name = place->name, .item = true, .index = i};
    if (!compile(c, json_array_get(json, i), &inner, depth + 1, &matcher->inner[i])) return false;
  }
  return true;
}

// ---- any of them ----

static const struct {
  const char *member;
  enum matcher_kind kind; // of "json", the first of its kinds
} kinds[] = {
    {"resource", MATCHER_RESOURCE}, {"prefix", MATCHER_PREFIX}, {"suffix", MATCHER_SUFFIX},
    {"contains", MATCHER_CONTAINS}, {"glob", MATCHER_GLOB},     {"regex", MATCHER_REGEX},
    {"json", MATCHER_JSON_EQUAL},   {"all", MATCHER_ALL},       {"any", MATCHER_ANY},
    {"none", MATCHER_NONE},
};

static bool compile(struct compiling *c, const json_t *json, const struct place *place, unsigned depth,
                    struct matcher *matcher) {
  c->parts++;
  if (json_object_size(json) != 1)
    return refuse(c, place,
                  "A matcher is exactly one of resource, prefix, suffix, contains, glob, regex, json, all, any and "
                  "none; combine several with all.");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const json_t *value = json_object_get(json, kinds[i].member);
    if (!value) continue;
    struct place inner = {.outer = place, .name = kinds[i].member};
    if (json_is_string(value)) return compile_text(c, value, &inner, kinds[i].kind, matcher);
    if (json_is_array(value)) return compile_parts(c, value, &inner, depth, kinds[i].kind, matcher);
    return compile_json(c, value, &inner, matcher);
  }
  return refuse(c, place, "The matcher is of no known kind.");
}

bool matcher_new(const json_t *json, const char *place, struct matcher **ret_matcher, size_t *ret_bytes,
                 struct err *err) {
  struct compiling c = {.bytes = sizeof **ret_matcher, .err = err};
  struct matcher *matcher = mem_zalloc(sizeof *matcher);
  if (!compile(&c, json, &(struct place){.name = place}, 0, matcher)) {
    matcher_free(matcher);
    return false;
  }
  *ret_matcher = matcher;
  *ret_bytes = c.bytes;
  return true;
}

static void release(struct matcher *matcher) {
  free((void *)(uintptr_t)matcher->text.data);
  regex_free(matcher->regex);
  json_decref(matcher->value);
  for (size_t i = 0; i < matcher->path_count; i++) {
    json_path_free(matcher->paths[i].path);
    json_decref(matcher->paths[i].value);
  }
  free(matcher->paths);
  for (size_t i = 0; i < matcher->inner_count; i++) release(&matcher->inner[i]);
  free(matcher->inner);
}

void matcher_free(struct matcher *matcher) {
  if (!matcher) return;
  release(matcher);
  free(matcher);
}
