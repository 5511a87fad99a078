// SPDX-License-Identifier: Apache-2.0
// Failures as values. A message quotes what a stranger sent, and is shown in JSON, on terminals and in the log:
// whatever goes in, `msg` and `place` are well-formed UTF-8 and end with "…" where they had to be cut.
#include "base/err.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const char ellipsis[] = "…";

// Ends `text`, of which `wanted` bytes were to be written into `room` bytes, so that it shows when some are missing.
// Returns its length.
static size_t finish(char *text, size_t room, size_t wanted) {
  size_t len = wanted;
  if (wanted >= room) {
    len = utf8_clamp((struct str){text, room - 1}, room - sizeof(ellipsis)).len;
    memcpy(text + len, ellipsis, sizeof(ellipsis));
    len += sizeof(ellipsis) - 1;
  }
  utf8_mend(text, len);
  return len;
}

__attribute__((format(printf, 3, 0))) static size_t format(char *text, size_t room, const char *fmt, va_list args) {
  int wanted = vsnprintf(text, room, fmt, args);
  return finish(text, room, wanted < 0 ? 0 : (size_t)wanted);
}

static void copy(char *text, size_t room, const char *from) {
  size_t len = strlen(from);
  memcpy(text, from, len < room ? len : room - 1);
  text[len < room ? len : room - 1] = '\0';
  finish(text, room, len);
}

bool err_vset_at(struct err *err, enum err_code code, const char *place, const char *fmt, va_list args) {
  assert(code != ERR_NONE);
  if (err->code != ERR_NONE) return false;
  err->code = code;
  copy(err->place, sizeof(err->place), place);
  format(err->msg, sizeof(err->msg), fmt, args);
  return false;
}

bool err_set_at(struct err *err, enum err_code code, const char *place, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  err_vset_at(err, code, place, fmt, args);
  va_end(args);
  return false;
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  err_vset_at(err, code, "", fmt, args);
  va_end(args);
  return false;
}

bool err_set_sys(struct err *err, enum err_code code, int sys_errno, const char *fmt, ...) {
  assert(code != ERR_NONE);
  if (err->code != ERR_NONE) return false;
  err->code = code;
  err->sys_errno = sys_errno;

  char cause[80];
  const char *known = strerrordesc_np(sys_errno);
  int cause_len = known ? snprintf(cause, sizeof(cause), ": %s", known)
                        : snprintf(cause, sizeof(cause), ": error number %d", sys_errno);
  assert(cause_len > 0 && (size_t)cause_len < sizeof(cause));

  va_list args;
  va_start(args, fmt);
  size_t len = format(err->msg, sizeof(err->msg) - (size_t)cause_len, fmt, args);
  va_end(args);
  memcpy(err->msg + len, cause, (size_t)cause_len + 1);
  return false;
}

bool err_wrap(struct err *err, const char *fmt, ...) {
  if (err->code == ERR_NONE) return false;
  char msg[sizeof(err->msg)];
  va_list args;
  va_start(args, fmt);
  size_t len = format(msg, sizeof(msg), fmt, args);
  va_end(args);
  int more = snprintf(msg + len, sizeof(msg) - len, ": %s", err->msg);
  finish(msg, sizeof(msg), len + (size_t)more);
  memcpy(err->msg, msg, sizeof(msg));
  return false;
}

void err_clear(struct err *err) {
  *err = (struct err){0};
}

const char *err_code_name(enum err_code code) {
  switch (code) {
  case ERR_NONE: return "none";
  case ERR_BAD_REQUEST: return "bad_request";
  case ERR_UNAUTHENTICATED: return "unauthenticated";
  case ERR_FORBIDDEN: return "forbidden";
  case ERR_NOT_FOUND: return "not_found";
  case ERR_CONFLICT: return "conflict";
  case ERR_SETUP_REQUIRED: return "setup_required";
  case ERR_SETUP_COMPLETE: return "setup_complete";
  case ERR_REQUEST_BODY_TOO_LARGE: return "request_body_too_large";
  case ERR_INVALID_SCRIPT: return "invalid_script";
  case ERR_RATE_LIMITED: return "rate_limited";
  case ERR_MODULE_OFF: return "module_off";
  case ERR_INTERNAL: return "internal";
  case ERR_UNAVAILABLE: return "unavailable";
  case ERR_ISOLATION_UNAVAILABLE: return "isolation_unavailable";
  }
  return "internal";
}
