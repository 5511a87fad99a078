// SPDX-License-Identifier: Apache-2.0
// How often a mock answers, and with what: each run counts for itself.
#include "mock/test_mock.h"

static void assert_use(struct subject *subject, const char *resource, int mock, const char *response, int64_t use) {
  struct mock_answer answer = resolve(subject, resource);
  if (!answer.hit) fail_msg("'%s' is a miss", resource);
  assert_int_equal(answer.mock, mock);
  assert_text(answer.response, response);
  assert_int_equal(answer.use, use);
}

static void one_response_answers_again_and_again(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','response':'A'},{'prefix':'b','response':'B'}]");
  for (int i = 0; i < 3; i++) {
    assert_use(&subject, "a", 0, "A", 0);
    assert_use(&subject, "b", 1, "B", 0);
  }
  close_run(&subject);
}

static void a_list_answers_in_order_and_ends(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','responses':['1','','3']},{'glob':'b*','responses':['x'],'exhausted':'miss'}]");
  assert_use(&subject, "a", 0, "1", 1);
  assert_use(&subject, "b1", 1, "x", 1);
  assert_use(&subject, "a", 0, "", 2);
  assert_use(&subject, "a", 0, "3", 3);
  for (int i = 0; i < 2; i++) {
    struct mock_answer answer = resolve(&subject, "a");
    assert_false(answer.hit);
    assert_text(answer.response, "[[mock-miss:a]]");
    assert_candidates(&answer, "0 used_up");
  }
  struct mock_answer answer = resolve(&subject, "b2");
  assert_false(answer.hit);
  assert_candidates(&answer, "1 used_up");
  close_run(&subject);
}

static void an_exhausted_list_may_repeat_its_last(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','responses':['1','2'],'exhausted':'repeat'}]");
  assert_use(&subject, "a", 0, "1", 1);
  for (int i = 2; i < 6; i++) assert_use(&subject, "a", 0, "2", i);
  close_run(&subject);
}

static void an_exhausted_list_may_begin_anew(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'prefix':'a','responses':['1','2','3'],'exhausted':'cycle'},"
                      "{'resource':'b','responses':['x'],'exhausted':'cycle'}]");
  static const char *const expected[] = {"1", "2", "3"};
  for (int i = 0; i < 10; i++) assert_use(&subject, "a", 0, expected[i % 3], i + 1);
  for (int i = 0; i < 3; i++) assert_use(&subject, "b", 1, "x", i + 1);
  close_run(&subject);
}

static void times_bounds_all_kinds_of_answers(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'one','response':'A','times':2},"
                      "{'resource':'cycle','responses':['1','2'],'exhausted':'cycle','times':3},"
                      "{'resource':'repeat','responses':['1','2'],'exhausted':'repeat','times':3},"
                      "{'resource':'short','responses':['1','2','3'],'times':2},"
                      "{'resource':'long','responses':['1','2'],'times':9}]");
  assert_use(&subject, "one", 0, "A", 1);
  assert_use(&subject, "one", 0, "A", 2);
  assert_miss(&subject, "one", "[[mock-miss:one]]");
  assert_use(&subject, "cycle", 1, "1", 1);
  assert_use(&subject, "cycle", 1, "2", 2);
  assert_use(&subject, "cycle", 1, "1", 3);
  assert_miss(&subject, "cycle", "[[mock-miss:cycle]]");
  assert_use(&subject, "repeat", 2, "1", 1);
  assert_use(&subject, "repeat", 2, "2", 2);
  assert_use(&subject, "repeat", 2, "2", 3);
  assert_miss(&subject, "repeat", "[[mock-miss:repeat]]");
  assert_use(&subject, "short", 3, "1", 1);
  assert_use(&subject, "short", 3, "2", 2);
  assert_miss(&subject, "short", "[[mock-miss:short]]");
  assert_use(&subject, "long", 4, "1", 1);
  assert_use(&subject, "long", 4, "2", 2);
  assert_miss(&subject, "long", "[[mock-miss:long]]");
  close_run(&subject);
}

static void what_is_used_up_leaves_the_request_to_the_next(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'prefix':'a','response':'prefix','times':1},{'resource':'a','responses':['1']},"
                      "{'resource':'a','responses':['2']},{'glob':'*','response':'glob'}]");
  assert_use(&subject, "a", 1, "1", 1);
  assert_use(&subject, "a", 2, "2", 1);
  struct mock_answer answer = resolve(&subject, "a");
  assert_text(answer.response, "prefix");
  assert_candidates(&answer, "1 used_up, 2 used_up, 0 answered, 3 behind");
  answer = resolve(&subject, "a");
  assert_text(answer.response, "glob");
  assert_candidates(&answer, "1 used_up, 2 used_up, 0 used_up, 3 answered");
  close_run(&subject);
}

static void what_is_behind_is_not_consumed(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','response':'A'},{'prefix':'a','responses':['1','2'],'required':true}]");
  for (int i = 0; i < 5; i++) assert_use(&subject, "a", 0, "A", 0);
  assert_false(mock_run_used(subject.run, 1));
  assert_int_equal(mock_run_unused(subject.run), 1);
  assert_use(&subject, "ab", 1, "1", 1);
  assert_true(mock_run_used(subject.run, 1));
  assert_int_equal(mock_run_unused(subject.run), 0);
  assert_true(mock_set_required(subject.set, 1));
  assert_false(mock_set_required(subject.set, 0));
  close_run(&subject);
}

static void each_run_has_its_own_sequence(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','responses':['1','2']}]");
  struct mock_run *other = mock_run_new(subject.set);
  struct mock_answer answer;
  assert_use(&subject, "a", 0, "1", 1);
  mock_resolve(other, (struct mock_resource){.text = STR("a")}, &answer);
  assert_text(answer.response, "1");
  assert_use(&subject, "a", 0, "2", 2);
  mock_resolve(other, (struct mock_resource){.text = STR("a")}, &answer);
  assert_text(answer.response, "2");
  mock_run_free(other);
  close_run(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_response_answers_again_and_again),
      cmocka_unit_test(a_list_answers_in_order_and_ends),
      cmocka_unit_test(an_exhausted_list_may_repeat_its_last),
      cmocka_unit_test(an_exhausted_list_may_begin_anew),
      cmocka_unit_test(times_bounds_all_kinds_of_answers),
      cmocka_unit_test(what_is_used_up_leaves_the_request_to_the_next),
      cmocka_unit_test(what_is_behind_is_not_consumed),
      cmocka_unit_test(each_run_has_its_own_sequence),
  };
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
