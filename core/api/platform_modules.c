// SPDX-License-Identifier: Apache-2.0
// Switching modules. All switches of one request are thrown in one transaction, or none.
#include "api/platform_modules.h"

#include "access/modules.h"
#include "api/call.h"
#include "base/mem.h"

static bool write_modules(struct api_call *call) {
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  jw_array(out, "items");
  for (const struct module_info *info = module_infos; info->name; info++) {
    bool enabled;
    if (!module_enabled(call_reader(call), call->tenant, info->name, &enabled, &call->err)) return false;
    jw_object(out, NULL);
    jw_c(out, "name", info->name);
    jw_bool(out, "enabled", enabled);
    jw_c(out, "summary", info->summary);
    jw_object_end(out);
  }
  jw_array_end(out);
  jw_bool(out, "has_more", false);
  jw_object_end(out);
  return true;
}

void modules_list(struct api_call *call) {
  if (write_modules(call))
    call_ok(call);
  else
    call_fail(call, &call->err);
}

static bool check_names(struct api_call *call) {
  const char *name;
  json_t *enabled;
  json_object_foreach(json_object_get(call->body, "modules"), name, enabled) {
    if (module_known(str_c(name))) continue;
    return err_set_at(&call->err, ERR_BAD_REQUEST, arena_printf(call->arena, "modules.%s", name).data,
                      "There is no module '%s'; GET /v1/console/modules lists all.", name);
  }
  return true;
}

static bool apply_switch(struct api_call *call, struct store_conn *conn, struct err *err) {
  const char *name;
  json_t *enabled;
  json_object_foreach(json_object_get(call->body, "modules"), name, enabled) {
    if (!module_switch(conn, &call->who, str_c(name), json_is_true(enabled), call->now_ns, err)) return false;
  }
  return true;
}

void modules_switch(struct api_call *call) {
  if (check_names(call))
    call_mutate(call, apply_switch, modules_list);
  else
    call_fail(call, &call->err);
}
