// SPDX-License-Identifier: Apache-2.0
// PCRE2 as the mocks use it: interpreted, never compiled to machine code. The interpreter counts the same on every
// machine, so that what ends at a limit does so in every run; and a pattern is a stranger's.
//
// PCRE2's own match limit begins anew at each place of the text where a match may start, which makes it a limit per
// byte. So the steps are counted here: PCRE2 calls back in front of every item that it tries. What an item walks over
// by itself shows in how far the next one is; what it walks before it fails does not show, so that an item which has to
// repeat is charged for that before. Constructs whose cost shows in neither way are refused.
#include "mock/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

// PCRE2 keeps the memory it needed for a match with the match data, for the next one. Above this it is given back.
enum { SCRATCH_KEPT_BYTES = 256 * 1024 };
enum { CLASS_BYTES = 8 }; // so many bytes of an item's text make a character cost another step

struct regex {
  pcre2_code *code;
  struct str pattern; // owned
  size_t item_steps;  // what an item counts: each takes a copy of all captures along
};

struct regex_scratch {
  pcre2_general_context *memory;
  pcre2_match_data *data;
  pcre2_match_context *limits;
  size_t bytes; // held by them
};

// ---- expressions ----

static const char *unsupported(struct str pattern, size_t *ret_at) {
  static const char *const runs[] = {"(*sr:", "(*asr:", "(*script_run:", "(*atomic_script_run:", NULL};
  for (size_t i = 0; i < pattern.len; i++) {
    *ret_at = i;
    if (pattern.data[i] == '\\') {
      if (i + 1 < pattern.len && pattern.data[i + 1] == 'X') return "\\X is not supported here";
      i++;
      continue;
    }
    for (const char *const *run = runs; *run; run++)
      if (str_starts(str_skip(pattern, i), str_c(*run))) return "script runs are not supported here";
  }
  return NULL;
}

static bool refuse(const char *why, size_t at, struct err *err) {
  return err_set(err, ERR_BAD_REQUEST, "The regular expression can't be used: %s (at byte %zu).", why, at);
}

bool regex_new(struct str pattern, struct regex **ret_regex, struct err *err) {
  // A pattern must not look at single bytes of a character (\C), and `$` is the end and nothing else.
  static const uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY | PCRE2_AUTO_CALLOUT;
  size_t at = 0;
  const char *why_not = unsupported(pattern, &at);
  if (why_not) return refuse(why_not, at, err);
  int code = 0;
  pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.len, options, &code, &at, NULL);
  if (!compiled) {
    PCRE2_UCHAR why[200];
    pcre2_get_error_message(code, why, sizeof why);
    return refuse((const char *)why, at, err);
  }
  struct regex *regex = mem_zalloc(sizeof *regex);
  regex->code = compiled;
  regex->pattern = (struct str){mem_strdup(pattern), pattern.len};
  uint32_t captures = 0;
  pcre2_pattern_info(compiled, PCRE2_INFO_CAPTURECOUNT, &captures);
  regex->item_steps = MATCH_REGEX_ITEM_STEPS + captures;
  *ret_regex = regex;
  return true;
}

void regex_free(struct regex *regex) {
  if (!regex) return;
  pcre2_code_free(regex->code);
  free((void *)(uintptr_t)regex->pattern.data);
  free(regex);
}

size_t regex_bytes(const struct regex *regex) {
  size_t bytes = 0;
  pcre2_pattern_info(regex->code, PCRE2_INFO_SIZE, &bytes);
  return sizeof *regex + bytes + regex->pattern.len + 1;
}

// ---- what matching takes ----

// Each block knows its size, so that what PCRE2 keeps is known.
struct block {
  _Alignas(16) size_t bytes;
};

static void *take(size_t bytes, void *ctx) {
  struct regex_scratch *scratch = ctx;
  struct block *block = mem_alloc(sizeof *block + bytes);
  block->bytes = bytes;
  scratch->bytes += bytes;
  return block + 1;
}

static void give_back(void *bytes, void *ctx) {
  struct regex_scratch *scratch = ctx;
  if (!bytes) return;
  struct block *block = (struct block *)bytes - 1;
  scratch->bytes -= block->bytes;
  free(block);
}

struct regex_scratch *regex_scratch_new(void) {
  struct regex_scratch *scratch = mem_zalloc(sizeof *scratch);
  scratch->memory = pcre2_general_context_create(take, give_back, scratch);
  scratch->data = pcre2_match_data_create(1, scratch->memory);
  scratch->limits = pcre2_match_context_create(scratch->memory);
  pcre2_set_match_limit(scratch->limits, MATCH_STEPS_MAX / MATCH_REGEX_ITEM_STEPS);
  pcre2_set_depth_limit(scratch->limits, MATCH_REGEX_DEPTH_MAX);
  pcre2_set_heap_limit(scratch->limits, MATCH_REGEX_HEAP_KIB);
  return scratch;
}

void regex_scratch_free(struct regex_scratch *scratch) {
  if (!scratch) return;
  pcre2_match_data_free(scratch->data);
  pcre2_match_context_free(scratch->limits);
  pcre2_general_context_free(scratch->memory);
  free(scratch);
}

// What is kept of a match is no more than a few ordinary ones take.
static void keep_small(struct regex_scratch *scratch) {
  if (scratch->bytes <= SCRATCH_KEPT_BYTES) return;
  pcre2_match_data_free(scratch->data);
  scratch->data = pcre2_match_data_create(1, scratch->memory);
}

// ---- counting ----

struct counting {
  struct str pattern;
  size_t item_steps;
  size_t left;
  size_t at;     // where in the text the last item was tried
  size_t weight; // what a character costs it
};

// How often an item must match at least: N of a last {N…}.
static size_t must_repeat(struct str item) {
  size_t count = 0;
  const char *brace = item.len > 2 ? memrchr(item.data, '{', item.len) : NULL;
  if (!brace || brace == item.data) return 0;
  for (const char *digit = brace + 1; digit < item.data + item.len && *digit >= '0' && *digit <= '9'; digit++)
    count = 10 * count + (size_t)(*digit - '0');
  return count;
}

static bool refers_back(struct str item) {
  return item.len > 1 && item.data[0] == '\\' && strchr("123456789kg", item.data[1]);
}

static int count(pcre2_callout_block *block, void *ctx) {
  struct counting *c = ctx;
  struct str item = {c->pattern.data + block->pattern_position, block->next_item_length};
  size_t at = block->current_position, rest = block->subject_length - at;
  size_t way = at > c->at ? at - c->at : c->at - at;
  size_t steps = c->item_steps + way * c->weight / 2;
  c->at = at;
  c->weight = 1 + item.len / CLASS_BYTES;
  size_t needed = must_repeat(item);
  steps += (needed < rest ? needed : rest) * c->weight / 2;
  if (refers_back(item)) steps += rest / 2;
  c->left = steps < c->left ? c->left - steps : 0;
  return c->left ? 0 : PCRE2_ERROR_MATCHLIMIT;
}

enum match regex_match(const struct regex *regex, struct regex_scratch *scratch, struct str text, size_t *steps_left) {
  struct counting counting = {
      .pattern = regex->pattern, .item_steps = regex->item_steps, .left = *steps_left, .weight = 1};
  pcre2_set_callout(scratch->limits, count, &counting);
  PCRE2_SPTR subject = (PCRE2_SPTR)(text.data ? text.data : "");
  int result = pcre2_match(regex->code, subject, text.len, 0, 0, scratch->data, scratch->limits);
  *steps_left = counting.left;
  keep_small(scratch);
  if (result >= 0) return MATCH_YES;
  return result == PCRE2_ERROR_NOMATCH ? MATCH_NO : MATCH_LIMIT;
}
