// SPDX-License-Identifier: Apache-2.0
// Explains why a text is not JSON. Only texts that were refused come here, so this walks the grammar of RFC 8259 once
// more and stops at the first thing that does not fit it. Two refusals are not of grammar, a repeated member and a
// number out of range: there the parser's position tells which token it was.
//
// Every scan_ function returns true when what it stands on is in order and then stands behind it; else the fault is
// recorded. UTF-8 is settled first: the scan sees the text up to the first malformed byte, and takes it for the end.
#include "base/json_fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"

enum { QUOTED_MAX_BYTES = 64 };

struct scan {
  struct str text; // the whole of it
  size_t end;      // what is looked at ends here
  size_t at;
  size_t refused_at; // the parser stood here
  struct err *err;
};

bool json_fault_at(struct str text, size_t at, struct err *err, const char *fmt, ...) {
  size_t line = 1, line_start = 0;
  for (size_t i = 0; i < at; i++) {
    if (text.data[i] != '\n') continue;
    line++;
    line_start = i + 1;
  }
  char place[64];
  snprintf(place, sizeof(place), "line %zu, column %zu", line, at - line_start + 1);
  va_list args;
  va_start(args, fmt);
  err_vset_at(err, ERR_BAD_REQUEST, place, fmt, args);
  va_end(args);
  return false;
}

static int peek(const struct scan *scan) {
  return scan->at < scan->end ? (unsigned char)scan->text.data[scan->at] : -1;
}

static void skip_blanks(struct scan *scan) {
  for (int c = peek(scan); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(scan)) scan->at++;
}

static bool malformed(struct scan *scan) {
  return json_fault_at(scan->text, scan->end, scan->err,
                       "The text is not UTF-8: byte 0x%02x does not belong there; send UTF-8.",
                       (unsigned char)scan->text.data[scan->end]);
}

// What stands at the scan's position, for a sentence: a character, or a whole word such as NaN.
static struct str found(const struct scan *scan) {
  struct str rest = {scan->text.data + scan->at, scan->end - scan->at};
  size_t len = 0;
  while (len < rest.len && len < 24) {
    unsigned char c = (unsigned char)rest.data[len];
    bool wordy = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!wordy) break;
    len++;
  }
  if (len > 0) return (struct str){rest.data, len};
  for (len = 1; len < rest.len && ((unsigned char)rest.data[len] & 0xc0) == 0x80;) len++;
  return (struct str){rest.data, len};
}

static bool expected(struct scan *scan, const char *what) {
  int c = peek(scan);
  if (c < 0 && scan->end < scan->text.len) return malformed(scan);
  if (c < 0) return json_fault_at(scan->text, scan->at, scan->err, "Expected %s, found the end of the text.", what);
  if (c < 0x20 || c == 0x7f)
    return json_fault_at(scan->text, scan->at, scan->err, "Expected %s, found the control byte 0x%02x.", what,
                         (unsigned)c);
  return json_fault_at(scan->text, scan->at, scan->err, "Expected %s, found '%.*s'.", what, STR_ARG(found(scan)));
}

// Four hexadecimal digits behind "\u", or -1.
static int code_unit(const struct scan *scan, size_t at) {
  if (scan->end - at < 4) return -1;
  int value = 0;
  for (size_t i = 0; i < 4; i++) {
    char c = scan->text.data[at + i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static bool scan_unicode_escape(struct scan *scan) {
  int unit = code_unit(scan, scan->at + 2);
  if (unit < 0) return json_fault_at(scan->text, scan->at, scan->err, "Expected four hexadecimal digits behind \\u.");
  if (unit == 0)
    return json_fault_at(scan->text, scan->at, scan->err, "A string holds the NUL character (\\u0000); leave it out.");
  size_t len = 6;
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const char *next = scan->text.data + scan->at + 6;
    bool escaped = unit < 0xdc00 && scan->end - scan->at >= 12 && next[0] == '\\' && next[1] == 'u';
    int low = escaped ? code_unit(scan, scan->at + 8) : -1;
    if (low < 0xdc00 || low > 0xdfff)
      return json_fault_at(scan->text, scan->at, scan->err,
                           "A string holds half of a surrogate pair (\\u%04x); write both halves, high then low.",
                           (unsigned)unit);
    len = 12;
  }
  scan->at += len;
  return true;
}

static bool scan_escape(struct scan *scan) {
  char c = scan->end - scan->at > 1 ? scan->text.data[scan->at + 1] : '\0';
  if (c == 'u') return scan_unicode_escape(scan);
  if (c == '\0' || !strchr("\"\\/bfnrt", c))
    return json_fault_at(
        scan->text, scan->at, scan->err,
        "A backslash in a string starts no escape that JSON has; write \\\\ for the backslash itself.");
  scan->at += 2;
  return true;
}

static bool scan_string(struct scan *scan) {
  size_t start = scan->at++;
  for (;;) {
    int c = peek(scan);
    if (c == '"') break;
    if (c < 0 && scan->end < scan->text.len) return malformed(scan);
    if (c < 0)
      return json_fault_at(scan->text, start, scan->err, "A string starts here and is not closed; add the end quote.");
    if (c < 0x20)
      return json_fault_at(scan->text, scan->at, scan->err,
                           "A string holds the control byte 0x%02x as it is; write it as the escape \\u%04x.",
                           (unsigned)c, (unsigned)c);
    if (c == '\\') {
      if (!scan_escape(scan)) return false;
    } else {
      scan->at++;
    }
  }
  scan->at++;
  return true;
}

static bool scan_digits(struct scan *scan) {
  size_t start = scan->at;
  while (peek(scan) >= '0' && peek(scan) <= '9') scan->at++;
  return scan->at > start;
}

static bool scan_number(struct scan *scan) {
  size_t start = scan->at;
  if (peek(scan) == '-') scan->at++;
  bool leading_zero = peek(scan) == '0';
  size_t digits_start = scan->at;
  if (!scan_digits(scan)) return expected(scan, "a digit");
  if (leading_zero && scan->at - digits_start > 1)
    return json_fault_at(scan->text, start, scan->err, "A number starts with 0; drop the leading zeros.");
  bool integer = true;
  if (peek(scan) == '.') {
    integer = false;
    scan->at++;
    if (!scan_digits(scan)) return expected(scan, "a digit behind the decimal point");
  }
  if (peek(scan) == 'e' || peek(scan) == 'E') {
    integer = false;
    scan->at++;
    if (peek(scan) == '+' || peek(scan) == '-') scan->at++;
    if (!scan_digits(scan)) return expected(scan, "a digit in the exponent");
  }
  if (scan->at != scan->refused_at) return true;
  return json_fault_at(scan->text, start, scan->err,
                       integer ? "The integer does not fit into 64 bits; send it as a string."
                               : "The number is too large for a double; send it as a string.");
}

static bool scan_word(struct scan *scan) {
  static const struct str words[] = {{"true", 4}, {"false", 5}, {"null", 4}};
  struct str word = found(scan);
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (!str_eq(word, words[i])) continue;
    scan->at += word.len;
    return true;
  }
  return expected(scan, "a value");
}

static bool repeated_member(struct scan *scan, size_t start) {
  json_t *name = json_loadb(scan->text.data + start, scan->at - start, JSON_DECODE_ANY, NULL);
  struct str clamped = utf8_clamp(json_str(name), QUOTED_MAX_BYTES);
  json_fault_at(scan->text, start, scan->err, "Member '%.*s%s' stands twice in one object; keep one.", STR_ARG(clamped),
                clamped.len < json_str(name).len ? "…" : "");
  json_decref(name);
  return false;
}

static bool scan_value(struct scan *scan, const char *what);

static bool scan_member(struct scan *scan, const char *what) {
  size_t start = scan->at;
  if (peek(scan) != '"') return expected(scan, what);
  if (!scan_string(scan)) return false;
  if (scan->at == scan->refused_at) return repeated_member(scan, start);
  skip_blanks(scan);
  if (peek(scan) != ':') return expected(scan, "':' behind the member's name");
  scan->at++;
  return scan_value(scan, "a value behind ':'");
}

// An array or an object; recursion ends at JSON_MAX_DEPTH, which was checked before.
static bool scan_nested(struct scan *scan, char close) {
  bool object = close == '}';
  scan->at++;
  skip_blanks(scan);
  if (peek(scan) == close) {
    scan->at++;
    return true;
  }
  const char *what = object ? "a member's name in double quotes or '}'" : "a value or ']'";
  for (;;) {
    if (object ? !scan_member(scan, what) : !scan_value(scan, what)) return false;
    skip_blanks(scan);
    int c = peek(scan);
    if (c != ',' && c != close)
      return expected(scan, object ? "',' or '}' behind a member" : "',' or ']' behind a value");
    scan->at++;
    if (c == close) return true;
    skip_blanks(scan);
    what = object ? "a member's name in double quotes behind ','" : "a value behind ','";
  }
}

static bool scan_value(struct scan *scan, const char *what) {
  skip_blanks(scan);
  int c = peek(scan);
  if (c == '{') return scan_nested(scan, '}');
  if (c == '[') return scan_nested(scan, ']');
  if (c == '"') return scan_string(scan);
  if (c == '-' || (c >= '0' && c <= '9')) return scan_number(scan);
  if (c == 't' || c == 'f' || c == 'n') return scan_word(scan);
  return expected(scan, what);
}

bool json_fault(struct str text, size_t refused_at, const char *refusal, struct err *err) {
  struct scan scan = {.text = text, .end = text.len, .refused_at = refused_at, .err = err};
  utf8_valid(text, &scan.end);
  if (str_starts(text, STR("\xef\xbb\xbf")))
    return json_fault_at(text, 0, err, "The text starts with a byte order mark; leave it out.");
  skip_blanks(&scan);
  if (scan.at == text.len) return json_fault_at(text, scan.at, err, "The text is empty; send one JSON document.");
  if (!scan_value(&scan, "a JSON document")) return false;
  skip_blanks(&scan);
  if (scan.at < scan.end)
    return json_fault_at(text, scan.at, err, "There is text behind the JSON document; send exactly one document.");
  if (scan.end < text.len) return malformed(&scan);
  return json_fault_at(text, refused_at <= text.len ? refused_at : text.len, err, "The text is no JSON document: %s.",
                       refusal);
}
