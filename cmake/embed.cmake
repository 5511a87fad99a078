# embed_lua(target): the Lua modules of lua/ and Debian's argparse, precompiled into the target (core/app/lua_chunks.h).
# The compiler is the interpreter itself: a chunk must come from the same Lua 5.4 release line as the linked library.
find_program(lua_program NAMES lua5.4 lua54 REQUIRED)
find_file(argparse_module argparse.lua PATHS /usr/share/lua/5.4 /usr/local/share/lua/5.4 NO_DEFAULT_PATH REQUIRED)

function(embed_lua target)
  set(root ${CMAKE_SOURCE_DIR}/lua)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${root}/*.lua)
  set(modules argparse=${argparse_module})
  foreach(file ${files})
    file(RELATIVE_PATH name ${root} ${file})
    string(REGEX REPLACE "\\.lua$" "" name ${name})
    string(REPLACE "/" "." name ${name})
    list(APPEND modules ${name}=${file})
  endforeach()

  set(generator ${CMAKE_SOURCE_DIR}/tools/embed_lua.lua)
  set(output ${CMAKE_BINARY_DIR}/lua_embedded.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${lua_program} ${generator} ${output} ${modules}
    DEPENDS ${generator} ${files} ${argparse_module}
    COMMENT "Precompiling Lua modules" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
