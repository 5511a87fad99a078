// SPDX-License-Identifier: Apache-2.0
// Memory that is always there, and arenas. An arena is a list of chunks of which the newest is being filled; what is
// too large to share a chunk gets one of its own behind the newest, so that the room left in that one stays in use.
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_FIRST_BYTES = 4096, CHUNK_LAST_BYTES = 64 * 1024 };

__attribute__((noreturn)) static void end_process(void) {
  static const char text[] = "olivares: out of memory\n";
  // Nothing can be done about a standard error that can't be written to.
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) abort();
  abort();
}

// Of malloc(0) C promises neither NULL nor a pointer; here it is a pointer.
void *mem_alloc(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) end_process();
  return memory;
}

void *mem_zalloc(size_t bytes) {
  return mem_array(1, bytes);
}

void *mem_array(size_t count, size_t bytes) {
  void *memory = count && bytes ? calloc(count, bytes) : calloc(1, 1);
  if (!memory) end_process();
  return memory;
}

void *mem_realloc(void *old, size_t bytes) {
  void *memory = realloc(old, bytes ? bytes : 1);
  if (!memory) end_process();
  return memory;
}

static char *copy_text(char *to, struct str text) {
  if (text.len) memcpy(to, text.data, text.len);
  to[text.len] = '\0';
  return to;
}

char *mem_strdup(struct str text) {
  return copy_text(mem_alloc(text.len + 1), text);
}

void mem_auto_free(void *pointer_to_pointer) {
  void *memory;
  memcpy(&memory, pointer_to_pointer, sizeof(memory));
  free(memory);
}

struct chunk {
  struct chunk *older;
  size_t used;
  size_t size;
  _Alignas(max_align_t) unsigned char bytes[];
};

struct arena {
  struct chunk *newest; // where small pieces are taken from
  struct chunk *large;  // one piece each, so that it does not end the newest
};

static struct chunk *chunk_new(size_t size, struct chunk *older) {
  if (size > SIZE_MAX - sizeof(struct chunk)) end_process();
  struct chunk *chunk = mem_alloc(sizeof(*chunk) + size);
  *chunk = (struct chunk){.older = older, .size = size};
  return chunk;
}

// The arena lies in its own first chunk: a request that needs little costs one allocation.
struct arena *arena_new(void) {
  struct chunk *chunk = chunk_new(CHUNK_FIRST_BYTES - sizeof(struct chunk), NULL);
  struct arena *arena = (struct arena *)(void *)chunk->bytes;
  chunk->used = sizeof(*arena);
  *arena = (struct arena){.newest = chunk};
  return arena;
}

static void chunks_free(struct chunk *chunk) {
  while (chunk) {
    struct chunk *older = chunk->older;
    free(chunk);
    chunk = older;
  }
}

void arena_free(struct arena *arena) {
  if (!arena) return;
  chunks_free(arena->large);
  chunks_free(arena->newest); // and with the oldest of them the arena
}

void arena_auto_free(struct arena **arena) {
  arena_free(*arena);
}

static void *take_from_new_chunk(struct arena *arena, size_t bytes) {
  struct chunk *newest = arena->newest;
  if (bytes > CHUNK_LAST_BYTES / 4) {
    arena->large = chunk_new(bytes, arena->large);
    return arena->large->bytes;
  }
  size_t size = newest->size * 2 < CHUNK_LAST_BYTES ? newest->size * 2 : CHUNK_LAST_BYTES;
  arena->newest = chunk_new(size > bytes ? size : bytes, newest);
  arena->newest->used = bytes;
  return arena->newest->bytes;
}

// `align` is a power of two, at most that of max_align_t.
static void *take(struct arena *arena, size_t bytes, size_t align) {
  struct chunk *chunk = arena->newest;
  size_t start = (chunk->used + align - 1) & ~(align - 1);
  if (start > chunk->size || bytes > chunk->size - start) return take_from_new_chunk(arena, bytes);
  chunk->used = start + bytes;
  return chunk->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
  return memset(take(arena, bytes, _Alignof(max_align_t)), 0, bytes);
}

char *arena_strdup(struct arena *arena, struct str text) {
  return copy_text(take(arena, text.len + 1, 1), text);
}

struct str arena_str(struct arena *arena, struct str text) {
  return (struct str){arena_strdup(arena, text), text.len};
}

struct str arena_printf(struct arena *arena, const char *fmt, ...) {
  char first[256];
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int wanted = vsnprintf(first, sizeof(first), fmt, args);
  va_end(args);
  size_t len = wanted > 0 ? (size_t)wanted : 0;
  char *text = take(arena, len + 1, 1);
  if (len < sizeof(first)) {
    copy_text(text, (struct str){first, len});
  } else {
    vsnprintf(text, len + 1, fmt, again);
  }
  va_end(again);
  return (struct str){text, len};
}
