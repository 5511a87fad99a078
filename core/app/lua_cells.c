// SPDX-License-Identifier: Apache-2.0
// Data shown to a person comes from scenarios and agents, that is from strangers: an escape sequence in an output must
// not move the cursor, set the title or hide a line. What is neutralised is a closed list of ranges below.
#include "app/lua_cells.h"

#include <locale.h>
#include <wchar.h>

struct range {
  uint32_t first, last;
};

static bool in_ranges(uint32_t code_point, const struct range *ranges, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code_point >= ranges[i].first && code_point <= ranges[i].last) return true;
  return false;
}

static size_t sequence_len(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

/// The code point at the start of `text` (not empty) and its length in bytes. A byte that is not well-formed UTF-8
/// gives itself, with length 1 and `*ret_malformed` set.
static uint32_t decode(struct str text, size_t *ret_len, bool *ret_malformed) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)text.data;
  size_t len = sequence_len(bytes[0]);
  *ret_len = 1;
  *ret_malformed = true;
  if (len == 0 || len > text.len) return bytes[0];
  uint32_t code_point = len == 1 ? bytes[0] : bytes[0] & (0x7fu >> len);
  for (size_t i = 1; i < len; i++) {
    if ((bytes[i] & 0xc0) != 0x80) return bytes[0];
    code_point = code_point << 6 | (bytes[i] & 0x3fu);
  }
  if (code_point < least[len] || code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
    return bytes[0];
  *ret_len = len;
  *ret_malformed = false;
  return code_point;
}

/// East Asian wide and emoji blocks, and combining marks, as ranges wide enough for a table's columns to line up.
static unsigned cells_by_range(uint32_t code_point) {
  static const struct range wide[] = {
      {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
      {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
  };
  static const struct range combining[] = {
      {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
      {0x1dc0, 0x1dff}, {0x200c, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
  };
  if (in_ranges(code_point, combining, sizeof combining / sizeof combining[0])) return 0;
  return in_ranges(code_point, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

/// Measures code points; asks for the UTF-8 locale when it meets the first that needs it.
struct ruler {
  locale_t utf8, before; ///< 0 until asked for; utf8 stays 0 when it can't be had
  bool asked;
};

static unsigned ruler_cells(struct ruler *ruler, uint32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0)) return 0;
  if (code_point < 0x300) return 1;
  if (!ruler->asked) {
    ruler->asked = true;
    ruler->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (ruler->utf8) ruler->before = uselocale(ruler->utf8);
  }
  int cells = ruler->utf8 ? wcwidth((wchar_t)code_point) : -1;
  // The C library may be older than a character: such a one takes what its block takes.
  return cells < 0 ? cells_by_range(code_point) : (unsigned)cells;
}

static void ruler_done(struct ruler *ruler) {
  if (!ruler->utf8) return;
  uselocale(ruler->before);
  freelocale(ruler->utf8);
}

static bool is_hidden_format(uint32_t code_point) {
  static const struct range hidden[] = {
      {0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x115f, 0x1160},   {0x180e, 0x180e},   {0x200b, 0x200b},
      {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfeff, 0xfeff},
      {0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
  };
  return in_ranges(code_point, hidden, sizeof hidden / sizeof hidden[0]);
}

static void clean_one(uint32_t code_point, struct str bytes, bool keep_lines, struct buf *out) {
  if (code_point == '\n' && keep_lines)
    buf_add_char(out, '\n');
  else if (code_point == '\n')
    buf_add_c(out, "\\n");
  else if (code_point == '\t')
    buf_add_c(out, "\\t");
  else if (code_point == '\r')
    buf_add_c(out, "\\r");
  else if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
    buf_addf(out, "\\x%02x", (unsigned)code_point);
  else if (is_hidden_format(code_point))
    buf_addf(out, "\\u{%x}", (unsigned)code_point);
  else
    buf_add_str(out, bytes);
}

void cells_clean(struct str text, bool keep_lines, struct buf *out) {
  while (text.len > 0) {
    size_t len = 0;
    bool malformed = false;
    uint32_t code_point = decode(text, &len, &malformed);
    if (malformed)
      buf_addf(out, "\\x%02x", (unsigned)code_point);
    else
      clean_one(code_point, (struct str){text.data, len}, keep_lines, out);
    text = str_skip(text, len);
  }
}

/// Walks over text as long as it takes no more than `cells`; gives the bytes walked and what they take.
static size_t walk(struct str text, size_t cells, size_t *ret_taken) {
  struct ruler ruler = {0};
  size_t bytes = 0, taken = 0;
  while (bytes < text.len) {
    size_t len = 0;
    bool malformed = false;
    unsigned wide = ruler_cells(&ruler, decode(str_skip(text, bytes), &len, &malformed));
    if (wide > cells - taken) break;
    taken += wide;
    bytes += len;
  }
  ruler_done(&ruler);
  *ret_taken = taken;
  return bytes;
}

size_t cells_width(struct str text) {
  size_t taken = 0;
  walk(text, SIZE_MAX, &taken);
  return taken;
}

struct str cells_prefix(struct str text, size_t cells) {
  size_t taken = 0;
  return (struct str){text.data, walk(text, cells, &taken)};
}
