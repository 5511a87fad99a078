// SPDX-License-Identifier: Apache-2.0
// Who answers, what becomes of every mock that matched, and questions in pieces.
#include "mock/test_mock.h"

// Undecided on HOSTILE_TEXT.
#define HOSTILE      "{'regex':'^(a+)+$','response':'hostile'}"
#define HOSTILE_TEXT "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"

// ---- who answers ----

static void exact_ones_answer_first_then_the_others_as_written(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'prefix':'kb:','response':'prefix'},{'glob':'kb:*','response':'glob'},"
                      "{'resource':'kb:7','response':'exact'},{'glob':'**','response':'all'}]");
  struct mock_answer answer = resolve(&subject, "kb:7");
  assert_int_equal(answer.mock, 2);
  assert_candidates(&answer, "2 answered, 0 behind, 1 behind, 3 behind");
  answer = resolve(&subject, "kb:8");
  assert_int_equal(answer.mock, 0);
  assert_candidates(&answer, "0 answered, 1 behind, 3 behind");
  answer = resolve(&subject, "x");
  assert_int_equal(answer.mock, 3);
  assert_candidates(&answer, "3 answered");
  assert_int_equal(answer.candidates_omitted, 0);
  assert_int_equal(answer.undecided, MOCK_NONE);
  close_run(&subject);
}

static void a_miss_has_no_candidates(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'prefix':'kb:','response':'A'}]");
  struct mock_answer answer = resolve(&subject, "crm:");
  assert_false(answer.hit);
  assert_text(answer.response, "[[mock-miss:crm:]]");
  assert_int_equal(answer.candidate_count, 0);
  assert_int_equal(answer.use, 0);
  assert_int_equal(answer.fault, MOCK_FAULT_NONE);
  assert_int_equal(answer.delay_ms, 0);
  close_run(&subject);
}

static void every_mock_says_what_it_matches_by(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'a','response':'A'},{'prefix':'a','response':'A'},{'suffix':'a','response':'A'},"
                      "{'contains':'a','response':'A'},{'glob':'a','response':'A'},{'regex':'a','response':'A'},"
                      "{'json':{'equal':1},'response':'A'},{'json':{'partial':1},'response':'A'},"
                      "{'json':{'path':{'$':1}},'response':'A'},{'all':[{'prefix':'a'}],'response':'A'},"
                      "{'any':[{'prefix':'a'}],'response':'A'},{'none':[{'prefix':'b'}],'response':'A'}]");
  static const char *const names[] = {"resource",   "prefix",       "suffix",    "contains", "glob", "regex",
                                      "json.equal", "json.partial", "json.path", "all",      "any",  "none"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_string_equal(mock_set_matcher(subject.set, i), names[i]);
  struct mock_answer answer = resolve(&subject, "a");
  assert_candidates(&answer, "0 answered, 1 behind, 2 behind, 3 behind, 4 behind, 5 behind, 9 behind, 10 behind, "
                             "11 behind");
  close_run(&subject);
}

static void candidates_beyond_those_kept_are_counted(void **state) {
  (void)state;
  json_t *mocks = json_array();
  for (int i = 0; i < 20; i++) json_array_append_new(mocks, json_of("{'match':{'prefix':'a'},'response':'A'}"));
  struct subject subject;
  open_mocks(&subject, mocks);
  struct mock_answer answer = resolve(&subject, "a");
  assert_int_equal(answer.candidate_count, MOCK_CANDIDATES_MAX);
  assert_int_equal(answer.candidates_omitted, 4);
  assert_int_equal(answer.candidates[15].mock, 15);
  close_run(&subject);
}

static void the_one_that_answers_is_always_listed(void **state) {
  (void)state;
  json_t *mocks = json_array();
  for (int i = 0; i < 18; i++) json_array_append_new(mocks, json_of("{'resource':'a','response':'A','times':1}"));
  struct subject subject;
  open_mocks(&subject, mocks);
  struct mock_answer answer = {0};
  for (int i = 0; i < 18; i++) answer = resolve(&subject, "a");
  assert_int_equal(answer.mock, 17);
  assert_int_equal(answer.candidates[15].mock, 17);
  assert_int_equal(answer.candidates[15].outcome, MOCK_ANSWERED);
  assert_int_equal(answer.candidates_omitted, 2);
  // All 18 are used up now, and not one of them is called near.
  struct mock_near_miss near[MOCK_NEAR_MAX];
  assert_false(resolve(&subject, "a").hit);
  assert_int_equal(mock_near_misses(subject.run, near), 0);
  close_run(&subject);
}

// ---- what can't be decided ----

static void a_matcher_at_its_limit_ends_the_question_as_a_miss(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'glob':'b*','response':'B'}," HOSTILE ",{'glob':'*','response':'star'}," HOSTILE "]");
  struct mock_answer answer = resolve(&subject, HOSTILE_TEXT);
  assert_false(answer.hit);
  assert_int_equal(answer.mock, MOCK_NONE);
  assert_int_equal(answer.undecided, 1);
  assert_text(answer.response, "[[mock-miss:" HOSTILE_TEXT "]]");
  assert_candidates(&answer, "1 matcher_limit, 2 behind, 3 matcher_limit");
  assert_int_equal(mock_run_unused(subject.run), 4);
  assert_hit(&subject, "aaa", 1, "hostile");
  close_run(&subject);
}

static void a_matcher_at_its_limit_behind_an_answer_is_only_told(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'" HOSTILE_TEXT
                      "','responses':['exact']},{'suffix':'!','responses':['suffix']}," HOSTILE "]");
  struct mock_answer answer = resolve(&subject, HOSTILE_TEXT);
  assert_text(answer.response, "exact");
  assert_int_equal(answer.undecided, MOCK_NONE);
  assert_candidates(&answer, "0 answered, 1 behind, 2 matcher_limit");
  answer = resolve(&subject, HOSTILE_TEXT);
  assert_text(answer.response, "suffix");
  answer = resolve(&subject, HOSTILE_TEXT);
  assert_false(answer.hit);
  assert_int_equal(answer.undecided, 2);
  assert_candidates(&answer, "0 used_up, 1 used_up, 2 matcher_limit");
  close_run(&subject);
}

// ---- cut requests ----

static void only_an_exact_mock_answers_a_request_that_was_cut(void **state) {
  (void)state;
  struct digest whole = hash_of(STR("a long text, and its end"));
  json_t *mocks = json_of("[{'match':{'glob':'**'},'response':'glob'}]");
  json_array_append_new(mocks, json_pack("{ss,ss,ss}", "resource", "a long text", "response", "exact", "resource_whole",
                                         digest_format(&whole).text));
  struct subject subject;
  open_mocks(&subject, mocks);
  struct mock_answer answer;
  mock_resolve(subject.run, (struct mock_resource){STR("a long text"), &whole}, &answer);
  assert_text(answer.response, "exact");
  assert_candidates(&answer, "1 answered");
  struct digest other = hash_of(STR("a long text, and another end"));
  mock_resolve(subject.run, (struct mock_resource){STR("a long text"), &other}, &answer);
  assert_false(answer.hit);
  assert_hit(&subject, "a long text", 0, "glob");
  close_run(&subject);
}

// ---- in pieces ----

static void a_question_put_down_and_taken_up_has_the_same_answer(void **state) {
  (void)state;
  json_t *mocks = json_array();
  for (int i = 0; i < 40; i++) {
    json_t *mock = json_of(HOSTILE);
    json_object_set_new(mock, "match", json_pack("{sO}", "regex", json_object_get(mock, "regex")));
    json_object_del(mock, "regex");
    json_array_append_new(mocks, mock);
  }
  json_array_insert_new(mocks, 0, json_of("{'match':{'suffix':'!'},'responses':['1','2']}"));
  struct subject pieces, whole;
  open_mocks(&pieces, json_incref(mocks));
  open_mocks(&whole, mocks);
  for (int i = 0; i < 3; i++) {
    struct mock_answer answer = {.mock = -2}, expected = resolve(&whole, HOSTILE_TEXT);
    size_t again = 0;
    mock_ask(pieces.run, (struct mock_resource){.text = STR(HOSTILE_TEXT)});
    while (!mock_decide(pieces.run, &answer)) {
      assert_int_equal(answer.mock, -2); // untouched until it is decided
      again++;
    }
    assert_true(again >= 2); // forty patterns at their limits take more than a slice or two
    assert_int_equal(answer.mock, expected.mock);
    assert_int_equal(answer.undecided, expected.undecided);
    assert_int_equal(answer.use, expected.use);
    assert_int_equal(answer.candidates_omitted, expected.candidates_omitted);
    assert_int_equal(answer.candidate_count, expected.candidate_count);
    assert_memory_equal(answer.candidates, expected.candidates, expected.candidate_count * sizeof *expected.candidates);
    assert_true(str_eq(answer.response, expected.response));
  }
  assert_int_equal(mock_run_unused(pieces.run), 40);
  close_run(&pieces);
  close_run(&whole);
}

static void an_unfinished_question_may_be_dropped(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'json':{'equal':{'a':1}},'response':'A'}," HOSTILE "," HOSTILE "]");
  mock_ask(subject.run, (struct mock_resource){.text = STR("{\"a\":1}")});
  mock_ask(subject.run, (struct mock_resource){.text = STR("{\"a\":2}")});
  struct mock_answer answer;
  while (!mock_decide(subject.run, &answer)) {
  }
  assert_false(answer.hit);
  assert_hit(&subject, "{\"a\":1}", 0, "A");
  close_run(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_ones_answer_first_then_the_others_as_written),
      cmocka_unit_test(a_miss_has_no_candidates),
      cmocka_unit_test(every_mock_says_what_it_matches_by),
      cmocka_unit_test(candidates_beyond_those_kept_are_counted),
      cmocka_unit_test(the_one_that_answers_is_always_listed),
      cmocka_unit_test(a_matcher_at_its_limit_ends_the_question_as_a_miss),
      cmocka_unit_test(a_matcher_at_its_limit_behind_an_answer_is_only_told),
      cmocka_unit_test(only_an_exact_mock_answers_a_request_that_was_cut),
      cmocka_unit_test(a_question_put_down_and_taken_up_has_the_same_answer),
      cmocka_unit_test(an_unfinished_question_may_be_dropped),
  };
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
