// SPDX-License-Identifier: Apache-2.0
// Why nobody answered: the mocks that came nearest, and for each the one criterion that failed. Nothing of this happens
// for a request that is answered, and a miss looks at a bounded number of mocks: of the exact ones those that the index
// finds, of the others the first ones.
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "mock/excerpt.h"
#include "mock/fold.h"
#include "mock/glob.h"
#include "mock/json_same.h"
#include "mock/mock_set.h"
#include "mock/near_fold.h"
#include "mock/near_score.h"

enum {
  OTHERS_LOOKED_AT_MAX = 10,
  EXPLAINING_STEPS_MAX = 300000, // of all of them
  FOUND_MAX = NEAR_FOUND_MAX + OTHERS_LOOKED_AT_MAX,
  VALUE_MAX_BYTES = 8 * 1024 * 1024,
  PATH_SHOWN_BYTES = 140,
  TEXTS_MAX_BYTES = 16 * 1024, // of three near-misses: two excerpts, a criterion and a sentence each
};
static const double score_json = 0.98, score_least = 0.25;

_Static_assert((int)MOCK_EQUAL_TRIMMING == (int)FOLD_TRIM && (int)MOCK_EQUAL_CASE == (int)FOLD_CASE &&
                   (int)MOCK_EQUAL_UNICODE == (int)FOLD_UNICODE,
               "folds are shown as they are");
const char *const mock_equal_names[] = {"trimming", "case_folding", "unicode_normalization", "json", "cutting", NULL};

struct found {
  struct near_found near;
  double score;
};

// ---- describing one ----

struct describing {
  struct buf *texts;
  struct match_input *input;
  struct buf criterion;
  struct mock_near_miss *near;
};

// What was written since `from`. The buffer was given all its room before, so nothing moves.
static struct str written(const struct buf *texts, size_t from) {
  return (struct str){texts->data + from, texts->len - from};
}

__attribute__((format(printf, 2, 3))) static void say(struct describing *d, const char *fmt, ...) {
  size_t from = d->texts->len;
  char text[200];
  va_list args;
  va_start(args, fmt);
  int len = vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  assert(len >= 0 && (size_t)len < sizeof text);
  buf_add_c(d->texts, text);
  d->near->why = written(d->texts, from);
}

static void show(struct describing *d, struct str expected, size_t expected_at, struct str got, size_t got_at,
                 size_t at) {
  size_t from = d->texts->len;
  excerpt_marked(d->texts, expected, expected_at);
  d->near->expected = written(d->texts, from);
  from = d->texts->len;
  excerpt_marked(d->texts, got, got_at);
  d->near->got = written(d->texts, from);
  d->near->has_at = true;
  d->near->at = at;
}

static void show_plain(struct describing *d, struct str expected, struct str got) {
  size_t from = d->texts->len;
  excerpt_plain(d->texts, expected);
  d->near->expected = written(d->texts, from);
  from = d->texts->len;
  if (!str_present(got)) return;
  excerpt_plain(d->texts, got);
  d->near->got = written(d->texts, from);
}

// In canonical form, which spells numbers as people do; what that can't hold as jansson has it.
static void write_value(struct buf *out, const json_t *value) {
  struct err ignored = {0};
  buf_init(out, VALUE_MAX_BYTES);
  if (json_canonical(value, out, &ignored)) return;
  AUTO(mem_auto_free) char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
  buf_clear(out);
  buf_add_c(out, text ? text : "");
}

// As texts whose members are in one order, so that the first difference is one of the values.
static void show_json(struct describing *d, const json_t *expected, const json_t *got) {
  AUTO(buf_done) struct buf expected_text = {0};
  AUTO(buf_done) struct buf got_text = {0};
  write_value(&expected_text, expected);
  struct str e = buf_str(&expected_text);
  if (!got) {
    show_plain(d, e, STR_NONE);
    return;
  }
  write_value(&got_text, got);
  struct str g = buf_str(&got_text);
  size_t at = first_difference(e, g);
  show(d, e, at, g, at, at);
  d->near->has_at = false; // it is an offset in the text written here
}

/// How the texts would agree, in words; `verb` says in what way they should.
static void explain_folds(struct describing *d, unsigned folds, const char *verb) {
  static const char *const words[] = {"trimming", "case folding", "Unicode normalisation"};
  d->near->equal_after = folds;
  struct buf list;
  buf_init(&list, 120);
  for (unsigned i = 0; i < 3; i++)
    if (folds & (1u << i)) buf_addf(&list, "%s%s", list.len ? " and " : "", words[i]);
  say(d, "It %s after %s.", verb, buf_str(&list).data);
  buf_done(&list);
}

static bool same_json(struct str a, struct match_input *input) {
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err ignored = {0};
  const json_t *got = match_input_json(input);
  return got && json_read(a, &json, &ignored) && json_same(json, got);
}

static void describe_text(struct describing *d, struct str expected, bool may_fold) {
  struct str got = d->input->text;
  size_t at = first_difference(expected, got);
  show(d, expected, at, got, at, at);
  unsigned folds = may_fold ? fold_until(expected, got, str_eq) : 0;
  if (folds) {
    explain_folds(d, folds, "is equal");
  } else if (same_json(expected, d->input)) {
    d->near->equal_after = MOCK_EQUAL_JSON;
    say(d, "It is equal as JSON.");
  } else if (at == got.len) {
    say(d, "The request ends at byte %zu, where the mock's goes on.", at);
  } else if (at == expected.len) {
    say(d, "The request goes on behind byte %zu, where the mock's ends.", at);
  } else {
    say(d, "It differs from byte %zu on.", at);
  }
}

static void describe_prefix(struct describing *d, struct str prefix) {
  struct str got = d->input->text;
  size_t at = first_difference(prefix, got);
  show(d, prefix, at, got, at, at);
  unsigned folds = fold_until(prefix, got, near_starts);
  if (folds)
    explain_folds(d, folds, "begins so");
  else
    say(d, "The request does not begin so: it differs from byte %zu on.", at);
}

// Read from the end, so that the first difference is the last one.
static void describe_suffix(struct describing *d, struct str suffix) {
  struct str got = d->input->text;
  size_t same = 0;
  while (same < suffix.len && same < got.len && suffix.data[suffix.len - 1 - same] == got.data[got.len - 1 - same])
    same++;
  size_t expected_at = same < suffix.len ? excerpt_boundary(suffix, suffix.len - 1 - same) : 0;
  size_t at = same < got.len ? excerpt_boundary(got, got.len - 1 - same) : 0;
  show(d, suffix, expected_at, got, at, at);
  unsigned folds = fold_until(suffix, got, near_ends);
  if (folds)
    explain_folds(d, folds, "ends so");
  else
    say(d, "The request does not end so.");
}

static void describe_contains(struct describing *d, struct str part) {
  struct str got = d->input->text;
  size_t at, found = near_longest_beginning(part, got, &at);
  while (found > 0 && found < part.len && ((unsigned char)part.data[found] & 0xc0) == 0x80) found--, at--;
  show(d, part, found, got, at, at);
  unsigned folds = fold_until(part, got, near_has);
  if (folds)
    explain_folds(d, folds, "has it");
  else
    say(d, "The request has it nowhere; the longest beginning of it that is there has %zu bytes.", found);
}

static void describe_glob(struct describing *d, const struct matcher *matcher) {
  struct str pattern = matcher->text;
  struct glob_reach reach;
  size_t steps_left = MATCH_STEPS_MAX;
  glob_match(pattern, d->input->text, &steps_left, &reach);
  size_t at = excerpt_boundary(d->input->text, reach.text), expected_at = excerpt_boundary(pattern, reach.pattern);
  show(d, pattern, expected_at, d->input->text, at, at);
  unsigned folds = near_fold_matcher(matcher, d->input->text);
  if (folds)
    explain_folds(d, folds, "fits");
  else if (steps_left == 0)
    say(d, "The pattern reached its limit of steps.");
  else if (expected_at == pattern.len)
    say(d, "The request goes on behind what the pattern covers; * ends with the line, ** does not.");
  else
    say(d, "The request fits the pattern up to its byte %zu.", expected_at);
}

static void describe_regex(struct describing *d, const struct matcher *matcher) {
  show_plain(d, matcher->text, d->input->text);
  unsigned folds = near_fold_matcher(matcher, d->input->text);
  if (folds)
    explain_folds(d, folds, "matches");
  else
    say(d, "The request does not match the regular expression.");
}

// ---- JSON ----

struct reaching {
  const json_t *value; // the first that the path leads to
};

static bool reach(void *ctx, const json_t *value) {
  ((struct reaching *)ctx)->value = value;
  return false;
}

static void describe_paths(struct describing *d, const struct matcher *matcher, const json_t *json) {
  for (size_t i = 0; i < matcher->path_count; i++) {
    const struct matcher_path *path = &matcher->paths[i];
    if (matcher_path_holds(path, json)) continue;
    struct reaching r = {NULL};
    json_path_visit(path->path, json, reach, &r);
    show_json(d, path->value, r.value);
    struct str text = utf8_clamp(json_path_text(path->path), 100);
    say(d, r.value ? "The value at %.*s is another one." : "There is nothing at %.*s.", STR_ARG(text));
    return;
  }
}

static bool agrees(const json_t *got, const json_t *wanted, bool partial) {
  return got && (partial ? json_contains(got, wanted) : json_same(got, wanted));
}

static bool is_plain(const char *name) {
  for (const char *c = name; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (unsigned char)*c >= 0x80 ||
          (c > name && *c >= '0' && *c <= '9')))
      return false;
  return *name;
}

static bool part_in_object(const json_t **expected, const json_t **got, bool partial, struct buf *path) {
  const char *name;
  json_t *wanted;
  json_object_foreach((json_t *)(uintptr_t)*expected, name, wanted) {
    const json_t *other = json_object_get(*got, name);
    if (agrees(other, wanted, partial)) continue;
    buf_addf(path, is_plain(name) ? ".%s" : "['%s']", name);
    *expected = wanted;
    *got = other;
    return true;
  }
  return false;
}

// Of arrays as long as each other: where they are not, the whole of them is what differs.
static bool part_in_array(const json_t **expected, const json_t **got, bool partial, struct buf *path) {
  size_t i;
  json_t *wanted;
  if (json_array_size(*expected) != json_array_size(*got)) return false;
  json_array_foreach(*expected, i, wanted) {
    const json_t *other = json_array_get(*got, i);
    if (agrees(other, wanted, partial)) continue;
    buf_addf(path, "[%zu]", i);
    *expected = wanted;
    *got = other;
    return true;
  }
  return false;
}

/// Goes down to the first place where the values part.
static void part_ways(const json_t **expected, const json_t **got, bool partial, struct buf *path) {
  bool down = true;
  while (down && *got) {
    if (json_is_object(*expected) && json_is_object(*got))
      down = part_in_object(expected, got, partial, path);
    else
      down = json_is_array(*expected) && json_is_array(*got) && part_in_array(expected, got, partial, path);
  }
}

static void show_json_difference(struct describing *d, const struct matcher *matcher) {
  const json_t *json = match_input_json(d->input);
  if (!json) {
    struct err why = {0};
    json_t *none = NULL;
    if (json_read(d->input->text, &none, &why)) json_decref(none);
    show_plain(d, STR("a JSON document"), d->input->text);
    if (why.place[0])
      say(d, "The request can't be read as JSON, see %.100s.", why.place);
    else
      say(d, "The request can't be read as JSON.");
    return;
  }
  if (matcher->kind == MATCHER_JSON_PATH) {
    describe_paths(d, matcher, json);
    return;
  }
  AUTO(buf_done) struct buf path;
  buf_init(&path, VALUE_MAX_BYTES);
  buf_add_c(&path, "$");
  const json_t *expected = matcher->value, *got = json;
  part_ways(&expected, &got, matcher->kind == MATCHER_JSON_PARTIAL, &path);
  show_json(d, expected, got);
  struct str shown = utf8_clamp(buf_str(&path), PATH_SHOWN_BYTES);
  const char *cut = shown.len < path.len ? "…" : "";
  say(d, got ? "The value at %.*s%s is another one." : "There is nothing at %.*s%s.", STR_ARG(shown), cut);
}

static void describe_json(struct describing *d, const struct matcher *matcher) {
  unsigned folds = near_fold_matcher(matcher, d->input->text);
  show_json_difference(d, matcher);
  if (folds) explain_folds(d, folds, "matches");
}

// ---- any matcher ----

static void describe_matcher(struct describing *d, const struct matcher *matcher);

static void describe_part(struct describing *d, const struct matcher *matcher) {
  static const char *const names[] = {[MATCHER_ALL] = "all", [MATCHER_ANY] = "any", [MATCHER_NONE] = "none"};
  size_t chosen = 0;
  double best = -1;
  d->input->steps_left = EXPLAINING_STEPS_MAX;
  for (size_t i = 0; i < matcher->inner_count; i++) {
    const struct matcher *part = &matcher->inner[i];
    if (matcher->kind != MATCHER_ANY) {
      chosen = i;
      if (matcher_match(part, d->input) == (matcher->kind == MATCHER_NONE ? MATCH_YES : MATCH_NO)) break;
      continue;
    }
    double score = near_score_matcher(part, d->input);
    if (score > best) chosen = i;
    if (score > best) best = score;
  }
  buf_addf(&d->criterion, "%s[%zu].", names[matcher->kind], chosen);
  const struct matcher *part = &matcher->inner[chosen];
  if (matcher->kind != MATCHER_NONE) {
    describe_matcher(d, part);
    return;
  }
  buf_add_c(&d->criterion, mock_matcher_names[part->kind]);
  show_plain(d, part->text.data ? part->text : STR("(see the mock)"), d->input->text);
  say(d, "The request matches this, and must not.");
}

static void describe_matcher(struct describing *d, const struct matcher *matcher) {
  if (matcher->kind >= MATCHER_ALL) {
    describe_part(d, matcher);
    return;
  }
  buf_add_c(&d->criterion, mock_matcher_names[matcher->kind]);
  switch (matcher->kind) {
  case MATCHER_RESOURCE: describe_text(d, matcher->text, true); break;
  case MATCHER_PREFIX: describe_prefix(d, matcher->text); break;
  case MATCHER_SUFFIX: describe_suffix(d, matcher->text); break;
  case MATCHER_CONTAINS: describe_contains(d, matcher->text); break;
  case MATCHER_GLOB: describe_glob(d, matcher); break;
  case MATCHER_REGEX: describe_regex(d, matcher); break;
  case MATCHER_JSON_EQUAL:
  case MATCHER_JSON_PARTIAL:
  case MATCHER_JSON_PATH: describe_json(d, matcher); break;
  case MATCHER_ALL:
  case MATCHER_ANY:
  case MATCHER_NONE: break; // above
  }
}

static void describe_exact(struct describing *d, const struct mock *mock, struct mock_resource resource,
                           bool may_fold) {
  buf_add_c(&d->criterion, "resource");
  if (!str_eq(mock->resource.text, resource.text)) {
    describe_text(d, mock->resource.text, may_fold);
    return;
  }
  d->near->equal_after = MOCK_EQUAL_CUT;
  show_plain(d, mock->resource.text, resource.text);
  if (mock->resource.whole && resource.whole)
    say(d, "It is equal as far as it was kept; the whole texts, which were cut, differ.");
  else if (resource.whole)
    say(d, "It is equal as far as it was kept; the request was longer and was cut.");
  else
    say(d, "It is equal as far as it was kept; the mock's was longer and was cut.");
}

static void describe(struct mock_run *run, const struct near_found *found, struct mock_near_miss *near) {
  const struct mock *mock = &run->set->mocks[found->mock];
  struct question *q = &run->question;
  *near = (struct mock_near_miss){.mock = found->mock};
  struct describing d = {.texts = &run->near, .input = &q->input, .near = near};
  buf_init(&d.criterion, 200);
  if (!mock->matcher) {
    describe_exact(&d, mock, q->resource, found->folded);
  } else if (q->resource.whole) {
    buf_add_c(&d.criterion, "match");
    show_plain(&d, STR("a request that was not cut"), q->resource.text);
    say(&d, "The request was cut to its limit; only an exact mock answers such a one.");
  } else {
    buf_add_c(&d.criterion, "match.");
    describe_matcher(&d, mock->matcher);
  }
  size_t from = run->near.len;
  buf_add_str(&run->near, buf_str(&d.criterion));
  near->criterion = written(&run->near, from);
  buf_done(&d.criterion);
}

// ---- finding them ----

static double score_exact(const struct mock_run *run, const struct near_found *near) {
  const struct mock_resource *a = &run->set->mocks[near->mock].resource, *b = &run->question.resource;
  if (str_eq(a->text, b->text)) return 1;
  if (near->folded) return near_score_folded;
  if (near->json) return score_json;
  return near_score_text(a->text, b->text);
}

static void add(struct found *found, size_t *count, struct near_found near, double score) {
  for (size_t i = 0; i < *count; i++)
    if (found[i].near.mock == near.mock) return;
  if (score >= score_least) found[(*count)++] = (struct found){near, score};
}

static int by_score(const void *pa, const void *pb) {
  const struct found *a = pa, *b = pb;
  if (a->score > b->score) return -1;
  if (a->score < b->score) return 1;
  return a->near.mock - b->near.mock;
}

static bool was_candidate(const struct question *q, int mock) {
  for (size_t i = 0; i < q->answer.candidate_count; i++)
    if (q->candidates[i].mock == mock) return true;
  return false;
}

size_t mock_near_skipped(const struct mock_run *run) {
  size_t others = run->set->other_count;
  return others > OTHERS_LOOKED_AT_MAX ? others - OTHERS_LOOKED_AT_MAX : 0;
}

size_t mock_near_misses(struct mock_run *run, struct mock_near_miss ret_near[MOCK_NEAR_MAX]) {
  struct mock_set *set = run->set;
  struct question *q = &run->question;
  if (q->answer.candidates_omitted > 0)
    return 0; // so many matched that they are the reason, and not all are known here
  if (!set->near) set->near = near_index_new(set);
  struct found found[FOUND_MAX];
  size_t count = 0;
  struct near_found exact[NEAR_FOUND_MAX];
  size_t exact_count = near_index_find(set->near, q->resource.text, exact);
  for (size_t i = 0; i < exact_count; i++)
    if (!was_candidate(q, exact[i].mock)) add(found, &count, exact[i], score_exact(run, &exact[i]));
  q->input.steps_left = EXPLAINING_STEPS_MAX;
  for (size_t i = 0; i < set->other_count && i < OTHERS_LOOKED_AT_MAX && q->input.steps_left > 0; i++) {
    int mock = set->others[i];
    if (was_candidate(q, mock)) continue;
    add(found, &count, (struct near_found){.mock = mock}, near_score_matcher(set->mocks[mock].matcher, &q->input));
  }
  qsort(found, count, sizeof *found, by_score);
  buf_done(&run->near);
  buf_init(&run->near, TEXTS_MAX_BYTES);
  buf_reserve(&run->near, TEXTS_MAX_BYTES - 1);
  size_t shown = count < MOCK_NEAR_MAX ? count : MOCK_NEAR_MAX;
  for (size_t i = 0; i < shown; i++) describe(run, &found[i].near, &ret_near[i]);
  assert(!run->near.over);
  return shown;
}
