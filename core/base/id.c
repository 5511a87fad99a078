// SPDX-License-Identifier: Apache-2.0
// UUIDv7. The 74 bits behind the milliseconds are one number: random for a new millisecond, and raised by a random step
// of 1 to 2^32 for each further id of the same one (RFC 9562, section 6.2, method 2). A clock that steps back counts as
// the same millisecond until it has caught up.
//
// The generator is a file-level static because the order of ids is promised for the whole process, whoever asks; a
// value passed around would have to be the same one everywhere. A mutex guards it. Random bytes are taken from the
// kernel a few kilobytes at a time; a forked child forgets them, or it would repeat its parent's ids.
#include "base/id.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/hex.h"
#include "base/secret.h"

enum { POOL_BYTES = 4096 };
static const uint64_t HIGH_LIMIT = (uint64_t)1 << 12;
static const uint64_t LOW_LIMIT = (uint64_t)1 << 62;

static struct {
  pthread_mutex_t mutex;
  pthread_once_t fork_handled;
  bool started;
  uint64_t last_ms;
  uint64_t high, low; // the 74 bits: rand_a (12) and rand_b (62)
  size_t pool_left;
  uint8_t pool[POOL_BYTES];
} generator = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fork_handled = PTHREAD_ONCE_INIT};

static void lock_for_fork(void) {
  pthread_mutex_lock(&generator.mutex);
}

static void unlock_in_parent(void) {
  pthread_mutex_unlock(&generator.mutex);
}

static void restart_in_child(void) {
  generator.started = false;
  generator.pool_left = 0;
  pthread_mutex_unlock(&generator.mutex);
}

static void handle_fork(void) {
  int failed = pthread_atfork(lock_for_fork, unlock_in_parent, restart_in_child);
  assert(!failed);
}

static uint64_t random_bits(size_t bytes) {
  if (generator.pool_left < bytes) {
    secret_random(generator.pool, sizeof(generator.pool));
    generator.pool_left = sizeof(generator.pool);
  }
  generator.pool_left -= bytes;
  uint64_t bits = 0;
  memcpy(&bits, generator.pool + generator.pool_left, bytes);
  return bits;
}

// The top bit starts at zero: a millisecond has room for 2^41 steps of the largest size at least.
static void start_millisecond(uint64_t ms) {
  generator.started = true;
  generator.last_ms = ms;
  generator.high = random_bits(2) & (HIGH_LIMIT / 2 - 1);
  generator.low = random_bits(8) & (LOW_LIMIT - 1);
}

static void step(void) {
  generator.low += random_bits(4) + 1;
  if (generator.low < LOW_LIMIT) return;
  generator.low -= LOW_LIMIT;
  if (++generator.high == HIGH_LIMIT) start_millisecond(generator.last_ms + 1);
}

static void put_big_endian(uint8_t *to, uint64_t value, size_t bytes) {
  for (size_t i = bytes; i > 0; i--, value >>= 8) to[i - 1] = (uint8_t)value;
}

struct id id_new(int64_t wall_ns) {
  uint64_t ms = wall_ns > 0 ? (uint64_t)wall_ns / 1000000 : 0;
  pthread_once(&generator.fork_handled, handle_fork);
  pthread_mutex_lock(&generator.mutex);
  if (!generator.started || ms > generator.last_ms) {
    start_millisecond(ms);
  } else {
    step();
  }
  struct id id;
  put_big_endian(id.bytes, generator.last_ms, 6);
  put_big_endian(id.bytes + 6, 0x7000 | generator.high, 2);
  put_big_endian(id.bytes + 8, (uint64_t)2 << 62 | generator.low, 8);
  pthread_mutex_unlock(&generator.mutex);
  return id;
}

// The groups of the text form, in bytes.
static const size_t groups[] = {4, 2, 2, 2, 6};
enum { GROUP_COUNT = sizeof(groups) / sizeof(groups[0]) };

bool id_parse(struct str text, struct id *ret_id) {
  if (text.len != ID_TEXT_LEN) return false;
  struct id id;
  const char *from = text.data;
  uint8_t *to = id.bytes;
  for (size_t i = 0; i < GROUP_COUNT; i++) {
    if (i > 0 && *from++ != '-') return false;
    if (!hex_read(from, to, groups[i])) return false;
    from += 2 * groups[i];
    to += groups[i];
  }
  if (id.bytes[6] >> 4 != 7 || id.bytes[8] >> 6 != 2) return false;
  *ret_id = id;
  return true;
}

struct id_text id_format(struct id id) {
  struct id_text text;
  char *to = text.text;
  const uint8_t *from = id.bytes;
  for (size_t i = 0; i < GROUP_COUNT; i++) {
    if (i > 0) *to++ = '-';
    to = hex_write(to, from, groups[i]);
    from += groups[i];
  }
  *to = '\0';
  return text;
}

bool id_eq(struct id a, struct id b) {
  return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

bool id_is_zero(struct id id) {
  static const struct id zero;
  return id_eq(id, zero);
}
