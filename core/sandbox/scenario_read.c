// SPDX-License-Identifier: Apache-2.0
// Reads what an operator wrote into a scenario. The shapes have been checked before; here is what a shape can't say:
// text limits and how a cut is marked, default keys, keys that must differ, and members this engine can't honour.
//
// A step input or mock resource that is cut carries the SHA-256 of its whole text ("input_whole", "resource_whole"),
// which takes part in matching: two long texts with a common beginning stay two.
#include "base/buf.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "mock/mock.h"
#include "sandbox/limits.h"
#include "sandbox/scenario.h"

static const struct schema shape_key = {.kind = SCHEMA_STRING,
                                        .non_empty = true,
                                        .max_bytes = NAME_MAX_BYTES,
                                        .doc = "Names the step within the scenario."};
static const struct schema shape_input = {.kind = SCHEMA_STRING,
                                          .max_bytes = INPUT_MAX_BYTES,
                                          .doc = "What the agent is given; the reference agent requests it."};

const struct schema shape_step = {
    .kind = SCHEMA_OBJECT,
    .name = "Step",
    .members =
        (const struct schema_member[]){
            {"key", &shape_key, false, "Absent: step-<position from 1>."},
            {"input", &shape_input, true, NULL},
            {0},
        },
};
const struct schema shape_steps = {.kind = SCHEMA_ARRAY, .items = &shape_step, .non_empty = true};
const struct schema shape_mocks = {.kind = SCHEMA_ARRAY, .items = &mock_shape};

static const struct schema shape_agent = {.kind = SCHEMA_ANY};
static const struct schema shape_variant = {
    .kind = SCHEMA_OBJECT,
    .name = "VariantOverlay",
    .doc = "What a variant changes: its steps replace the scenario's, its mocks come in front of the scenario's.",
    .members =
        (const struct schema_member[]){
            {"steps", &shape_steps, false, NULL},
            {"mocks", &shape_mocks, false, NULL},
            {"agent", &shape_agent, false, "Another agent for this variant. No runner of this engine takes one yet."},
            {0},
        },
};
const struct schema shape_variants = {.kind = SCHEMA_MAP, .items = &shape_variant};

// Both are bounded by the request body anyway; the caps only have to be above that.
enum { NAMES_MAX_BYTES = 8 * 1024 * 1024, CLAMPED_MAX_BYTES = 64 * 1024 * 1024 };

struct reading {
  bool strict;
  struct arena *arena;
  struct buf clamped;   // "[" and the places so far
  size_t matcher_bytes; // held by all matchers so far
  struct err *err;
};

static bool note_clamp(struct reading *r, struct str place, size_t len, size_t limit) {
  if (r->strict)
    return err_set_at(r->err, ERR_BAD_REQUEST, arena_strdup(r->arena, place),
                      "The text has %zu bytes, the limit is %zu; shorten it or leave out strict=true.", len, limit);
  buf_add_char(&r->clamped, r->clamped.len == 0 ? '[' : ',');
  json_quote(&r->clamped, place);
  return true;
}

/// Cuts a member of `object` to its limit. With `whole_key`, leaves the digest of the whole text beside it.
static bool clamp_member(struct reading *r, json_t *object, const char *key, size_t limit, const char *whole_key,
                         struct str place) {
  struct str text = json_member_str(object, key);
  if (!str_present(text) || text.len <= limit) return true;
  if (!note_clamp(r, arena_printf(r->arena, "%.*s.%s", STR_ARG(place), key), text.len, limit)) return false;
  if (whole_key) {
    struct digest digest = hash_of(text);
    json_object_set_new(object, whole_key, json_string(digest_format(&digest).text));
  }
  struct str cut = utf8_clamp(text, limit);
  json_object_set_new(object, key, json_stringn(cut.data, cut.len));
  return true;
}

static bool read_steps(struct reading *r, json_t *steps, const char *place) {
  AUTO(json_auto_decref) json_t *seen = json_object();
  size_t i;
  json_t *step;
  json_array_foreach(steps, i, step) {
    struct str at = arena_printf(r->arena, "%s[%zu]", place, i);
    if (!json_object_get(step, "key")) {
      struct str key = arena_printf(r->arena, "step-%zu", i + 1);
      json_object_set_new(step, "key", json_stringn(key.data, key.len));
    }
    if (!clamp_member(r, step, "key", NAME_MAX_BYTES, NULL, at)) return false;
    if (!clamp_member(r, step, "input", INPUT_MAX_BYTES, "input_whole", at)) return false;
    struct str key = json_member_str(step, "key");
    json_t *first = json_object_getn(seen, key.data, key.len);
    if (first)
      return err_set_at(r->err, ERR_BAD_REQUEST, arena_printf(r->arena, "%.*s.key", STR_ARG(at)).data,
                        "Step key '%.*s' is used by %s[%lld] already; keys must differ.", STR_ARG(key), place,
                        (long long)json_integer_value(first));
    json_object_setn_new(seen, key.data, key.len, json_integer((json_int_t)i));
  }
  return true;
}

/// Cuts the text of an answer, which is a text or an object with one.
static bool clamp_answer(struct reading *r, json_t *holder, const char *key, struct str place) {
  json_t *answer = json_object_get(holder, key);
  if (!json_is_object(answer)) return clamp_member(r, holder, key, OUTPUT_MAX_BYTES, NULL, place);
  return clamp_member(r, answer, "text", OUTPUT_MAX_BYTES, NULL,
                      arena_printf(r->arena, "%.*s.%s", STR_ARG(place), key));
}

static bool clamp_answers(struct reading *r, json_t *answers, struct str place) {
  size_t i;
  json_t *answer;
  json_array_foreach(answers, i, answer) {
    struct str at = arena_printf(r->arena, "%.*s.responses[%zu]", STR_ARG(place), i);
    struct str text = json_str(answer);
    if (json_is_object(answer) && !clamp_member(r, answer, "text", OUTPUT_MAX_BYTES, NULL, at)) return false;
    if (text.len <= OUTPUT_MAX_BYTES) continue;
    if (!note_clamp(r, at, text.len, OUTPUT_MAX_BYTES)) return false;
    struct str cut = utf8_clamp(text, OUTPUT_MAX_BYTES);
    json_array_set_new(answers, i, json_stringn(cut.data, cut.len));
  }
  return true;
}

static bool read_mocks(struct reading *r, json_t *mocks, const char *place) {
  size_t i;
  json_t *mock;
  json_array_foreach(mocks, i, mock) {
    struct str at = arena_printf(r->arena, "%s[%zu]", place, i);
    if (!mock_read(mock, at.data, &r->matcher_bytes, r->err) ||
        !clamp_member(r, mock, "resource", INPUT_MAX_BYTES, "resource_whole", at) ||
        !clamp_answer(r, mock, "response", at) || !clamp_answers(r, json_object_get(mock, "responses"), at))
      return false;
  }
  return true;
}

static bool refuse_agent(const char *place, struct err *err) {
  return err_set_at(err, ERR_UNAVAILABLE, place,
                    "This engine has no runner for agents of a scenario; leave 'agent' out to use the reference agent. "
                    "Nothing was stored.");
}

static bool read_variants(struct reading *r, json_t *variants, struct buf *names) {
  const char *name;
  json_t *overlay;
  buf_add_char(names, '[');
  json_object_foreach(variants, name, overlay) {
    if (json_object_get(overlay, "agent"))
      return refuse_agent(arena_printf(r->arena, "variants.%s.agent", name).data, r->err);
    if (!*name || strlen(name) > NAME_MAX_BYTES)
      return err_set_at(r->err, ERR_BAD_REQUEST, "variants", "A variant's name has 1 to %d bytes.", NAME_MAX_BYTES);
    if (names->len > 1) buf_add_char(names, ',');
    json_quote(names, str_c(name));
    if (!read_steps(r, json_object_get(overlay, "steps"), arena_printf(r->arena, "variants.%s.steps", name).data))
      return false;
    if (!read_mocks(r, json_object_get(overlay, "mocks"), arena_printf(r->arena, "variants.%s.mocks", name).data))
      return false;
  }
  buf_add_char(names, ']');
  return true;
}

static bool read_text(struct reading *r, const json_t *body, const char *key, size_t limit, struct str *ret_text) {
  struct str text = json_member_str(body, key);
  if (text.len > limit) {
    if (!note_clamp(r, str_c(key), text.len, limit)) return false;
    text = utf8_clamp(text, limit);
  }
  *ret_text = str_present(text) ? arena_str(r->arena, text) : text;
  return true;
}

static struct str dump(struct arena *arena, const json_t *json, const char *otherwise) {
  if (!json) return str_c(otherwise);
  char *text = json_dumps(json, JSON_COMPACT);
  struct str copy = arena_str(arena, str_c(text));
  free(text);
  return copy;
}

static bool refuse_unsupported(const json_t *body, struct err *err) {
  if (json_object_get(body, "script"))
    return err_set_at(err, ERR_UNAVAILABLE, "script",
                      "This engine has no Lua guests, so the script can't be checked; nothing was stored.");
  return !json_object_get(body, "agent") || refuse_agent("agent", err);
}

static bool blank(struct str text) {
  for (size_t i = 0; i < text.len; i++)
    if (!strchr(" \t\r\n", text.data[i])) return false;
  return true;
}

static bool read_content(struct reading *r, const json_t *body, struct buf *names, struct scenario *s) {
  json_t *steps = json_object_get(body, "steps"), *mocks = json_object_get(body, "mocks");
  json_t *variants = json_object_get(body, "variants");
  if (!read_text(r, body, "name", NAME_MAX_BYTES, &s->name)) return false;
  if (blank(s->name)) return err_set_at(r->err, ERR_BAD_REQUEST, "name", "A scenario's name must not be blank.");
  if (!read_text(r, body, "description", REF_MAX_BYTES, &s->description)) return false;
  if (!read_text(r, body, "subject_kind", NAME_MAX_BYTES, &s->subject_kind)) return false;
  if (!read_steps(r, steps, "steps")) return false;
  if (!read_mocks(r, mocks, "mocks")) return false;
  if (!read_variants(r, variants, names)) return false;

  if (!str_present(s->subject_kind)) s->subject_kind = STR("agent");
  const json_t *seed = json_object_get(body, "seed");
  s->seed = seed ? json_integer_value(seed) : 0;
  s->steps_count = (int64_t)json_array_size(steps);
  s->mocks_count = (int64_t)json_array_size(mocks);
  s->steps = dump(r->arena, steps, "[]");
  s->mocks = dump(r->arena, mocks, "[]");
  s->variants = dump(r->arena, variants, "{}");
  return true;
}

static struct str clamped_places(struct reading *r) {
  if (r->clamped.len == 0) return STR_NONE;
  buf_add_char(&r->clamped, ']');
  return arena_str(r->arena, buf_str(&r->clamped));
}

bool scenario_read(const json_t *body, bool strict, struct arena *arena, struct scenario *ret_scenario,
                   struct err *err) {
  if (!refuse_unsupported(body, err)) return false;
  // Worked on in place, so a copy: the body stays what was sent.
  AUTO(json_auto_decref) json_t *copy = json_deep_copy(body);
  struct reading r = {.strict = strict, .arena = arena, .err = err};
  AUTO(buf_done) struct buf names;
  buf_init(&names, NAMES_MAX_BYTES);
  buf_init(&r.clamped, CLAMPED_MAX_BYTES);

  struct scenario s = {0};
  bool ok = read_content(&r, copy, &names, &s);
  if (ok) {
    s.variant_names = arena_str(arena, buf_str(&names));
    s.clamped = clamped_places(&r);
    *ret_scenario = s;
  }
  buf_done(&r.clamped);
  return ok;
}

bool scenario_read_mocks(const json_t *mocks, const char *place, bool strict, struct arena *arena,
                         struct str *ret_mocks, struct str *ret_clamped, struct err *err) {
  AUTO(json_auto_decref) json_t *copy = mocks ? json_deep_copy(mocks) : json_array();
  struct reading r = {.strict = strict, .arena = arena, .err = err};
  buf_init(&r.clamped, CLAMPED_MAX_BYTES);
  bool ok = read_mocks(&r, copy, place);
  if (ok) {
    *ret_mocks = dump(arena, copy, "[]");
    *ret_clamped = clamped_places(&r);
  }
  buf_done(&r.clamped);
  return ok;
}
