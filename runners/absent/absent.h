// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/runner.h"

/// A backend this engine has no implementation of: preflight says so, prepare fails. `missing` names what it would
/// need. Strings are borrowed (literals).
struct runner *absent_new(const char *name, const char *strength, const char *missing);
void absent_free(struct runner *runner);
