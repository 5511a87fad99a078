// SPDX-License-Identifier: Apache-2.0
// Any bytes as a JSON document. Held to: a refusal says why and where, in well-formed text; a document that is read has
// a canonical form unless a number or the size forbids it, and that form reads back as an equal value and gives itself.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_refusal(const struct err *err) {
  require(err->code == ERR_BAD_REQUEST && err->msg[0] && str_starts(str_c(err->place), STR("line ")));
  require(utf8_valid(str_c(err->msg), NULL));
  // The fallback for what the parser refuses and the grammar explains not: there is no such text.
  require(!str_starts(str_c(err->msg), STR("The text is no JSON document")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  AUTO(json_auto_decref) json_t *json = NULL;
  AUTO(json_auto_decref) json_t *again = NULL;
  AUTO(buf_done) struct buf first, second;
  struct err err = {0};
  buf_init(&first, 8 * size + 64);
  buf_init(&second, 8 * size + 64);
  if (!json_read((struct str){(const char *)data, size}, &json, &err)) {
    check_refusal(&err);
    return 0;
  }
  if (!json_canonical(json, &first, &err)) {
    require(!first.over && str_starts(str_c(err.msg), STR("The number ")));
    return 0;
  }
  require(json_read(buf_str(&first), &again, &err));
  require(json_canonical(again, &second, &err));
  require(str_eq(buf_str(&first), buf_str(&second)));
  return 0;
}
