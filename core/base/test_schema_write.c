// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/mem.h"
#include "base/schema.h"

static void assert_written(const struct schema *shape, const char *expected) {
  AUTO(buf_done) struct buf out;
  buf_init(&out, 65536);
  schema_write(shape, &out);
  assert_string_equal(buf_str(&out).data, expected);
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err err = {0};
  assert_true(json_read(buf_str(&out), &json, &err));
}

static const char *const order_values[] = {"asc", "desc", NULL};

static const struct schema some_text = {.kind = SCHEMA_STRING}, some_map = {.kind = SCHEMA_MAP};
static const struct schema *const text_or_map[] = {&some_text, &some_map, NULL};

static void plain_shapes(void **state) {
  (void)state;
  const struct {
    struct schema shape;
    const char *expected;
  } cases[] = {
      {{.kind = SCHEMA_ANY}, "{}"},
      {{.kind = SCHEMA_ANY, .doc = "Whatever.", .nullable = true}, "{\"description\":\"Whatever.\"}"},
      {{.kind = SCHEMA_BOOLEAN}, "{\"type\":\"boolean\"}"},
      {{.kind = SCHEMA_NUMBER, .nullable = true}, "{\"type\":[\"number\",\"null\"]}"},
      {{.kind = SCHEMA_INTEGER, .bounded = true, .min = -1, .max = 100},
       "{\"type\":\"integer\",\"minimum\":-1,\"maximum\":100}"},
      {{.kind = SCHEMA_INTEGER, .min = 1, .max = 2}, "{\"type\":\"integer\"}"},
      {{.kind = SCHEMA_STRING, .format = "uuid", .doc = "An \"id\"."},
       "{\"type\":\"string\",\"description\":\"An \\\"id\\\".\",\"format\":\"uuid\"}"},
      {{.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = 200},
       "{\"type\":\"string\",\"minLength\":1,\"x-max-bytes\":200}"},
      {{.kind = SCHEMA_STRING, .max_bytes = 200, .strict_bytes = true},
       "{\"type\":\"string\",\"maxLength\":200,\"x-max-bytes\":200}"},
      {{.kind = SCHEMA_STRING, .values = order_values}, "{\"type\":\"string\",\"enum\":[\"asc\",\"desc\"]}"},
      {{.kind = SCHEMA_STRING, .values = order_values, .nullable = true},
       "{\"type\":[\"string\",\"null\"],\"enum\":[\"asc\",\"desc\",null]}"},
      {{.kind = SCHEMA_ONE_OF, .alternatives = text_or_map},
       "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"object\",\"additionalProperties\":true}]}"},
      {{.kind = SCHEMA_ARRAY}, "{\"type\":\"array\"}"},
      {{.kind = SCHEMA_MAP}, "{\"type\":\"object\",\"additionalProperties\":true}"},
      {{.kind = SCHEMA_OBJECT}, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) assert_written(&cases[i].shape, cases[i].expected);
}

static const struct schema text = {.kind = SCHEMA_STRING, .doc = "Any text."};
static const struct schema texts = {.kind = SCHEMA_ARRAY, .items = &text, .non_empty = true, .nullable = true};
static const struct schema text_map = {.kind = SCHEMA_MAP, .items = &text};
static const struct schema_member map_members[] = {{"kind", &text, false, NULL}, {0}};
static const struct schema open_map = {.kind = SCHEMA_MAP, .members = map_members};

static void arrays_and_maps_describe_their_values(void **state) {
  (void)state;
  assert_written(&texts, "{\"type\":[\"array\",\"null\"],\"minItems\":1,"
                         "\"items\":{\"type\":\"string\",\"description\":\"Any text.\"}}");
  assert_written(&open_map,
                 "{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"string\",\"description\":\"Any text.\"}},"
                 "\"additionalProperties\":true}");
  assert_written(&text_map, "{\"type\":\"object\","
                            "\"additionalProperties\":{\"type\":\"string\",\"description\":\"Any text.\"}}");
}

static const struct schema_member step_members[] = {{"input", &text, true, NULL}, {NULL, NULL, false, NULL}};
static const struct schema step = {.kind = SCHEMA_OBJECT, .name = "Step", .doc = "A step.", .members = step_members};
static const struct schema step_or_null = {
    .kind = SCHEMA_OBJECT, .name = "Step", .members = step_members, .nullable = true};
static const struct schema steps = {.kind = SCHEMA_ARRAY, .items = &step};
static const struct schema_member scenario_members[] = {
    {"name", &text, true, "How people call it."},
    {"note", &text, false, NULL},
    {"steps", &steps, true, NULL},
    {"first", &step, false, "The one to start with."},
    {"last", &step_or_null, false, "The one to end with."},
    {NULL, NULL, false, NULL},
};
static const struct schema scenario = {
    .kind = SCHEMA_OBJECT, .name = "Scenario", .doc = "What is run.", .members = scenario_members};

static void a_named_shape_is_written_out_and_refers_to_others(void **state) {
  (void)state;
  assert_written(&scenario,
                 "{\"type\":\"object\",\"description\":\"What is run.\",\"properties\":{"
                 "\"name\":{\"type\":\"string\",\"description\":\"How people call it.\"},"
                 "\"note\":{\"type\":\"string\",\"description\":\"Any text.\"},"
                 "\"steps\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Step\"}},"
                 "\"first\":{\"description\":\"The one to start with.\",\"$ref\":\"#/components/schemas/Step\"},"
                 "\"last\":{\"description\":\"The one to end with.\","
                 "\"anyOf\":[{\"$ref\":\"#/components/schemas/Step\"},{\"type\":\"null\"}]}},"
                 "\"required\":[\"name\",\"steps\"],\"additionalProperties\":false}");
}

static void a_component_is_the_same_whichever_use_it_is_taken_from(void **state) {
  (void)state;
  const char *expected = "{\"type\":\"object\",\"properties\":{"
                         "\"input\":{\"type\":\"string\",\"description\":\"Any text.\"}},"
                         "\"required\":[\"input\"],\"additionalProperties\":false}";
  struct schema without_doc = step;
  without_doc.doc = NULL;
  assert_written(&without_doc, expected);
  assert_written(&step_or_null, expected);
}

static void writing_appends(void **state) {
  (void)state;
  AUTO(buf_done) struct buf out;
  buf_init(&out, 100);
  buf_add_c(&out, "x=");
  schema_write(&(const struct schema){.kind = SCHEMA_BOOLEAN}, &out);
  assert_string_equal(out.data, "x={\"type\":\"boolean\"}");
}

static void note_name(const struct schema *named, void *ctx) {
  buf_addf(ctx, "%s ", named->name);
}

static const struct schema tree;
static const struct schema branches = {.kind = SCHEMA_ARRAY, .items = &tree};
static const struct schema_member tree_members[] = {
    {"children", &branches, true, NULL}, {"step", &step, false, NULL}, {NULL, NULL, false, NULL}};
static const struct schema tree = {.kind = SCHEMA_OBJECT, .name = "Tree", .members = tree_members};

static void walking_visits_every_named_shape_and_ends(void **state) {
  (void)state;
  AUTO(buf_done) struct buf names;
  buf_init(&names, 1000);
  schema_walk(&scenario, note_name, &names);
  assert_string_equal(buf_str(&names).data, "Scenario Step Step Step ");
  buf_clear(&names);
  schema_walk(&steps, note_name, &names);
  assert_string_equal(buf_str(&names).data, "Step ");
  buf_clear(&names);
  schema_walk(&tree, note_name, &names);
  assert_string_equal(buf_str(&names).data, "Tree Step ");
  buf_clear(&names);
  schema_walk(&text, note_name, &names);
  assert_string_equal(buf_str(&names).data, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_shapes),
      cmocka_unit_test(arrays_and_maps_describe_their_values),
      cmocka_unit_test(a_named_shape_is_written_out_and_refers_to_others),
      cmocka_unit_test(a_component_is_the_same_whichever_use_it_is_taken_from),
      cmocka_unit_test(writing_appends),
      cmocka_unit_test(walking_visits_every_named_shape_and_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
