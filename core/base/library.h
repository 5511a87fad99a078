// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/// A function of a shared library and where its pointer goes in a table of function pointers.
struct library_symbol {
  const char *name;
  size_t offset; ///< offsetof the table's member
};

/// Loads a shared library when it is needed and not with the program: one that brings many others with it costs every
/// command as much as all else that it does. `file` is the name with the ABI version that its header belongs to. Fills
/// the members of `table` named by the `count` symbols; the library stays loaded. ERR_UNAVAILABLE when it is not there
/// or lacks a symbol; the table is then of no use.
bool library_load(const char *file, const struct library_symbol *symbols, size_t count, void *table, struct err *err);
