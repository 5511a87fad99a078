// SPDX-License-Identifier: Apache-2.0
#include "sandbox/plan.h"
#include "sandbox/test_sandbox.h"

/// Plans of equal size, told apart by their seed.
static struct plan *plan_of(int seed) {
  struct plan *plan = NULL;
  struct err err = {0};
  assert_true(plan_from_json(STR("[{\"key\":\"k\",\"input\":\"i\"}]"), STR("[]"), seed, &plan, &err));
  return plan;
}

static const struct id scenario = {{1}}, other_scenario = {{2}};

/// Puts a plan that nobody else refers to.
static void put(struct plan_cache *cache, int64_t revision, const char *variant, int seed) {
  struct plan *plan = plan_of(seed);
  plan_cache_put(cache, scenario, revision, str_c(variant), seed, plan);
  plan_unref(plan);
}

/// The seed of the plan found, or -1.
static int64_t get(struct plan_cache *cache, struct id id, int64_t revision, const char *variant, int seed) {
  struct plan *plan = plan_cache_get(cache, id, revision, str_c(variant), seed);
  if (!plan) return -1;
  int64_t found = plan->seed;
  plan_unref(plan);
  return found;
}

static void a_plan_is_found_by_all_of_its_key(void **state) {
  (void)state;
  struct plan_cache *cache = plan_cache_new(8, SIZE_MAX);
  put(cache, 1, NULL, 7);
  assert_int_equal(get(cache, scenario, 1, NULL, 7), 7);
  assert_int_equal(get(cache, other_scenario, 1, NULL, 7), -1);
  assert_int_equal(get(cache, scenario, 2, NULL, 7), -1);
  assert_int_equal(get(cache, scenario, 1, NULL, 8), -1);
  assert_int_equal(get(cache, scenario, 1, "v", 7), -1);
  assert_int_equal(get(cache, scenario, 1, "", 7), -1);
  put(cache, 1, "v", 7);
  put(cache, 1, "", 7);
  assert_int_equal(get(cache, scenario, 1, "v", 7), 7);
  assert_int_equal(get(cache, scenario, 1, "", 7), 7);
  assert_int_equal(get(cache, scenario, 1, "w", 7), -1);
  plan_cache_free(cache);
}

static void the_plan_used_longest_ago_falls_out(void **state) {
  (void)state;
  struct plan_cache *cache = plan_cache_new(3, SIZE_MAX);
  for (int seed = 1; seed <= 3; seed++) put(cache, 1, NULL, seed);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), 1);
  put(cache, 1, NULL, 4);
  assert_int_equal(get(cache, scenario, 1, NULL, 2), -1);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), 1);
  assert_int_equal(get(cache, scenario, 1, NULL, 3), 3);
  assert_int_equal(get(cache, scenario, 1, NULL, 4), 4);
  put(cache, 1, NULL, 5);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), -1);
  plan_cache_free(cache);
}

static void plans_fall_out_until_a_new_one_fits_the_memory(void **state) {
  (void)state;
  struct plan *plan = plan_of(1);
  size_t bytes = plan->bytes;
  plan_unref(plan);
  struct plan_cache *cache = plan_cache_new(100, 4 * bytes);
  for (int seed = 1; seed <= 4; seed++) put(cache, 1, NULL, seed);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), 1);
  put(cache, 1, NULL, 5);
  assert_int_equal(get(cache, scenario, 1, NULL, 2), -1);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), 1);
  plan_cache_free(cache);
}

static void as_many_plans_fall_out_as_a_larger_one_needs(void **state) {
  (void)state;
  struct plan *small = plan_of(1), *large = NULL;
  struct err err = {0};
  assert_true(plan_from_json(STR("[{\"key\":\"k\",\"input\":\"i\"},{\"key\":\"l\",\"input\":\"i\"}]"), STR("[]"), 9,
                             &large, &err));
  assert_in_range(large->bytes, small->bytes + 1, 2 * small->bytes);
  struct plan_cache *cache = plan_cache_new(100, 4 * small->bytes);
  for (int seed = 1; seed <= 4; seed++) put(cache, 1, NULL, seed);
  plan_cache_put(cache, scenario, 1, STR_NONE, 9, large);
  static const int64_t kept[] = {-1, -1, 3, 4}; // the two used longest ago made room
  for (int seed = 1; seed <= 4; seed++) assert_int_equal(get(cache, scenario, 1, NULL, seed), kept[seed - 1]);
  assert_int_equal(get(cache, scenario, 1, NULL, 9), 9);
  plan_cache_free(cache);
  plan_unref(large);
  plan_unref(small);
}

static void a_plan_put_again_is_the_one_found(void **state) {
  (void)state;
  struct plan_cache *cache = plan_cache_new(2, SIZE_MAX);
  struct plan *first = plan_of(1), *second = plan_of(1);
  plan_cache_put(cache, scenario, 1, STR_NONE, 1, first);
  plan_cache_put(cache, scenario, 1, STR_NONE, 1, second);
  assert_ptr_equal(plan_cache_get(cache, scenario, 1, STR_NONE, 1), second);
  plan_unref(second);
  plan_cache_free(cache);
  assert_int_equal(first->refs, 1);
  assert_int_equal(second->refs, 1);
  plan_unref(first);
  plan_unref(second);
}

static void a_cache_for_no_plans_keeps_none(void **state) {
  (void)state;
  struct plan_cache *cache = plan_cache_new(0, SIZE_MAX);
  put(cache, 1, NULL, 1);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), -1);
  plan_cache_free(cache);
}

static void a_plan_of_more_than_half_the_memory_is_not_kept(void **state) {
  (void)state;
  struct plan *plan = plan_of(1);
  struct plan_cache *cache = plan_cache_new(100, 2 * plan->bytes - 1);
  plan_cache_put(cache, scenario, 1, STR_NONE, 1, plan);
  assert_int_equal(plan->refs, 1);
  assert_int_equal(get(cache, scenario, 1, NULL, 1), -1);
  plan_cache_free(cache);
  cache = plan_cache_new(100, 2 * plan->bytes);
  plan_cache_put(cache, scenario, 1, STR_NONE, 1, plan);
  assert_int_equal(plan->refs, 2);
  plan_cache_free(cache);
  assert_int_equal(plan->refs, 1);
  plan_unref(plan);
}

static void the_cache_holds_one_reference_and_gives_new_ones(void **state) {
  (void)state;
  struct plan_cache *cache = plan_cache_new(1, SIZE_MAX);
  struct plan *plan = plan_of(1);
  plan_cache_put(cache, scenario, 1, STR_NONE, 1, plan);
  assert_int_equal(plan->refs, 2);
  assert_ptr_equal(plan_cache_get(cache, scenario, 1, STR_NONE, 1), plan);
  assert_int_equal(plan->refs, 3);
  put(cache, 1, NULL, 2); // the first falls out and stays alive for those who hold it
  assert_int_equal(plan->refs, 2);
  plan_unref(plan);
  plan_unref(plan);
  plan_cache_free(cache);
  plan_cache_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_is_found_by_all_of_its_key),
      cmocka_unit_test(the_plan_used_longest_ago_falls_out),
      cmocka_unit_test(plans_fall_out_until_a_new_one_fits_the_memory),
      cmocka_unit_test(as_many_plans_fall_out_as_a_larger_one_needs),
      cmocka_unit_test(a_plan_put_again_is_the_one_found),
      cmocka_unit_test(a_cache_for_no_plans_keeps_none),
      cmocka_unit_test(a_plan_of_more_than_half_the_memory_is_not_kept),
      cmocka_unit_test(the_cache_holds_one_reference_and_gives_new_ones),
  };
  secret_setup();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
