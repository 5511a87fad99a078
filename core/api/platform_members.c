// SPDX-License-Identifier: Apache-2.0
// Members that several platform routes share.
#include "api/platform_members.h"

#include "api/call.h"

bool id_member(struct api_call *call, const char *member, struct id *ret_id) {
  struct str text = call_text(call, member);
  struct id id = {{0}};
  if (str_present(text) && !id_parse(text, &id))
    return err_set_at(&call->err, ERR_BAD_REQUEST, member, "Expected a lower-case UUIDv7.");
  *ret_id = id;
  return true;
}

bool tenant_member(struct api_call *call, struct id *ret_tenant) {
  if (!id_member(call, "tenant", ret_tenant)) return false;
  if (id_is_zero(*ret_tenant)) *ret_tenant = call->tenant;
  return true;
}

enum role role_member(struct api_call *call, enum role otherwise) {
  enum role role;
  return role_parse(call_text(call, "role"), &role) ? role : otherwise;
}
