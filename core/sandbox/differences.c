// SPDX-License-Identifier: Apache-2.0
// Pairs the outputs of two runs by step key. Only the keys are held in memory; texts are read as they are needed, so
// that two runs with large outputs cost no more memory than two small ones.
#include "sandbox/differences.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "sandbox/comparison.h"

const char *const difference_kinds[] = {"changed",       "miss_to_hit",    "hit_to_miss",
                                        "only_baseline", "only_candidate", NULL};

struct walk {
  struct store_conn *conn;
  const struct run *other;
  json_t *other_seqs; // step key → seq in the other run
  bool
      baseline; // the walk is over the baseline: pairs are judged here, the second walk only looks for what is unpaired
  struct json_writer out;
  int64_t written, omitted;
  struct err *err;
  bool failed;
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

static void write_side(struct json_writer *out, const char *key, const struct output *side) {
  if (!side) return;
  struct buf quoted;
  buf_init(&quoted, 8 * DIFFERENCE_TEXT_BYTES);
  difference_text(&quoted, side->output);
  jw_raw(out, key, buf_str(&quoted));
  buf_done(&quoted);
}

static void write_difference(struct walk *w, const char *kind, const struct output *baseline,
                             const struct output *candidate) {
  if (w->written == DIFFERENCES_MAX) {
    w->omitted++;
    return;
  }
  w->written++;
  jw_object(&w->out, NULL);
  jw_str(&w->out, "step_key", (baseline ? baseline : candidate)->step_key);
  jw_c(&w->out, "kind", kind);
  write_side(&w->out, "baseline", baseline);
  write_side(&w->out, "candidate", candidate);
  jw_object_end(&w->out);
}

struct pair {
  struct walk *walk;
  const struct output *baseline;
};

static bool judge_pair(void *ctx, const struct output *candidate) {
  struct pair *p = ctx;
  const struct output *baseline = p->baseline;
  if (baseline->mock_hit != candidate->mock_hit)
    write_difference(p->walk, candidate->mock_hit ? "miss_to_hit" : "hit_to_miss", baseline, candidate);
  else if (!str_eq(baseline->output, candidate->output))
    write_difference(p->walk, "changed", baseline, candidate);
  return false;
}

static bool visit(void *ctx, const struct output *output) {
  struct walk *w = ctx;
  const json_t *seq = json_object_getn(w->other_seqs, output->step_key.data, output->step_key.len);
  if (!seq) {
    write_difference(w, w->baseline ? "only_baseline" : "only_candidate", w->baseline ? output : NULL,
                     w->baseline ? NULL : output);
    return true;
  }
  if (!w->baseline) return true;
  struct pair pair = {w, output};
  w->failed = !run_outputs(w->conn, w->other->tenant, w->other->id, false, json_integer_value(seq) - 1, 1, judge_pair,
                           &pair, w->err);
  return !w->failed;
}

static bool note_key(void *ctx, const struct output *output) {
  json_t *seqs = ctx;
  json_object_setn_new(seqs, output->step_key.data, output->step_key.len, json_integer(output->seq));
  return true;
}

static bool read_keys(struct store_conn *conn, const struct run *run, json_t *seqs, struct err *err) {
  return run_outputs(conn, run->tenant, run->id, false, -1, INT32_MAX, note_key, seqs, err);
}

static bool walk_over(struct walk *w, const struct run *run, struct err *err) {
  return run_outputs(w->conn, run->tenant, run->id, false, -1, INT32_MAX, visit, w, err) && !w->failed;
}

bool differences_write(struct store_conn *conn, const struct run *baseline, const struct run *candidate,
                       struct buf *out, int64_t *ret_omitted, struct err *err) {
  AUTO(json_auto_decref) json_t *baseline_seqs = json_object();
  AUTO(json_auto_decref) json_t *candidate_seqs = json_object();
  if (!read_keys(conn, baseline, baseline_seqs, err) || !read_keys(conn, candidate, candidate_seqs, err)) return false;
  struct walk w = {.conn = conn, .other = candidate, .other_seqs = candidate_seqs, .baseline = true, .err = err};
  jw_init(&w.out, out);
  jw_array(&w.out, NULL);
  if (!walk_over(&w, baseline, err)) return false;
  w.baseline = false;
  w.other = baseline;
  w.other_seqs = baseline_seqs;
  if (!walk_over(&w, candidate, err)) return false;
  jw_array_end(&w.out);
  *ret_omitted = w.omitted;
  return true;
}
