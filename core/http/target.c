// SPDX-License-Identifier: Apache-2.0
// Splits a request target. Nothing in the path is decoded or normalised: routes are matched on what was sent, so that
// no two spellings of a path can mean different things to a check and to a handler.
#include "http/target.h"

#include <string.h>

static struct str without_authority(struct str target) {
  if (!str_starts(target, STR("http://"))) return target;
  struct str rest = str_skip(target, strlen("http://"));
  while (rest.len > 0 && rest.data[0] != '/' && rest.data[0] != '?') rest = str_skip(rest, 1);
  return rest;
}

void target_read(struct arena *arena, struct str target, struct http_request *request) {
  struct str rest = arena_str(arena, without_authority(target));
  request->target_malformed = memchr(target.data, ' ', target.len) != NULL;
  request->path = str_cut(&rest, '?');
  request->query_malformed = !http_query_parse(arena, rest, &request->query, &request->query_count);
}
