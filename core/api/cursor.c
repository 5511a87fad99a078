// SPDX-License-Identifier: Apache-2.0
// Cursors are opaque to clients and worthless outside the list they came from: the MAC covers the position and the
// scope (route, tenant, filters, order), so a cursor that was edited, or taken to another list, is refused instead of
// giving a page that nobody asked for.
#include <string.h>

#include "api/page.h"
#include "base/hash.h"
#include "base/secret.h"

enum { POSITION_BYTES = 16, MAC_BYTES = 16, CURSOR_BYTES = POSITION_BYTES + MAC_BYTES };

static void mac(const uint8_t key[32], struct str scope, const uint8_t position[POSITION_BYTES],
                uint8_t ret_mac[MAC_BYTES]) {
  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, scope);
  hash_update(&hash, position, POSITION_BYTES);
  struct digest digest = hash_final(&hash);
  secret_mac(key, (struct str){(const char *)digest.bytes, sizeof digest.bytes}, ret_mac);
}

void cursor_write(const uint8_t key[32], struct str scope, const uint8_t position[16], char ret_text[CURSOR_TEXT_MAX]) {
  uint8_t bytes[CURSOR_BYTES];
  _Static_assert((CURSOR_BYTES * 4 + 2) / 3 < CURSOR_TEXT_MAX, "the text fits with its NUL");
  memcpy(bytes, position, POSITION_BYTES);
  mac(key, scope, position, bytes + POSITION_BYTES);
  secret_base64(bytes, sizeof bytes, ret_text);
}

bool cursor_read(const uint8_t key[32], struct str scope, struct str text, uint8_t ret_position[16]) {
  uint8_t bytes[CURSOR_BYTES], expected[MAC_BYTES];
  size_t len;
  if (!secret_unbase64(text, bytes, sizeof bytes, &len) || len != sizeof bytes) return false;
  mac(key, scope, bytes, expected);
  if (!secret_equal(expected, bytes + POSITION_BYTES, MAC_BYTES)) return false;
  memcpy(ret_position, bytes, POSITION_BYTES);
  return true;
}
