-- SPDX-License-Identifier: Apache-2.0
-- The layer check against small trees with one known fault each.

local source_tree = require("spec.support.source_tree")

local function check(files)
  return source_tree.check("check_layers.lua", files)
end

describe("check_layers", function()
  it("accepts a tree that keeps to the table", function()
    local ok, output = check({
      ["core/base/json.c"] = '#include "base/json.h"\n#include <jansson.h>\n#include <string.h>\n',
      ["core/loop/loop.c"] = '#include <ev.h>\n#include "base/err.h"\n#include "sys/file.h"\n',
      ["core/loop/test_loop.c"] = '#include <cmocka.h>\n#include "loop/loop.h"\n',
      ["core/guest/inside/main.c"] = '#include "guest/protocol.h"\n#include "base/err.h"\n#include <lua.h>\n',
      ["runners/inproc/inproc.c"] = '#include "runners/inproc/inproc.h"\n#include "sandbox/runner.h"\n',
      ["core/app/serve.c"] = '#include "runners/inproc/inproc.h"\n#include <curl/curl.h>\n#include <sys/wait.h>\n',
    })
    assert.equal("check_layers: 6 files, 0 violations\n", output)
    assert.is_true(ok)
  end)

  local faults = {
    {
      name = "an include of a layer above",
      path = "core/store/store.c",
      text = '#include "store/store.h"\n\n#include "access/tokens.h"\n',
      expect = 'core/store/store.c:3: core/store may not include "access/tokens.h" (may include: base, sys, loop)',
    },
    {
      name = "an include between siblings",
      path = "core/evals/suite.c",
      text = '#include "sandbox/run.h"\n',
      expect = 'core/evals/suite.c:1: core/evals may not include "sandbox/run.h"',
    },
    {
      name = "a runner that looks into the module behind its port",
      path = "runners/inproc/inproc.c",
      text = '#include "sandbox/run.h"\n',
      expect = 'runners/inproc/inproc.c:1: runners/inproc may not include "sandbox/run.h"',
    },
    {
      name = "a runner that includes another runner",
      path = "runners/qemu/qemu.c",
      text = '#include "runners/inproc/inproc.h"\n',
      expect = 'runners/qemu/qemu.c:1: runners/qemu may not include "runners/inproc/inproc.h"',
    },
    {
      name = "a guest that includes more of base than its errors",
      path = "core/guest/inside/main.c",
      text = '#include "base/json.h"\n',
      expect = 'core/guest/inside/main.c:1: core/guest/inside may not include "base/json.h"',
    },
    {
      name = "a third-party header outside its fence",
      path = "core/api/routes.c",
      text = '#  include <sqlite3.h>\n',
      expect = "core/api/routes.c:1: <sqlite3.h> is fenced to core/store",
    },
    {
      name = "a third-party header by its folder",
      path = "core/http/server.c",
      text = "#include <curl/curl.h>\n",
      expect = "core/http/server.c:1: <curl/curl.h> is fenced to core/app, runners/firecracker",
    },
    {
      name = "an unknown dependency",
      path = "core/base/new.c",
      text = "#include <openssl/evp.h>\n",
      expect = "core/base/new.c:1: <openssl/evp.h> is not a known system header",
    },
    {
      name = "cmocka outside a test",
      path = "core/base/err.c",
      text = "#include <cmocka.h>\n",
      expect = "core/base/err.c:1: <cmocka.h> belongs in test_*.c",
    },
    {
      name = "a test that sees more than its layer",
      path = "core/mock/test_mock.c",
      text = '#include "store/store.h"\n',
      expect = 'core/mock/test_mock.c:1: core/mock may not include "store/store.h" (may include: base)',
    },
    {
      name = "an include that does not name its folder",
      path = "core/base/err.c",
      text = '#include "err.h"\n',
      expect = 'core/base/err.c:1: "err.h" does not name its folder',
    },
    {
      name = "a folder outside the table",
      path = "core/extras/extra.c",
      text = "",
      expect = "core/extras/extra.c:1: core/extras is in no layer of the table",
    },
  }
  for _, fault in ipairs(faults) do
    it("refuses " .. fault.name, function()
      local ok, output = check({ [fault.path] = fault.text })
      assert.equal(fault.expect, output:sub(1, #fault.expect))
      assert.matches("1 files, 1 violations", output, 1, true)
      assert.is_false(ok)
    end)
  end

  it("refuses an empty tree", function()
    local ok, output = check({ ["README.md"] = "" })
    assert.matches("no C source", output, 1, true)
    assert.is_false(ok)
  end)
end)
