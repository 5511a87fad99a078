// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "sandbox/limits.h"

struct api_call;

void runners_list(struct api_call *call);
void synthetic_data(struct api_call *call);

// Members that several launching routes share. False with call->err. What is cut to its limit is noted for the answer.

/// "runner": absent, or a backend this engine knows of (available or not).
bool runner_member(struct api_call *call, struct str *ret_name);
/// A label or reference that is recorded: over its limit it is cut, or refused with ?strict=true.
bool label_member(struct api_call *call, const char *member, size_t limit, struct str *ret_text);
/// "mocks" as JSON text with limits applied; "[]" when absent.
bool mocks_member(struct api_call *call, const char *member, struct str *ret_mocks);
