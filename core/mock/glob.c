// SPDX-License-Identifier: Apache-2.0
// Globs without recursion. A star is first tried with nothing and grows one character at a time when what follows does
// not fit. Only the last star of each kind needs to be remembered: an earlier one that grew could not help, since the
// part between it and the later one was found at its first possible place already. The last `*` is tried before the
// last `**`, as it can't grow over the end of its line.
#include "mock/glob.h"

#include <stdbool.h>

// Where to go on with a star that grows; `pattern` is what follows it.
struct star {
  bool set;
  struct str pattern, text;
};

static size_t character_len(struct str text) {
  unsigned char c = (unsigned char)text.data[0];
  size_t len = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  return len < text.len ? len : text.len;
}

// Takes one character of the pattern off both when it stands for the text's next one.
static bool take_one(struct str *pattern, struct str *text) {
  if (pattern->len == 0 || text->len == 0) return false;
  if (pattern->data[0] == '?') {
    if (text->data[0] == '\n') return false;
    *pattern = str_skip(*pattern, 1);
    *text = str_skip(*text, character_len(*text));
    return true;
  }
  struct str literal = pattern->data[0] == '\\' && pattern->len > 1 ? str_skip(*pattern, 1) : *pattern;
  if (literal.data[0] != text->data[0]) return false;
  *pattern = str_skip(literal, 1);
  *text = str_skip(*text, 1);
  return true;
}

// Takes a star off the pattern and remembers it.
static bool take_star(struct str *pattern, struct str text, struct star *line, struct star *across) {
  if (pattern->len == 0 || pattern->data[0] != '*') return false;
  size_t stars = 1;
  while (stars < pattern->len && pattern->data[stars] == '*') stars++;
  *pattern = str_skip(*pattern, stars);
  struct star star = {true, *pattern, text};
  if (stars > 1) {
    *across = star;
    line->set = false;
  } else {
    *line = star;
  }
  return true;
}

static bool grow(struct star *star, bool across, struct str *pattern, struct str *text) {
  if (!star->set || star->text.len == 0 || (!across && star->text.data[0] == '\n')) return false;
  star->text = str_skip(star->text, character_len(star->text));
  *pattern = star->pattern;
  *text = star->text;
  return true;
}

enum match glob_match(struct str pattern, struct str text, size_t *steps_left, struct glob_reach *ret_reach) {
  const size_t pattern_len = pattern.len, text_len = text.len;
  struct star line = {0}, across = {0};
  struct glob_reach reach = {0, 0};
  enum match result = MATCH_LIMIT;
  for (; *steps_left > 0; --*steps_left) {
    const struct glob_reach here = {pattern_len - pattern.len, text_len - text.len};
    if (here.pattern > reach.pattern || (here.pattern == reach.pattern && here.text > reach.text)) reach = here;
    if (take_star(&pattern, text, &line, &across) || take_one(&pattern, &text)) continue;
    if (pattern.len == 0 && text.len == 0) {
      result = MATCH_YES;
      break;
    }
    if (grow(&line, false, &pattern, &text)) continue;
    line.set = false;
    if (grow(&across, true, &pattern, &text)) continue;
    result = MATCH_NO;
    break;
  }
  if (ret_reach) *ret_reach = reach;
  return result;
}
