// SPDX-License-Identifier: Apache-2.0
// Folding by utf8proc (Unicode 15). Most resources are ASCII, for which the three folds are two loops: they come first,
// since a whole mock set is folded for its index.
#include "mock/fold.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/mem.h"

enum { FOLDED_MAX_BYTES = 1024 * 1024 };

static bool is_ascii(struct str text) {
  for (size_t i = 0; i < text.len; i++)
    if ((unsigned char)text.data[i] >= 0x80) return false;
  return true;
}

static bool is_blank(utf8proc_int32_t code) {
  if (code == 0xFEFF || code == 0x200B) return true; // byte order mark, zero-width space
  utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
         category == UTF8PROC_CATEGORY_CC;
}

// Length of the blank at the start of `text`, 0 when there is none.
static size_t blank_at_start(struct str text) {
  utf8proc_int32_t code;
  utf8proc_ssize_t len = utf8proc_iterate((const utf8proc_uint8_t *)text.data, (utf8proc_ssize_t)text.len, &code);
  return len > 0 && is_blank(code) ? (size_t)len : 0;
}

static struct str trim(struct str text) {
  size_t blank;
  while (text.len > 0 && (blank = blank_at_start(text)) > 0) text = str_skip(text, blank);
  while (text.len > 0) {
    size_t at = text.len - 1;
    while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80) at--;
    struct str last = str_skip(text, at);
    if (blank_at_start(last) != last.len) break;
    text.len = at;
  }
  return text;
}

static void add_lower(struct str text, struct buf *out) {
  char *to = buf_extend(out, text.len);
  for (size_t i = 0; to && i < text.len; i++) {
    char c = text.data[i];
    to[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
  }
}

static void add_mapped(struct str text, unsigned folds, struct buf *out) {
  utf8proc_option_t options = UTF8PROC_STABLE;
  if (folds & FOLD_CASE) options |= UTF8PROC_CASEFOLD;
  if (folds & FOLD_UNICODE) options |= UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
  utf8proc_uint8_t *mapped = NULL;
  utf8proc_ssize_t len =
      utf8proc_map((const utf8proc_uint8_t *)text.data, (utf8proc_ssize_t)text.len, &mapped, options);
  if (len >= 0)
    buf_add(out, mapped, (size_t)len);
  else
    buf_add_str(out, text);
  free(mapped);
}

void fold_text(struct str text, unsigned folds, struct buf *out) {
  buf_clear(out);
  if (folds & FOLD_TRIM) text = trim(text);
  if (text.len == 0) return;
  if (is_ascii(text) && (folds & FOLD_CASE))
    add_lower(text, out);
  else if (is_ascii(text) || !(folds & (FOLD_CASE | FOLD_UNICODE)))
    buf_add_str(out, text);
  else
    add_mapped(text, folds, out);
}

static bool holds_after(struct str wanted, struct str text, unsigned folds,
                        bool (*holds)(struct str wanted, struct str text)) {
  AUTO(buf_done) struct buf folded_wanted;
  AUTO(buf_done) struct buf folded_text;
  buf_init(&folded_wanted, FOLDED_MAX_BYTES);
  buf_init(&folded_text, FOLDED_MAX_BYTES);
  fold_text(wanted, folds, &folded_wanted);
  fold_text(text, folds, &folded_text);
  return folded_wanted.len > 0 && holds(buf_str(&folded_wanted), buf_str(&folded_text));
}

bool fold_all_holds(struct str wanted, struct str folded, bool (*holds)(struct str wanted, struct str text)) {
  AUTO(buf_done) struct buf folded_wanted;
  buf_init(&folded_wanted, FOLDED_MAX_BYTES);
  fold_text(wanted, FOLD_ALL, &folded_wanted);
  return folded_wanted.len > 0 && holds(buf_str(&folded_wanted), folded);
}

unsigned fold_until(struct str wanted, struct str text, bool (*holds)(struct str wanted, struct str text)) {
  static const unsigned by_size[] = {
      FOLD_TRIM, FOLD_CASE, FOLD_UNICODE, FOLD_TRIM | FOLD_CASE, FOLD_TRIM | FOLD_UNICODE, FOLD_CASE | FOLD_UNICODE,
      FOLD_ALL};
  if (holds(wanted, text) || !holds_after(wanted, text, FOLD_ALL, holds)) return 0;
  for (size_t i = 0; i < sizeof by_size / sizeof *by_size; i++)
    if (holds_after(wanted, text, by_size[i], holds)) return by_size[i];
  return 0;
}
