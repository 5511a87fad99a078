// SPDX-License-Identifier: Apache-2.0
// Any bytes as the body of a scenario request: read, checked against its shape, cut to its limits, made into a plan.
// Held to: what is accepted has a plan; its canonical form makes the same plan again, with the same hash; every step
// can be resolved; and reading what was stored cuts nothing more.
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "mock/mock.h"
#include "sandbox/limits.h"
#include "sandbox/plan.h"
#include "sandbox/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static const struct schema shape_text = {.kind = SCHEMA_STRING, .non_empty = true};
static const struct schema shape_seed = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 0, .max = SEED_MAX};
static const struct schema shape_body = {
    .kind = SCHEMA_OBJECT,
    .members =
        (const struct schema_member[]){
            {"name", &shape_text, true, NULL},
            {"subject_kind", &shape_text, false, NULL},
            {"steps", &shape_steps, true, NULL},
            {"mocks", &shape_mocks, false, NULL},
            {"variants", &shape_variants, false, NULL},
            {"seed", &shape_seed, false, NULL},
            {0},
        },
};

static void resolve_all(const struct plan *plan) {
  struct mock_run *run = mock_run_new(plan->mocks);
  for (size_t i = 0; i < plan->step_count; i++) {
    struct mock_answer answer;
    mock_resolve(run, (struct mock_resource){plan->steps[i].input, plan->steps[i].whole}, &answer);
    require(str_present(answer.response) && answer.hit == (answer.mock != MOCK_NONE));
    require(answer.hit || str_starts(answer.response, STR("[[mock-miss:")));
  }
  mock_run_free(run);
}

static void check_plan(const struct scenario *scenario, struct str variant) {
  struct plan *plan, *again;
  struct err err = {0};
  require(plan_from_scenario(scenario, variant, scenario->seed, &plan, &err));
  require(plan_from_canonical((struct str){plan->canonical, plan->canonical_len}, &again, &err));
  require(digest_eq(&plan->spec_hash, &again->spec_hash));
  resolve_all(plan);
  plan_unref(again);
  plan_unref(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  secret_setup();
  struct err err = {0};
  AUTO(json_auto_decref) json_t *body = NULL;
  if (!json_read((struct str){(const char *)data, size}, &body, &err) || !schema_check(&shape_body, body, &err))
    return 0;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct scenario scenario;
  if (!scenario_read(body, false, arena, &scenario, &err)) return 0;
  require(scenario.name.len > 0 && scenario.name.len <= NAME_MAX_BYTES);
  check_plan(&scenario, STR_NONE);
  const char *variant;
  json_t *overlay;
  json_object_foreach(json_object_get(body, "variants"), variant, overlay) check_plan(&scenario, str_c(variant));
  return 0;
}
