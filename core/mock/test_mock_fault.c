// SPDX-License-Identifier: Apache-2.0
// What goes wrong on purpose, and how long it takes.
#include "mock/test_mock.h"

static void assert_fault(struct subject *subject, const char *resource, enum mock_fault fault, const char *response) {
  struct mock_answer answer = resolve(subject, resource);
  assert_true(answer.hit);
  assert_int_equal(answer.fault, fault);
  assert_text(answer.response, response);
}

static void a_fault_has_its_text(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'error','response':{'fault':'error'}},"
                      "{'resource':'error text','response':{'fault':'error','text':'503'}},"
                      "{'resource':'error empty','response':{'fault':'error','text':''}},"
                      "{'resource':'timeout','response':{'fault':'timeout'}},"
                      "{'resource':'empty','response':{'fault':'empty'}},"
                      "{'resource':'malformed','response':{'fault':'malformed'}},"
                      "{'resource':'malformed text','response':{'fault':'malformed','text':'abcdefg'}},"
                      "{'resource':'malformed é','response':{'fault':'malformed','text':'aéb'}}]");
  assert_fault(&subject, "error", MOCK_FAULT_ERROR, "[[mock-fault:error]]");
  assert_fault(&subject, "error text", MOCK_FAULT_ERROR, "[[mock-fault:error:503]]");
  assert_fault(&subject, "error empty", MOCK_FAULT_ERROR, "[[mock-fault:error]]");
  assert_fault(&subject, "timeout", MOCK_FAULT_TIMEOUT, "[[mock-fault:timeout]]");
  assert_fault(&subject, "empty", MOCK_FAULT_EMPTY, "");
  assert_fault(&subject, "malformed", MOCK_FAULT_MALFORMED, "{\"status\":\"ok\",");
  assert_fault(&subject, "malformed text", MOCK_FAULT_MALFORMED, "abc");
  assert_fault(&subject, "malformed é", MOCK_FAULT_MALFORMED, "a");
  static const char *const names[] = {"none", "error", "timeout", "empty", "malformed", "huge"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_string_equal(mock_fault_names[i], names[i]);
  close_run(&subject);
}

static void a_huge_answer_is_its_text_over_and_over(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'x','response':{'fault':'huge'}},"
                      "{'resource':'text','response':{'fault':'huge','text':'€'}},"
                      "{'resource':'empty','response':{'fault':'huge','text':''}}]");
  struct mock_answer answer = resolve(&subject, "x");
  assert_int_equal(answer.fault, MOCK_FAULT_HUGE);
  assert_int_equal(answer.response.len, MOCK_HUGE_BYTES);
  for (size_t i = 0; i < answer.response.len; i++) assert_int_equal(answer.response.data[i], 'x');
  answer = resolve(&subject, "text");
  assert_int_equal(answer.response.len, MOCK_HUGE_BYTES - 1); // no part of a character
  assert_memory_equal(answer.response.data + answer.response.len - 6, "€€", 6);
  assert_int_equal(resolve(&subject, "empty").response.len, MOCK_HUGE_BYTES);
  close_run(&subject);
}

static void ordinary_text_is_never_a_fault(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','response':'[[mock-fault:error]]'},{'resource':'b','response':''}]");
  assert_fault(&subject, "a", MOCK_FAULT_NONE, "[[mock-fault:error]]");
  assert_fault(&subject, "b", MOCK_FAULT_NONE, "");
  close_run(&subject);
}

static void faults_take_their_turn_in_a_list(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject,
            "[{'resource':'a','responses':['1',{'fault':'error','text':'503'},{'text':'3'},{'fault':'empty'}],"
            "'exhausted':'cycle'}]");
  for (int i = 0; i < 2; i++) {
    assert_fault(&subject, "a", MOCK_FAULT_NONE, "1");
    assert_fault(&subject, "a", MOCK_FAULT_ERROR, "[[mock-fault:error:503]]");
    assert_fault(&subject, "a", MOCK_FAULT_NONE, "3");
    assert_fault(&subject, "a", MOCK_FAULT_EMPTY, "");
  }
  close_run(&subject);
}

static void a_delay_is_the_answers_or_else_the_mocks(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'none','response':'A'},{'resource':'mock','response':'A','delay_ms':250},"
                      "{'resource':'list','responses':['1',{'text':'2','delay_ms':7},{'text':'3','delay_ms':0},"
                      "{'fault':'timeout'}],'delay_ms':100},{'resource':'timeout','response':{'fault':'timeout'}},"
                      "{'resource':'short','response':{'fault':'timeout','delay_ms':5}},"
                      "{'resource':'error','response':{'fault':'error'}}]");
  static const struct {
    const char *resource;
    int64_t delay_ms;
  } cases[] = {{"none", 0},  {"mock", 250}, {"mock", 250}, {"list", 100},
               {"list", 7},  {"list", 0},   {"list", 100}, {"timeout", MOCK_TIMEOUT_MS},
               {"short", 5}, {"error", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mock_answer answer = resolve(&subject, cases[i].resource);
    assert_true(answer.hit);
    assert_int_equal(answer.delay_ms, cases[i].delay_ms);
  }
  close_run(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fault_has_its_text),
      cmocka_unit_test(a_huge_answer_is_its_text_over_and_over),
      cmocka_unit_test(ordinary_text_is_never_a_fault),
      cmocka_unit_test(faults_take_their_turn_in_a_list),
      cmocka_unit_test(a_delay_is_the_answers_or_else_the_mocks),
  };
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
