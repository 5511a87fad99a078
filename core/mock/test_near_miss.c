// SPDX-License-Identifier: Apache-2.0
// The explanation of a miss, to the letter: it is what a person reads first.
#include "base/utf8.h"
#include "mock/test_mock.h"

struct expected_near {
  const char *criterion, *why, *expected, *got; // got NULL: there is none
  int at;                                       // -1: no place
  unsigned equal_after;
};

static void assert_near(const char *request, const struct mock_near_miss *near, const struct expected_near *e) {
  if (!str_eq(near->criterion, str_c(e->criterion)) || !str_eq(near->why, str_c(e->why)) ||
      !str_eq(near->expected, str_c(e->expected)) || !str_eq(near->got, str_c(e->got)) ||
      str_present(near->got) != (e->got != NULL))
    fail_msg("'%s': %.*s | %.*s | %.*s | %.*s", request, STR_ARG(near->criterion), STR_ARG(near->why),
             STR_ARG(near->expected), STR_ARG(near->got));
  assert_int_equal(near->has_at ? (int)near->at : -1, e->at);
  assert_int_equal(near->equal_after, e->equal_after);
}

/// The one near-miss of one mock.
static void check(const char *mock, const char *request, struct expected_near expected) {
  struct subject subject;
  char mocks[512];
  snprintf(mocks, sizeof mocks, "[{%s,'response':'A'}]", mock);
  open_text(&subject, mocks);
  if (resolve(&subject, request).hit) fail_msg("'%s' is answered", request);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  if (mock_near_misses(subject.run, near) != 1) fail_msg("'%s' has no near-miss", request);
  assert_int_equal(near[0].mock, 0);
  assert_near(request, &near[0], &expected);
  close_run(&subject);
}

static void check_none(const char *mock, const char *request) {
  struct subject subject;
  char mocks[512];
  snprintf(mocks, sizeof mocks, "[{%s,'response':'A'}]", mock);
  open_text(&subject, mocks);
  assert_false(resolve(&subject, request).hit);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  size_t count = mock_near_misses(subject.run, near);
  if (count) fail_msg("'%s': %.*s", request, STR_ARG(near[0].why));
  close_run(&subject);
}

// ---- exact mocks ----

static void the_first_difference_of_a_resource_is_marked(void **state) {
  (void)state;
  static const char mock[] = "'resource':'crm:customer/42'";
  check(mock, "crm:customer/43",
        (struct expected_near){"resource", "It differs from byte 14 on.", "crm:customer/4⟦2⟧", "crm:customer/4⟦3⟧", 14,
                               0});
  check(mock, "crm:customer/4",
        (struct expected_near){"resource", "The request ends at byte 14, where the mock's goes on.",
                               "crm:customer/4⟦2⟧", "crm:customer/4⟦⟧", 14, 0});
  check(mock, "crm:customer/421",
        (struct expected_near){"resource", "The request goes on behind byte 15, where the mock's ends.",
                               "crm:customer/42⟦⟧", "crm:customer/42⟦1⟧", 15, 0});
}

static void characters_are_marked_whole(void **state) {
  (void)state;
  check("'resource':'kb:€'", "kb:₭",
        (struct expected_near){"resource", "It differs from byte 3 on.", "kb:⟦€⟧", "kb:⟦₭⟧", 3, 0});
  check("'resource':'aé𝄞b'", "aé𝄢b",
        (struct expected_near){"resource", "It differs from byte 3 on.", "aé⟦𝄞⟧b", "aé⟦𝄢⟧b", 3, 0});
  check("'resource':'xyé'", "xy",
        (struct expected_near){"resource", "The request ends at byte 2, where the mock's goes on.", "xy⟦é⟧", "xy⟦⟧", 2,
                               0});
}

static void what_a_person_overlooks_is_named(void **state) {
  (void)state;
  static const char mock[] = "'resource':'kb:caf\u00e9'";
  static const struct {
    const char *request, *why;
    unsigned equal_after;
  } cases[] = {
      {"kb:caf\u00e9\n", "It is equal after trimming.", MOCK_EQUAL_TRIMMING},
      {" kb:caf\u00e9", "It is equal after trimming.", MOCK_EQUAL_TRIMMING},
      {"\ufeffkb:caf\u00e9", "It is equal after trimming.", MOCK_EQUAL_TRIMMING},
      {"KB:Caf\u00e9", "It is equal after case folding.", MOCK_EQUAL_CASE},
      {"kb:cafe\u0301", "It is equal after Unicode normalisation.", MOCK_EQUAL_UNICODE},
      {"KB:caf\u00e9\r\n", "It is equal after trimming and case folding.", MOCK_EQUAL_TRIMMING | MOCK_EQUAL_CASE},
      {"kb:cafe\u0301 ", "It is equal after trimming and Unicode normalisation.",
       MOCK_EQUAL_TRIMMING | MOCK_EQUAL_UNICODE},
      {"KB:CAFE\u0301", "It is equal after case folding and Unicode normalisation.",
       MOCK_EQUAL_CASE | MOCK_EQUAL_UNICODE},
      {"\tKB:CAFE\u0301", "It is equal after trimming and case folding and Unicode normalisation.",
       MOCK_EQUAL_TRIMMING | MOCK_EQUAL_CASE | MOCK_EQUAL_UNICODE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct subject subject;
    char mocks[128];
    snprintf(mocks, sizeof mocks, "[{%s,'response':'A'}]", mock);
    open_text(&subject, mocks);
    assert_false(resolve(&subject, cases[i].request).hit);
    struct mock_near_miss near[MOCK_NEAR_MAX];
    assert_int_equal(mock_near_misses(subject.run, near), 1);
    assert_text(near[0].why, cases[i].why);
    assert_int_equal(near[0].equal_after, cases[i].equal_after);
    close_run(&subject);
  }
  check(mock, "kb:cafe\u0301",
        (struct expected_near){"resource", "It is equal after Unicode normalisation.", "kb:caf⟦\u00e9⟧",
                               "kb:caf⟦e⟧\u0301", 6, MOCK_EQUAL_UNICODE});
  check(mock, "kb:caf\u00e9\n",
        (struct expected_near){"resource", "It is equal after trimming.", "kb:caf\u00e9⟦⟧", "kb:caf\u00e9⟦\n⟧", 8,
                               MOCK_EQUAL_TRIMMING});
}

static void equal_json_is_named(void **state) {
  (void)state;
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss}]", "resource", "{\"a\":1,\"b\":[2]}", "response", "A"));
  assert_false(resolve(&subject, "{\"b\": [2.0], \"a\": 1}").hit);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  assert_int_equal(mock_near_misses(subject.run, near), 1);
  assert_near("json", &near[0],
              &(struct expected_near){"resource", "It is equal as JSON.", "{\"⟦a⟧\":1,\"b\":[2]}",
                                      "{\"⟦b⟧\": [2.0], \"a\": 1}", 2, MOCK_EQUAL_JSON});
  close_run(&subject);
}

static void texts_that_were_cut_alike_are_told_apart(void **state) {
  (void)state;
  struct digest one = hash_of(STR("one")), two = hash_of(STR("two"));
  struct subject subject;
  open_mocks(&subject, json_pack("[{ss,ss,ss},{s{ss},ss}]", "resource", "long", "resource_whole",
                                 digest_format(&one).text, "response", "A", "match", "prefix", "lon", "response", "B"));
  struct mock_answer answer;
  mock_resolve(subject.run, (struct mock_resource){STR("long"), &two}, &answer);
  assert_false(answer.hit);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  assert_int_equal(mock_near_misses(subject.run, near), 2);
  assert_near("cut", &near[0],
              &(struct expected_near){"resource",
                                      "It is equal as far as it was kept; the whole texts, which were cut, "
                                      "differ.",
                                      "long", "long", -1, MOCK_EQUAL_CUT});
  assert_near("cut", &near[1],
              &(struct expected_near){"match",
                                      "The request was cut to its limit; only an exact mock answers such a one.",
                                      "a request that was not cut", "long", -1, 0});
  mock_resolve(subject.run, (struct mock_resource){STR("long"), NULL}, &answer);
  assert_int_equal(mock_near_misses(subject.run, near), 1);
  assert_near("cut", &near[0],
              &(struct expected_near){"resource",
                                      "It is equal as far as it was kept; the mock's was longer and was cut.", "long",
                                      "long", -1, MOCK_EQUAL_CUT});
  static const char *const names[] = {"trimming", "case_folding", "unicode_normalization", "json", "cutting"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_string_equal(mock_equal_names[i], names[i]);
  close_run(&subject);
}

// ---- text matchers ----

static void a_prefix_is_compared_from_the_start(void **state) {
  (void)state;
  static const char mock[] = "'prefix':'payments:'";
  check(mock, "payment/7",
        (struct expected_near){"match.prefix", "The request does not begin so: it differs from byte 7 on.",
                               "payment⟦s⟧:", "payment⟦/⟧7", 7, 0});
  check(mock, "Payments:7",
        (struct expected_near){"match.prefix", "It begins so after case folding.", "⟦p⟧ayments:", "⟦P⟧ayments:7", 0,
                               MOCK_EQUAL_CASE});
  check(mock, " payments:7",
        (struct expected_near){"match.prefix", "It begins so after trimming.", "⟦p⟧ayments:", "⟦ ⟧payments:7", 0,
                               MOCK_EQUAL_TRIMMING});
}

static void a_suffix_is_compared_from_the_end(void **state) {
  (void)state;
  static const char mock[] = "'suffix':'.json'";
  check(mock, "a_json",
        (struct expected_near){"match.suffix", "The request does not end so.", "⟦.⟧json", "a⟦_⟧json", 1, 0});
  check(mock, "a.json\n",
        (struct expected_near){"match.suffix", "It ends so after trimming.", ".jso⟦n⟧", "a.json⟦\n⟧", 6,
                               MOCK_EQUAL_TRIMMING});
  check(mock, "a.JSON",
        (struct expected_near){"match.suffix", "It ends so after case folding.", ".jso⟦n⟧", "a.JSO⟦N⟧", 5,
                               MOCK_EQUAL_CASE});
  check("'suffix':'x€end'", "x₭end",
        (struct expected_near){"match.suffix", "The request does not end so.", "x⟦€⟧end", "x⟦₭⟧end", 1, 0});
}

static void a_part_is_shown_where_most_of_it_was_found(void **state) {
  (void)state;
  check("'contains':'order=7'", "refund?order=8",
        (struct expected_near){"match.contains",
                               "The request has it nowhere; the longest beginning of it that is there has 6 bytes.",
                               "order=⟦7⟧", "refund?order=⟦8⟧", 13, 0});
  check("'contains':'caf\u00e9'", "kb:cafe\u0301:x",
        (struct expected_near){"match.contains", "It has it after Unicode normalisation.", "caf⟦\u00e9⟧",
                               "kb:caf⟦e⟧\u0301:x", 6, MOCK_EQUAL_UNICODE});
  check("'contains':'ab€'", "xab₭",
        (struct expected_near){"match.contains",
                               "The request has it nowhere; the longest beginning of it that is there has 2 bytes.",
                               "ab⟦€⟧", "xab⟦₭⟧", 3, 0});
}

static void a_resource_in_a_combination_is_compared_as_one(void **state) {
  (void)state;
  check("'any':[{'resource':'a'},{'resource':'kb:7'}]", "kb:8",
        (struct expected_near){"match.any[1].resource", "It differs from byte 3 on.", "kb:⟦7⟧", "kb:⟦8⟧", 3, 0});
}

static void a_glob_shows_how_far_it_came(void **state) {
  (void)state;
  check("'glob':'kb:*/x'", "kb:a/y",
        (struct expected_near){"match.glob", "The request fits the pattern up to its byte 5.", "kb:*/⟦x⟧", "kb:a/⟦y⟧",
                               5, 0});
  check("'glob':'kb:*'", "kb:a\nb",
        (struct expected_near){"match.glob",
                               "The request goes on behind what the pattern covers; * ends with the line, "
                               "** does not.",
                               "kb:*⟦⟧", "kb:a⟦\n⟧b", 4, 0});
  check("'glob':'kb:?€x'", "kb:a₭x",
        (struct expected_near){"match.glob", "The request fits the pattern up to its byte 4.", "kb:?⟦€⟧x", "kb:a⟦₭⟧x",
                               4, 0});
}

static void a_regular_expression_is_only_shown(void **state) {
  (void)state;
  check("'regex':'^kb:article/[0-9]+$'", "kb:article/x",
        (struct expected_near){"match.regex", "The request does not match the regular expression.",
                               "^kb:article/[0-9]+$", "kb:article/x", -1, 0});
}

static void what_people_overlook_is_found_for_patterns_and_json_too(void **state) {
  (void)state;
  check("'regex':'^kb:article/[0-9]+$'", "kb:article/7\n",
        (struct expected_near){"match.regex", "It matches after trimming.", "^kb:article/[0-9]+$", "kb:article/7\n", -1,
                               MOCK_EQUAL_TRIMMING});
  check("'regex':'^ord:[0-9]+$'", " ORD:5",
        (struct expected_near){"match.regex", "It matches after trimming and case folding.", "^ord:[0-9]+$", " ORD:5",
                               -1, MOCK_EQUAL_TRIMMING | MOCK_EQUAL_CASE});
  check("'glob':'crm:*'", "CRM:5",
        (struct expected_near){"match.glob", "It fits after case folding.", "⟦c⟧rm:*", "⟦C⟧RM:5", 0, MOCK_EQUAL_CASE});
  check("'glob':'crm:*'", " crm:5",
        (struct expected_near){"match.glob", "It fits after trimming.", "⟦c⟧rm:*", "⟦ ⟧crm:5", 0, MOCK_EQUAL_TRIMMING});
  check("'json':{'partial':{'id':'A'}}", "{\"id\":\"a\"}",
        (struct expected_near){"match.json.partial", "It matches after case folding.", "\"⟦A⟧\"", "\"⟦a⟧\"", -1,
                               MOCK_EQUAL_CASE});
  check("'json':{'path':{'$.id':'A'}}", "\xef\xbb\xbf{\"id\":\"A\"}",
        (struct expected_near){"match.json.path", "It matches after trimming.", "a JSON document",
                               "\xef\xbb\xbf{\"id\":\"A\"}", -1, MOCK_EQUAL_TRIMMING});
}

// ---- JSON ----

static void json_parts_ways_at_a_place(void **state) {
  (void)state;
  check("'json':{'equal':{'a':{'b':1},'c':2}}", "{\"c\":2,\"a\":{\"b\":3}}",
        (struct expected_near){"match.json.equal", "The value at $.a.b is another one.", "⟦1⟧", "⟦3⟧", -1, 0});
  check("'json':{'equal':{'a':1}}", "{\"x\":2,\"a\":1}",
        (struct expected_near){"match.json.equal", "The value at $ is another one.", "{\"a\":1⟦}⟧",
                               "{\"a\":1⟦,⟧\"x\":2}", -1, 0});
  check("'json':{'equal':[1,2]}", "[1,3]",
        (struct expected_near){"match.json.equal", "The value at $[1] is another one.", "⟦2⟧", "⟦3⟧", -1, 0});
  check("'json':{'equal':[1,2]}", "[1]",
        (struct expected_near){"match.json.equal", "The value at $ is another one.", "[1⟦,⟧2]", "[1⟦]⟧", -1, 0});
  check("'json':{'equal':{'a.b':{'c':19.99,'d':0.1}}}", "{\"a.b\":{\"c\":19.98,\"d\":0.1}}",
        (struct expected_near){"match.json.equal", "The value at $['a.b'].c is another one.", "19.9⟦9⟧", "19.9⟦8⟧", -1,
                               0});
  check("'json':{'partial':{'a':{'b':1}}}", "{\"a\":{\"c\":1}}",
        (struct expected_near){"match.json.partial", "There is nothing at $.a.b.", "1", NULL, -1, 0});
  check(
      "'json':{'partial':{'a':['x']}}", "{\"a\":[\"y\"],\"b\":1}",
      (struct expected_near){"match.json.partial", "The value at $.a[0] is another one.", "\"⟦x⟧\"", "\"⟦y⟧\"", -1, 0});
}

static void the_path_that_does_not_hold_is_shown(void **state) {
  (void)state;
  check("'json':{'path':{'$.a':1,'$.b':2}}", "{\"a\":1,\"b\":3}",
        (struct expected_near){"match.json.path", "The value at $.b is another one.", "⟦2⟧", "⟦3⟧", -1, 0});
  check("'json':{'path':{'$.a':1,'$.b':2}}", "{\"a\":1}",
        (struct expected_near){"match.json.path", "There is nothing at $.b.", "2", NULL, -1, 0});
  check("'json':{'path':{'$.größe[*].x':2}}", "{\"größe\":[{\"x\":1},{\"x\":3}]}",
        (struct expected_near){"match.json.path", "The value at $.größe[*].x is another one.", "⟦2⟧", "⟦1⟧", -1, 0});
}

static void what_was_meant_to_be_json_is_none(void **state) {
  (void)state;
  check("'json':{'equal':{'a':1}}", "{\"a\":1",
        (struct expected_near){"match.json.equal", "The request can't be read as JSON, see line 1, column 6.",
                               "a JSON document", "{\"a\":1", -1, 0});
  check_none("'json':{'equal':{'a':1}}", "a=1");
  check_none("'json':{'equal':{'a':1}}", "[]");
}

// Cut between characters, wherever they stand.
static void long_names_are_cut_between_characters(void **state) {
  (void)state;
  for (size_t shift = 0; shift < 3; shift++) {
    char name[160] = "ab";
    size_t len = shift;
    while (len < 130) {
      memcpy(name + len, "€", 4);
      len += 3;
    }
    char path[170];
    snprintf(path, sizeof path, "$.%s", name);
    json_t *value = json_pack("{si}", name, 1);
    struct subject subject;
    open_mocks(&subject, json_pack("[{s{s{s{si}}},ss},{s{s{sO}},ss}]", "match", "json", "path", path, 1, "response",
                                   "A", "match", "json", "equal", value, "response", "B"));
    json_object_set_new(value, name, json_integer(2));
    AUTO(mem_auto_free) char *request = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    // The mock's copy is its own: the set was built before the value was changed.
    assert_false(resolve(&subject, request).hit);
    struct mock_near_miss near[MOCK_NEAR_MAX];
    assert_int_equal(mock_near_misses(subject.run, near), 2);
    for (size_t i = 0; i < 2; i++) {
      assert_true(utf8_valid(near[i].why, NULL));
      assert_true(str_starts(near[i].why, STR("The value at $.")));
    }
    close_run(&subject);
  }
}

// ---- combinations ----

static void the_part_that_failed_is_shown(void **state) {
  (void)state;
  check("'all':[{'prefix':'pay'},{'suffix':'=7'}]", "payments=8",
        (struct expected_near){"match.all[1].suffix", "The request does not end so.", "=⟦7⟧", "payments=⟦8⟧", 9, 0});
  check("'any':[{'prefix':'zzz'},{'contains':'payments:'}]", "payments=8",
        (struct expected_near){"match.any[1].contains",
                               "The request has it nowhere; the longest beginning of it that is there has 8 bytes.",
                               "payments⟦:⟧", "payments⟦=⟧8", 8, 0});
  check("'none':[{'contains':'x'},{'prefix':'pay'}]", "payments=8",
        (struct expected_near){"match.none[1].prefix", "The request matches this, and must not.", "pay", "payments=8",
                               -1, 0});
  check("'none':[{'json':{'equal':[]}}]", "[]",
        (struct expected_near){"match.none[0].json.equal", "The request matches this, and must not.", "(see the mock)",
                               "[]", -1, 0});
  check("'all':[{'prefix':'p'},{'any':[{'suffix':'1'},{'all':[{'prefix':'pay'},{'contains':'ts=7'}]}]}]", "payments=8",
        (struct expected_near){"match.all[1].any[1].all[1].contains",
                               "The request has it nowhere; the longest beginning of it that is there has 3 bytes.",
                               "ts=⟦7⟧", "payments=⟦8⟧", 9, 0});
}

// The undecided part did not decide anything: the other one did.
static void a_part_that_is_undecided_is_not_blamed(void **state) {
  (void)state;
  check("'all':[{'regex':'^(a+)+$'},{'prefix':'aab'}]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
        (struct expected_near){"match.all[1].prefix", "The request does not begin so: it differs from byte 2 on.",
                               "aa⟦b⟧", "aa⟦a⟧aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 2, 0});
}

// ---- which ones, in what order ----

static void assert_mocks(const char *mocks, const char *request, const char *expected) {
  struct subject subject;
  open_text(&subject, mocks);
  assert_false(resolve(&subject, request).hit);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  size_t count = mock_near_misses(subject.run, near);
  char text[16] = "";
  for (size_t i = 0; i < count; i++) snprintf(text + 2 * i, 4, "%d ", near[i].mock);
  assert_string_equal(text, expected);
  close_run(&subject);
}

static void the_nearest_come_first_and_at_most_three(void **state) {
  (void)state;
  assert_mocks("[{'resource':'kb:1','response':'A'},{'resource':'kb:2','response':'A'},"
               "{'resource':'kb:3','response':'A'},{'resource':'kb:4','response':'A'}]",
               "kb:5", "1 2 3 ");
  assert_mocks("[{'resource':'kb:9x','response':'A'},{'resource':'kb:9','response':'A'},"
               "{'resource':'KB:8','response':'A'},{'resource':'k','response':'A'}]",
               "kb:8", "2 1 0 ");
  assert_mocks(
      "[{'glob':'kb:*:x','response':'A'},{'resource':'kb:7','response':'A'},"
      "{'prefix':'KB:','response':'A'},{'suffix':':8','response':'A','times':1},{'prefix':'zz','response':'A'}]",
      "kb:5", "2 1 0 ");
}

static void what_has_nothing_in_common_is_no_near_miss(void **state) {
  (void)state;
  check_none("'resource':'crm:customer/42'", "zzz");
  check_none("'resource':'crm:customer/42'", "");
  check_none("'prefix':'crm:'", "kb:7");
  check_none("'suffix':':7'", "kb:8x");
  check_none("'contains':'zzz'", "kb:7");
  check_none("'glob':'crm:*'", "kb:7");
  check_none("'regex':'^crm'", "kb:7");
  check_none("'resource':' '", "\n");
  assert_mocks("[]", "kb:7", "");
}

static void one_that_is_used_up_is_a_candidate_and_no_near_miss(void **state) {
  (void)state;
  struct subject subject;
  open_text(&subject, "[{'resource':'kb:7','responses':['1']},{'glob':'kb:*','responses':['2']},"
                      "{'resource':'kb:8','response':'A'}]");
  assert_hit(&subject, "kb:7", 0, "1");
  assert_hit(&subject, "kb:7", 1, "2");
  struct mock_answer answer = resolve(&subject, "kb:7");
  assert_candidates(&answer, "0 used_up, 1 used_up");
  struct mock_near_miss near[MOCK_NEAR_MAX];
  assert_int_equal(mock_near_misses(subject.run, near), 1);
  assert_int_equal(near[0].mock, 2);
  close_run(&subject);
}

// Two exact mocks among many, found by how they begin, how they end and what they mean.
static void a_near_one_is_found_among_many(void **state) {
  (void)state;
  json_t *mocks = json_array();
  for (int i = 0; i < 5000; i++) {
    char resource[40];
    snprintf(resource, sizeof resource, "%08x:customer/%d", (unsigned)i * 2654435761u, i);
    json_array_append_new(mocks, json_pack("{ss,ss}", "resource", resource, "response", "A"));
  }
  json_array_insert_new(mocks, 1234, json_pack("{ss,ss}", "resource", "crm:Caf\u00e9", "response", "A"));
  json_array_insert_new(mocks, 2345, json_pack("{ss,ss}", "resource", "[1, 2]", "response", "A"));
  struct subject subject;
  open_mocks(&subject, mocks);
  struct mock_near_miss near[MOCK_NEAR_MAX];
  assert_false(resolve(&subject, " CRM:cafe\u0301").hit);
  assert_in_range(mock_near_misses(subject.run, near), 1, 3);
  assert_int_equal(near[0].mock, 1234);
  assert_false(resolve(&subject, "[1.0,2]").hit);
  assert_in_range(mock_near_misses(subject.run, near), 1, 3);
  assert_int_equal(near[0].mock, 2345);
  assert_int_equal(near[0].equal_after, MOCK_EQUAL_JSON);
  assert_false(resolve(&subject, "crm:Caf").hit);
  assert_in_range(mock_near_misses(subject.run, near), 1, 3);
  assert_int_equal(near[0].mock, 1234);
  close_run(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_difference_of_a_resource_is_marked),
      cmocka_unit_test(characters_are_marked_whole),
      cmocka_unit_test(what_a_person_overlooks_is_named),
      cmocka_unit_test(equal_json_is_named),
      cmocka_unit_test(texts_that_were_cut_alike_are_told_apart),
      cmocka_unit_test(a_prefix_is_compared_from_the_start),
      cmocka_unit_test(a_suffix_is_compared_from_the_end),
      cmocka_unit_test(a_part_is_shown_where_most_of_it_was_found),
      cmocka_unit_test(a_resource_in_a_combination_is_compared_as_one),
      cmocka_unit_test(a_glob_shows_how_far_it_came),
      cmocka_unit_test(a_regular_expression_is_only_shown),
      cmocka_unit_test(what_people_overlook_is_found_for_patterns_and_json_too),
      cmocka_unit_test(json_parts_ways_at_a_place),
      cmocka_unit_test(the_path_that_does_not_hold_is_shown),
      cmocka_unit_test(what_was_meant_to_be_json_is_none),
      cmocka_unit_test(long_names_are_cut_between_characters),
      cmocka_unit_test(the_part_that_failed_is_shown),
      cmocka_unit_test(a_part_that_is_undecided_is_not_blamed),
      cmocka_unit_test(the_nearest_come_first_and_at_most_three),
      cmocka_unit_test(what_has_nothing_in_common_is_no_near_miss),
      cmocka_unit_test(one_that_is_used_up_is_a_candidate_and_no_near_miss),
      cmocka_unit_test(a_near_one_is_found_among_many),
  };
  return cmocka_run_group_tests(tests, setup_secret, NULL);
}
