// SPDX-License-Identifier: Apache-2.0
// Any bytes as a path and, behind a NUL, a document to follow it in. Held to: a refusal says where; a path leads to no
// more values than the document has, each of them once.
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "mock/json_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static size_t count_values(const json_t *json) {
  size_t count = 1, i;
  const char *name;
  json_t *value;
  json_array_foreach(json, i, value) count += count_values(value);
  json_object_foreach((json_t *)(uintptr_t)json, name, value) count += count_values(value);
  return count;
}

struct visits {
  size_t count, most;
};

static bool visit(void *ctx, const json_t *value) {
  struct visits *v = ctx;
  require(value != NULL);
  return ++v->count < v->most;
}

static void follow(const struct json_path *path, const json_t *document) {
  struct visits all = {.most = SIZE_MAX}, one = {.most = 1};
  json_path_visit(path, document, visit, &all);
  require(all.count <= count_values(document));
  json_path_visit(path, document, visit, &one);
  require(one.count == (all.count > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  AUTO(mem_auto_free) char *text = mem_strdup((struct str){(const char *)data, size});
  utf8_mend(text, size);
  struct str document_text = {text, size}, path_text = str_cut(&document_text, '\0');
  struct json_path *path = NULL;
  struct err err = {0};
  if (!json_path_new(path_text, &path, &err)) {
    require(path == NULL && err.code == ERR_BAD_REQUEST);
    require(str_starts(str_c(err.msg), STR("The JSON path is not understood at byte ")));
    return 0;
  }
  require(str_eq(json_path_text(path), path_text) && json_path_bytes(path) > 2 * path_text.len);
  AUTO(json_auto_decref) json_t *document = NULL;
  if (str_present(document_text) && json_read(document_text, &document, &err)) follow(path, document);
  json_path_free(path);
  return 0;
}
