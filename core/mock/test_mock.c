// SPDX-License-Identifier: Apache-2.0
#include "mock/test_mock.h"

#include <stdlib.h>

enum { RESOURCE_MAX = 8192 };

static void an_equal_resource_is_answered(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss},{ss,ss}]", "resource", "crm:customer/42", "response", "Ada", "resource",
                                 "kb:article/7", "response", "Seven"));
  assert_hit(&subject, "kb:article/7", 1, "Seven");
  assert_hit(&subject, "crm:customer/42", 0, "Ada");
  close_run(&subject);
}

static void an_unknown_resource_gives_the_marker(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "a", "response", "A"));
  assert_miss(&subject, "b", "[[mock-miss:b]]");
  assert_miss(&subject, "", "[[mock-miss:]]");
  assert_miss(&subject, "longer than the one before", "[[mock-miss:longer than the one before]]");
  assert_miss(&subject, "c", "[[mock-miss:c]]");
  close_run(&subject);
}

static void a_set_without_mocks_only_misses(void **state) {
  (void)state;
  struct subject subject;
  open_layers(&subject, NULL, 0);
  assert_int_equal(mock_set_count(subject.set), 0);
  assert_miss(&subject, "anything", "[[mock-miss:anything]]");
  assert_int_equal(mock_run_unused(subject.run), 0);
  close_run(&subject);

  open_mocks(&subject, json_array());
  assert_miss(&subject, "anything", "[[mock-miss:anything]]");
  close_run(&subject);
}

static void matching_is_exact_to_the_byte(void **state) {
  (void)state;
  static const char *const near[] = {
      "Kb:caf\xc3\xa9",
      "kb:cafe\xcc\x81",
      "kb:cafe",
      "kb:caf\xc3\xa9\n",
      "kb:caf\xc3\xa9\r\n",
      "kb:caf\xc3\xa9 ",
      " kb:caf\xc3\xa9",
      "\tkb:caf\xc3\xa9",
      "kb:\xc2\xa0"
      "caf\xc3\xa9",
      "\xef\xbb\xbfkb:caf\xc3\xa9",
      "kb:caf\xc3",
      "kb:caf\xc3\xa9kb:",
      "KB:CAF\xc3\x89",
      "",
  };
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "kb:caf\xc3\xa9", "response", "composed"));
  for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
    if (resolve(&subject, near[i]).hit) fail_msg("near text %zu was answered", i);
  }
  assert_hit(&subject, "kb:caf\xc3\xa9", 0, "composed");
  close_run(&subject);
}

static void texts_that_differ_in_blanks_are_different_mocks(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss},{ss,ss},{ss,ss},{ss,ss}]", "resource", "x", "response", "bare", "resource",
                                 "x\n", "response", "newline", "resource", " x", "response", "blank", "resource",
                                 "cafe\xcc\x81", "response", "decomposed"));
  assert_hit(&subject, "x\n", 1, "newline");
  assert_hit(&subject, "x", 0, "bare");
  assert_hit(&subject, " x", 2, "blank");
  assert_hit(&subject, "cafe\xcc\x81", 3, "decomposed");
  assert_miss(&subject, "caf\xc3\xa9", "[[mock-miss:caf\xc3\xa9]]");
  close_run(&subject);
}

static void an_empty_response_is_an_answer(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "empty", "response", ""));
  assert_hit(&subject, "empty", 0, "");
  assert_int_equal(mock_run_unused(subject.run), 0);
  close_run(&subject);
}

static void marker_text_is_text_like_any_other(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss},{ss,ss}]", "resource", "a", "response", "[[mock-miss:a]]", "resource",
                                 "[[mock-miss:b]]", "response", "B"));
  assert_hit(&subject, "a", 0, "[[mock-miss:a]]");
  assert_hit(&subject, "[[mock-miss:b]]", 1, "B");
  assert_miss(&subject, "b", "[[mock-miss:b]]");
  assert_miss(&subject, "[[mock-miss:c]]", "[[mock-miss:[[mock-miss:c]]]]");
  close_run(&subject);
}

static void the_longest_resource_is_compared_to_its_last_byte(void **state) {
  (void)state;
  AUTO(mem_auto_free) char *longest = mem_alloc(RESOURCE_MAX + 1);
  memset(longest, 'x', RESOURCE_MAX);
  longest[RESOURCE_MAX] = '\0';
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", longest, "response", "long"));
  assert_hit(&subject, longest, 0, "long");

  longest[RESOURCE_MAX - 1] = 'y';
  struct mock_answer answer = resolve(&subject, longest);
  assert_false(answer.hit);
  assert_int_equal(answer.response.len, strlen("[[mock-miss:]]") + RESOURCE_MAX);
  assert_memory_equal(answer.response.data + strlen("[[mock-miss:"), longest, RESOURCE_MAX);
  close_run(&subject);
}

static void the_first_layer_takes_precedence(void **state) {
  (void)state;
  json_t *variant = json_pack("[{ss,ss}]", "resource", "b", "response", "variant b");
  json_t *scenario =
      json_pack("[{ss,ss},{ss,ss}]", "resource", "a", "response", "a", "resource", "b", "response", "scenario b");
  const struct mock_layer layers[] = {{"variants.candidate.mocks", variant, NULL}, {"mocks", scenario, NULL}};
  struct subject subject;
  open_layers(&subject, layers, 2);
  json_decref(variant);
  json_decref(scenario);

  assert_hit(&subject, "b", 0, "variant b");
  assert_hit(&subject, "a", 1, "a");
  assert_int_equal(mock_run_unused(subject.run), 1);
  assert_int_equal(mock_set_count(subject.set), 3);
  assert_text(mock_set_place(subject.set, 0), "variants.candidate.mocks[0]");
  assert_text(mock_set_place(subject.set, 2), "mocks[1]");
  close_run(&subject);
}

static void the_first_of_equal_resources_answers(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss},{ss,ss},{ss,ss}]", "resource", "x", "response", "first", "resource", "x",
                                 "response", "second", "resource", "y", "response", "y"));
  assert_hit(&subject, "x", 0, "first");
  assert_hit(&subject, "x", 0, "first");
  assert_hit(&subject, "y", 2, "y");
  assert_int_equal(mock_run_unused(subject.run), 1);
  close_run(&subject);
}

static void a_missing_layer_is_an_empty_one(void **state) {
  (void)state;
  json_t *mocks = json_pack("[{ss,ss}]", "resource", "a", "response", "A");
  const struct mock_layer layers[] = {{"variants.candidate.mocks", NULL, NULL}, {"mocks", mocks, NULL}};
  struct subject subject;
  open_layers(&subject, layers, 2);
  json_decref(mocks);
  assert_hit(&subject, "a", 0, "A");
  close_run(&subject);
}

static void a_cut_resource_equals_only_a_cut_of_the_same_text(void **state) {
  (void)state;
  struct digest one = hash_of(STR("a long text, and its end"));
  struct digest two = hash_of(STR("a long text, and another end"));
  struct digest three = hash_of(STR("a long text, and no mock"));
  struct str text = STR("a long text");
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss,ss},{ss,ss,ss}]", "resource", text.data, "response", "one", "resource_whole",
                                 digest_format(&one).text, "resource", text.data, "response", "two", "resource_whole",
                                 digest_format(&two).text));
  const struct {
    const struct digest *whole;
    int mock;
  } expected[] = {{&one, 0}, {&two, 1}, {&three, MOCK_NONE}, {NULL, MOCK_NONE}};
  for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
    struct mock_answer answer;
    mock_resolve(subject.run, (struct mock_resource){text, expected[i].whole}, &answer);
    assert_int_equal(answer.mock, expected[i].mock);
  }
  close_run(&subject);
}

static void a_cut_request_never_meets_a_whole_resource(void **state) {
  (void)state;
  struct digest whole = hash_of(STR("a long text, and its end"));
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "a long text", "response", "whole"));
  struct mock_answer answer;
  mock_resolve(subject.run, (struct mock_resource){STR("a long text"), &whole}, &answer);
  assert_false(answer.hit);
  assert_text(answer.response, "[[mock-miss:a long text]]");
  assert_hit(&subject, "a long text", 0, "whole");
  close_run(&subject);
}

// The index hashes a cut resource by its digest, so this text and this cut are in one chain.
static void a_text_with_the_bytes_of_a_digest_is_not_that_cut(void **state) {
  (void)state;
  struct digest whole;
  memset(whole.bytes, 'a', sizeof(whole.bytes));
  static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss,ss}]", "resource", text, "response", "cut", "resource_whole",
                                 digest_format(&whole).text));
  assert_false(resolve(&subject, text).hit);
  struct mock_answer answer;
  mock_resolve(subject.run, (struct mock_resource){str_c(text), &whole}, &answer);
  assert_true(answer.hit);
  close_run(&subject);
}

static void unused_counts_mocks_that_answered_nothing(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss},{ss,ss},{ss,ss}]", "resource", "a", "response", "A", "resource", "b",
                                 "response", "B", "resource", "c", "response", "C"));
  assert_int_equal(mock_run_unused(subject.run), 3);
  resolve(&subject, "b");
  resolve(&subject, "b");
  resolve(&subject, "none");
  assert_int_equal(mock_run_unused(subject.run), 2);
  resolve(&subject, "a");
  resolve(&subject, "c");
  assert_int_equal(mock_run_unused(subject.run), 0);
  close_run(&subject);
}

static void runs_share_a_set_and_nothing_else(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "a", "response", "A"));
  struct mock_run *other = mock_run_new(subject.set);
  struct mock_answer first = resolve(&subject, "a");
  struct mock_answer second;
  assert_int_equal(mock_run_unused(subject.run), 0);
  assert_int_equal(mock_run_unused(other), 1);
  mock_resolve(other, (struct mock_resource){.text = STR("a")}, &second);
  assert_ptr_equal(first.response.data, second.response.data);
  assert_int_equal(mock_run_unused(other), 0);
  mock_run_free(other);
  close_run(&subject);
}

static void a_hit_outlives_later_requests(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "a", "response", "A"));
  struct mock_answer answer = resolve(&subject, "a");
  assert_miss(&subject, "b", "[[mock-miss:b]]");
  assert_text(answer.response, "A");
  close_run(&subject);
}

static void a_set_says_what_it_holds(void **state) {
  (void)state;
  struct subject small, large;
  open_mocks(&small, json_pack("[{ss,ss}]", "resource", "a", "response", "A"));
  AUTO(mem_auto_free) char *response = mem_zalloc(60001);
  memset(response, 'r', 60000);
  open_mocks(&large, json_pack("[{ss,ss}]", "resource", "a", "response", response));
  assert_int_equal(mock_set_bytes(large.set) - mock_set_bytes(small.set), 60000 - 1);
  close_run(&small);
  close_run(&large);
}

static void a_damaged_stored_mock_is_refused_by_its_place(void **state) {
  (void)state;
  static const char *const damaged[] = {
      "{\"response\":\"r\"}",
      "{\"resource\":\"r\"}",
      "{\"resource\":1,\"response\":\"r\"}",
      "7",
      "{\"resource\":\"r\",\"response\":\"r\",\"resource_whole\":\"\"}",
      "{\"resource\":\"r\",\"response\":\"r\",\"resource_whole\":7}",
      "{\"resource\":\"r\",\"response\":\"r\",\"resource_whole\":"
      "\"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855\"}",
  };
  for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
    json_t *mocks =
        json_pack("[{ss,ss},o]", "resource", "a", "response", "A", json_loads(damaged[i], JSON_DECODE_ANY, NULL));
    assert_non_null(mocks);
    struct mock_set *set = NULL;
    struct err err = {0};
    assert_false(mock_set_new(&(struct mock_layer){"mocks", mocks, NULL}, 1, &set, &err));
    assert_null(set);
    assert_int_equal(err.code, ERR_INTERNAL);
    assert_string_equal(err.place, "mocks[1]");
    json_decref(mocks);
  }
}

static bool shape_accepts(const char *text) {
  struct err err = {0};
  json_t *mock = json_loads(text, 0, NULL);
  assert_non_null(mock);
  size_t bytes = 0;
  bool accepted = schema_check(&mock_shape, mock, &err) && mock_read(mock, "mocks[0]", &bytes, &err);
  json_decref(mock);
  return accepted;
}

static void the_shape_takes_what_a_stranger_may_say(void **state) {
  (void)state;
  assert_true(shape_accepts("{\"resource\":\"a\",\"response\":\"A\"}"));
  assert_true(shape_accepts("{\"resource\":\" \",\"response\":\"\"}"));
  assert_false(shape_accepts("{\"resource\":\"\",\"response\":\"A\"}"));
  assert_false(shape_accepts("{\"resource\":\"a\"}"));
  assert_false(shape_accepts("{\"response\":\"A\"}"));
  assert_false(shape_accepts("{\"resource\":\"a\",\"response\":null}"));
  assert_false(shape_accepts("{\"resource\":\"a\",\"response\":\"A\",\"resource_whole\":"
                             "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_equal_resource_is_answered),
      cmocka_unit_test(an_unknown_resource_gives_the_marker),
      cmocka_unit_test(a_set_without_mocks_only_misses),
      cmocka_unit_test(matching_is_exact_to_the_byte),
      cmocka_unit_test(texts_that_differ_in_blanks_are_different_mocks),
      cmocka_unit_test(an_empty_response_is_an_answer),
      cmocka_unit_test(marker_text_is_text_like_any_other),
      cmocka_unit_test(the_longest_resource_is_compared_to_its_last_byte),
      cmocka_unit_test(the_first_layer_takes_precedence),
      cmocka_unit_test(the_first_of_equal_resources_answers),
      cmocka_unit_test(a_missing_layer_is_an_empty_one),
      cmocka_unit_test(a_cut_resource_equals_only_a_cut_of_the_same_text),
      cmocka_unit_test(a_cut_request_never_meets_a_whole_resource),
      cmocka_unit_test(a_text_with_the_bytes_of_a_digest_is_not_that_cut),
      cmocka_unit_test(unused_counts_mocks_that_answered_nothing),
      cmocka_unit_test(runs_share_a_set_and_nothing_else),
      cmocka_unit_test(a_hit_outlives_later_requests),
      cmocka_unit_test(a_set_says_what_it_holds),
      cmocka_unit_test(a_damaged_stored_mock_is_refused_by_its_place),
      cmocka_unit_test(the_shape_takes_what_a_stranger_may_say),
  };
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
