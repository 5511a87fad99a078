-- SPDX-License-Identifier: Apache-2.0
-- The banned-function check on one file at a time: what counts as a call, and what only looks like one.

local source_tree = require("spec.support.source_tree")

local function check(text)
  return source_tree.check("check_banned.lua", { ["core/base/text.c"] = text })
end

describe("check_banned", function()
  local names = { "strcpy", "strcat", "sprintf", "vsprintf", "strncpy", "strtok", "atoi", "gets", "alloca", "system" }
  for _, name in ipairs(names) do
    it("refuses a call of " .. name, function()
      local ok, output = check("/* one\n   two */\nint f(void) { return (int)" .. name .. " (0); }\n")
      local expect = "core/base/text.c:3: " .. name .. "() is banned"
      assert.equal(expect, output:sub(1, #expect))
      assert.is_false(ok)
    end)
  end

  local harmless = {
    { "a longer name", "int f(void) { return my_strcpy(strcpy_s()) + fgets(b, 1, f); }" },
    { "a name without a call", "struct s { int system; };" },
    { "a line comment", "// not system(x), and it's \"quoted\n" },
    { "a block comment", "/* strcpy(a, b)\n gets(c) */ int x;" },
    { "a string", 'const char *s = "say \\"sprintf(1)\\" twice";' },
    { "a character before a string", "char c = '\"'; const char *s = \"atoi(1)\";" },
  }
  for _, case in ipairs(harmless) do
    it("accepts " .. case[1], function()
      local ok, output = check(case[2])
      assert.equal("check_banned: 1 files, 0 violations\n", output)
      assert.is_true(ok)
    end)
  end
end)
