// SPDX-License-Identifier: Apache-2.0
// The Lua modules carried inside the executable: every file of lua/ and the argparse library, precompiled with line
// information kept. The table itself is generated at build time by tools/embed_lua.lua.
#pragma once

#include <stddef.h>

/// One module. `name` is what require() is given ("cli.main" for lua/cli/main.lua); `bytes` is a binary chunk for
/// luaL_loadbufferx with mode "b", `len` bytes long, its chunk name inside. All memory is static.
struct lua_chunk {
  const char *name;
  const unsigned char *bytes;
  size_t len;
};

/// Sorted by name; ends with an entry whose name is NULL.
extern const struct lua_chunk lua_chunks[];
