// SPDX-License-Identifier: Apache-2.0
// The part of JSONPath that names places: what a person writes to say "this field has that value". What searches
// (descendants, filters) is left out on purpose, since its cost is the document's size to the power of its stars.
#include "mock/json_path.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

enum segment_kind { SEGMENT_MEMBER, SEGMENT_INDEX, SEGMENT_ALL };

struct segment {
  enum segment_kind kind;
  int64_t index; // negative: from the end
  struct str name;
};

struct json_path {
  char *text; // owned; names without escapes point into it
  size_t text_len;
  char *names; // owned: names that had escapes, end to end
  size_t names_len;
  size_t count;
  struct segment segments[JSON_PATH_SEGMENTS_MAX];
};

struct parser {
  struct json_path *path;
  size_t at;
  struct err *err;
};

static struct str rest(const struct parser *p) {
  return (struct str){p->path->text + p->at, p->path->text_len - p->at};
}

static bool next_is(const struct parser *p, char c) {
  struct str left = rest(p);
  return left.len > 0 && left.data[0] == c;
}

static bool refuse(struct parser *p, const char *expected) {
  return err_set(p->err, ERR_BAD_REQUEST, "The JSON path is not understood at byte %zu: expected %s.", p->at, expected);
}

static bool is_name_byte(char c, bool first) {
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
  return letter || (!first && c >= '0' && c <= '9');
}

static bool read_shorthand(struct parser *p, struct segment *segment) {
  struct str left = rest(p);
  size_t len = 0;
  while (len < left.len && is_name_byte(left.data[len], len == 0)) len++;
  if (len == 0) return refuse(p, "a member's name or * after the dot (other names go into ['…'])");
  *segment = (struct segment){.kind = SEGMENT_MEMBER, .name = {left.data, len}};
  p->at += len;
  return true;
}

// The escapes of a quoted name that make sense in a path: the quote, the backslash and the usual letters. \u is not
// needed, JSON has been there before.
static bool unescape(char c, char quote, char *ret_c) {
  static const char from[] = "nrtbf/\\", to[] = "\n\r\t\b\f/\\";
  const char *found = c ? strchr(from, c) : NULL;
  if (c == quote) *ret_c = quote;
  if (found) *ret_c = to[found - from];
  return c == quote || found;
}

static bool read_quoted(struct parser *p, struct segment *segment) {
  struct str left = rest(p);
  char quote = left.data[0];
  char *out = p->path->names + p->path->names_len;
  size_t len = 0, at = 1;
  while (at < left.len && left.data[at] != quote) {
    char c = left.data[at];
    if (c == '\\' && (at + 1 == left.len || !unescape(left.data[++at], quote, &c))) {
      p->at += at;
      return refuse(p, "one of the escapes \\n \\r \\t \\b \\f \\/ \\\\ and the quote");
    }
    out[len++] = c;
    at++;
  }
  p->at += at;
  if (at == left.len) return refuse(p, "the end of the quoted name");
  p->at++;
  p->path->names_len += len;
  *segment = (struct segment){.kind = SEGMENT_MEMBER, .name = {out, len}};
  return true;
}

static bool read_index(struct parser *p, struct segment *segment) {
  struct str left = rest(p);
  size_t len = 0;
  while (len < left.len && (left.data[len] == '-' || (left.data[len] >= '0' && left.data[len] <= '9'))) len++;
  struct str digits = {left.data, len};
  bool canonical = len > 0 && (left.data[0] != '0' || len == 1) && !str_starts(digits, STR("-0"));
  if (!canonical || !str_int(digits, &segment->index))
    return refuse(p, "an index, * or a quoted name in the brackets (filters and slices are not known here)");
  segment->kind = SEGMENT_INDEX;
  p->at += len;
  return true;
}

static bool read_brackets(struct parser *p, struct segment *segment) {
  bool ok;
  if (next_is(p, '\'') || next_is(p, '"')) {
    ok = read_quoted(p, segment);
  } else if (next_is(p, '*')) {
    p->at++;
    *segment = (struct segment){.kind = SEGMENT_ALL};
    ok = true;
  } else {
    ok = read_index(p, segment);
  }
  if (!ok) return false;
  if (!next_is(p, ']')) return refuse(p, "]");
  p->at++;
  return true;
}

static bool read_segment(struct parser *p) {
  if (p->path->count == JSON_PATH_SEGMENTS_MAX) return refuse(p, "at most 64 steps");
  struct segment *segment = &p->path->segments[p->path->count];
  if (next_is(p, '[')) {
    p->at++;
    if (!read_brackets(p, segment)) return false;
  } else if (next_is(p, '.')) {
    p->at++;
    if (next_is(p, '*')) {
      p->at++;
      *segment = (struct segment){.kind = SEGMENT_ALL};
    } else if (!read_shorthand(p, segment)) {
      return false;
    }
  } else {
    return refuse(p, ". or [");
  }
  p->path->count++;
  return true;
}

static bool read_path(struct parser *p) {
  if (!next_is(p, '$')) return refuse(p, "$ at the start");
  p->at++;
  while (rest(p).len > 0)
    if (!read_segment(p)) return false;
  return true;
}

bool json_path_new(struct str text, struct json_path **ret_path, struct err *err) {
  struct json_path *path = mem_zalloc(sizeof *path);
  path->text = mem_strdup(text);
  path->text_len = text.len;
  path->names = mem_alloc(text.len + 1);
  struct parser parser = {.path = path, .err = err};
  bool ok = read_path(&parser);
  if (ok)
    *ret_path = path;
  else
    json_path_free(path);
  return ok;
}

void json_path_free(struct json_path *path) {
  if (!path) return;
  free(path->text);
  free(path->names);
  free(path);
}

size_t json_path_bytes(const struct json_path *path) {
  return sizeof *path + 2 * (path->text_len + 1);
}

struct str json_path_text(const struct json_path *path) {
  return (struct str){path->text, path->text_len};
}

// ---- following it ----

struct visiting {
  const struct json_path *path;
  bool (*visit)(void *ctx, const json_t *value);
  void *ctx;
};

static bool follow(const struct visiting *v, size_t segment, const json_t *value);

static bool follow_all(const struct visiting *v, size_t segment, const json_t *value) {
  size_t i;
  json_t *item;
  const char *name;
  json_array_foreach(value, i, item) if (!follow(v, segment + 1, item)) return false;
  json_object_foreach((json_t *)(uintptr_t)value, name, item) if (!follow(v, segment + 1, item)) return false;
  return true;
}

static bool follow(const struct visiting *v, size_t segment, const json_t *value) {
  if (segment == v->path->count) return v->visit(v->ctx, value);
  const struct segment *s = &v->path->segments[segment];
  const json_t *inner = NULL;
  switch (s->kind) {
  case SEGMENT_ALL: return follow_all(v, segment, value);
  case SEGMENT_MEMBER: inner = json_object_getn(value, s->name.data, s->name.len); break;
  case SEGMENT_INDEX: {
    int64_t count = (int64_t)json_array_size(value);
    int64_t index = s->index < 0 ? s->index + count : s->index;
    if (index >= 0 && index < count) inner = json_array_get(value, (size_t)index);
    break;
  }
  }
  return !inner || follow(v, segment + 1, inner);
}

void json_path_visit(const struct json_path *path, const json_t *document,
                     bool (*visit)(void *ctx, const json_t *value), void *ctx) {
  struct visiting v = {path, visit, ctx};
  follow(&v, 0, document);
}
