// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.h>

#include "base/buf.h"

/// Pushes a userdata that holds an empty buffer of at most `cap_bytes`, released by the collector also when something
/// raises, and returns the buffer.
struct buf *lua_buf_new(lua_State *L, size_t cap_bytes);

/// Pushes the content as a Lua string and releases the bytes.
void lua_buf_push(lua_State *L, struct buf *buf);
