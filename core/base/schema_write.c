// SPDX-License-Identifier: Apache-2.0
// Prints shapes as JSON Schema 2020-12. A named shape is written once, as a component, and referred to elsewhere.
// Whether null is accepted belongs to the place that uses a shape: the component never says so, the reference does.
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/schema.h"

static const char *type_name(enum schema_kind kind) {
  switch (kind) {
  case SCHEMA_ANY: return NULL;
  case SCHEMA_STRING: return "string";
  case SCHEMA_INTEGER: return "integer";
  case SCHEMA_NUMBER: return "number";
  case SCHEMA_BOOLEAN: return "boolean";
  case SCHEMA_ARRAY: return "array";
  case SCHEMA_OBJECT:
  case SCHEMA_MAP: return "object";
  case SCHEMA_ONE_OF: return NULL;
  }
  return NULL;
}

static void write_inner(struct json_writer *w, const char *key, const struct schema *shape, const char *doc);

static void write_type(struct json_writer *w, const char *type, bool nullable) {
  if (!type) return;
  if (!nullable) {
    jw_c(w, "type", type);
    return;
  }
  jw_array(w, "type");
  jw_c(w, NULL, type);
  jw_c(w, NULL, "null");
  jw_array_end(w);
}

static void write_string(struct json_writer *w, const struct schema *shape, bool nullable) {
  if (shape->format) jw_c(w, "format", shape->format);
  if (shape->values) {
    jw_array(w, "enum");
    for (const char *const *value = shape->values; *value; value++) jw_c(w, NULL, *value);
    if (nullable) jw_null(w, NULL);
    jw_array_end(w);
  }
  if (shape->non_empty) jw_int(w, "minLength", 1);
  if (!shape->max_bytes) return;
  // As many code points as bytes at most; a limit that only clamps refuses nothing.
  if (shape->strict_bytes) jw_int(w, "maxLength", (int64_t)shape->max_bytes);
  jw_int(w, "x-max-bytes", (int64_t)shape->max_bytes);
}

static void write_properties(struct json_writer *w, const struct schema_member *members) {
  jw_object(w, "properties");
  for (const struct schema_member *member = members; member && member->name; member++)
    write_inner(w, member->name, member->shape, member->doc);
  jw_object_end(w);
}

static void write_members(struct json_writer *w, const struct schema_member *members) {
  bool any_required = false;
  for (const struct schema_member *member = members; member && member->name; member++)
    any_required = any_required || member->required;
  write_properties(w, members);
  if (any_required) {
    jw_array(w, "required");
    for (const struct schema_member *member = members; member->name; member++) {
      if (member->required) jw_c(w, NULL, member->name);
    }
    jw_array_end(w);
  }
  jw_bool(w, "additionalProperties", false);
}

// The keywords of a shape, inside an object that is open already.
static void write_keywords(struct json_writer *w, const struct schema *shape, const char *doc, bool nullable) {
  write_type(w, type_name(shape->kind), nullable);
  if (doc) jw_c(w, "description", doc);
  switch (shape->kind) {
  case SCHEMA_ANY:
  case SCHEMA_BOOLEAN: break;
  case SCHEMA_STRING: write_string(w, shape, nullable); break;
  case SCHEMA_INTEGER:
  case SCHEMA_NUMBER:
    if (!shape->bounded) break;
    jw_int(w, "minimum", shape->min);
    jw_int(w, "maximum", shape->max);
    break;
  case SCHEMA_ARRAY:
    if (shape->non_empty) jw_int(w, "minItems", 1);
    if (shape->items) write_inner(w, "items", shape->items, NULL);
    break;
  case SCHEMA_OBJECT: write_members(w, shape->members); break;
  case SCHEMA_MAP:
    if (shape->members) write_properties(w, shape->members);
    if (shape->items) {
      write_inner(w, "additionalProperties", shape->items, NULL);
    } else {
      jw_bool(w, "additionalProperties", true);
    }
    break;
  case SCHEMA_ONE_OF:
    jw_array(w, "oneOf");
    for (const struct schema *const *one = shape->alternatives; *one; one++) write_inner(w, NULL, *one, NULL);
    jw_array_end(w);
    break;
  }
}

static void write_ref(struct json_writer *w, const char *name) {
  AUTO(buf_done) struct buf ref;
  buf_init(&ref, 256);
  buf_addf(&ref, "#/components/schemas/%s", name);
  jw_str(w, "$ref", buf_str(&ref));
}

// `doc` is what the place says about the value; a shape's own sentence is shown where the shape is.
static void write_inner(struct json_writer *w, const char *key, const struct schema *shape, const char *doc) {
  jw_object(w, key);
  if (!shape->name) {
    write_keywords(w, shape, doc ? doc : shape->doc, shape->nullable);
  } else {
    if (doc) jw_c(w, "description", doc);
    if (shape->nullable) {
      jw_array(w, "anyOf");
      jw_object(w, NULL);
      write_ref(w, shape->name);
      jw_object_end(w);
      jw_object(w, NULL);
      jw_c(w, "type", "null");
      jw_object_end(w);
      jw_array_end(w);
    } else {
      write_ref(w, shape->name);
    }
  }
  jw_object_end(w);
}

void schema_write(const struct schema *shape, struct buf *out) {
  struct json_writer w;
  jw_init(&w, out);
  jw_object(&w, NULL);
  write_keywords(&w, shape, shape->doc, shape->nullable && !shape->name);
  jw_object_end(&w);
}

struct walk {
  void (*visit)(const struct schema *named, void *ctx);
  void *ctx;
};

// The shapes entered on the way here: a shape may contain itself.
struct trail {
  const struct trail *outer;
  const struct schema *shape;
};

static void walk_shape(const struct walk *walk, const struct schema *shape, const struct trail *outer) {
  if (!shape) return;
  for (const struct trail *at = outer; at; at = at->outer) {
    if (at->shape == shape) return;
  }
  struct trail trail = {.outer = outer, .shape = shape};
  if (shape->name) walk->visit(shape, walk->ctx);
  walk_shape(walk, shape->items, &trail);
  for (const struct schema *const *one = shape->alternatives; one && *one; one++) walk_shape(walk, *one, &trail);
  for (const struct schema_member *member = shape->members; member && member->name; member++)
    walk_shape(walk, member->shape, &trail);
}

void schema_walk(const struct schema *shape, void (*visit)(const struct schema *named, void *ctx), void *ctx) {
  struct walk walk = {.visit = visit, .ctx = ctx};
  walk_shape(&walk, shape, NULL);
}
