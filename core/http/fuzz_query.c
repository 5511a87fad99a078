// SPDX-License-Identifier: Apache-2.0
// Any request target is read without a fault, and what comes out keeps the promises of http.h.
#include <assert.h>

#include "base/utf8.h"
#include "http/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_text(struct str text) {
  assert(str_present(text));
  assert(utf8_valid(text, NULL));
  assert(text.len == 0 || memchr(text.data, '\0', text.len) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  struct arena *arena = arena_new();
  struct http_request request = {0};
  target_read(arena, (struct str){(const char *)bytes, len}, &request);
  assert(request.path.len <= len);
  assert(request.query_count <= 64);
  assert(!request.query_malformed || request.query_count == 0);
  for (size_t i = 0; i < request.query_count; i++) {
    check_text(request.query[i].name);
    check_text(request.query[i].value);
  }
  arena_free(arena);
  return 0;
}
