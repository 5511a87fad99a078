// SPDX-License-Identifier: Apache-2.0
// What e-mails, passwords and slugs may look like. An e-mail is only checked for what could never be one: whether it
// reaches anybody is not ours to know. Folding to lower case is ASCII's alone, so that it never depends on a locale.
#include "access/account_text.h"

#include "base/utf8.h"

static bool lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool email_form(struct str email) {
  if (email.len > EMAIL_MAX_BYTES || !utf8_valid(email, NULL)) return false;
  for (size_t i = 0; i < email.len; i++) {
    unsigned char c = (unsigned char)email.data[i];
    if (c <= ' ' || c == 0x7f) return false;
  }
  struct str rest = email;
  struct str local = str_cut(&rest, '@');
  return local.len > 0 && rest.len > 0 && !memchr(rest.data, '@', rest.len);
}

bool email_check(struct str email, struct err *err) {
  if (email_form(email)) return true;
  return err_set_at(err, ERR_BAD_REQUEST, "email",
                    "The e-mail must look like name@example.org: one @, no blanks, at most %d bytes.", EMAIL_MAX_BYTES);
}

bool password_check(struct str password, struct err *err) {
  if (password.len >= PASSWORD_MIN_BYTES && password.len <= PASSWORD_MAX_BYTES) return true;
  return err_set_at(err, ERR_BAD_REQUEST, "password", "The password must have %d to %d bytes; this one has %zu.",
                    PASSWORD_MIN_BYTES, PASSWORD_MAX_BYTES, password.len);
}

static bool slug_form(struct str slug) {
  if (slug.len == 0 || slug.len > SLUG_MAX_BYTES) return false;
  for (size_t i = 0; i < slug.len; i++) {
    bool inner = i > 0 && i + 1 < slug.len;
    if (!lower_or_digit(slug.data[i]) && !(inner && slug.data[i] == '-')) return false;
  }
  return true;
}

bool slug_check(struct str slug, struct err *err) {
  if (slug_form(slug)) return true;
  return err_set_at(err, ERR_BAD_REQUEST, "slug",
                    "The slug must have 1 to %d characters out of a-z, 0-9 and, not at its ends, hyphens.",
                    SLUG_MAX_BYTES);
}

bool email_fold(struct str email, struct email *ret_email, struct err *err) {
  if (!email_check(email, err)) return false;
  for (size_t i = 0; i < email.len; i++) ret_email->text[i] = ascii_lower(email.data[i]);
  ret_email->text[email.len] = '\0';
  ret_email->len = email.len;
  return true;
}

struct str email_str(const struct email *email) {
  return (struct str){email->text, email->len};
}

void slug_from_name(struct str name, char ret_slug[SLUG_MAX_BYTES + 1]) {
  size_t len = 0;
  bool hyphen_due = false;
  for (size_t i = 0; i < name.len; i++) {
    char c = ascii_lower(name.data[i]);
    if (!lower_or_digit(c)) {
      hyphen_due = len > 0;
      continue;
    }
    if (len + (hyphen_due ? 2 : 1) > SLUG_MAX_BYTES) break;
    if (hyphen_due) ret_slug[len++] = '-';
    hyphen_due = false;
    ret_slug[len++] = c;
  }
  if (len == 0) {
    static const char fallback[] = "organization";
    memcpy(ret_slug, fallback, sizeof fallback);
    return;
  }
  ret_slug[len] = '\0';
}
