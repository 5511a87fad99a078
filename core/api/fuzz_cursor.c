// SPDX-License-Identifier: Apache-2.0
// Any bytes as a cursor. Held to: only what cursor_write makes for this scope is read back, so nobody finds a second
// spelling of a cursor, and one cursor is never good for another scope.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/page.h"
#include "base/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8};
static const struct str scope = {"GET /list tenant desc", 21}, other_scope = {"GET /list tenant asc", 20};

static void require(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  secret_setup();
  uint8_t position[16] = {0}, again[16];
  struct str text = {(const char *)data, size};
  char written[CURSOR_TEXT_MAX];
  if (cursor_read(key, scope, text, position)) {
    cursor_write(key, scope, position, written);
    require(str_eq(str_c(written), text));
  }
  // The first bytes as a position: what is written reads back, unless a byte of it was changed.
  memcpy(position, data, size < sizeof position ? size : sizeof position);
  cursor_write(key, scope, position, written);
  require(cursor_read(key, scope, str_c(written), again) && memcmp(again, position, sizeof again) == 0);
  require(!cursor_read(key, other_scope, str_c(written), again));
  if (size > sizeof position) {
    size_t at = data[16] % strlen(written);
    char changed = size > 17 ? (char)data[17] : 'A';
    bool same = written[at] == changed;
    written[at] = changed;
    require(cursor_read(key, scope, (struct str){written, strlen(written)}, again) == same);
  }
  return 0;
}
