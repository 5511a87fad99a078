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
      local unbroken = help.out:gsub(" \\\n +", " ")
      for _, example in ipairs(command.examples or {}) do
        assert.matches("\n  " .. example[1] .. "\n", unbroken, 1, true)
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

  local subjects = { {} }
  for _, list in ipairs({ commands.list, commands.groups }) do
    for _, each in ipairs(list) do subjects[#subjects + 1] = words_of(each.name) end
  end

  -- What is asked for, by COLUMNS; nil is a pipe that says nothing.
  for columns, limit in pairs({ none = 80, ["60"] = 60, ["80"] = 80, ["200"] = 100 }) do
    it(("keeps every line of every command within %d columns, COLUMNS being %s"):format(limit, columns), function()
      local env = { COLUMNS = columns ~= "none" and columns or nil }
      for _, words in ipairs(subjects) do
        for line in box:run({ "help", table.unpack(words) }, { env = env }).out:gmatch("[^\n]+") do
          assert.is_true(#line <= limit, line)
        end
      end
    end)
  end

  it("takes the width of the terminal, and breaks examples where the shell reads them as one", function()
    local shown = box:shell("script -qec " .. cli.quote("stty cols 70; " .. box:command({ "help", "sandbox", "gate" }))
      .. " /dev/null").out:gsub("\r", "")
    assert.equal([[
Usage: olivares sandbox gate [--subject-ref REF] [--scenario-ref ID]
       [--candidate-variant NAME] [--max-age SECONDS] [--server URL]
       [--token TOKEN] [--token-file FILE] [--tenant ID] [--data DIR]
       [-o FORMAT] [-h]

Say whether a candidate may go, by its newest comparison.

Options:
  --subject-ref REF           The subject of the comparison.
  --scenario-ref ID           The scenario of the comparison.
  --candidate-variant NAME    The candidate.
  --max-age SECONDS           Hold when the newest comparison is
                              older.
]], shown:match("^(.-\n)\nGlobal"))
    assert.equal([[
Examples:
  olivares sandbox gate --scenario-ref ID --candidate-variant \
        candidate --max-age 86400

Exit status:
  0   Done.
  1   Another failure: the request was refused, a file can't be
      written.
]], shown:match("(Examples:.-\n)  2 "))
    local quoted = box:run({ "help", "sandbox", "generate" }, { env = { COLUMNS = "60" } }).out
    assert.matches("\n  printf 'refund order {{index}}' | olivares sandbox \\\n        generate --seed-file -\n",
      quoted, 1, true)
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
    { "olivares sandbox ", "generate scenarios mocks runs replay runners compare comparisons gate" },
    { "olivares sandbox sc", "scenarios" },
    { "olivares sandbox runs ", "ls get outputs stream cancel verify" },
    { "olivares sandbox runs ls --status ", "running completed degraded error canceled" },
    { "olivares sandbox runs ls --li", "--limit" },
    { "olivares tokens create --role e", "editor" },
    { "olivares modules on ", "sandbox" },
    { "olivares modules off s", "sandbox" },
    { "olivares completion ", "bash zsh" },
    { "olivares completion z", "zsh" },
    { "olivares help sandbox ", "generate scenarios mocks runs replay runners compare comparisons gate" },
    { "olivares help sandbox runs ", "ls get outputs stream cancel verify" },
    { "olivares help mod", "modules" },
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

  -- A zsh on a terminal of its own, asked with a tab; the patterns are in the order in which zsh lists.
  local in_zsh = [[
zmodload zsh/zpty
zpty z "zsh -f -i"
zpty -w z "PS1='ready>'; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $1/dump; echo set''up"
zpty -r z shown '*setup*ready>*'
zpty -w -n z "$2"$'\t'
zpty -r z shown "$3" && echo offered
zpty -d z
]]
  local zsh_cases = {
    { "olivares modules on ", "*sandbox*" },
    { "olivares modules off s", "*sandbox*" },
    { "olivares completion ", "*bash*zsh*" },
    { "olivares help sandbox ", "*compare*comparisons*gate*generate*replay*runners*runs*scenarios*" },
    { "olivares help sandbox runs ", "*cancel*get*ls*outputs*stream*verify*" },
  }
  for _, case in ipairs(zsh_cases) do
    it("offers in zsh for: " .. case[1], function()
      box:write("_olivares", box:run({ "completion", "zsh" }).out)
      local script = box:write("complete.zsh", in_zsh)
      local result = box:shell(("timeout 20 zsh -f %s %s %s %s"):format(cli.quote(script), cli.quote(box.root),
        cli.quote(case[1]), cli.quote(case[2])))
      assert.same({ 0, "offered\n" }, { result.status, result.out })
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
