// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits.h"
#include "sandbox/plan.h"
#include "sandbox/test_sandbox.h"

static void plan_auto_unref(struct plan **plan) {
  plan_unref(*plan);
}
#define PLAN AUTO(plan_auto_unref) struct plan *

static struct plan *from_json(const char *steps, const char *mocks, int64_t seed) {
  struct plan *plan = NULL;
  struct err err = {0};
  if (!plan_from_json(str_c(steps), str_c(mocks), seed, &plan, &err)) fail_msg("%s", err.msg);
  return plan;
}

/// The plan of a scenario with these contents.
static struct plan *of_scenario(const char *steps, const char *mocks, const char *variants, const char *variant) {
  const struct scenario scenario = {.steps = str_c(steps), .mocks = str_c(mocks), .variants = str_c(variants)};
  struct plan *plan = NULL;
  struct err err = {0};
  if (!plan_from_scenario(&scenario, str_c(variant), 0, &plan, &err)) fail_msg("%s", err.msg);
  return plan;
}

static struct str canonical(const struct plan *plan) {
  return (struct str){plan->canonical, plan->canonical_len};
}

// ---- the hash ----

// Published in docs/http-api.md; computed apart from this program: SHA-256 over the length of the canonical JSON as a
// 64-bit big-endian integer, and the JSON.
static void the_spec_hash_is_the_published_one(void **state) {
  (void)state;
  PLAN small = from_json("[{\"key\":\"step-1\",\"input\":\"x\"}]", "[]", 0);
  CHECK_STR(canonical(small), "{\"mocks\":[],\"seed\":0,\"steps\":[{\"input\":\"x\",\"key\":\"step-1\"}]}");
  CHECK_DIGEST(&small->spec_hash, "f2949dff9fe48cfc275bc7f99d2ad5570e203ba6f08506f4cda70ca782aa4fda");

  PLAN larger = from_json("[{\"key\":\"step-1\",\"input\":\"x\"},{\"key\":\"gr\xc3\xb6\xc3\x9f"
                          "e\",\"input\":\"\\\"\\n\"}]",
                          "[{\"resource\":\"x\",\"response\":\"two\"}]", 7);
  CHECK_STR(canonical(larger),
            "{\"mocks\":[{\"resource\":\"x\",\"response\":\"two\"}],\"seed\":7,\"steps\":[{\"input\":"
            "\"x\",\"key\":\"step-1\"},{\"input\":\"\\\"\\n\",\"key\":\"gr\xc3\xb6\xc3\x9f"
            "e\"}]}");
  CHECK_DIGEST(&larger->spec_hash, "aac6d13e6954d0254dc0750e1a203233e0f880b21529f9f1d65f96f883d80e2b");
}

static void how_the_json_was_written_is_not_in_the_hash(void **state) {
  (void)state;
  PLAN plain = from_json("[{\"key\":\"k\",\"input\":\"\xc3\xa9/\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", 1);
  PLAN other = from_json(" [ {\"input\" : \"\\u00e9\\/\",\n\t\"key\":\"\\u006b\"} ] ",
                         "[{\"response\":\"a\" , \"resource\":\"r\"}]", 1);
  CHECK_STR(canonical(other), plain->canonical);
  assert_true(digest_eq(&plain->spec_hash, &other->spec_hash));
}

static void whatever_is_run_otherwise_changes_the_hash(void **state) {
  (void)state;
  static const struct {
    const char *steps, *mocks;
    int64_t seed;
  } specs[] = {
      {"[{\"key\":\"k\",\"input\":\"i\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", 0},
      {"[{\"key\":\"k\",\"input\":\"i\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", 1},
      {"[{\"key\":\"k\",\"input\":\"i\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", SEED_MAX},
      {"[{\"key\":\"l\",\"input\":\"i\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", 0},
      {"[{\"key\":\"k\",\"input\":\"i\\n\"}]", "[{\"resource\":\"r\",\"response\":\"a\"}]", 0},
      {"[{\"key\":\"k\",\"input\":\"i\"}]", "[{\"resource\":\"r\",\"response\":\"b\"}]", 0},
      {"[{\"key\":\"k\",\"input\":\"i\"}]", "[]", 0},
      {"[{\"key\":\"k\",\"input\":\"i\"},{\"key\":\"l\",\"input\":\"i\"}]", "[]", 0},
      {"[{\"key\":\"l\",\"input\":\"i\"},{\"key\":\"k\",\"input\":\"i\"}]", "[]", 0},
  };
  enum { SPECS = sizeof specs / sizeof *specs };
  struct digest hashes[SPECS];
  for (size_t i = 0; i < SPECS; i++) {
    PLAN plan = from_json(specs[i].steps, specs[i].mocks, specs[i].seed);
    hashes[i] = plan->spec_hash;
    for (size_t other = 0; other < i; other++)
      if (digest_eq(&hashes[i], &hashes[other])) fail_msg("specs %zu and %zu have one hash", other, i);
  }
}

static void the_canonical_form_makes_the_same_plan_again(void **state) {
  (void)state;
  char whole[DIGEST_TEXT_LEN + 1] = {0}, steps[256];
  memset(whole, 'a', DIGEST_TEXT_LEN);
  snprintf(steps, sizeof steps, "[{\"input\":\"\\u0001\xf0\x9f\x98\x80\",\"key\":\"k\",\"input_whole\":\"%s\"}]",
           whole);
  PLAN plan = from_json(steps, "[{\"resource\":\"r\",\"response\":\"a\"}]", SEED_MAX);
  PLAN again = NULL;
  struct err err = {0};
  assert_true(plan_from_canonical(canonical(plan), &again, &err));
  assert_true(digest_eq(&plan->spec_hash, &again->spec_hash));
  CHECK_STR(canonical(again), plan->canonical);
  assert_int_equal(again->seed, SEED_MAX);
  assert_int_equal(again->step_count, 1);
  CHECK_STR(again->steps[0].key, "k");
  CHECK_STR(again->steps[0].input, "\x01\xf0\x9f\x98\x80");
  CHECK_DIGEST(again->steps[0].whole, whole);
  assert_int_equal(mock_set_count(again->mocks), 1);
}

static void the_seed_is_the_one_asked_for_and_not_the_scenarios(void **state) {
  (void)state;
  const struct scenario scenario = {
      .steps = STR("[{\"key\":\"k\",\"input\":\"a\"}]"), .mocks = STR("[]"), .variants = STR("{}"), .seed = 5};
  struct err err = {0};
  PLAN plan = NULL;
  assert_true(plan_from_scenario(&scenario, STR_NONE, 6, &plan, &err));
  assert_int_equal(plan->seed, 6);
  PLAN direct = from_json("[{\"key\":\"k\",\"input\":\"a\"}]", "[]", 6);
  assert_true(digest_eq(&plan->spec_hash, &direct->spec_hash));
}

static void the_memory_of_a_plan_counts_all_of_its_text(void **state) {
  (void)state;
  PLAN small = from_json("[]", "[]", 0);
  AUTO(buf_done) struct buf steps;
  buf_init(&steps, 2 * INPUT_MAX_BYTES);
  buf_add_c(&steps, "[{\"key\":\"k\",\"input\":\"");
  for (int i = 0; i < INPUT_MAX_BYTES; i++) buf_add_char(&steps, 'x');
  buf_add_c(&steps, "\"}]");
  PLAN large = from_json(steps.data, "[]", 0);
  assert_true(small->bytes >= sizeof *small);
  // As canonical JSON, and parsed.
  assert_true(large->bytes >= small->bytes + sizeof *large->steps + (size_t)2 * INPUT_MAX_BYTES);
}

// ---- variants ----

#define STEPS                    "[{\"key\":\"k\",\"input\":\"a\"}]"
#define MOCK(resource, response) "{\"resource\":\"" resource "\",\"response\":\"" response "\"}"

static void a_variant_that_changes_nothing_is_a_label(void **state) {
  (void)state;
  static const char variants[] = "{\"empty\":{},\"no mocks\":{\"mocks\":[]},\"same steps\":{\"steps\":" STEPS "},"
                                 "\"other\":{\"mocks\":[" MOCK("a", "2") "]}}";
  PLAN plain = of_scenario(STEPS, "[" MOCK("a", "1") "]", variants, NULL);
  static const struct {
    const char *variant;
    bool same;
  } cases[] = {{"unknown", true},  {"", true},           {"emp", true},   {"empty", true},
               {"no mocks", true}, {"same steps", true}, {"other", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    PLAN plan = of_scenario(STEPS, "[" MOCK("a", "1") "]", variants, cases[i].variant);
    if (digest_eq(&plain->spec_hash, &plan->spec_hash) != cases[i].same) fail_msg("'%s'", cases[i].variant);
    assert_int_equal(mock_set_count(plan->mocks), 1);
  }
}

static void a_variant_may_bring_steps_and_mocks(void **state) {
  (void)state;
  PLAN plan = of_scenario(STEPS, "[" MOCK("a", "1") "]",
                          "{\"v\":{\"steps\":[{\"key\":\"x\",\"input\":\"b\"}],"
                          "\"mocks\":[" MOCK("b", "2") "," MOCK("b", "3") "]}}",
                          "v");
  PLAN direct =
      from_json("[{\"key\":\"x\",\"input\":\"b\"}]", "[" MOCK("b", "2") "," MOCK("b", "3") "," MOCK("a", "1") "]", 0);
  CHECK_STR(canonical(plan), direct->canonical);
}

static void the_steps_of_a_variant_replace_the_scenarios(void **state) {
  (void)state;
  PLAN plan = of_scenario(STEPS, "[" MOCK("a", "1") "]",
                          "{\"v\":{\"steps\":[{\"key\":\"x\",\"input\":\"b\"},{\"key\":\"y\",\"input\":\"c\"}]}}", "v");
  assert_int_equal(plan->step_count, 2);
  CHECK_STR(plan->steps[0].key, "x");
  CHECK_STR(plan->steps[1].input, "c");
  PLAN direct =
      from_json("[{\"key\":\"x\",\"input\":\"b\"},{\"key\":\"y\",\"input\":\"c\"}]", "[" MOCK("a", "1") "]", 0);
  assert_true(digest_eq(&plan->spec_hash, &direct->spec_hash));
}

static void the_mocks_of_a_variant_stand_in_front_and_replace_those_for_the_same_resource(void **state) {
  (void)state;
  PLAN plan = of_scenario(STEPS, "[" MOCK("a", "1") "," MOCK("b", "2") "," MOCK("a", "3") "," MOCK("c", "4") "]",
                          "{\"v\":{\"mocks\":[" MOCK("d", "5") "," MOCK("a", "6") "]}}", "v");
  PLAN direct = from_json(STEPS, "[" MOCK("d", "5") "," MOCK("a", "6") "," MOCK("b", "2") "," MOCK("c", "4") "]", 0);
  CHECK_STR(canonical(plan), direct->canonical);
  assert_true(digest_eq(&plan->spec_hash, &direct->spec_hash));
}

/// What answers a resource, and where it stands; "" for a miss.
static void check_answer(const struct plan *plan, struct mock_resource resource, const char *response,
                         const char *place) {
  struct mock_run *run = mock_run_new(plan->mocks);
  struct mock_answer answer;
  mock_resolve(run, resource, &answer);
  CHECK_STR(answer.response, response);
  CHECK_STR(answer.hit ? mock_set_place(plan->mocks, (size_t)answer.mock) : STR(""), place);
  mock_run_free(run);
}

static void an_answer_names_the_mock_as_the_scenario_was_written(void **state) {
  (void)state;
  PLAN plan = of_scenario(STEPS, "[" MOCK("a", "1") "," MOCK("b", "2") "]",
                          "{\"v 1\":{\"mocks\":[" MOCK("d", "5") "," MOCK("a", "6") "]}}", "v 1");
  check_answer(plan, (struct mock_resource){STR("a"), NULL}, "6", "variants.v 1.mocks[1]");
  check_answer(plan, (struct mock_resource){STR("b"), NULL}, "2", "mocks[1]");
  check_answer(plan, (struct mock_resource){STR("c"), NULL}, "[[mock-miss:c]]", "");
}

// Two long resources with a common beginning are one text once they are cut, and still two resources.
static void cut_resources_are_replaced_by_their_whole_text(void **state) {
  (void)state;
  struct digest first = hash_of(STR("one")), second = hash_of(STR("two"));
  char mocks[512], variants[1024];
  snprintf(mocks, sizeof mocks,
           "[{\"resource\":\"a\",\"response\":\"base 1\",\"resource_whole\":\"%s\"},"
           "{\"resource\":\"a\",\"response\":\"base 2\",\"resource_whole\":\"%s\"},"
           "{\"resource\":\"a\",\"response\":\"base\"}]",
           digest_format(&first).text, digest_format(&second).text);
  snprintf(variants, sizeof variants,
           "{\"v\":{\"mocks\":[{\"resource\":\"a\",\"response\":\"over 1\",\"resource_whole\":\"%s\"},"
           "{\"resource\":\"a\",\"response\":\"over 2\",\"resource_whole\":\"%s\"}]}}",
           digest_format(&first).text, digest_format(&second).text);
  PLAN plan = of_scenario(STEPS, mocks, variants, "v");
  assert_non_null(strstr(plan->canonical, "\"response\":\"base\""));
  assert_null(strstr(plan->canonical, "base 1"));
  assert_null(strstr(plan->canonical, "base 2"));
  check_answer(plan, (struct mock_resource){STR("a"), &first}, "over 1", "variants.v.mocks[0]");
  check_answer(plan, (struct mock_resource){STR("a"), &second}, "over 2", "variants.v.mocks[1]");
  check_answer(plan, (struct mock_resource){STR("a"), NULL}, "base", "mocks[2]");
}

static void a_resource_of_the_longest_kind_is_replaced(void **state) {
  (void)state;
  AUTO(buf_done) struct buf mocks;
  AUTO(buf_done) struct buf variants;
  buf_init(&mocks, 4 * INPUT_MAX_BYTES);
  buf_init(&variants, 4 * INPUT_MAX_BYTES);
  struct digest whole = hash_of(STR("whole"));
  buf_addf(&mocks, "[{\"response\":\"a\",\"resource_whole\":\"%s\",\"resource\":\"", digest_format(&whole).text);
  for (int i = 0; i < INPUT_MAX_BYTES; i++) buf_add_char(&mocks, 'x');
  buf_add_c(&mocks, "\"}]");
  buf_addf(&variants, "{\"v\":{\"mocks\":%s}}", mocks.data);
  PLAN plan = of_scenario(STEPS, mocks.data, variants.data, "v");
  assert_int_equal(mock_set_count(plan->mocks), 1);
}

// ---- what is stored may be damaged ----

static void check_damaged(const char *spec, const char *words) {
  struct plan *plan = NULL;
  struct err err = {0};
  assert_false(plan_from_canonical(str_c(spec), &plan, &err));
  assert_null(plan);
  assert_true(err.code != ERR_NONE);
  if (!strstr(err.msg, words)) fail_msg("'%s' is not in: %s", words, err.msg);
}

static void a_damaged_spec_is_refused(void **state) {
  (void)state;
  check_damaged("", "spec as stored");
  check_damaged("{", "spec as stored");
  check_damaged("[]", "must be arrays");
  check_damaged("{}", "must be arrays");
  check_damaged("{\"mocks\":[],\"seed\":0}", "must be arrays");
  check_damaged("{\"mocks\":{},\"seed\":0,\"steps\":[]}", "must be arrays");
  check_damaged("{\"mocks\":[{\"resource\":1}],\"seed\":0,\"steps\":[]}", "stored mock");
  check_damaged("{\"mocks\":[],\"seed\":0,\"steps\":[{\"key\":\"k\",\"input\":\"i\",\"input_whole\":\"abc\"}]}",
                "malformed input_whole");
}

static void a_damaged_scenario_is_refused(void **state) {
  (void)state;
  static const struct scenario damaged[] = {
      {.steps = {"[", 1}, .mocks = {"[]", 2}, .variants = {"{}", 2}},
      {.steps = {"[]", 2}, .mocks = {"", 0}, .variants = {"{}", 2}},
      {.steps = {"[]", 2}, .mocks = {"[]", 2}, .variants = {"{}{}", 4}},
  };
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    struct plan *plan = NULL;
    struct err err = {0};
    assert_false(plan_from_scenario(&damaged[i], STR_NONE, 0, &plan, &err));
    assert_null(plan);
    assert_non_null(strstr(err.msg, "as stored"));
  }
}

static void a_plan_lives_until_its_last_reference_goes(void **state) {
  (void)state;
  struct plan *plan = from_json(STEPS, "[]", 0);
  assert_ptr_equal(plan_ref(plan), plan);
  plan_unref(plan);
  CHECK_STR(plan->steps[0].input, "a");
  plan_unref(plan);
  plan_unref(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_spec_hash_is_the_published_one),
      cmocka_unit_test(how_the_json_was_written_is_not_in_the_hash),
      cmocka_unit_test(whatever_is_run_otherwise_changes_the_hash),
      cmocka_unit_test(the_canonical_form_makes_the_same_plan_again),
      cmocka_unit_test(the_seed_is_the_one_asked_for_and_not_the_scenarios),
      cmocka_unit_test(the_memory_of_a_plan_counts_all_of_its_text),
      cmocka_unit_test(a_variant_that_changes_nothing_is_a_label),
      cmocka_unit_test(a_variant_may_bring_steps_and_mocks),
      cmocka_unit_test(the_steps_of_a_variant_replace_the_scenarios),
      cmocka_unit_test(the_mocks_of_a_variant_stand_in_front_and_replace_those_for_the_same_resource),
      cmocka_unit_test(an_answer_names_the_mock_as_the_scenario_was_written),
      cmocka_unit_test(cut_resources_are_replaced_by_their_whole_text),
      cmocka_unit_test(a_resource_of_the_longest_kind_is_replaced),
      cmocka_unit_test(a_damaged_spec_is_refused),
      cmocka_unit_test(a_damaged_scenario_is_refused),
      cmocka_unit_test(a_plan_lives_until_its_last_reference_goes),
  };
  secret_setup();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
