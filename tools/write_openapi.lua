-- SPDX-License-Identifier: Apache-2.0
-- Writes docs/openapi.json anew: what the engine serves, and a newline. To be run after a change of routes or shapes.
-- Usage: OLIVARES_BIN=build/dev/olivares lua5.4 tools/write_openapi.lua      in the root of the tree

package.path = "./?.lua;" .. package.path
local server = require("spec.support.server")

local engine = server.start({ setup = false })
local document = engine:get("/openapi.json")
engine:remove()
assert(document.status == 200, document.body)
local file <close> = assert(io.open("docs/openapi.json", "wb"))
assert(file:write(document.body, "\n"))
