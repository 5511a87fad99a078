// SPDX-License-Identifier: Apache-2.0
// Keeps the plans used last. A revision is immutable, so an entry never goes stale; it only falls out. A handful of
// entries, searched from the most recent: shorter than any hash.
#include "base/mem.h"
#include "sandbox/plan.h"

struct entry {
  struct id scenario;
  int64_t revision, seed;
  char *variant; // NULL = none
  struct plan *plan;
};

struct plan_cache {
  size_t max_plans, max_bytes;
  size_t count, bytes;
  struct entry entries[]; // the most recently used first
};

struct plan_cache *plan_cache_new(size_t max_plans, size_t max_bytes) {
  struct plan_cache *cache = mem_zalloc(sizeof *cache + max_plans * sizeof(struct entry));
  cache->max_plans = max_plans;
  cache->max_bytes = max_bytes;
  return cache;
}

static void drop_last(struct plan_cache *cache) {
  struct entry *last = &cache->entries[--cache->count];
  cache->bytes -= last->plan->bytes;
  free(last->variant);
  plan_unref(last->plan);
}

void plan_cache_free(struct plan_cache *cache) {
  if (!cache) return;
  while (cache->count > 0) drop_last(cache);
  free(cache);
}

static bool matches(const struct entry *e, struct id scenario, int64_t revision, struct str variant, int64_t seed) {
  return id_eq(e->scenario, scenario) && e->revision == revision && e->seed == seed &&
         str_present(variant) == (e->variant != NULL) && str_eq(variant, str_c(e->variant));
}

struct plan *plan_cache_get(struct plan_cache *cache, struct id scenario, int64_t revision, struct str variant,
                            int64_t seed) {
  for (size_t i = 0; i < cache->count; i++) {
    if (!matches(&cache->entries[i], scenario, revision, variant, seed)) continue;
    struct entry found = cache->entries[i];
    memmove(&cache->entries[1], &cache->entries[0], i * sizeof found);
    cache->entries[0] = found;
    return plan_ref(found.plan);
  }
  return NULL;
}

void plan_cache_put(struct plan_cache *cache, struct id scenario, int64_t revision, struct str variant, int64_t seed,
                    struct plan *plan) {
  if (cache->max_plans == 0) return;
  if (plan->bytes > cache->max_bytes / 2) return; // one giant must not push out everything else
  while (cache->count == cache->max_plans || (cache->count > 0 && cache->bytes + plan->bytes > cache->max_bytes))
    drop_last(cache);
  memmove(&cache->entries[1], &cache->entries[0], cache->count * sizeof(struct entry));
  cache->entries[0] =
      (struct entry){scenario, revision, seed, str_present(variant) ? mem_strdup(variant) : NULL, plan_ref(plan)};
  cache->count++;
  cache->bytes += plan->bytes;
}
