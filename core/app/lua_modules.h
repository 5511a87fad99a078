// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.h>

// The openers of the modules the host offers to the Lua of the CLI, in the manner of lua_CFunction: each leaves its
// module table on the stack. What the functions take and give is written at the top of each file.

int lua_open_client(lua_State *L); ///< olivares.client
int lua_open_file(lua_State *L);   ///< olivares.file
int lua_open_host(lua_State *L);   ///< olivares.host
int lua_open_json(lua_State *L);   ///< olivares.json
int lua_open_term(lua_State *L);   ///< olivares.term
int lua_open_text(lua_State *L);   ///< olivares.text
int lua_open_yaml(lua_State *L);   ///< olivares.yaml
