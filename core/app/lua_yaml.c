// SPDX-License-Identifier: Apache-2.0
// olivares.yaml: YAML 1.2 for trusted Lua, read with libyaml into the same values as olivares.json gives.
//   yaml.decode(text)   the value of the only document | nil, failure with the line and column as its place
//
// Plain scalars mean what the core schema says (app/yaml_scalar.h), quoted ones and block scalars are text. Tags are
// passed over, but for !!str and ! (text) and !!binary or !binary (bytes). Keys are text as written; the same key twice
// is refused, as in JSON.
//
// The text is a stranger's. An alias is the same Lua value once more, so that reading costs nothing; but whoever walks
// the value walks it each time. So an alias counts as all the nodes and levels it stands for, and the bounds below are
// of the document written out in full.
#include <lauxlib.h>
#include <stdio.h>
#include <yaml.h>

#include "app/lua_buf.h"
#include "app/lua_fail.h"
#include "app/lua_json.h"
#include "app/lua_modules.h"
#include "app/yaml_scalar.h"

#define READER_TYPE "olivares.yaml.reader"

enum { TEXT_MAX_BYTES = 16 * 1024 * 1024, DEPTH_MAX = 64, NODES_MAX = 1000000, ANCHORS_MAX = 10000 };

/// The size of a node written out in full.
struct extent {
  size_t nodes;
  unsigned levels; // 1 for a scalar
};

// What libyaml holds is released by the collector, since pushing values may raise.
struct reader {
  yaml_parser_t parser;
  yaml_event_t event;
  bool parser_open, event_open;
  size_t nodes, anchors;
  struct err err;
};

// Where the reader's values stand on the stack.
enum { READER_AT = 2, ANCHORS_AT = 3 }; // anchors: name to {value, nodes, levels}

static int reader_gc(lua_State *L) {
  struct reader *reader = luaL_checkudata(L, 1, READER_TYPE);
  if (reader->event_open) yaml_event_delete(&reader->event);
  if (reader->parser_open) yaml_parser_delete(&reader->parser);
  reader->event_open = reader->parser_open = false;
  return 0;
}

static struct reader *reader_new(lua_State *L) {
  struct reader *reader = lua_newuserdatauv(L, sizeof *reader, 0);
  *reader = (struct reader){0};
  luaL_setmetatable(L, READER_TYPE);
  if (!yaml_parser_initialize(&reader->parser)) luaL_error(L, "not enough memory for YAML");
  reader->parser_open = true;
  return reader;
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct reader *reader, yaml_mark_t mark, const char *fmt,
                                                         ...) {
  char place[64];
  snprintf(place, sizeof place, "line %zu, column %zu", mark.line + 1, mark.column + 1);
  va_list args;
  va_start(args, fmt);
  err_vset_at(&reader->err, ERR_BAD_REQUEST, place, fmt, args);
  va_end(args);
  return false;
}

static bool refuse_event(struct reader *reader, const char *why) {
  return refuse(reader, reader->event.start_mark, "%s", why);
}

/// Makes the next event the reader's. Texts of the event before are gone afterwards.
static bool advance(struct reader *reader) {
  if (reader->event_open) yaml_event_delete(&reader->event);
  reader->event_open = yaml_parser_parse(&reader->parser, &reader->event);
  if (reader->event_open) return true;
  const yaml_parser_t *parser = &reader->parser;
  const char *problem = parser->problem ? parser->problem : "there is not enough memory";
  yaml_mark_t mark = parser->problem_mark;
  if (parser->error == YAML_READER_ERROR) {
    mark = parser->mark;
    return refuse(reader, mark, "The text is no YAML: %s (byte %zu).", problem, parser->problem_offset + 1);
  }
  return refuse(reader, mark, "The text is no YAML: %s.", problem);
}

static struct str yaml_text(const yaml_char_t *text, size_t len) {
  return (struct str){(const char *)text, len};
}

static struct str yaml_name(const yaml_char_t *name) {
  return str_c((const char *)name);
}

static bool count_nodes(struct reader *reader, size_t nodes) {
  if (nodes > NODES_MAX - reader->nodes) return refuse_event(reader, "The document has more than a million nodes.");
  reader->nodes += nodes;
  return true;
}

static bool is_binary_tag(struct str tag) {
  return str_eq(tag, STR("tag:yaml.org,2002:binary")) || str_eq(tag, STR("!binary"));
}

static bool push_binary(lua_State *L, struct reader *reader, struct str text) {
  struct buf *bytes = lua_buf_new(L, text.len + 1);
  if (!yaml_binary_read(text, bytes)) return refuse_event(reader, "What is tagged as binary is no base64.");
  lua_buf_push(L, bytes);
  lua_remove(L, -2);
  return true;
}

/// Pushes what the scalar of the reader's event means.
static bool push_scalar(lua_State *L, struct reader *reader) {
  struct str text = yaml_text(reader->event.data.scalar.value, reader->event.data.scalar.length);
  struct str tag = yaml_name(reader->event.data.scalar.tag);
  if (is_binary_tag(tag)) return push_binary(L, reader, text);
  bool plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  struct yaml_value value = {.kind = YAML_KIND_TEXT};
  if (plain && !str_eq(tag, STR("!")) && !str_eq(tag, STR(YAML_STR_TAG))) value = yaml_scalar_read(text);
  switch (value.kind) {
  case YAML_KIND_TEXT: lua_pushlstring(L, text.data, text.len); return true;
  case YAML_KIND_NULL: lua_pushlightuserdata(L, NULL); return true;
  case YAML_KIND_BOOL: lua_pushboolean(L, value.truth); return true;
  case YAML_KIND_INT: lua_pushinteger(L, value.integer); return true;
  case YAML_KIND_REAL: lua_pushnumber(L, value.real); return true;
  case YAML_KIND_NUMBER_FAULT: break;
  }
  return refuse_event(reader, "The number is infinite, none, or beyond 64 bits; in quotes it is text.");
}

/// Remembers the value on the top of the stack under the anchor's name, which is on the stack at `name`.
static void keep_anchor(lua_State *L, int name, struct extent extent) {
  lua_pushvalue(L, name);
  lua_createtable(L, 3, 0); // value name entry
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, (lua_Integer)extent.nodes);
  lua_rawseti(L, -2, 2);
  lua_pushinteger(L, (lua_Integer)extent.levels);
  lua_rawseti(L, -2, 3);
  lua_rawset(L, ANCHORS_AT);
}

static bool push_alias(lua_State *L, struct reader *reader, unsigned depth, struct extent *ret_extent) {
  lua_pushstring(L, (const char *)reader->event.data.alias.anchor);
  if (lua_rawget(L, ANCHORS_AT) == LUA_TNIL)
    return refuse_event(reader, "The alias names an anchor that is not there, or that it is part of.");
  lua_rawgeti(L, -1, 2);
  lua_rawgeti(L, -2, 3);
  *ret_extent = (struct extent){(size_t)lua_tointeger(L, -2), (unsigned)lua_tointeger(L, -1)};
  lua_pop(L, 2);
  if (depth + ret_extent->levels > DEPTH_MAX) return refuse_event(reader, "The document is nested deeper than 64.");
  if (!count_nodes(reader, ret_extent->nodes)) return false;
  lua_rawgeti(L, -1, 1);
  lua_remove(L, -2);
  return true;
}

static bool push_node(lua_State *L, struct reader *reader, unsigned depth, struct extent *ret_extent);

static void add_extent(struct extent *sum, struct extent inner) {
  sum->nodes += inner.nodes;
  if (sum->levels < inner.levels + 1) sum->levels = inner.levels + 1;
}

static bool push_sequence(lua_State *L, struct reader *reader, unsigned depth, struct extent *extent) {
  lua_newtable(L);
  luaL_setmetatable(L, LUA_JSON_ARRAY);
  for (lua_Integer i = 1;; i++) {
    struct extent item = {0};
    if (!advance(reader)) return false;
    if (reader->event.type == YAML_SEQUENCE_END_EVENT) return true;
    if (!push_node(L, reader, depth + 1, &item)) return false;
    lua_rawseti(L, -2, i);
    add_extent(extent, item);
  }
}

/// Pushes the key that the reader's event is.
static bool push_key(lua_State *L, struct reader *reader) {
  if (reader->event.type != YAML_SCALAR_EVENT) return refuse_event(reader, "A key must be text.");
  if (reader->event.data.scalar.anchor) return refuse_event(reader, "A key can't have an anchor here.");
  if (!count_nodes(reader, 1)) return false;
  lua_pushlstring(L, (const char *)reader->event.data.scalar.value, reader->event.data.scalar.length);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) != LUA_TNIL) return refuse_event(reader, "The key is there twice.");
  lua_pop(L, 1);
  return true;
}

static bool push_mapping(lua_State *L, struct reader *reader, unsigned depth, struct extent *extent) {
  lua_newtable(L);
  for (;;) {
    struct extent item = {0};
    if (!advance(reader)) return false;
    if (reader->event.type == YAML_MAPPING_END_EVENT) return true;
    if (!push_key(L, reader) || !advance(reader) || !push_node(L, reader, depth + 1, &item)) return false;
    lua_rawset(L, -3);
    item.nodes++;
    add_extent(extent, item);
  }
}

static const yaml_char_t *anchor_of(const yaml_event_t *event) {
  if (event->type == YAML_SCALAR_EVENT) return event->data.scalar.anchor;
  if (event->type == YAML_SEQUENCE_START_EVENT) return event->data.sequence_start.anchor;
  return event->data.mapping_start.anchor;
}

/// Pushes the node whose first event is the reader's. On failure the stack holds more or less than before.
static bool push_node(lua_State *L, struct reader *reader, unsigned depth, struct extent *ret_extent) {
  luaL_checkstack(L, 12, "YAML nesting");
  if (reader->event.type == YAML_ALIAS_EVENT) return push_alias(L, reader, depth, ret_extent);
  if (depth >= DEPTH_MAX) return refuse_event(reader, "The document is nested deeper than 64.");
  if (!count_nodes(reader, 1)) return false;
  struct extent extent = {1, 1};
  const yaml_char_t *anchor = anchor_of(&reader->event);
  if (anchor && reader->anchors++ == ANCHORS_MAX) return refuse_event(reader, "The document has too many anchors.");
  if (anchor) lua_pushstring(L, (const char *)anchor);
  bool ok = reader->event.type == YAML_SCALAR_EVENT           ? push_scalar(L, reader)
            : reader->event.type == YAML_SEQUENCE_START_EVENT ? push_sequence(L, reader, depth, &extent)
                                                              : push_mapping(L, reader, depth, &extent);
  if (!ok) return false;
  if (anchor) {
    keep_anchor(L, lua_gettop(L) - 1, extent);
    lua_remove(L, -2);
  }
  *ret_extent = extent;
  return true;
}

static bool advance_over(struct reader *reader, int events) {
  for (int i = 0; i < events; i++)
    if (!advance(reader)) return false;
  return true;
}

/// Pushes the value of the only document.
static bool push_document(lua_State *L, struct reader *reader) {
  struct extent extent = {0};
  if (!advance_over(reader, 2)) return false; // the stream's start, and to the document's
  if (reader->event.type != YAML_DOCUMENT_START_EVENT) return refuse_event(reader, "There is no document.");
  if (!advance(reader) || !push_node(L, reader, 0, &extent)) return false;
  if (!advance_over(reader, 2)) return false; // the document's end, and to what comes behind it
  if (reader->event.type != YAML_STREAM_END_EVENT) return refuse_event(reader, "There is a second document.");
  return true;
}

static int yaml_decode(lua_State *L) {
  size_t len;
  const char *text = luaL_checklstring(L, 1, &len);
  lua_settop(L, 1);
  struct reader *reader = reader_new(L);
  lua_newtable(L);
  if (len > TEXT_MAX_BYTES) {
    err_set(&reader->err, ERR_BAD_REQUEST, "The text has more than 16 MiB.");
    return lua_fail_push(L, &reader->err);
  }
  yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&reader->parser, (const unsigned char *)text, len);
  if (!push_document(L, reader)) return lua_fail_push(L, &reader->err);
  return 1;
}

int lua_open_yaml(lua_State *L) {
  static const luaL_Reg functions[] = {{"decode", yaml_decode}, {NULL, NULL}};
  lua_json_make_type(L, LUA_JSON_ARRAY, NULL);
  lua_json_make_type(L, READER_TYPE, reader_gc);
  luaL_newlib(L, functions);
  return 1;
}
