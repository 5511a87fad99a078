// SPDX-License-Identifier: Apache-2.0
// Read before every source when clang-tidy runs, and never compiled into anything. clang's analyzer sees one file at a
// time: without being told that recording a failure always returns false, it follows each `return err_set(…)` into the
// caller's success path, where the results were not written.
#pragma once

#include "base/err.h"

#define err_set(...)     (err_set(__VA_ARGS__), false)
#define err_set_at(...)  (err_set_at(__VA_ARGS__), false)
#define err_set_sys(...) (err_set_sys(__VA_ARGS__), false)
#define err_wrap(...)    (err_wrap(__VA_ARGS__), false)
