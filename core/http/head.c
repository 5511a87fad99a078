// SPDX-License-Identifier: Apache-2.0
// A request's head: what of it is of interest, and what in it can be read in two ways. Two lengths, or a length and a
// coding, or a name with a blank behind it are how requests are smuggled past proxies (RFC 9112, sections 5.1 and 6.3):
// those are refused here. A field that says who asks, and is there twice, is the handler's to refuse.
#include "http/head.h"

#include <string.h>
#include <strings.h>

struct head {
  struct arena *arena;
  struct http_request *request;
  unsigned hosts, lengths, codings, content_types;
  bool coding_is_chunked, name_has_blank;
  struct str content_length;
};

bool head_name_is(struct str name, struct str wanted) {
  return name.len == wanted.len && strncasecmp(name.data, wanted.data, name.len) == 0;
}

static enum http_method method_of(const char *name) {
  static const struct {
    const char *name;
    enum http_method method;
  } METHODS[] = {{"GET", HTTP_GET},
                 {"POST", HTTP_POST},
                 {"PUT", HTTP_PUT},
                 {"DELETE", HTTP_DELETE},
                 {"HEAD", HTTP_GET}}; // libmicrohttpd leaves the body out
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    if (strcmp(name, METHODS[i].name) == 0) return METHODS[i].method;
  }
  return HTTP_OTHER;
}

static bool has_blank(struct str name) {
  return memchr(name.data, ' ', name.len) != NULL || memchr(name.data, '\t', name.len) != NULL;
}

static void keep_single(struct head *head, struct str *field, struct str value, const char *name) {
  if (str_present(*field)) {
    head->request->repeated_field = name;
  } else {
    *field = arena_str(head->arena, value);
  }
}

static enum MHD_Result read_field(void *ctx, enum MHD_ValueKind kind, const char *name_data, size_t name_len,
                                  const char *value_data, size_t value_len) {
  (void)kind;
  struct head *head = ctx;
  struct http_request *request = head->request;
  struct str name = {name_data, name_len};
  struct str value = {value_data != NULL ? value_data : "", value_len};
  while (value.len > 0 && (value.data[value.len - 1] == ' ' || value.data[value.len - 1] == '\t')) value.len--;

  if (has_blank(name)) {
    head->name_has_blank = true;
  } else if (head_name_is(name, STR("Authorization"))) {
    keep_single(head, &request->authorization, value, "Authorization");
  } else if (head_name_is(name, STR("X-Olivares-Tenant"))) {
    keep_single(head, &request->tenant, value, "X-Olivares-Tenant");
  } else if (head_name_is(name, STR("Last-Event-ID"))) {
    keep_single(head, &request->last_event_id, value, "Last-Event-ID");
  } else if (head_name_is(name, STR("Content-Type"))) {
    if (head->content_types++ > 0) request->repeated_field = "Content-Type";
  } else if (head_name_is(name, STR("Host"))) {
    head->hosts++;
  } else if (head_name_is(name, STR("Content-Length"))) {
    head->lengths++;
    head->content_length = value;
  } else if (head_name_is(name, STR("Transfer-Encoding"))) {
    head->codings++;
    head->coding_is_chunked = head_name_is(value, STR("chunked"));
  }
  return MHD_YES;
}

static bool host_is_clear(const struct head *head, const char *version) {
  return head->hosts == 1 || (head->hosts == 0 && strcmp(version, "HTTP/1.0") == 0);
}

static bool length_is_clear(const struct head *head) {
  if (head->codings == 0) return head->lengths <= 1;
  return head->codings == 1 && head->coding_is_chunked && head->lengths == 0;
}

static bool body_over_cap(const struct head *head) {
  int64_t bytes = 0;
  return head->lengths > 0 && (!str_int(head->content_length, &bytes) || bytes > HTTP_BODY_MAX_BYTES);
}

const struct refusal *head_read(struct MHD_Connection *mhd, const char *method, const char *version,
                                struct arena *arena, struct http_request *request, bool *ret_over_cap) {
  struct head head = {.arena = arena, .request = request};
  request->method = method_of(method);
  request->method_name = arena_str(arena, str_c(method));
  MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, read_field, &head);
  if (request->target_malformed) return &refusal_target;
  if (head.name_has_blank) return &refusal_field_name;
  if (!host_is_clear(&head, version)) return &refusal_host;
  if (!length_is_clear(&head)) return &refusal_length;
  *ret_over_cap = body_over_cap(&head);
  return NULL;
}
