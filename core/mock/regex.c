// SPDX-License-Identifier: Apache-2.0
// PCRE2 as the mocks use it: interpreted, never compiled to machine code. The interpreter counts the same on every
// machine, so that what ends at a limit does so in every run; and a pattern is a stranger's.
//
// PCRE2's own match limit begins anew at each place of the text where a match may start, which makes it a limit per
// byte. So the steps are counted here: PCRE2 calls back in front of every item that it tries.
#include "mock/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

struct regex {
  pcre2_code *code;
  pcre2_match_data *data;
  pcre2_match_context *limits;
};

bool regex_new(struct str pattern, struct regex **ret_regex, struct err *err) {
  // A pattern must not look at single bytes of a character (\C), and `$` is the end and nothing else.
  static const uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY | PCRE2_AUTO_CALLOUT;
  int code = 0;
  PCRE2_SIZE at = 0;
  pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.len, options, &code, &at, NULL);
  if (!compiled) {
    PCRE2_UCHAR why[200];
    pcre2_get_error_message(code, why, sizeof why);
    return err_set(err, ERR_BAD_REQUEST, "The regular expression can't be used: %s (at byte %zu).", (char *)why,
                   (size_t)at);
  }
  struct regex *regex = mem_zalloc(sizeof *regex);
  regex->code = compiled;
  regex->data = pcre2_match_data_create(1, NULL);
  regex->limits = pcre2_match_context_create(NULL);
  if (!regex->data || !regex->limits) {
    regex_free(regex);
    return err_set(err, ERR_UNAVAILABLE, "There is not enough memory for the regular expression.");
  }
  pcre2_set_match_limit(regex->limits, MATCH_STEPS_MAX / MATCH_REGEX_ITEM_STEPS);
  pcre2_set_depth_limit(regex->limits, MATCH_REGEX_DEPTH_MAX);
  pcre2_set_heap_limit(regex->limits, MATCH_REGEX_HEAP_KIB);
  *ret_regex = regex;
  return true;
}

void regex_free(struct regex *regex) {
  if (!regex) return;
  pcre2_match_data_free(regex->data);
  pcre2_match_context_free(regex->limits);
  pcre2_code_free(regex->code);
  free(regex);
}

size_t regex_bytes(const struct regex *regex) {
  size_t bytes = 0;
  pcre2_pattern_info(regex->code, PCRE2_INFO_SIZE, &bytes);
  return sizeof *regex + bytes + 512; // the match data and the context are small and fixed
}

struct counting {
  size_t left;
  size_t at; // where in the text the last item was tried
};

// An item that repeats walks over text without calling back, so the way it came is counted too.
static int count(pcre2_callout_block *block, void *ctx) {
  struct counting *c = ctx;
  size_t at = block->current_position, way = at > c->at ? at - c->at : c->at - at;
  size_t steps = MATCH_REGEX_ITEM_STEPS + way / 2;
  c->at = at;
  c->left = steps < c->left ? c->left - steps : 0;
  return c->left ? 0 : PCRE2_ERROR_MATCHLIMIT;
}

enum match regex_match(const struct regex *regex, struct str text, size_t *steps_left) {
  struct counting counting = {.left = *steps_left};
  pcre2_set_callout(regex->limits, count, &counting);
  PCRE2_SPTR subject = (PCRE2_SPTR)(text.data ? text.data : "");
  int result = pcre2_match(regex->code, subject, text.len, 0, 0, regex->data, regex->limits);
  *steps_left = counting.left;
  if (result >= 0) return MATCH_YES;
  return result == PCRE2_ERROR_NOMATCH ? MATCH_NO : MATCH_LIMIT;
}
