-- SPDX-License-Identifier: Apache-2.0
-- Help, completion scripts and the manual page: all made from the table of commands, and all of it.

local cli = require("spec.support.cli")
local commands = require("cli.commands")

local function words_of(name)
  local words = {}
  for word in name:gmatch("%S+") do words[#words + 1] = word end
  return words
end

describe("help", function()
  local box
  setup(function() box = cli.new() end)
  teardown(function() box:remove() end)

  for _, command in ipairs(commands.list) do
    it("explains " .. command.name, function()
      local words = words_of(command.name)
      local help = box:run({ "help", table.unpack(words) })
      assert.equal("", help.err)
      assert.equal(0, help.status)
      local usage = "Usage: olivares " .. command.name .. " "
      assert.equal(usage, help.out:sub(1, #usage))
      assert.matches(command.summary .. ".", help.out, 1, true)
      for _, option in ipairs(command.options) do
        assert.matches("\n  " .. option[1], help.out, 1, true)
      end
      for _, example in ipairs(command.examples or {}) do
        assert.matches("\n  " .. example[1] .. "\n", help.out, 1, true)
      end
      words[#words + 1] = "--help"
      assert.same(help, box:run(words))
    end)
  end

  for _, group in ipairs(commands.groups) do
    it("lists what " .. group.name .. " has", function()
      local help = box:run({ "help", table.unpack(words_of(group.name)) })
      assert.equal(0, help.status)
      for _, child in ipairs(commands.children(group.name)) do
        assert.matches("\n  " .. child.word .. " +" .. child.summary:sub(1, 20):gsub("%p", "%%%0"), help.out)
      end
    end)
  end

  it("lists every command and group at the top, and the environment", function()
    local help = box:run({ "help" })
    assert.equal(0, help.status)
    for _, child in ipairs(commands.children("")) do assert.matches("\n  " .. child.word .. " ", help.out, 1, true) end
    for _, name in ipairs({ "OLIVARES_SERVER_URL", "OLIVARES_TOKEN", "OLIVARES_TENANT", "OLIVARES_DATA" }) do
      assert.matches("\n  " .. name, help.out, 1, true)
    end
    assert.same(help, box:run({ "--help" }))
  end)

  it("keeps its lines within 100 columns, examples aside", function()
    for _, command in ipairs(commands.list) do
      local help = box:run({ "help", table.unpack(words_of(command.name)) }).out:gsub("\nExamples:.-\nExit", "\nExit")
      for line in help:gmatch("[^\n]+") do assert.is_true(#line <= 100, line) end
    end
  end)

  it("names the nearest command when there is none", function()
    local result = box:run({ "help", "sandbox", "runz" })
    assert.equal(2, result.status)
    assert.equal("olivares: unknown command 'runz' of 'sandbox'; did you mean 'runs'? (usage)\n", result.err)
    assert.equal("", result.out)
  end)
end)

describe("completion", function()
  local box
  setup(function() box = cli.new() end)
  teardown(function() box:remove() end)

  for _, shell in ipairs({ "bash", "zsh" }) do
    it("is a valid script for " .. shell, function()
      local script = box:run({ "completion", shell })
      assert.equal(0, script.status)
      local check = box:shell(shell .. " -n", script.out)
      assert.same({ status = 0, out = "", err = "" }, check)
      for _, command in ipairs(commands.list) do
        assert.matches(command.name:match("%S+$"), script.out, 1, true)
      end
    end)
  end

  local cases = {
    { "olivares sandbox ", "generate scenarios runs replay runners compare comparisons gate" },
    { "olivares sandbox sc", "scenarios" },
    { "olivares sandbox runs ", "ls get outputs stream cancel verify" },
    { "olivares sandbox runs ls --status ", "running completed degraded error canceled" },
    { "olivares sandbox runs ls --li", "--limit" },
    { "olivares tokens create --role e", "editor" },
  }
  for _, case in ipairs(cases) do
    it("offers in bash for: " .. case[1], function()
      local script = box:write("completion.bash", box:run({ "completion", "bash" }).out)
      local words = {}
      for word in (case[1] .. "|"):gmatch("[^ ]+") do words[#words + 1] = cli.quote((word:gsub("|", ""))) end
      local result = box:shell(([[bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ]]
        .. [[_olivares; printf "%%s\n" "${COMPREPLY[*]}"' bash %s %s]])
        :format(cli.quote(script), table.concat(words, " ")))
      assert.equal("", result.err)
      assert.equal(case[2] .. "\n", result.out)
    end)
  end

  it("refuses another shell", function()
    local result = box:run({ "completion", "tcsh" })
    assert.equal(2, result.status)
    assert.matches("must be one of 'bash', 'zsh'", result.err, 1, true)
  end)
end)

describe("the manual page", function()
  local box
  setup(function() box = cli.new() end)
  teardown(function() box:remove() end)

  it("passes mandoc's checks", function()
    local page = box:run({ "man" })
    assert.equal(0, page.status)
    assert.same({ status = 0, out = "", err = "" }, box:shell("mandoc -T lint -W warning", page.out))
  end)

  it("has every command, every option and every exit status", function()
    local page = box:shell(box:command({ "man" }) .. " | mandoc -T ascii -O width=100 | sed 's/.\8//g'").out
    for _, command in ipairs(commands.list) do
      assert.matches("\n   olivares " .. command.name .. "\n", page, 1, true)
      for _, option in ipairs(command.options) do assert.matches(option[#option], page, 1, true) end
    end
    for _, status in ipairs({ 0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 130 }) do
      assert.matches("\n     " .. status .. " ", page, 1, true)
    end
  end)
end)

describe("version", function()
  it("says the version in both forms, and opens nothing", function()
    local box = cli.new()
    local text = box:run({ "version" })
    assert.equal(0, text.status)
    assert.matches("^olivares %d+%.%d+%.%d+\n$", text.out)
    assert.same(text, box:run({ "--version" }))
    assert.equal(text.out:match("%S+\n$"):sub(1, -2), box:json({ "version" }).version)
    assert.is_nil(require("lfs").attributes(box.data))
    box:remove()
  end)
end)
