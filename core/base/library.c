// SPDX-License-Identifier: Apache-2.0
// Shared libraries that only some commands need.
#include "base/library.h"

#include <dlfcn.h>

bool library_load(const char *file, const struct library_symbol *symbols, size_t count, void *table, struct err *err) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return err_set(err, ERR_UNAVAILABLE, "The library %s can't be loaded: %s.", file, dlerror());
  for (size_t i = 0; i < count; i++) {
    // POSIX makes the pointer of dlsym good for a function; it is written through a void *, as its rationale shows.
    void **slot = (void **)(void *)((char *)table + symbols[i].offset);
    *slot = dlsym(handle, symbols[i].name);
    if (!*slot)
      return err_set(err, ERR_UNAVAILABLE, "The library %s is not the one expected: it has no %s.", file,
                     symbols[i].name);
  }
  return true;
}
