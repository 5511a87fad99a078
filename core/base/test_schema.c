// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/mem.h"
#include "base/schema.h"
#include "base/utf8.h"

static const struct schema text = {.kind = SCHEMA_STRING};
static const struct schema text_or_null = {.kind = SCHEMA_STRING, .nullable = true};
static const struct schema filled_text = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = 8, .strict_bytes = true};
static const struct schema clamped_text = {.kind = SCHEMA_STRING, .max_bytes = 8};
static const struct schema count = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = 100};
static const struct schema share = {.kind = SCHEMA_NUMBER, .bounded = true, .min = 0, .max = 1};
static const struct schema number = {.kind = SCHEMA_NUMBER};
static const struct schema truth = {.kind = SCHEMA_BOOLEAN};
static const struct schema anything = {.kind = SCHEMA_ANY};
static const char *const order_values[] = {"a", "b", "c", NULL};
static const struct schema order = {.kind = SCHEMA_STRING, .values = order_values};

static const struct schema_member step_members[] = {
    {"key", &text, false, NULL},
    {"input", &text, true, NULL},
    {NULL, NULL, false, NULL},
};
static const struct schema step = {.kind = SCHEMA_OBJECT, .members = step_members};
static const struct schema steps = {.kind = SCHEMA_ARRAY, .items = &step, .non_empty = true};
static const struct schema limits = {.kind = SCHEMA_MAP, .items = &count};
static const struct schema list = {.kind = SCHEMA_ARRAY};
static const struct schema free_map = {.kind = SCHEMA_MAP};
static const struct schema *const step_or_text[] = {&filled_text, &step, NULL};
static const struct schema answer = {.kind = SCHEMA_ONE_OF, .alternatives = step_or_text};
static const struct schema nothing = {.kind = SCHEMA_OBJECT};

static const struct schema_member members[] = {
    {"name", &filled_text, true, NULL}, {"note", &text_or_null, false, NULL}, {"label", &clamped_text, false, NULL},
    {"count", &count, false, NULL},     {"share", &share, false, NULL},       {"size", &number, false, NULL},
    {"on", &truth, false, NULL},        {"extra", &anything, false, NULL},    {"order", &order, false, NULL},
    {"steps", &steps, false, NULL},     {"limits", &limits, false, NULL},     {"list", &list, false, NULL},
    {"map", &free_map, false, NULL},    {"nothing", &nothing, false, NULL},   {"answer", &answer, false, NULL},
    {NULL, NULL, false, NULL},
};
static const struct schema document = {.kind = SCHEMA_OBJECT, .members = members};

static bool check(const struct schema *shape, const char *json_text, struct err *err) {
  AUTO(json_auto_decref) json_t *json = NULL;
  if (!json_read(str_c(json_text), &json, err)) fail_msg("%s: %s", json_text, err->msg);
  return schema_check(shape, json, err);
}

static void assert_accepted(const struct schema *shape, const char *json_text) {
  struct err err = {0};
  if (!check(shape, json_text, &err)) fail_msg("refused %s: %s: %s", json_text, err.place, err.msg);
}

static void assert_refused_by(const struct schema *shape, const char *json_text, const char *place, const char *msg) {
  struct err err = {0};
  if (check(shape, json_text, &err)) fail_msg("accepted %s", json_text);
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_string_equal(err.place, place);
  assert_string_equal(err.msg, msg);
}

static void assert_refused(const char *json_text, const char *place, const char *msg) {
  assert_refused_by(&document, json_text, place, msg);
}

static void what_has_the_shape_is_accepted(void **state) {
  (void)state;
  assert_accepted(&document, "{\"name\":\"n\"}");
  assert_accepted(&document,
                  "{\"name\":\"12345678\",\"note\":null,\"label\":\"longer than 8 bytes\",\"count\":1,"
                  "\"share\":1,\"size\":-1.5e300,\"on\":false,\"extra\":null,\"order\":\"b\","
                  "\"steps\":[{\"input\":\"\"},{\"input\":\"x\",\"key\":\"k\"}],\"limits\":{\"\":100,\"b\":2},"
                  "\"list\":[1,null,[{}]],\"map\":{\"a\":{}},\"nothing\":{}}");
  assert_accepted(&document, "{\"name\":\"n\",\"note\":\"x\",\"list\":[],\"map\":{},\"limits\":{},\"share\":0.5}");
  assert_accepted(&anything, "[{\"a\":1}]");
  assert_accepted(&text_or_null, "null");
}

static void an_unknown_member_is_named_with_the_nearest_known(void **state) {
  (void)state;
  assert_refused("{\"name\":\"n\",\"steps\":[{\"inptu\":\"x\"}]}", "steps[0].inptu",
                 "Unknown member 'inptu'; did you mean 'input'?");
  // A misspelt member is not reported as a missing one.
  assert_refused("{\"nmae\":\"n\"}", "nmae", "Unknown member 'nmae'; did you mean 'name'?");
  assert_refused("{\"name\":\"n\",\"steps\":[{\"input\":\"x\"},{\"input\":\"\",\"colour\":1}]}", "steps[1].colour",
                 "Unknown member 'colour'; known are key, input.");
  assert_refused("{\"name\":\"n\",\"nothing\":{\"x\":1}}", "nothing.x", "Unknown member 'x'; none is known here.");
}

static void a_wrong_type_is_named_with_what_was_expected(void **state) {
  (void)state;
  assert_refused("[]", "", "Expected an object, found an array.");
  assert_refused("{\"name\":1}", "name", "Expected a string, found an integer.");
  assert_refused("{\"name\":null}", "name", "Expected a string, found null.");
  assert_refused("{\"name\":\"n\",\"note\":true}", "note", "Expected a string or null, found a boolean.");
  assert_refused("{\"name\":\"n\",\"count\":1.0}", "count",
                 "Expected an integer, found a number with a fraction or exponent.");
  assert_refused("{\"name\":\"n\",\"size\":\"1\"}", "size", "Expected a number, found a string.");
  assert_refused("{\"name\":\"n\",\"on\":0}", "on", "Expected a boolean, found an integer.");
  assert_refused("{\"name\":\"n\",\"steps\":{}}", "steps", "Expected an array, found an object.");
  assert_refused("{\"name\":\"n\",\"steps\":[\"x\"]}", "steps[0]", "Expected an object, found a string.");
  assert_refused("{\"name\":\"n\",\"limits\":[]}", "limits", "Expected an object, found an array.");
}

static void the_alternative_of_the_values_type_counts(void **state) {
  (void)state;
  assert_accepted(&document, "{\"name\":\"n\",\"answer\":\"x\"}");
  assert_accepted(&document, "{\"name\":\"n\",\"answer\":{\"input\":\"x\"}}");
  assert_refused("{\"name\":\"n\",\"answer\":\"\"}", "answer", "Must not be empty.");
  assert_refused("{\"name\":\"n\",\"answer\":{}}", "answer.input", "Member 'input' is missing.");
  assert_refused("{\"name\":\"n\",\"answer\":7}", "answer", "Expected a string or an object, found an integer.");
}

static void a_missing_member_is_named(void **state) {
  (void)state;
  assert_refused("{}", "name", "Member 'name' is missing.");
  assert_refused("{\"name\":\"n\",\"steps\":[{\"input\":\"\"},{\"key\":\"k\"}]}", "steps[1].input",
                 "Member 'input' is missing.");
}

static void numbers_out_of_bounds_are_refused(void **state) {
  (void)state;
  assert_refused("{\"name\":\"n\",\"count\":101}", "count", "Expected an integer from 1 to 100, found 101.");
  assert_refused("{\"name\":\"n\",\"count\":0}", "count", "Expected an integer from 1 to 100, found 0.");
  assert_refused("{\"name\":\"n\",\"share\":1.5}", "share", "Expected a number from 0 to 1, found 1.5.");
  assert_refused("{\"name\":\"n\",\"share\":-1}", "share", "Expected a number from 0 to 1, found -1.");
  assert_accepted(&count, "100");
}

static void a_value_outside_the_set_is_refused(void **state) {
  (void)state;
  assert_refused("{\"name\":\"n\",\"order\":\"x\"}", "order", "Unknown value 'x'; expected one of a, b, c.");
  assert_refused("{\"name\":\"n\",\"order\":\"\"}", "order", "Unknown value ''; expected one of a, b, c.");
  assert_refused(
      "{\"name\":\"n\",\"order\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}", "order",
      "Unknown value '0123456789012345678901234567890123456789012345678901234567890123…'; expected one of a, "
      "b, c.");
}

static void empty_where_something_must_be_is_refused(void **state) {
  (void)state;
  assert_refused("{\"name\":\"\"}", "name", "Must not be empty.");
  assert_refused("{\"name\":\"n\",\"steps\":[]}", "steps", "Must not be empty.");
}

static void strict_text_limits_count_bytes(void **state) {
  (void)state;
  assert_accepted(&filled_text, "\"éééé\"");
  assert_refused("{\"name\":\"éééé.\"}", "name", "Expected at most 8 bytes, found 9.");
}

static void a_map_checks_the_members_it_knows(void **state) {
  (void)state;
  static const struct schema word = {.kind = SCHEMA_STRING}, whole = {.kind = SCHEMA_INTEGER};
  static const struct schema_member known[] = {{"runner", &word, false, NULL}, {0}};
  static const struct schema open = {.kind = SCHEMA_MAP, .members = known};
  static const struct schema numbers = {.kind = SCHEMA_MAP, .members = known, .items = &whole};
  assert_accepted(&open, "{}");
  assert_accepted(&open, "{\"runner\":\"r\",\"other\":[1]}");
  assert_refused_by(&open, "{\"runner\":1}", "runner", "Expected a string, found an integer.");
  assert_accepted(&numbers, "{\"runner\":\"r\",\"other\":1}");
  assert_refused_by(&numbers, "{\"other\":\"r\"}", "other", "Expected an integer, found a string.");
}

static void the_place_names_members_of_maps(void **state) {
  (void)state;
  assert_refused("{\"name\":\"n\",\"limits\":{\"a-b_1\":0}}", "limits.a-b_1",
                 "Expected an integer from 1 to 100, found 0.");
  assert_refused("{\"name\":\"n\",\"limits\":{\"a.b\\n\":0}}", "limits[\"a.b\\n\"]",
                 "Expected an integer from 1 to 100, found 0.");
  assert_refused("{\"name\":\"n\",\"limits\":{\"\":0}}", "limits[\"\"]", "Expected an integer from 1 to 100, found 0.");
}

static void a_place_within_an_array_at_the_top_starts_with_its_index(void **state) {
  (void)state;
  struct err err = {0};
  assert_false(check(&steps, "[{\"input\":\"x\"},{\"input\":2}]", &err));
  assert_string_equal(err.place, "[1].input");
}

static const struct schema tree;
static const struct schema branches = {.kind = SCHEMA_ARRAY, .items = &tree};
static const struct schema_member tree_members[] = {{"children", &branches, true, NULL}, {NULL, NULL, false, NULL}};
static const struct schema tree = {.kind = SCHEMA_OBJECT, .members = tree_members};

static void a_shape_may_contain_itself(void **state) {
  (void)state;
  assert_accepted(&tree, "{\"children\":[{\"children\":[]},{\"children\":[{\"children\":[]}]}]}");
  struct err err = {0};
  assert_false(check(&tree, "{\"children\":[{\"children\":[]},{\"children\":[{}]}]}", &err));
  assert_string_equal(err.place, "children[1].children[0].children");
}

static void long_names_leave_the_report_well_formed(void **state) {
  (void)state;
  AUTO(buf_done) struct buf json;
  buf_init(&json, 100000);
  buf_add_c(&json, "{\"name\":\"n\",\"limits\":{\"a");
  for (int i = 0; i < 20000; i++) buf_add_c(&json, "é");
  buf_add_c(&json, "\":0}}");
  struct err err = {0};
  assert_false(check(&document, buf_str(&json).data, &err));
  assert_true(utf8_valid(str_c(err.place), NULL));
  assert_string_equal(err.msg, "Expected an integer from 1 to 100, found 0.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_has_the_shape_is_accepted),
      cmocka_unit_test(an_unknown_member_is_named_with_the_nearest_known),
      cmocka_unit_test(a_wrong_type_is_named_with_what_was_expected),
      cmocka_unit_test(the_alternative_of_the_values_type_counts),
      cmocka_unit_test(a_missing_member_is_named),
      cmocka_unit_test(numbers_out_of_bounds_are_refused),
      cmocka_unit_test(a_value_outside_the_set_is_refused),
      cmocka_unit_test(empty_where_something_must_be_is_refused),
      cmocka_unit_test(strict_text_limits_count_bytes),
      cmocka_unit_test(a_map_checks_the_members_it_knows),
      cmocka_unit_test(the_place_names_members_of_maps),
      cmocka_unit_test(a_place_within_an_array_at_the_top_starts_with_its_index),
      cmocka_unit_test(a_shape_may_contain_itself),
      cmocka_unit_test(long_names_leave_the_report_well_formed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
