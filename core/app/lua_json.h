// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "base/str.h"

// What the files of olivares.json share, and olivares.yaml, which gives the same values.

#define LUA_JSON_ARRAY "olivares.json.array" ///< metatable of a table that is an array
#define LUA_JSON_RAW   "olivares.json.raw"   ///< metatable of {text}: written as it is

/// Whether the value at `index` has the metatable registered under `type`.
bool lua_json_is(lua_State *L, int index, const char *type);

/// Registers a metatable that scripts can neither see nor replace; `gc` may be NULL. Once more changes nothing.
void lua_json_make_type(lua_State *L, const char *type, lua_CFunction gc);

/// json.encode, a lua_CFunction.
int lua_json_encode(lua_State *L);

/// The text of member `name` of the non-empty object `text`, borrowed from it; false when there is none. `text` is
/// NUL-terminated and json_read has accepted it.
bool json_slice_member(struct str text, struct str name, struct str *ret_value);
