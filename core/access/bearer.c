// SPDX-License-Identifier: Apache-2.0
// The form of a bearer token. The prefix says which table knows it, so that authentication is one look-up; what could
// not have come out of secret_token is refused here, before the database is asked.
#include "access/bearer.h"

#include <stdint.h>
#include <strings.h>

#include "base/secret.h"

enum { TOKEN_RANDOM_BYTES = 32 };

static bool scheme_skip(struct str *text) {
  static const char scheme[] = "Bearer ";
  enum { SCHEME_LEN = sizeof scheme - 1 };
  if (text->len < SCHEME_LEN || strncasecmp(text->data, scheme, SCHEME_LEN) != 0) return false;
  *text = str_skip(*text, SCHEME_LEN);
  while (str_starts(*text, STR(" "))) *text = str_skip(*text, 1);
  return true;
}

static bool token_kind(struct str token, enum principal_kind *ret_kind, struct str *ret_random) {
  if (str_starts(token, STR(BEARER_API_PREFIX))) {
    *ret_kind = PRINCIPAL_TOKEN;
    *ret_random = str_skip(token, sizeof BEARER_API_PREFIX - 1);
    return true;
  }
  if (str_starts(token, STR(BEARER_SESSION_PREFIX))) {
    *ret_kind = PRINCIPAL_USER;
    *ret_random = str_skip(token, sizeof BEARER_SESSION_PREFIX - 1);
    return true;
  }
  return false;
}

bool bearer_read(struct str authorization, struct bearer *ret_bearer) {
  struct str token = authorization, random;
  enum principal_kind kind;
  if (!scheme_skip(&token) || !token_kind(token, &kind, &random)) return false;
  uint8_t bytes[TOKEN_RANDOM_BYTES];
  size_t len;
  bool well_formed = secret_unbase64(random, bytes, sizeof bytes, &len) && len == sizeof bytes;
  secret_wipe(bytes, sizeof bytes);
  if (!well_formed) return false;
  *ret_bearer = (struct bearer){.kind = kind, .digest = hash_of(token)};
  return true;
}

struct digest bearer_digest(const char *token) {
  return hash_of(str_c(token));
}
