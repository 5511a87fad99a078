// SPDX-License-Identifier: Apache-2.0
// Pairs the outputs of two runs by step key. Only the keys are held in memory; texts are read as they are needed, so
// that two runs with large outputs cost no more memory than two small ones. Runs that gave the same outputs (equal
// outputs_hash) are paired without reading them.
#include "sandbox/differences.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"

const char *const difference_names[] = {"same",          "changed",        "miss_to_hit", "hit_to_miss",
                                        "only_baseline", "only_candidate", NULL};

enum { PAIRS_MAX_BYTES = 16 * 1024 * 1024, DIFFERENCES_MAX_BYTES = 32 * 1024 * 1024 };

struct step {
  struct str key; // in the arena
  int64_t seq;
  int64_t partner; // index of the step with this key in the other run, or -1
};

struct arm {
  const struct run *run;
  struct step *steps; // owned
  size_t count, allocated;
  struct arena *arena;
};

struct pairing {
  struct store_conn *conn;
  struct arm baseline, candidate;
  bool same_outputs;
  size_t candidate_next; // candidate steps before this one have been written, or are paired
  struct buf pairs_text, differences_text;
  struct json_writer pairs, differences;
  int64_t pairs_written, differences_written;
  struct differences result;
  struct err *err;
};

void difference_text(struct buf *out, struct str text) {
  if (text.len <= DIFFERENCE_TEXT_BYTES) {
    json_quote(out, text);
    return;
  }
  struct str kept = utf8_clamp(text, DIFFERENCE_TEXT_BYTES);
  AUTO(buf_done) struct buf marked;
  buf_init(&marked, DIFFERENCE_TEXT_BYTES + 64);
  buf_add_str(&marked, kept);
  buf_addf(&marked, "… (%zu more bytes)", text.len - kept.len);
  json_quote(out, buf_str(&marked));
}

// ---- keys ----

static bool note_step(void *ctx, int64_t seq, struct str key) {
  struct arm *arm = ctx;
  if (arm->count == arm->allocated) {
    arm->allocated = arm->allocated ? 2 * arm->allocated : 64;
    arm->steps = mem_realloc(arm->steps, arm->allocated * sizeof *arm->steps);
  }
  arm->steps[arm->count++] = (struct step){arena_str(arm->arena, key), seq, -1};
  return true;
}

static bool read_steps(struct pairing *p, struct arm *arm) {
  return run_step_keys(p->conn, arm->run->tenant, arm->run->id, note_step, arm, p->err);
}

static void find_partners(struct pairing *p) {
  AUTO(json_auto_decref) json_t *by_key = json_object();
  for (size_t i = 0; i < p->candidate.count; i++) {
    const struct str key = p->candidate.steps[i].key;
    json_object_setn_new(by_key, key.data, key.len, json_integer((json_int_t)i));
  }
  for (size_t i = 0; i < p->baseline.count; i++) {
    struct step *step = &p->baseline.steps[i];
    const json_t *partner = json_object_getn(by_key, step->key.data, step->key.len);
    if (!partner) continue;
    step->partner = json_integer_value(partner);
    p->candidate.steps[step->partner].partner = (int64_t)i;
  }
}

// ---- one pair ----

struct side {
  struct arena *arena;
  struct output output;
};

static bool keep_output(void *ctx, const struct output *output) {
  struct side *side = ctx;
  side->output = *output;
  side->output.output = arena_str(side->arena, output->output);
  return false;
}

static bool read_side(struct pairing *p, const struct arm *arm, const struct step *step, struct side *side) {
  return run_outputs(p->conn, arm->run->tenant, arm->run->id, false, step->seq - 1, 1, keep_output, side, p->err);
}

static enum difference judge(const struct output *baseline, const struct output *candidate) {
  if (baseline->mock_hit != candidate->mock_hit)
    return candidate->mock_hit ? DIFFERENCE_MISS_TO_HIT : DIFFERENCE_HIT_TO_MISS;
  return str_eq(baseline->output, candidate->output) ? DIFFERENCE_SAME : DIFFERENCE_CHANGED;
}

static void write_side(struct json_writer *out, const char *key, const struct side *side) {
  AUTO(buf_done) struct buf quoted;
  buf_init(&quoted, 8 * DIFFERENCE_TEXT_BYTES);
  difference_text(&quoted, side->output.output);
  jw_raw(out, key, buf_str(&quoted));
}

static void write_pair(struct pairing *p, struct str key, enum difference kind) {
  p->result.counts[kind]++;
  if (p->pairs_written == PAIRS_MAX) {
    p->result.pairs_omitted++;
    return;
  }
  p->pairs_written++;
  jw_object(&p->pairs, NULL);
  jw_str(&p->pairs, "step_key", key);
  jw_c(&p->pairs, "kind", difference_names[kind]);
  jw_object_end(&p->pairs);
}

static void write_difference(struct pairing *p, struct str key, enum difference kind, const struct side *baseline,
                             const struct side *candidate) {
  if (kind == DIFFERENCE_SAME) return;
  if (p->differences_written == DIFFERENCES_MAX) {
    p->result.differences_omitted++;
    return;
  }
  p->differences_written++;
  jw_object(&p->differences, NULL);
  jw_str(&p->differences, "step_key", key);
  jw_c(&p->differences, "kind", difference_names[kind]);
  if (baseline) write_side(&p->differences, "baseline", baseline);
  if (candidate) write_side(&p->differences, "candidate", candidate);
  jw_object_end(&p->differences);
}

/// The steps with this key; either may be NULL, not both.
static bool pair(struct pairing *p, struct str key, const struct step *baseline, const struct step *candidate) {
  if (p->same_outputs && baseline && candidate) {
    write_pair(p, key, DIFFERENCE_SAME);
    return true;
  }
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct side b = {.arena = arena}, c = {.arena = arena};
  if (baseline && !read_side(p, &p->baseline, baseline, &b)) return false;
  if (candidate && !read_side(p, &p->candidate, candidate, &c)) return false;
  enum difference kind = !candidate  ? DIFFERENCE_ONLY_BASELINE
                         : !baseline ? DIFFERENCE_ONLY_CANDIDATE
                                     : judge(&b.output, &c.output);
  write_pair(p, key, kind);
  write_difference(p, key, kind, baseline ? &b : NULL, candidate ? &c : NULL);
  return true;
}

// ---- all of them ----

/// What only the candidate has, up to its step `before`.
static bool candidates_before(struct pairing *p, size_t before) {
  for (; p->candidate_next < before; p->candidate_next++) {
    const struct step *step = &p->candidate.steps[p->candidate_next];
    if (step->partner < 0 && !pair(p, step->key, NULL, step)) return false;
  }
  return true;
}

static bool pair_all(struct pairing *p) {
  for (size_t i = 0; i < p->baseline.count; i++) {
    const struct step *step = &p->baseline.steps[i];
    bool paired = step->partner >= 0;
    if (paired && !candidates_before(p, (size_t)step->partner)) return false;
    if (!pair(p, step->key, step, paired ? &p->candidate.steps[step->partner] : NULL)) return false;
  }
  return candidates_before(p, p->candidate.count);
}

static bool read_and_pair(struct pairing *p) {
  if (!read_steps(p, &p->baseline) || !read_steps(p, &p->candidate)) return false;
  find_partners(p);
  jw_init(&p->pairs, &p->pairs_text);
  jw_init(&p->differences, &p->differences_text);
  jw_array(&p->pairs, NULL);
  jw_array(&p->differences, NULL);
  if (!pair_all(p)) return false;
  jw_array_end(&p->pairs);
  jw_array_end(&p->differences);
  return (!p->pairs_text.over && !p->differences_text.over) ||
         err_set(p->err, ERR_INTERNAL, "The differences of the arms are too large to be recorded.");
}

bool differences_read(struct store_conn *conn, struct arena *arena, const struct run *baseline,
                      const struct run *candidate, struct differences *ret_differences, struct err *err) {
  struct pairing p = {
      .conn = conn,
      .baseline = {.run = baseline, .arena = arena},
      .candidate = {.run = candidate, .arena = arena},
      .same_outputs = baseline->has_outputs_hash && candidate->has_outputs_hash &&
                      digest_eq(&baseline->outputs_hash, &candidate->outputs_hash),
      .err = err,
  };
  buf_init(&p.pairs_text, PAIRS_MAX_BYTES);
  buf_init(&p.differences_text, DIFFERENCES_MAX_BYTES);
  bool ok = read_and_pair(&p);
  if (ok) {
    p.result.pairs = arena_str(arena, buf_str(&p.pairs_text));
    p.result.differences = arena_str(arena, buf_str(&p.differences_text));
    *ret_differences = p.result;
  }
  buf_done(&p.pairs_text);
  buf_done(&p.differences_text);
  free(p.baseline.steps);
  free(p.candidate.steps);
  return ok;
}
