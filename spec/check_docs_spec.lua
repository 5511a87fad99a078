-- SPDX-License-Identifier: Apache-2.0
-- The document check against small trees: which references it follows, and what it says of a broken one.

local source_tree = require("spec.support.source_tree")

local function check(files)
  return source_tree.check("check_docs.lua", files)
end

describe("check_docs", function()
  it("accepts references that lead somewhere", function()
    local ok, output = check({
      ["README.md"] = table.concat({
        "# Sandbox: the `olivares` tool",
        "[guide](docs/guide.md#why--how-größe)",
        "[part](docs/guide.md#one-more-thing), [again](docs/guide.md#one-more-thing-1)",
        "[up](#sandbox-the-olivares-tool) ![x](docs/x%20y.png \"title\") [web](https://example.test/none)",
        "Run `scripts/test dev`, read `docs/guide.md`, `docs/` and `core/**/test_*.c`; a `[link](code.md)` is code.",
        "[named]: docs/guide.md#explicit",
        "```",
        "[not](prose.md) `docs/none.md`",
        "```",
        "",
      }, "\n"),
      ["docs/guide.md"] = table.concat({
        "# Why — how: “größe”?",
        "[home](../README.md)",
        "## One more thing",
        "## One more thing",
        "<a id=\"explicit\"></a>",
      }, "\n"),
      ["docs/x y.png"] = "",
      ["scripts/test"] = "",
    })
    assert.equal("check_docs: 2 documents, 0 violations\n", output)
    assert.is_true(ok)
  end)

  local faults = {
    { "a link to nothing", "\n[a](none.md)\n", "docs/a.md:2: link to none.md: there is no docs/none.md" },
    { "an image of nothing", "![a](none.png)\n", "docs/a.md:1: link to none.png: there is no docs/none.png" },
    { "a named link to nothing", "[a]: none.md\n", "docs/a.md:1: link to none.md: there is no docs/none.md" },
    { "an anchor without a heading", "# Here\n[a](#there)\n",
      "docs/a.md:2: link to #there: docs/a.md has no heading with that anchor" },
    { "a heading that is only code", "```\n# There\n```\n[a](a.md#there)\n",
      "docs/a.md:4: link to a.md#there: docs/a.md has no heading with that anchor" },
    { "a link out of the tree", "[a](../../b.md)\n", "docs/a.md:1: link to ../../b.md leaves the tree" },
    { "a missing script", "Run `scripts/none --all`.\n", "docs/a.md:1: there is no scripts/none" },
    { "a missing document", "See `docs/none.md`.\n", "docs/a.md:1: there is no docs/none.md" },
  }
  for _, fault in ipairs(faults) do
    it("refuses " .. fault[1], function()
      local ok, output = check({ ["docs/a.md"] = fault[2] })
      assert.equal(fault[3] .. "\ncheck_docs: 1 documents, 1 violations\n", output)
      assert.is_false(ok)
    end)
  end

  it("refuses a tree without documents", function()
    local ok, output = check({ ["core/base/err.c"] = "" })
    assert.matches("no document", output, 1, true)
    assert.is_false(ok)
  end)
end)
