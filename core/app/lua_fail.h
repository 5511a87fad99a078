// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.h>

#include "base/err.h"

/// Pushes nil and {code=, message=, place=?, retry_after_s=?}, the form in which Lua sees a failure of the world;
/// returns 2, so that a binding can `return lua_fail_push(L, &err)`. May raise (memory).
int lua_fail_push(lua_State *L, const struct err *err);

/// The same with a code that is the CLI's own ("transport", "interrupted", "usage").
int lua_fail_push_code(lua_State *L, const char *code, const char *message);
