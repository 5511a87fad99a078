// SPDX-License-Identifier: Apache-2.0
// Synthetic step inputs from a template. Substitution is one pass over the template: what a placeholder stands for is
// copied, never looked at again, so a subject kind of "{{index}}" stays that text. Anything over a bound fails whole.
#include <stdio.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "sandbox/flows.h"
#include "sandbox/limits.h"

enum {
  REQUEST_MAX_BYTES = 1024 * 1024,
  // The rest of a scenario request around the steps, when every byte of name, description and subject kind needs a
  // six-byte escape.
  ESCAPE_BYTES = 6,
};
#define REQUEST_FRAME "{\"name\":\"\",\"description\":\"\",\"subject_kind\":\"\",\"steps\":}"

static bool expand(struct buf *out, struct str template, struct str subject_kind, int64_t index) {
  static const struct str index_mark = {"{{index}}", 9}, subject_mark = {"{{subject_kind}}", 16};
  while (template.len > 0) {
    const char *brace = memchr(template.data, '{', template.len);
    size_t plain = brace ? (size_t)(brace - template.data) : template.len;
    if (!buf_add(out, template.data, plain)) return false;
    template = str_skip(template, plain);
    bool fits = true;
    if (str_starts(template, index_mark)) {
      fits = buf_addf(out, "%lld", (long long)index);
      template = str_skip(template, index_mark.len);
    } else if (str_starts(template, subject_mark)) {
      fits = buf_add_str(out, subject_kind);
      template = str_skip(template, subject_mark.len);
    } else if (template.len > 0) {
      fits = buf_add_char(out, '{');
      template = str_skip(template, 1);
    }
    if (!fits) return false;
  }
  return true;
}

static bool check(struct str subject_kind, int64_t count, struct str seed, struct err *err) {
  if (count < 0 || count > GENERATE_MAX)
    return err_set_at(err, ERR_BAD_REQUEST, "count", "Expected an integer from 0 to %d (0 means %d), found %lld.",
                      GENERATE_MAX, GENERATE_DEFAULT, (long long)count);
  if (subject_kind.len > NAME_MAX_BYTES)
    return err_set_at(err, ERR_BAD_REQUEST, "subject_kind", "The text has %zu bytes, the limit is %d.",
                      subject_kind.len, NAME_MAX_BYTES);
  if (seed.len > INPUT_MAX_BYTES)
    return err_set_at(err, ERR_BAD_REQUEST, "seed", "The text has %zu bytes, the limit is %d.", seed.len,
                      INPUT_MAX_BYTES);
  return true;
}

bool generate(struct str subject_kind, int64_t count, struct str seed, struct buf *out_json, int64_t *ret_count,
              struct err *err) {
  if (!check(subject_kind, count, seed, err)) return false;
  if (!str_present(subject_kind)) subject_kind = STR("agent");
  if (!str_present(seed)) seed = STR("{{subject_kind}}-sample-{{index}}");
  if (count == 0) count = GENERATE_DEFAULT;

  AUTO(buf_done) struct buf input;
  buf_init(&input, INPUT_MAX_BYTES);
  size_t start = out_json->len;
  struct json_writer out;
  jw_init(&out, out_json);
  jw_array(&out, NULL);
  for (int64_t i = 1; i <= count; i++) {
    char key[32];
    snprintf(key, sizeof key, "sample-%04lld", (long long)i);
    buf_clear(&input);
    if (!expand(&input, seed, subject_kind, i))
      return err_set_at(err, ERR_BAD_REQUEST, "seed",
                        "Sample %lld would be longer than %d bytes; shorten the seed or subject_kind.", (long long)i,
                        INPUT_MAX_BYTES);
    jw_object(&out, NULL);
    jw_c(&out, "key", key);
    jw_str(&out, "input", buf_str(&input));
    jw_object_end(&out);
  }
  jw_array_end(&out);
  size_t frame = sizeof REQUEST_FRAME - 1 + ESCAPE_BYTES * (2 * NAME_MAX_BYTES + REF_MAX_BYTES);
  if (out_json->over || out_json->len - start + frame > REQUEST_MAX_BYTES)
    return err_set_at(
        err, ERR_BAD_REQUEST, "count",
        "The batch would not fit into one scenario request of %d bytes; ask for fewer samples or shorten the seed.",
        REQUEST_MAX_BYTES);
  *ret_count = count;
  return true;
}
