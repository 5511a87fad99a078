// SPDX-License-Identifier: Apache-2.0
// Any bytes as text, and as each of the small text forms. Held to: what is accepted is written back byte for byte, so
// that nothing has two spellings; clamping and mending give well-formed text; a quoted string reads back equal.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_forms(struct str text) {
  struct id id;
  if (id_parse(text, &id)) require(str_eq(str_c(id_format(id).text), text));
  struct digest digest;
  if (digest_parse(text, &digest)) require(str_eq(str_c(digest_format(&digest).text), text));

  size_t len;
  AUTO(mem_auto_free) char *bytes = mem_alloc(text.len);
  if (secret_unbase64(text, bytes, text.len, &len)) {
    AUTO(mem_auto_free) char *again = mem_alloc(secret_base64_len(len) + 1);
    secret_base64(bytes, len, again);
    require(str_eq(str_c(again), text));
  }
}

static void check_well_formed(struct str text) {
  for (size_t max = 0; max <= text.len && max < 64; max++) {
    struct str clamped = utf8_clamp(text, max);
    require(clamped.len <= max && max - clamped.len < 4 && utf8_valid(clamped, NULL));
  }
  AUTO(buf_done) struct buf quoted;
  buf_init(&quoted, 6 * text.len + 2);
  json_quote(&quoted, text);
  require(!quoted.over);
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err err = {0};
  bool has_nul = text.len > 0 && memchr(text.data, '\0', text.len);
  require(json_read(buf_str(&quoted), &json, &err) == !has_nul);
  require(has_nul || str_eq(json_str(json), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  AUTO(mem_auto_free) char *copy = mem_strdup((struct str){(const char *)data, size});
  struct str text = {copy, size};
  check_forms(text);
  size_t bad_at = size;
  bool valid = utf8_valid(text, &bad_at);
  require(valid == (bad_at == size) && utf8_valid((struct str){copy, bad_at}, NULL));
  utf8_mend(copy, size);
  require(utf8_valid(text, NULL));
  if (size > 0) require(memcmp(copy, data, bad_at) == 0 && (valid || copy[bad_at] == '?'));
  check_well_formed(text);
  return 0;
}
