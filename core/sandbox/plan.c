// SPDX-License-Identifier: Apache-2.0
// From a scenario to what is executed. The overlay of a variant is applied here and nowhere else: its steps replace the
// scenario's, its mocks come in front, and a mock of the scenario for the same resource is left out. What remains, in
// canonical JSON, is the spec; its hash is what a run records, so that equal hashes mean that the same thing was run.
#include "sandbox/plan.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sandbox/limits.h"

enum { CANONICAL_MAX_BYTES = 64 * 1024 * 1024, KEY_MAX_BYTES = INPUT_MAX_BYTES + DIGEST_TEXT_LEN + 1 };

/// What two mocks for the same resource share: the text, and of a cut one the digest of the whole.
static struct str resource_key(const json_t *mock, struct buf *scratch) {
  buf_clear(scratch);
  buf_add_str(scratch, json_member_str(mock, "resource_whole"));
  buf_add_char(scratch, ':');
  buf_add_str(scratch, json_member_str(mock, "resource"));
  return buf_str(scratch);
}

/// Which of the scenario's mocks are left out, since the overlay answers their resource: by index. In constant time for
/// each. A mock with a matcher is never left out.
static bool *mocks_replaced(const json_t *base, const json_t *overlay) {
  AUTO(json_auto_decref) json_t *answered = json_object();
  AUTO(buf_done) struct buf scratch;
  buf_init(&scratch, KEY_MAX_BYTES);
  bool *replaced = mem_array(json_array_size(base) + 1, sizeof *replaced);
  size_t i;
  json_t *mock;
  json_array_foreach(overlay, i, mock) {
    struct str key = resource_key(mock, &scratch);
    if (json_object_get(mock, "resource")) json_object_setn_new(answered, key.data, key.len, json_true());
  }
  json_array_foreach(base, i, mock) {
    struct str key = resource_key(mock, &scratch);
    replaced[i] = json_object_get(mock, "resource") && json_object_getn(answered, key.data, key.len);
  }
  return replaced;
}

static json_t *effective_mocks(const json_t *base, const json_t *overlay, const bool *replaced) {
  if (!overlay) return json_incref((json_t *)(uintptr_t)base);
  json_t *all = json_copy((json_t *)(uintptr_t)overlay);
  size_t i;
  json_t *mock;
  json_array_foreach(base, i, mock) if (!replaced[i]) json_array_append(all, mock);
  return all;
}

static bool read_steps(struct plan *plan, const json_t *steps, struct err *err) {
  plan->step_count = json_array_size(steps);
  plan->steps = mem_array(plan->step_count ? plan->step_count : 1, sizeof *plan->steps);
  plan->bytes += plan->step_count * sizeof *plan->steps;
  for (size_t i = 0; i < plan->step_count; i++) {
    const json_t *step = json_array_get(steps, i);
    struct plan_step *out = &plan->steps[i];
    out->key = json_member_str(step, "key");
    out->input = json_member_str(step, "input");
    struct str whole = json_member_str(step, "input_whole");
    if (!str_present(whole)) continue;
    struct digest *digest = mem_alloc(sizeof *digest);
    out->whole = digest;
    if (!digest_parse(whole, digest)) return err_set(err, ERR_INTERNAL, "A stored step has a malformed input_whole.");
  }
  return true;
}

static bool finish(struct plan *plan, json_t *steps, json_t *mocks, const struct mock_layer *layers, size_t layer_count,
                   struct err *err) {
  plan->source = json_pack("{sO sI sO}", "mocks", mocks, "seed", (json_int_t)plan->seed, "steps", steps);
  AUTO(buf_done) struct buf canonical;
  buf_init(&canonical, CANONICAL_MAX_BYTES);
  if (!json_canonical(plan->source, &canonical, err)) return false;
  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, buf_str(&canonical));
  plan->spec_hash = hash_final(&hash);
  plan->canonical = buf_take(&canonical, &plan->canonical_len);
  if (!mock_set_new(layers, layer_count, &plan->mocks, err)) return false;
  // The parsed source is about as large again as its text.
  plan->bytes += sizeof *plan + 3 * plan->canonical_len + mock_set_bytes(plan->mocks);
  return read_steps(plan, json_object_get(plan->source, "steps"), err);
}

static struct plan *plan_new(int64_t seed) {
  struct plan *plan = mem_zalloc(sizeof *plan);
  plan->refs = 1;
  plan->seed = seed;
  return plan;
}

static bool hand_over(struct plan *plan, bool ok, struct plan **ret_plan) {
  if (ok)
    *ret_plan = plan;
  else
    plan_unref(plan);
  return ok;
}

bool plan_from_scenario(const struct scenario *s, struct str variant, int64_t seed, struct plan **ret_plan,
                        struct err *err) {
  AUTO(json_auto_decref) json_t *steps = NULL;
  AUTO(json_auto_decref) json_t *mocks = NULL;
  AUTO(json_auto_decref) json_t *variants = NULL;
  if (!json_read(s->steps, &steps, err) || !json_read(s->mocks, &mocks, err) || !json_read(s->variants, &variants, err))
    return err_wrap(err, "scenario %s as stored", id_format(s->id).text);
  const json_t *overlay = str_present(variant) ? json_object_getn(variants, variant.data, variant.len) : NULL;
  json_t *overlay_steps = json_object_get(overlay, "steps");
  const json_t *overlay_mocks = json_object_get(overlay, "mocks");

  AUTO(buf_done) struct buf place;
  buf_init(&place, 4096);
  buf_addf(&place, "variants.%.*s.mocks", STR_ARG(variant));
  AUTO(mem_auto_free) bool *replaced = mocks_replaced(mocks, overlay_mocks);
  const struct mock_layer layers[] = {{buf_str(&place).data, overlay_mocks, NULL}, {"mocks", mocks, replaced}};
  bool layered = overlay_mocks != NULL;
  AUTO(json_auto_decref) json_t *effective = effective_mocks(mocks, overlay_mocks, replaced);
  struct plan *plan = plan_new(seed);
  plan->overlaid = overlay != NULL;
  return hand_over(plan,
                   finish(plan, overlay_steps ? overlay_steps : steps, effective, layered ? layers : layers + 1,
                          layered ? 2 : 1, err),
                   ret_plan);
}

static bool from_arrays(json_t *steps, json_t *mocks, int64_t seed, struct plan **ret_plan, struct err *err) {
  if (!json_is_array(steps) || !json_is_array(mocks))
    return err_set(err, ERR_INTERNAL, "The stored spec can't be used: its steps and mocks must be arrays.");
  struct plan *plan = plan_new(seed);
  return hand_over(plan, finish(plan, steps, mocks, &(struct mock_layer){"mocks", mocks, NULL}, 1, err), ret_plan);
}

bool plan_from_json(struct str steps, struct str mocks, int64_t seed, struct plan **ret_plan, struct err *err) {
  AUTO(json_auto_decref) json_t *steps_json = NULL;
  AUTO(json_auto_decref) json_t *mocks_json = NULL;
  if (!json_read(steps, &steps_json, err) || !json_read(mocks, &mocks_json, err)) return false;
  return from_arrays(steps_json, mocks_json, seed, ret_plan, err);
}

bool plan_from_canonical(struct str canonical, struct plan **ret_plan, struct err *err) {
  AUTO(json_auto_decref) json_t *spec = NULL;
  if (!json_read(canonical, &spec, err)) return err_wrap(err, "spec as stored");
  return from_arrays(json_object_get(spec, "steps"), json_object_get(spec, "mocks"),
                     json_integer_value(json_object_get(spec, "seed")), ret_plan, err);
}

struct plan *plan_ref(struct plan *plan) {
  plan->refs++;
  return plan;
}

static void free_digest(const struct digest *digest) {
  free((void *)(uintptr_t)digest);
}

void plan_unref(struct plan *plan) {
  if (!plan || --plan->refs > 0) return;
  if (plan->steps)
    for (size_t i = 0; i < plan->step_count; i++) free_digest(plan->steps[i].whole);
  free(plan->steps);
  mock_set_free(plan->mocks);
  free(plan->canonical);
  json_decref(plan->source);
  free(plan);
}
