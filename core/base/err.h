// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/// The stable reason of a failure. The name of a code (err_code_name) is what HTTP, the CLI and Lua show;
/// the message beside it is for people and may change.
enum err_code {
  ERR_NONE,
  ERR_BAD_REQUEST,
  ERR_UNAUTHENTICATED,
  ERR_FORBIDDEN,
  ERR_NOT_FOUND,
  ERR_CONFLICT,
  ERR_SETUP_REQUIRED,
  ERR_SETUP_COMPLETE,
  ERR_REQUEST_BODY_TOO_LARGE,
  ERR_INVALID_SCRIPT,
  ERR_RATE_LIMITED,
  ERR_MODULE_OFF,
  ERR_INTERNAL,
  ERR_UNAVAILABLE,
  ERR_ISOLATION_UNAVAILABLE,
};
enum { ERR_CODE_COUNT = ERR_ISOLATION_UNAVAILABLE + 1 };

/// A failure, owned by the caller and passed down by pointer. Zero-initialise it: `struct err err = {0};`.
/// The first error wins: a second err_set on the same value is ignored.
struct err {
  enum err_code code;
  int sys_errno;         ///< errno of the system call that failed, or 0
  int64_t retry_after_s; ///< with ERR_RATE_LIMITED: when to try again; else 0
  char place[160];       ///< where in the caller's input, e.g. "steps[3].input" or "line 2, column 7"; may be ""
  char msg[512];         ///< one sentence for people: what is wrong and the way out; cut with "…" when too long
};

/// Records a failure unless one is recorded already. Always returns false, so that a function can
/// `return err_set(err, …)`. `err` must not be NULL.
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/// Like err_set, with the place in the input that is at fault.
bool err_set_at(struct err *err, enum err_code code, const char *place, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Like err_set_at for functions that are themselves called like printf.
bool err_vset_at(struct err *err, enum err_code code, const char *place, const char *fmt, va_list args)
    __attribute__((format(printf, 4, 0)));

/// Like err_set for a failed system call: appends ": <text of sys_errno>" and keeps sys_errno.
bool err_set_sys(struct err *err, enum err_code code, int sys_errno, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Puts "<name>: " in front of the message, to say which of several things failed. Keeps the code. Returns false.
bool err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Forgets the failure; the value can be used again.
void err_clear(struct err *err);

/// The snake_case name of a code, e.g. "bad_request". Static storage. ERR_NONE is "none".
const char *err_code_name(enum err_code code);
