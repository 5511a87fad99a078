// SPDX-License-Identifier: Apache-2.0
// Any bytes as YAML. Held to: nothing raises; a refusal says why and where; a value that is read can be written as
// JSON, unless its text is not UTF-8 (bytes that were tagged as binary), and reads back equal, unless it has a NUL or a
// real number that prints as an integer beyond 64 bits.
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdlib.h>

#include "app/lua_modules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char check[] = "local value, why = yaml.decode(...)\n"
                            "if value == nil then\n"
                            "  assert(why.code == 'bad_request' and why.message ~= '' and why.place:find('^line %d'))\n"
                            "  return\n"
                            "end\n"
                            "local ok, text = pcall(json.encode, value)\n"
                            "if not ok then return assert(text:find('UTF-8', 1, true), text) end\n"
                            "local again, fault = json.decode(text)\n"
                            "if again ~= nil then assert(json.encode(again) == text)\n"
                            "else assert(fault.message:find('64 bits') or fault.message:find('NUL'), text) end\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "json", lua_open_json, 1);
  luaL_requiref(L, "yaml", lua_open_yaml, 1);
  if (luaL_loadstring(L, check) != LUA_OK) abort();
  lua_pushlstring(L, (const char *)data, size);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  lua_close(L);
  return 0;
}
