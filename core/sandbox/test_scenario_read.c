// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits.h"
#include "sandbox/scenario.h"
#include "sandbox/test_sandbox.h"

#define STEPS "\"steps\":[{\"input\":\"x\"}]"

/// A body read; `read` is the scenario when `ok`.
struct reading {
  struct arena *arena;
  json_t *body, *steps, *mocks, *variants, *clamped;
  struct scenario read;
  struct err err;
  bool ok;
};

static void reading_done(struct reading *r) {
  json_t *documents[] = {r->body, r->steps, r->mocks, r->variants, r->clamped};
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) json_decref(documents[i]);
  arena_free(r->arena);
}

static json_t *parse(struct str text) {
  json_t *json = NULL;
  struct err err = {0};
  if (!json_read(text, &json, &err)) fail_msg("%s: %.*s", err.msg, STR_ARG(text));
  return json;
}

static struct reading read_json(json_t *take_body, bool strict) {
  struct reading r = {.arena = arena_new(), .body = take_body};
  r.ok = scenario_read(r.body, strict, r.arena, &r.read, &r.err);
  if (!r.ok) return r;
  r.steps = parse(r.read.steps);
  r.mocks = parse(r.read.mocks);
  r.variants = parse(r.read.variants);
  r.clamped = str_present(r.read.clamped) ? parse(r.read.clamped) : json_array();
  return r;
}

static struct reading read_body(const char *body) {
  return read_json(parse(str_c(body)), false);
}

static void check_refused(const char *body, enum err_code code, const char *place, const char *words) {
  AUTO(reading_done) struct reading r = read_body(body);
  assert_false(r.ok);
  assert_false(str_present(r.read.name)); // untouched
  CHECK_ERR(&r.err, code, words);
  assert_string_equal(r.err.place, place);
}

static struct str member(const json_t *array, size_t at, const char *key) {
  return json_member_str(json_array_get(array, at), key);
}

/// Borrowed from a buffer that the caller releases.
static struct str long_text(struct buf *buf, size_t plain, const char *tail) {
  buf_init(buf, OUTPUT_MAX_BYTES + 64);
  for (size_t i = 0; i < plain; i++) buf_add_char(buf, 'x');
  buf_add_c(buf, tail);
  return buf_str(buf);
}

static void what_is_left_out_has_a_default(void **state) {
  (void)state;
  AUTO(reading_done) struct reading r = read_body("{\"name\":\"n\",\"steps\":[{\"input\":\"a\"},{\"input\":\"b\"}]}");
  assert_true(r.ok);
  CHECK_STR(r.read.name, "n");
  assert_false(str_present(r.read.description));
  CHECK_STR(r.read.subject_kind, "agent");
  assert_int_equal(r.read.seed, 0);
  assert_int_equal(r.read.steps_count, 2);
  assert_int_equal(r.read.mocks_count, 0);
  CHECK_STR(member(r.steps, 0, "key"), "step-1");
  CHECK_STR(member(r.steps, 1, "key"), "step-2");
  CHECK_STR(r.read.mocks, "[]");
  CHECK_STR(r.read.variants, "{}");
  CHECK_STR(r.read.variant_names, "[]");
  assert_false(str_present(r.read.clamped));
}

static void what_is_given_is_kept_to_the_byte(void **state) {
  (void)state;
  AUTO(reading_done)
  struct reading r =
      read_body("{\"name\":\" n \\n\",\"description\":\"d\",\"subject_kind\":\"bot\",\"seed\":9007199254740991,"
                "\"steps\":[{\"key\":\"k\",\"input\":\"\\u00e9\\n\"}],"
                "\"mocks\":[{\"resource\":\" r\",\"response\":\"\"}]}");
  assert_true(r.ok);
  CHECK_STR(r.read.name, " n \n");
  CHECK_STR(r.read.description, "d");
  CHECK_STR(r.read.subject_kind, "bot");
  assert_int_equal(r.read.seed, SEED_MAX);
  CHECK_STR(member(r.steps, 0, "key"), "k");
  CHECK_STR(member(r.steps, 0, "input"), "\xc3\xa9\n");
  CHECK_STR(member(r.mocks, 0, "resource"), " r");
  CHECK_STR(member(r.mocks, 0, "response"), "");
  assert_int_equal(r.read.mocks_count, 1);
}

static void the_body_stays_what_was_sent(void **state) {
  (void)state;
  json_t *body = parse(STR("{\"name\":\"n\"," STEPS "}")), *before = json_deep_copy(body);
  AUTO(reading_done) struct reading r = read_json(body, false);
  assert_true(r.ok);
  assert_true(json_equal(body, before));
  json_decref(before);
}

static void step_keys_must_differ(void **state) {
  (void)state;
  check_refused("{\"name\":\"n\",\"steps\":[{\"key\":\"a\",\"input\":\"\"},{\"key\":\"b\",\"input\":\"\"},"
                "{\"key\":\"a\",\"input\":\"\"}]}",
                ERR_BAD_REQUEST, "steps[2].key", "Step key 'a' is used by steps[0] already");
  // A default key is a key like any other, on either side.
  check_refused("{\"name\":\"n\",\"steps\":[{\"input\":\"\"},{\"key\":\"step-1\",\"input\":\"\"}]}", ERR_BAD_REQUEST,
                "steps[1].key", "Step key 'step-1' is used by steps[0] already");
  check_refused("{\"name\":\"n\",\"steps\":[{\"key\":\"step-2\",\"input\":\"\"},{\"input\":\"\"}]}", ERR_BAD_REQUEST,
                "steps[1].key", "Step key 'step-2' is used by steps[0] already");
  check_refused("{\"name\":\"n\"," STEPS ",\"variants\":{\"v\":{\"steps\":[{\"key\":\"a\",\"input\":\"\"},"
                "{\"key\":\"a\",\"input\":\"\"}]}}}",
                ERR_BAD_REQUEST, "variants.v.steps[1].key", "Step key 'a' is used by variants.v.steps[0] already");
  check_refused("{\"name\":\"n\"," STEPS ",\"variants\":{\"v\":{\"steps\":[{\"input\":\"\"},"
                "{\"key\":\"step-1\",\"input\":\"\"}]}}}",
                ERR_BAD_REQUEST, "variants.v.steps[1].key", "'step-1' is used by variants.v.steps[0] already");
}

static void keys_that_are_equal_once_they_are_cut_are_refused(void **state) {
  (void)state;
  static const struct {
    struct {
      int plain;
      const char *tail;
    } keys[2];
    bool ok;
  } cases[] = {
      {{{NAME_MAX_BYTES, "0"}, {NAME_MAX_BYTES, "1"}}, false},
      {{{NAME_MAX_BYTES, ""}, {NAME_MAX_BYTES, "1"}}, false},
      {{{NAME_MAX_BYTES, "0"}, {NAME_MAX_BYTES, ""}}, false},
      {{{NAME_MAX_BYTES - 1, ""}, {NAME_MAX_BYTES - 1, "\xc3\xa9"}}, false}, // cut before the letter
      {{{NAME_MAX_BYTES - 1, "\xc3\xa9"}, {NAME_MAX_BYTES - 1, "k"}}, true},
      {{{NAME_MAX_BYTES - 2, "\xc3\xa9"}, {NAME_MAX_BYTES - 2, "\xc3\xaa"}}, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *body = parse(STR("{\"name\":\"n\",\"steps\":[{\"input\":\"\"},{\"input\":\"\"}]}"));
    for (size_t step = 0; step < 2; step++) {
      AUTO(buf_done) struct buf buf;
      struct str key = long_text(&buf, (size_t)cases[i].keys[step].plain, cases[i].keys[step].tail);
      json_object_set_new(json_array_get(json_object_get(body, "steps"), step), "key", json_stringn(key.data, key.len));
    }
    AUTO(reading_done) struct reading r = read_json(body, false);
    if (r.ok != cases[i].ok) fail_msg("case %zu: %s", i, r.ok ? "read" : r.err.msg);
    if (r.ok) continue;
    CHECK_ERR(&r.err, ERR_BAD_REQUEST, "is used by steps[0] already");
    assert_string_equal(r.err.place, "steps[1].key");
  }
}

static void the_steps_of_different_variants_may_share_keys(void **state) {
  (void)state;
  AUTO(reading_done)
  struct reading r = read_body("{\"name\":\"n\"," STEPS ",\"variants\":{\"a\":{\"steps\":[{\"input\":\"\"}]},"
                               "\"b\":{\"steps\":[{\"key\":\"step-1\",\"input\":\"\"}]}}}");
  assert_true(r.ok);
  CHECK_STR(r.read.variant_names, "[\"a\",\"b\"]");
  const json_t *a = json_object_get(json_object_get(r.variants, "a"), "steps");
  CHECK_STR(member(a, 0, "key"), "step-1");
}

// ---- text limits ----

/// Every text of a scenario: where it is, its limit, and the member that keeps the digest of a cut one.
static const struct text_limit {
  const char *place;
  size_t limit;
  const char *whole;
} text_limits[] = {
    {"name", NAME_MAX_BYTES, NULL},
    {"description", REF_MAX_BYTES, NULL},
    {"subject_kind", NAME_MAX_BYTES, NULL},
    {"steps[0].key", NAME_MAX_BYTES, NULL},
    {"steps[0].input", INPUT_MAX_BYTES, "input_whole"},
    {"mocks[0].resource", INPUT_MAX_BYTES, "resource_whole"},
    {"mocks[0].response", OUTPUT_MAX_BYTES, NULL},
    {"variants.v.steps[0].key", NAME_MAX_BYTES, NULL},
    {"variants.v.steps[0].input", INPUT_MAX_BYTES, "input_whole"},
    {"variants.v.mocks[0].resource", INPUT_MAX_BYTES, "resource_whole"},
    {"variants.v.mocks[0].response", OUTPUT_MAX_BYTES, NULL},
};
enum { TEXT_LIMITS = sizeof text_limits / sizeof *text_limits };

/// The object in `document` that holds the member a place ends with; `document` is a body or what was read from it.
static json_t *holder(json_t *body, const char *place, const char **ret_key) {
  const char *dot = strrchr(place, '.');
  *ret_key = dot ? dot + 1 : place;
  json_t *at = body;
  if (strncmp(place, "variants.v.", 11) == 0) at = json_object_get(json_object_get(body, "variants"), "v");
  if (strstr(place, "steps[0]")) return json_array_get(json_object_get(at, "steps"), 0);
  if (strstr(place, "mocks[0]")) return json_array_get(json_object_get(at, "mocks"), 0);
  return at;
}

static json_t *body_with(const char *place, struct str text) {
  json_t *body = parse(STR("{\"name\":\"n\",\"steps\":[{\"key\":\"k\",\"input\":\"i\"}],"
                           "\"mocks\":[{\"resource\":\"r\",\"response\":\"a\"}],"
                           "\"variants\":{\"v\":{\"steps\":[{\"key\":\"k\",\"input\":\"i\"}],"
                           "\"mocks\":[{\"resource\":\"r\",\"response\":\"a\"}]}}}"));
  const char *key;
  json_t *object = holder(body, place, &key);
  json_object_set_new(object, key, json_stringn(text.data, text.len));
  return body;
}

/// The scenario read, as the body it would be.
static json_t *as_body(const struct reading *r) {
  json_t *body = json_object();
  json_object_set_new(body, "name", json_stringn(r->read.name.data, r->read.name.len));
  json_object_set_new(body, "description",
                      json_stringn(r->read.description.data ? r->read.description.data : "", r->read.description.len));
  json_object_set_new(body, "subject_kind", json_stringn(r->read.subject_kind.data, r->read.subject_kind.len));
  json_object_set(body, "steps", r->steps);
  json_object_set(body, "mocks", r->mocks);
  json_object_set(body, "variants", r->variants);
  return body;
}

static void check_text(const struct text_limit *t, size_t plain, const char *tail, size_t kept) {
  AUTO(buf_done) struct buf buf;
  struct str text = long_text(&buf, plain, tail);
  AUTO(reading_done) struct reading r = read_json(body_with(t->place, text), false);
  if (!r.ok) fail_msg("%s: %s", t->place, r.err.msg);
  AUTO(json_auto_decref) json_t *body = as_body(&r);
  const char *key;
  const json_t *object = holder(body, t->place, &key);
  bool cut = kept < text.len;
  assert_true(str_eq(json_member_str(object, key), (struct str){text.data, kept}));
  assert_int_equal(json_array_size(r.clamped), cut ? 1 : 0);
  if (cut) CHECK_STR(json_str(json_array_get(r.clamped, 0)), t->place);
  if (!t->whole) {
    assert_int_equal(json_object_size(object), strchr(t->place, '[') ? 2 : 6); // nothing was added
    return;
  }
  struct digest whole = hash_of(text);
  if (cut)
    CHECK_STR(json_member_str(object, t->whole), digest_format(&whole).text);
  else
    assert_null(json_object_get(object, t->whole));
}

static void a_text_is_kept_up_to_its_limit_and_cut_at_a_code_point_behind_it(void **state) {
  (void)state;
  for (const struct text_limit *t = text_limits; t < text_limits + TEXT_LIMITS; t++) {
    check_text(t, t->limit, "", t->limit);
    check_text(t, t->limit - 2, "\xc3\xa9", t->limit);
    check_text(t, t->limit, "y", t->limit);
    check_text(t, t->limit - 1, "\xc3\xa9", t->limit - 1);
    check_text(t, t->limit - 1, "\xe2\x82\xacyy", t->limit - 1);
    check_text(t, t->limit - 3, "\xf0\x9f\x98\x80", t->limit - 3);
  }
}

static void a_strict_reading_refuses_instead_of_cutting(void **state) {
  (void)state;
  for (const struct text_limit *t = text_limits; t < text_limits + TEXT_LIMITS; t++) {
    AUTO(buf_done) struct buf buf;
    struct str text = long_text(&buf, t->limit - 1, "\xc3\xa9");
    AUTO(reading_done) struct reading over = read_json(body_with(t->place, text), true);
    assert_false(over.ok);
    assert_int_equal(over.err.code, ERR_BAD_REQUEST);
    assert_string_equal(over.err.place, t->place);
    assert_false(str_present(over.read.name)); // untouched
    char words[128];
    snprintf(words, sizeof words, "The text has %zu bytes, the limit is %zu", t->limit + 1, t->limit);
    CHECK_ERR(&over.err, ERR_BAD_REQUEST, words);
    AUTO(reading_done)
    struct reading exact = read_json(body_with(t->place, (struct str){text.data, t->limit - 1}), true);
    assert_true(exact.ok);
  }
}

static void texts_with_a_common_beginning_stay_two(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  struct str text = long_text(&buf, INPUT_MAX_BYTES + 1, "");
  AUTO(json_auto_decref)
  json_t *first = body_with("steps[0].input", text);
  buf.data[INPUT_MAX_BYTES] = 'y';
  AUTO(reading_done) struct reading a = read_json(json_incref(first), false);
  AUTO(reading_done) struct reading b = read_json(body_with("steps[0].input", text), false);
  assert_true(a.ok && b.ok);
  assert_true(str_eq(member(a.steps, 0, "input"), member(b.steps, 0, "input")));
  assert_false(str_eq(member(a.steps, 0, "input_whole"), member(b.steps, 0, "input_whole")));
}

static void every_cut_is_listed(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  struct str text = long_text(&buf, OUTPUT_MAX_BYTES + 1, "");
  json_t *body = body_with("description", text);
  for (const struct text_limit *t = text_limits; t < text_limits + TEXT_LIMITS; t++) {
    const char *key;
    json_t *object = holder(body, t->place, &key);
    json_object_set_new(object, key, json_stringn(text.data, text.len));
  }
  AUTO(reading_done) struct reading r = read_json(body, false);
  assert_true(r.ok);
  assert_int_equal(json_array_size(r.clamped), TEXT_LIMITS);
  for (size_t i = 0; i < TEXT_LIMITS; i++) CHECK_STR(json_str(json_array_get(r.clamped, i)), text_limits[i].place);
}

// ---- names ----

static void a_blank_name_is_refused(void **state) {
  (void)state;
  check_refused("{\"name\":\"\"," STEPS "}", ERR_BAD_REQUEST, "name", "must not be blank");
  check_refused("{\"name\":\" \\t\\r\\n\"," STEPS "}", ERR_BAD_REQUEST, "name", "must not be blank");
}

static void a_name_that_is_blank_once_it_is_cut_is_refused(void **state) {
  (void)state;
  AUTO(buf_done) struct buf body;
  buf_init(&body, 4096);
  buf_add_c(&body, "{\"name\":\"");
  for (int i = 0; i < NAME_MAX_BYTES; i++) buf_add_char(&body, ' ');
  buf_add_c(&body, "n\"," STEPS "}");
  check_refused(body.data, ERR_BAD_REQUEST, "name", "must not be blank");
}

static json_t *body_with_variant(size_t name_bytes) {
  json_t *body = parse(STR("{\"name\":\"n\"," STEPS "}"));
  AUTO(buf_done) struct buf name;
  long_text(&name, name_bytes, "");
  json_t *variants = json_object();
  json_object_setn_new(variants, name.data ? name.data : "", name.len, json_object());
  json_object_set_new(body, "variants", variants);
  return body;
}

static void the_name_of_a_variant_is_a_name_and_never_cut(void **state) {
  (void)state;
  static const struct {
    size_t bytes;
    bool ok;
  } cases[] = {{0, false}, {1, true}, {NAME_MAX_BYTES, true}, {NAME_MAX_BYTES + 1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AUTO(reading_done) struct reading r = read_json(body_with_variant(cases[i].bytes), false);
    assert_int_equal(r.ok, cases[i].ok);
    if (r.ok) continue;
    CHECK_ERR(&r.err, ERR_BAD_REQUEST, "A variant's name has 1 to 200 bytes.");
    assert_string_equal(r.err.place, "variants");
  }
}

static void a_variant_keeps_its_overlay_and_nothing_is_added(void **state) {
  (void)state;
  AUTO(reading_done)
  struct reading r = read_body("{\"name\":\"n\"," STEPS ",\"variants\":{\"label \\\"1\\\"\":{},\"b\":{\"mocks\":"
                               "[{\"resource\":\"r\",\"response\":\"a\"}]}}}");
  assert_true(r.ok);
  CHECK_STR(r.read.variant_names, "[\"label \\\"1\\\"\",\"b\"]");
  CHECK_STR(r.read.variants, "{\"label \\\"1\\\"\":{},\"b\":{\"mocks\":[{\"resource\":\"r\",\"response\":\"a\"}]}}");
}

// ---- what this engine can't honour ----

static void scripts_and_agents_are_refused_as_unavailable(void **state) {
  (void)state;
  check_refused("{\"name\":\"n\"," STEPS ",\"script\":\"return 1\"}", ERR_UNAVAILABLE, "script", "nothing was stored");
  check_refused("{\"name\":\"n\"," STEPS ",\"script\":null}", ERR_UNAVAILABLE, "script", "nothing was stored");
  check_refused("{\"name\":\"n\"," STEPS ",\"agent\":{}}", ERR_UNAVAILABLE, "agent", "Nothing was stored");
  check_refused("{\"name\":\"n\"," STEPS ",\"agent\":null}", ERR_UNAVAILABLE, "agent", "Nothing was stored");
}

// ---- mocks on their own ----

static void a_list_of_mocks_on_its_own_is_read_the_same_way(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  AUTO(buf_done) struct buf buf;
  struct str text = long_text(&buf, INPUT_MAX_BYTES, "y"), mocks, clamped;
  AUTO(json_auto_decref) json_t *list = json_pack("[{ss, ss%}]", "response", "a", "resource", text.data, text.len);
  struct err err = {0};
  assert_true(scenario_read_mocks(list, "mocks", false, arena, &mocks, &clamped, &err));
  CHECK_STR(clamped, "[\"mocks[0].resource\"]");
  AUTO(json_auto_decref) json_t *read = parse(mocks);
  struct digest whole = hash_of(text);
  CHECK_STR(member(read, 0, "resource_whole"), digest_format(&whole).text);
  assert_int_equal(member(read, 0, "resource").len, INPUT_MAX_BYTES);

  mocks = clamped = STR("untouched");
  assert_false(scenario_read_mocks(list, "mocks", true, arena, &mocks, &clamped, &err));
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_string_equal(err.place, "mocks[0].resource");
  CHECK_STR(mocks, "untouched");
  CHECK_STR(clamped, "untouched");
}

static void without_mocks_the_list_is_empty(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct str mocks, clamped = STR("untouched");
  struct err err = {0};
  assert_true(scenario_read_mocks(NULL, "mocks", true, arena, &mocks, &clamped, &err));
  CHECK_STR(mocks, "[]");
  assert_false(str_present(clamped));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_left_out_has_a_default),
      cmocka_unit_test(what_is_given_is_kept_to_the_byte),
      cmocka_unit_test(the_body_stays_what_was_sent),
      cmocka_unit_test(step_keys_must_differ),
      cmocka_unit_test(keys_that_are_equal_once_they_are_cut_are_refused),
      cmocka_unit_test(the_steps_of_different_variants_may_share_keys),
      cmocka_unit_test(a_text_is_kept_up_to_its_limit_and_cut_at_a_code_point_behind_it),
      cmocka_unit_test(a_strict_reading_refuses_instead_of_cutting),
      cmocka_unit_test(texts_with_a_common_beginning_stay_two),
      cmocka_unit_test(every_cut_is_listed),
      cmocka_unit_test(a_blank_name_is_refused),
      cmocka_unit_test(a_name_that_is_blank_once_it_is_cut_is_refused),
      cmocka_unit_test(the_name_of_a_variant_is_a_name_and_never_cut),
      cmocka_unit_test(a_variant_keeps_its_overlay_and_nothing_is_added),
      cmocka_unit_test(scripts_and_agents_are_refused_as_unavailable),
      cmocka_unit_test(a_list_of_mocks_on_its_own_is_read_the_same_way),
      cmocka_unit_test(without_mocks_the_list_is_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
