// SPDX-License-Identifier: Apache-2.0
#include "sandbox/flows.h"
#include "sandbox/limits.h"
#include "sandbox/test_sandbox.h"

enum { OUT_MAX_BYTES = 8 * 1024 * 1024, REQUEST_MAX_BYTES = 1024 * 1024 };

struct samples {
  struct buf text;
  json_t *array;
  int64_t count;
  struct err err;
  bool ok;
};

static void samples_done(struct samples *s) {
  buf_done(&s->text);
  json_decref(s->array);
}

static struct samples samples_of(struct str subject_kind, int64_t count, struct str seed) {
  struct samples s = {.count = -7};
  buf_init(&s.text, OUT_MAX_BYTES);
  s.ok = generate(subject_kind, count, seed, &s.text, &s.count, &s.err);
  if (s.ok && !json_read(buf_str(&s.text), &s.array, &s.err)) fail_msg("%s", s.err.msg);
  return s;
}

static struct str sample(const struct samples *s, size_t at, const char *member) {
  return json_member_str(json_array_get(s->array, at), member);
}

static void check_refused(struct str subject_kind, int64_t count, struct str seed, const char *place) {
  AUTO(samples_done) struct samples s = samples_of(subject_kind, count, seed);
  assert_false(s.ok);
  assert_int_equal(s.err.code, ERR_BAD_REQUEST);
  assert_string_equal(s.err.place, place);
  assert_int_equal(s.count, -7);
}

static void check_one(struct str subject_kind, struct str seed, const char *expected) {
  AUTO(samples_done) struct samples s = samples_of(subject_kind, 1, seed);
  assert_true(s.ok);
  CHECK_STR(sample(&s, 0, "input"), expected);
}

/// Borrowed from a buffer that the caller releases.
static struct str repeat(struct buf *buf, const char *text, size_t bytes) {
  buf_init(buf, bytes);
  while (buf->len < bytes) buf_add(buf, text, strlen(text));
  return buf_str(buf);
}

static void without_a_word_there_are_ten_samples_of_an_agent(void **state) {
  (void)state;
  AUTO(samples_done) struct samples s = samples_of(STR_NONE, 0, STR_NONE);
  assert_true(s.ok);
  assert_int_equal(s.count, 10);
  assert_int_equal(json_array_size(s.array), 10);
  CHECK_STR(buf_str(&s.text), "[{\"key\":\"sample-0001\",\"input\":\"agent-sample-1\"},"
                              "{\"key\":\"sample-0002\",\"input\":\"agent-sample-2\"},"
                              "{\"key\":\"sample-0003\",\"input\":\"agent-sample-3\"},"
                              "{\"key\":\"sample-0004\",\"input\":\"agent-sample-4\"},"
                              "{\"key\":\"sample-0005\",\"input\":\"agent-sample-5\"},"
                              "{\"key\":\"sample-0006\",\"input\":\"agent-sample-6\"},"
                              "{\"key\":\"sample-0007\",\"input\":\"agent-sample-7\"},"
                              "{\"key\":\"sample-0008\",\"input\":\"agent-sample-8\"},"
                              "{\"key\":\"sample-0009\",\"input\":\"agent-sample-9\"},"
                              "{\"key\":\"sample-0010\",\"input\":\"agent-sample-10\"}]");
}

static void the_count_is_from_1_to_100_and_0_means_ten(void **state) {
  (void)state;
  static const struct { int64_t asked, given; } cases[] = {{0, 10}, {1, 1}, {100, 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AUTO(samples_done) struct samples s = samples_of(STR_NONE, cases[i].asked, STR_NONE);
    assert_true(s.ok);
    assert_int_equal(s.count, cases[i].given);
    assert_int_equal(json_array_size(s.array), cases[i].given);
  }
  static const int64_t refused[] = {-1, 101, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) check_refused(STR_NONE, refused[i], STR_NONE, "count");
  AUTO(samples_done) struct samples s = samples_of(STR_NONE, 100, STR_NONE);
  CHECK_STR(sample(&s, 99, "key"), "sample-0100");
  CHECK_STR(sample(&s, 99, "input"), "agent-sample-100");
}

static void the_subject_has_at_most_200_bytes(void **state) {
  (void)state;
  AUTO(buf_done) struct buf text;
  struct str longest = repeat(&text, "\xc3\xa9", 200);
  AUTO(samples_done) struct samples s = samples_of(longest, 1, STR("{{subject_kind}}"));
  assert_true(s.ok);
  assert_true(str_eq(sample(&s, 0, "input"), longest));
  AUTO(buf_done) struct buf longer;
  check_refused(repeat(&longer, "x", 201), 1, STR_NONE, "subject_kind");
}

static void the_seed_has_at_most_8192_bytes(void **state) {
  (void)state;
  AUTO(buf_done) struct buf text;
  struct str longest = repeat(&text, "x", INPUT_MAX_BYTES);
  AUTO(samples_done) struct samples s = samples_of(STR_NONE, 2, longest);
  assert_true(s.ok);
  assert_true(str_eq(sample(&s, 1, "input"), longest));
  AUTO(buf_done) struct buf longer;
  check_refused(STR_NONE, 1, repeat(&longer, "x", INPUT_MAX_BYTES + 1), "seed");
}

static struct str with_tail(struct buf *buf, size_t plain, const char *tail) {
  buf_init(buf, 2 * INPUT_MAX_BYTES);
  while (buf->len < plain) buf_add_char(buf, 'x');
  buf_add_c(buf, tail);
  return buf_str(buf);
}

static void the_seed_is_bounded_before_it_is_expanded(void **state) {
  (void)state;
  // "{{index}}" is longer than the number that stands for it, so what this makes would fit.
  AUTO(buf_done) struct buf exact;
  AUTO(buf_done) struct buf over;
  static const char mark[] = "{{index}}";
  size_t plain = INPUT_MAX_BYTES - (sizeof mark - 1);
  AUTO(samples_done) struct samples s = samples_of(STR_NONE, 1, with_tail(&exact, plain, mark));
  assert_true(s.ok);
  assert_int_equal(sample(&s, 0, "input").len, plain + 1);
  check_refused(STR_NONE, 1, with_tail(&over, plain + 1, mark), "seed");
}

static void an_input_that_substitution_makes_too_long_fails_the_whole_batch(void **state) {
  (void)state;
  // "{{index}}" is longer than what stands for it, so the seed must be near its own limit with a long subject.
  AUTO(buf_done) struct buf exact;
  AUTO(buf_done) struct buf over;
  AUTO(buf_done) struct buf subject;
  struct str kind = repeat(&subject, "k", 200);
  struct str fits = with_tail(&exact, INPUT_MAX_BYTES - 200, "{{subject_kind}}");
  AUTO(samples_done) struct samples s = samples_of(kind, 1, fits);
  assert_true(s.ok);
  assert_int_equal(sample(&s, 0, "input").len, INPUT_MAX_BYTES);
  check_refused(kind, 1, with_tail(&over, INPUT_MAX_BYTES - 199, "{{subject_kind}}"), "seed");

  // Only the tenth input is too long: 1 byte more for its number.
  AUTO(buf_done) struct buf tenth;
  struct str seed = with_tail(&tenth, INPUT_MAX_BYTES - 201, "{{subject_kind}}{{index}}");
  AUTO(samples_done) struct samples nine = samples_of(kind, 9, seed);
  assert_true(nine.ok);
  check_refused(kind, 10, seed, "seed");
}

static void substitution_is_one_pass_and_knows_two_names(void **state) {
  (void)state;
  check_one(STR("{{index}}"), STR("{{subject_kind}}-{{index}}"), "{{index}}-1");
  check_one(STR("{{subject_kind}}"), STR("{{subject_kind}}"), "{{subject_kind}}");
  check_one(STR("index}}"), STR("{{{{subject_kind}}"), "{{index}}");
  check_one(STR("x"), STR("{{{{index}}}}"), "{{1}}");
  check_one(STR("x"), STR("{{{index}}}"), "{1}");
  check_one(STR("x"), STR("{{index}}{{index}}"), "11");
  check_one(STR("x"), STR("{{index}{{index}}"), "{{index}1");
  check_one(STR("x"), STR("{ { } } {} {{ {{}} }}"), "{ { } } {} {{ {{}} }}");
  check_one(STR("x"), STR("{{ index }}{{INDEX}}{{name}}"), "{{ index }}{{INDEX}}{{name}}");
  check_one(STR("x"), STR("{"), "{");
  check_one(STR("x"), STR("a{{index"), "a{{index");
  check_one(STR("x"), STR("%d %s {{index}}%"), "%d %s 1%");
}

static void inputs_are_exact_to_the_byte(void **state) {
  (void)state;
  check_one(STR_NONE, STR("line {{index}}\n"), "line 1\n");
  check_one(STR_NONE, STR(" \t{{index}}\r\n\n "), " \t1\r\n\n ");
  check_one(STR_NONE, STR("\xc3\xa9\"\\\x01{{index}}\xf0\x9f\x98\x80"),
            "\xc3\xa9\"\\\x01"
            "1\xf0\x9f\x98\x80");
  check_one(STR_NONE, STR(""), "");
}

/// The bytes of a scenario request around these steps, when every byte of its other texts needs the longest escape.
static size_t worst_request_bytes(struct str steps) {
  AUTO(buf_done) struct buf name;
  AUTO(buf_done) struct buf description;
  AUTO(buf_done) struct buf request;
  buf_init(&request, OUT_MAX_BYTES);
  struct json_writer out;
  jw_init(&out, &request);
  jw_object(&out, NULL);
  jw_str(&out, "name", repeat(&name, "\x01", NAME_MAX_BYTES));
  jw_str(&out, "description", repeat(&description, "\x01", REF_MAX_BYTES));
  jw_str(&out, "subject_kind", buf_str(&name));
  jw_raw(&out, "steps", steps);
  jw_object_end(&out);
  return request.len;
}

static void a_batch_must_fit_into_one_scenario_request_with_every_byte_escaped(void **state) {
  (void)state;
  AUTO(buf_done) struct buf controls;
  struct str seed = repeat(&controls, "\x01", INPUT_MAX_BYTES);
  AUTO(samples_done) struct samples fits = samples_of(STR_NONE, 21, (struct str){seed.data, 8100});
  AUTO(samples_done) struct samples plain = samples_of(STR_NONE, 1, seed);
  assert_true(plain.ok);
  check_refused(STR_NONE, 22, seed, "count");
  check_refused(STR_NONE, 100, seed, "count");
  assert_true(fits.ok);
  assert_true(worst_request_bytes(buf_str(&fits.text)) <= REQUEST_MAX_BYTES);
}

/// Fills the seed so that `count` samples of it make a request of exactly the bytes allowed. What `seed` has already is
/// its beginning. False when the room left can't be shared out evenly.
static bool fill(struct buf *seed, int64_t count) {
  AUTO(samples_done) struct samples begun = samples_of(STR_NONE, count, buf_str(seed));
  size_t room = REQUEST_MAX_BYTES - worst_request_bytes(buf_str(&begun.text));
  if (room % (size_t)count != 0) return false;
  size_t bytes = room / (size_t)count; // more of each input, as JSON
  for (; bytes > INPUT_MAX_BYTES / 2; bytes -= 6) buf_add_char(seed, '\x01');
  while (bytes-- > 0) buf_add_char(seed, 'x');
  return !seed->over;
}

static void the_bound_of_a_batch_is_exact(void **state) {
  (void)state;
  // The digits of the numbers make the remainders differ.
  for (int64_t count = 25; count <= GENERATE_MAX; count++)
    for (int numbers = 0; numbers < 20; numbers++) {
      AUTO(buf_done) struct buf seed;
      buf_init(&seed, INPUT_MAX_BYTES);
      for (int i = 0; i < numbers; i++) buf_add_c(&seed, "{{index}}");
      if (!fill(&seed, count)) continue;
      AUTO(samples_done) struct samples exact = samples_of(STR_NONE, count, buf_str(&seed));
      assert_true(exact.ok);
      assert_int_equal(worst_request_bytes(buf_str(&exact.text)), REQUEST_MAX_BYTES);
      assert_true(buf_add_char(&seed, 'x'));
      check_refused(STR_NONE, count, buf_str(&seed), "count");
      return;
    }
  fail_msg("no batch fills a request");
}

static void a_buffer_that_is_too_small_fails_the_batch(void **state) {
  (void)state;
  AUTO(buf_done) struct buf out;
  buf_init(&out, 100);
  int64_t count = -7;
  struct err err = {0};
  assert_false(generate(STR_NONE, 10, STR_NONE, &out, &count, &err));
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_int_equal(count, -7);
}

static void samples_are_appended_as_a_value(void **state) {
  (void)state;
  AUTO(buf_done) struct buf out;
  buf_init(&out, OUT_MAX_BYTES);
  buf_add_c(&out, "{\"samples\":");
  int64_t count;
  struct err err = {0};
  assert_true(generate(STR_NONE, 1, STR("a"), &out, &count, &err));
  CHECK_STR(buf_str(&out), "{\"samples\":[{\"key\":\"sample-0001\",\"input\":\"a\"}]");
}

static void what_the_buffer_had_before_does_not_count(void **state) {
  (void)state;
  AUTO(buf_done) struct buf out;
  buf_init(&out, OUT_MAX_BYTES);
  while (out.len < REQUEST_MAX_BYTES) buf_add_char(&out, ' ');
  int64_t count;
  struct err err = {0};
  assert_true(generate(STR_NONE, 1, STR("a"), &out, &count, &err));
  CHECK_STR(str_skip(buf_str(&out), REQUEST_MAX_BYTES), "[{\"key\":\"sample-0001\",\"input\":\"a\"}]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_word_there_are_ten_samples_of_an_agent),
      cmocka_unit_test(the_count_is_from_1_to_100_and_0_means_ten),
      cmocka_unit_test(the_subject_has_at_most_200_bytes),
      cmocka_unit_test(the_seed_has_at_most_8192_bytes),
      cmocka_unit_test(the_seed_is_bounded_before_it_is_expanded),
      cmocka_unit_test(an_input_that_substitution_makes_too_long_fails_the_whole_batch),
      cmocka_unit_test(substitution_is_one_pass_and_knows_two_names),
      cmocka_unit_test(inputs_are_exact_to_the_byte),
      cmocka_unit_test(a_batch_must_fit_into_one_scenario_request_with_every_byte_escaped),
      cmocka_unit_test(the_bound_of_a_batch_is_exact),
      cmocka_unit_test(a_buffer_that_is_too_small_fails_the_batch),
      cmocka_unit_test(samples_are_appended_as_a_value),
      cmocka_unit_test(what_the_buffer_had_before_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
