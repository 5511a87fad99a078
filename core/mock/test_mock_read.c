// SPDX-License-Identifier: Apache-2.0
// Mocks as strangers write them: made one form, or refused with the place and what to do.
#include "mock/test_mock.h"

static bool read_text(json_t *mock, size_t *bytes, struct err *err) {
  return schema_check(&mock_shape, mock, err) && mock_read(mock, "mocks[3]", bytes, err);
}

static void check_stored(const char *sent, const char *stored) {
  json_t *mock = json_of(sent), *expected = json_of(stored);
  struct err err = {0};
  size_t bytes = 0;
  if (!read_text(mock, &bytes, &err)) fail_msg("%s: %s: %s", sent, err.place, err.msg);
  AUTO(mem_auto_free) char *text = json_dumps(mock, JSON_COMPACT);
  if (!json_equal(mock, expected)) fail_msg("%s is stored as %s", sent, text);
  if (!schema_check(&mock_stored_shape, mock, &err)) fail_msg("%s: %s: %s", text, err.place, err.msg);
  // What is stored can be sent again, and stays as it is.
  if (!read_text(mock, &bytes, &err)) fail_msg("%s: %s: %s", text, err.place, err.msg);
  assert_true(json_equal(mock, expected));
  json_decref(expected);
  json_decref(mock);
}

static void the_ways_to_write_a_matcher_become_one(void **state) {
  (void)state;
  check_stored("{'resource':'a','response':'A'}", "{'resource':'a','response':'A'}");
  check_stored("{'match':{'resource':'a'},'response':'A'}", "{'resource':'a','response':'A'}");
  check_stored("{'match':{'glob':'a*'},'response':'A'}", "{'match':{'glob':'a*'},'response':'A'}");
  check_stored("{'prefix':'a','response':'A'}", "{'match':{'prefix':'a'},'response':'A'}");
  check_stored("{'suffix':'a','response':'A'}", "{'match':{'suffix':'a'},'response':'A'}");
  check_stored("{'contains':'a','response':'A'}", "{'match':{'contains':'a'},'response':'A'}");
  check_stored("{'glob':'a','response':'A'}", "{'match':{'glob':'a'},'response':'A'}");
  check_stored("{'regex':'a','response':'A'}", "{'match':{'regex':'a'},'response':'A'}");
  check_stored("{'json':{'equal':null},'response':'A'}", "{'match':{'json':{'equal':null}},'response':'A'}");
  check_stored("{'all':[{'prefix':'a'},{'suffix':'b'}],'response':'A'}",
               "{'match':{'all':[{'prefix':'a'},{'suffix':'b'}]},'response':'A'}");
  check_stored("{'any':[{'resource':'a'}],'response':'A'}", "{'match':{'any':[{'resource':'a'}]},'response':'A'}");
  check_stored("{'none':[{'prefix':'a'}],'response':'A'}", "{'match':{'none':[{'prefix':'a'}]},'response':'A'}");
}

static void answers_stay_as_they_were_written(void **state) {
  (void)state;
  check_stored("{'resource':'a','response':''}", "{'resource':'a','response':''}");
  check_stored("{'resource':'a','response':{'text':'','delay_ms':0}}",
               "{'resource':'a','response':{'text':'','delay_ms':0}}");
  check_stored("{'resource':'a','responses':['A',{'fault':'timeout'},{'fault':'huge','text':'x'}],'exhausted':'cycle',"
               "'times':7,'required':true,'delay_ms':86400000}",
               "{'resource':'a','responses':['A',{'fault':'timeout'},{'fault':'huge','text':'x'}],'exhausted':'cycle',"
               "'times':7,'required':true,'delay_ms':86400000}");
}

static void what_says_nothing_is_left_out(void **state) {
  (void)state;
  check_stored("{'resource':'a','response':{'text':'A'},'required':false,'delay_ms':0}",
               "{'resource':'a','response':'A'}");
  check_stored("{'resource':'a','responses':[{'text':'A'},{'text':'B','delay_ms':0}],'exhausted':'miss'}",
               "{'resource':'a','responses':['A',{'text':'B','delay_ms':0}]}");
}

static void a_fault_of_a_mock_becomes_its_responses(void **state) {
  (void)state;
  check_stored("{'resource':'a','fault':'timeout'}", "{'resource':'a','response':{'fault':'timeout'}}");
  check_stored("{'prefix':'a','fault':'error','response':'503','times':2}",
               "{'match':{'prefix':'a'},'response':{'fault':'error','text':'503'},'times':2}");
}

static void check_refusal(const char *sent, const char *place, const char *message) {
  json_t *mock = json_of(sent);
  struct err err = {0};
  size_t bytes = 0;
  if (read_text(mock, &bytes, &err)) fail_msg("%s is taken", sent);
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  if (strcmp(err.place, place)) fail_msg("%s: place '%s'", sent, err.place);
  if (strcmp(err.msg, message)) fail_msg("%s: '%s'", sent, err.msg);
  json_decref(mock);
}

static void what_it_answers_is_said_once(void **state) {
  (void)state;
  static const char nothing[] = "The mock does not say what it answers; give it a resource, or a match.";
  static const char several[] = "The mock says in several ways what it answers; combine them with match and all.";
  check_refusal("{'response':'A'}", "mocks[3]", nothing);
  check_refusal("{'resource':'a','glob':'a*','response':'A'}", "mocks[3]", several);
  check_refusal("{'resource':'a','match':{'glob':'a*'},'response':'A'}", "mocks[3]", several);
  check_refusal("{'prefix':'a','suffix':'b','response':'A'}", "mocks[3]", several);
  check_refusal("{'match':{'prefix':'a','suffix':'b'},'response':'A'}", "mocks[3].match",
                "A matcher is exactly one of resource, prefix, suffix, contains, glob, regex, json, all, any and none; "
                "combine several with all.");
  check_refusal("{'match':{'any':[{'regex':'a'},{'regex':')'}]},'response':'A'}", "mocks[3].match.any[1].regex",
                "The regular expression can't be used: unmatched closing parenthesis (at byte 0).");
  check_refusal("{'regex':'a{2,1}','response':'A'}", "mocks[3].match.regex",
                "The regular expression can't be used: numbers out of order in {} quantifier (at byte 5).");
}

static void how_it_answers_is_said_once(void **state) {
  (void)state;
  static const char one[] = "Exactly one of response and responses is needed: how the mock answers.";
  static const char no_text[] = "The faults empty and timeout have no text; leave it out.";
  static const char nothing[] = "An answer needs a text or a fault.";
  check_refusal("{'resource':'a'}", "mocks[3]", one);
  check_refusal("{'resource':'a','response':'A','responses':['B']}", "mocks[3]", one);
  static const char two_faults[] = "A fault beside an answer that has its own members; put it into the answer.";
  check_refusal("{'resource':'a','fault':'error','responses':['A']}", "mocks[3].fault", two_faults);
  check_refusal("{'resource':'a','fault':'error','response':{'text':'A'}}", "mocks[3].fault", two_faults);
  check_refusal("{'resource':'a','fault':'empty','response':'A'}", "mocks[3].response", no_text);
  check_refusal("{'resource':'a','response':'A','exhausted':'repeat'}", "mocks[3].exhausted",
                "Only a list of responses can be exhausted; use responses, or times.");
  check_refusal("{'resource':'a','response':{}}", "mocks[3].response", nothing);
  check_refusal("{'resource':'a','response':{'delay_ms':7}}", "mocks[3].response", nothing);
  check_refusal("{'resource':'a','responses':['A',{'delay_ms':7}]}", "mocks[3].responses[1]", nothing);
  check_refusal("{'resource':'a','response':{'fault':'empty','text':''}}", "mocks[3].response", no_text);
  check_refusal("{'resource':'a','responses':[{'fault':'timeout','text':'x'}]}", "mocks[3].responses[0]", no_text);
}

static void the_shape_has_bounds(void **state) {
  (void)state;
  static const char *const refused[] = {
      "{'resource':'','response':'A'}",
      "{'prefix':'','response':'A'}",
      "{'contains':'','response':'A'}",
      "{'glob':'','response':'A'}",
      "{'all':[],'response':'A'}",
      "{'json':{'path':{'$':1},'like':1},'response':'A'}",
      "{'json':7,'response':'A'}",
      "{'match':'a','response':'A'}",
      "{'wildcard':'a','response':'A'}",
      "{'resource':'a','response':7}",
      "{'resource':'a','response':null}",
      "{'resource':'a','responses':[]}",
      "{'resource':'a','responses':['A'],'exhausted':'stop'}",
      "{'resource':'a','response':'A','times':0}",
      "{'resource':'a','response':'A','times':1000001}",
      "{'resource':'a','response':'A','times':1.5}",
      "{'resource':'a','response':'A','delay_ms':-1}",
      "{'resource':'a','response':'A','delay_ms':86400001}",
      "{'resource':'a','response':'A','required':1}",
      "{'resource':'a','response':{'fault':'none'}}",
      "{'resource':'a','response':{'fault':'slow'}}",
      "{'resource':'a','response':{'text':'A','status':503}}",
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    json_t *mock = json_of(refused[i]);
    struct err err = {0};
    if (schema_check(&mock_shape, mock, &err)) fail_msg("%s is taken", refused[i]);
    assert_int_equal(err.code, ERR_BAD_REQUEST);
    json_decref(mock);
  }
}

static bool shape_takes(const char *kind, size_t len) {
  AUTO(mem_auto_free) char *text = mem_zalloc(len + 1);
  memset(text, 'x', len);
  json_t *mock = json_pack("{ss,ss}", kind, text, "response", "A");
  struct err err = {0};
  bool taken = schema_check(&mock_shape, mock, &err);
  json_decref(mock);
  return taken;
}

static void a_pattern_is_never_cut(void **state) {
  (void)state;
  assert_true(shape_takes("glob", MOCK_PATTERN_MAX_BYTES));
  assert_false(shape_takes("glob", MOCK_PATTERN_MAX_BYTES + 1));
  assert_true(shape_takes("regex", MOCK_PATTERN_MAX_BYTES));
  assert_false(shape_takes("regex", MOCK_PATTERN_MAX_BYTES + 1));
  assert_true(shape_takes("prefix", MOCK_RESOURCE_MAX_BYTES));
  assert_false(shape_takes("prefix", MOCK_RESOURCE_MAX_BYTES + 1));
  assert_true(shape_takes("resource", MOCK_RESOURCE_MAX_BYTES + 1)); // cut, and marked as cut
}

static void the_matchers_of_a_scenario_have_a_bound_together(void **state) {
  (void)state;
  json_t *exact = json_of("{'resource':'a','response':'A'}");
  json_t *first = json_of("{'prefix':'a','response':'A'}"), *second = json_of("{'prefix':'a','response':'A'}");
  struct err err = {0};
  size_t bytes = 0;
  assert_true(mock_read(exact, "mocks[0]", &bytes, &err));
  assert_int_equal(bytes, 0);
  assert_true(mock_read(first, "mocks[0]", &bytes, &err));
  assert_in_range(bytes, 2, 500);
  bytes = MOCK_MATCHERS_MAX_BYTES - bytes;
  assert_true(mock_read(first, "mocks[0]", &bytes, &err));
  assert_int_equal(bytes, MOCK_MATCHERS_MAX_BYTES);
  assert_false(mock_read(second, "mocks[1]", &bytes, &err));
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_string_equal(err.place, "mocks[1].match");
  assert_string_equal(err.msg, "The matchers up to here take more than 32 MiB of memory; use fewer or simpler.");
  json_decref(exact);
  json_decref(first);
  json_decref(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ways_to_write_a_matcher_become_one),
      cmocka_unit_test(answers_stay_as_they_were_written),
      cmocka_unit_test(what_says_nothing_is_left_out),
      cmocka_unit_test(a_fault_of_a_mock_becomes_its_responses),
      cmocka_unit_test(what_it_answers_is_said_once),
      cmocka_unit_test(how_it_answers_is_said_once),
      cmocka_unit_test(the_shape_has_bounds),
      cmocka_unit_test(a_pattern_is_never_cut),
      cmocka_unit_test(the_matchers_of_a_scenario_have_a_bound_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
