// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "base/str.h"

/// Runs `fn` on the variable's address when it leaves scope: `AUTO(buf_done) struct buf b;`. Not to be held
/// across a Lua call that may raise: a longjmp does not run it.
#define AUTO(fn) __attribute__((cleanup(fn)))

/// The allocators below never return NULL: a process that can't get the few bytes it asks for ends with a message,
/// since no caller could do better. Anything whose size a stranger chooses has a cap before it gets here.
void *mem_alloc(size_t bytes);               ///< uninitialised
void *mem_zalloc(size_t bytes);              ///< zeroed
void *mem_array(size_t count, size_t bytes); ///< zeroed; the product is checked for overflow
void *mem_realloc(void *old, size_t bytes);
char *mem_strdup(struct str text); ///< NUL-terminated copy; release with free()

/// A region for everything that lives as long as one request or one run: allocation is a pointer bump, and one
/// call releases all of it.
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);                       ///< accepts NULL
void *arena_alloc(struct arena *arena, size_t bytes);       ///< zeroed, aligned for any type
char *arena_strdup(struct arena *arena, struct str text);   ///< NUL-terminated copy
struct str arena_str(struct arena *arena, struct str text); ///< copy; data is NUL-terminated
struct str arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// AUTO helpers: `AUTO(mem_auto_free) char *path = …;`
void mem_auto_free(void *pointer_to_pointer);
void arena_auto_free(struct arena **arena);
