# What ctest runs besides the cmocka programs of each layer: the specs against the built executable, and the checks that
# read the sources only. The latter don't depend on how the tree is built, so an instrumented build leaves them out.
if(NOT BUILD_TESTING OR OLIVARES_FUZZ)
  return()
endif()

find_program(busted_program busted REQUIRED)
find_program(luacheck_program luacheck REQUIRED)
find_program(clang_format_program clang-format REQUIRED)

# One test per spec file, so that they run side by side. busted itself is a Lua program: started with lua5.4 it and the
# specs are Lua 5.4, whatever the system's default is.
file(GLOB_RECURSE specs CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} spec/*_spec.lua)
set(spec_environment
  OLIVARES_BIN=$<TARGET_FILE:olivares>
  OLIVARES_SRC=${CMAKE_SOURCE_DIR}
  LC_ALL=C.UTF-8
  UBSAN_OPTIONS=print_stacktrace=1)
foreach(spec ${specs})
  string(REGEX REPLACE "^spec/(.*)_spec\\.lua$" "spec_\\1" name ${spec})
  string(REPLACE "/" "_" name ${name})
  add_test(NAME ${name}
    COMMAND ${lua_program} ${busted_program} --ignore-lua --output=plainTerminal ${spec}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${spec_environment}" TIMEOUT 300 LABELS spec)
endforeach()

if(NOT OLIVARES_SANITIZE)
  function(add_check name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS source)
  endfunction()
  add_check(check_layers ${lua_program} tools/check_layers.lua)
  add_check(check_docs ${lua_program} tools/check_docs.lua)
  add_check(check_banned ${lua_program} tools/check_banned.lua)
  add_check(check_format tools/check_format)
  add_check(luacheck ${luacheck_program} --no-color --quiet . .luacheckrc .busted)
endif()
