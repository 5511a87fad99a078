-- SPDX-License-Identifier: Apache-2.0
-- Runs the examples of the documents. A block ```sh run=NAME is executed; blocks of one document with the same name
-- are one session: the same shell, one fresh data directory. A block ```output behind it is what it must print, in
-- which "…" stands for anything within a line and a line of "…" for any lines. More words behind run=NAME:
--   status=N   the last command ends with N instead of 0
--   server     an engine serves the directory at 127.0.0.1:8440; $TOKEN is its owner's

local cli = require("spec.support.cli")
local lfs = require("lfs")
local server = require("spec.support.server")

local source = os.getenv("OLIVARES_SRC") or "."
local documented_address = "127.0.0.1:8440"

-- ---- reading the documents ----

---@return { info: string, text: string, line: integer }[] fenced blocks in order
local function blocks_of(text)
  local blocks, block, number = {}, nil, 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local info = line:match("^```(.*)$")
    if block and info then
      block.text = table.concat(block.lines, "\n")
      blocks[#blocks + 1], block = block, nil
    elseif block then
      block.lines[#block.lines + 1] = line
    elseif info then
      block = { info = info, lines = {}, line = number }
    end
  end
  assert(not block, "a fence is not closed")
  return blocks
end

---@return { name: string, server: boolean, steps: table[] }[] in order of their first block
local function sessions_of(document)
  local sessions, by_name, step = {}, {}, nil
  for _, block in ipairs(blocks_of(cli.read(source .. "/docs/" .. document))) do
    local name = block.info:match("^sh run=(%S+)")
    if name then
      local session = by_name[name] or { name = name, steps = {} }
      if not by_name[name] then sessions[#sessions + 1], by_name[name] = session, session end
      session.server = session.server or (block.info .. " "):find(" server ", 1, true) ~= nil
      step = { text = block.text, line = block.line, status = tonumber(block.info:match("status=(%d+)")) or 0 }
      session.steps[#session.steps + 1] = step
    else
      if block.info == "output" then
        assert(step, ("%s:%d: output of nothing"):format(document, block.line))
        step.expected = block.text
      end
      step = nil
    end
  end
  return sessions
end

-- ---- comparing ----

local function lines_of(text)
  local lines = {}
  for line in (text:gsub("\n+$", "") .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  return lines
end

local function line_matches(expected, line)
  local pattern = expected:gsub("%p", "%%%0"):gsub("…", ".-")
  return line:find("^" .. pattern .. "$") ~= nil
end

local function match_from(expected, at, lines, line_at)
  if at > #expected then return line_at > #lines end
  if expected[at] == "…" then
    for skipped = line_at, #lines + 1 do
      if match_from(expected, at + 1, lines, skipped) then return true end
    end
    return false
  end
  return line_at <= #lines and line_matches(expected[at], lines[line_at])
    and match_from(expected, at + 1, lines, line_at + 1)
end

local function matches(expected, text)
  return match_from(lines_of(expected), 1, lines_of(text), 1)
end

-- ---- running ----

local function environment_of(box, token)
  local words = { "env", "-i", "HOME=" .. cli.quote(box.root), "OLIVARES_DATA=" .. cli.quote(box.data),
    "PATH=" .. cli.quote(box.root .. "/bin:" .. os.getenv("PATH")), "LC_ALL=C.UTF-8", "TERM=dumb" }
  if token then words[#words + 1] = "TOKEN=" .. cli.quote(token) end
  for _, name in ipairs({ "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS" }) do
    if os.getenv(name) then words[#words + 1] = name .. "=" .. cli.quote(os.getenv(name)) end
  end
  return table.concat(words, " ")
end

local function replace(text, from, to)
  return (text:gsub(from:gsub("%p", "%%%0"), (to:gsub("%%", "%%%%"))))
end

---Runs every step in one shell; fills in what each of them gave.
local function play(session, box, engine)
  local address = engine and engine.url:gsub("^http://", "")
  local script = { "cd " .. cli.quote(box.root) }
  for index, step in ipairs(session.steps) do
    local commands = engine and replace(step.text, documented_address, address) or step.text
    script[#script + 1] = ("{\n%s\n} >out.%d 2>err.%d\necho $? >status.%d"):format(commands, index, index, index)
  end
  local path = box:write("script", table.concat(script, "\n") .. "\n")
  box:shell(("%s bash %s"):format(environment_of(box, engine and engine.token), cli.quote(path)))
  for index, step in ipairs(session.steps) do
    local out = cli.read(box.root .. "/out." .. index)
    step.out = engine and replace(out, address, documented_address) or out
    step.err = cli.read(box.root .. "/err." .. index)
    step.ended = tonumber(cli.read(box.root .. "/status." .. index))
  end
end

---So that "olivares" is the program under test.
local function put_in_path(box)
  assert(lfs.mkdir(box.root .. "/bin"))
  assert(lfs.link(cli.program, box.root .. "/bin/olivares", true))
end

local documents, found = {}, 0
for name in lfs.dir(source .. "/docs") do
  if name:find("%.md$") then documents[#documents + 1] = name end
end
table.sort(documents)

describe("an expected output", function()
  local cases = {
    { "a", "a\n", true }, { "a", "b", false }, { "a …", "a b c", true }, { "a … c", "a b", false },
    { "…\nb", "a\na\nb", true }, { "…\nb", "b", true }, { "a\n…", "a", true }, { "a", "a\nb", false },
    { "a\nb", "a", false }, { "[.]", "x", false }, { "%d", "1", false },
  }
  for _, case in ipairs(cases) do
    it(("%s %s %s"):format(case[1], case[3] and "fits" or "does not fit", case[2]):gsub("\n", "/"), function()
      assert.equal(case[3], matches(case[1], case[2]))
    end)
  end
end)

for _, document in ipairs(documents) do
  for _, session in ipairs(sessions_of(document)) do
    describe("docs/" .. document .. ", " .. session.name, function()
      local box, engine

      setup(function()
        if session.server then engine = server.start() end
        box = engine and engine.box or cli.new()
        put_in_path(box)
        play(session, box, engine)
      end)
      teardown(function() (engine or box):remove() end)

      for _, step in ipairs(session.steps) do
        found = found + 1
        it("line " .. step.line, function()
          assert.equal(step.status, step.ended, step.text .. "\n" .. step.out .. step.err)
          if step.expected and not matches(step.expected, step.out) then
            assert.equal(step.expected, step.out)
          end
        end)
      end
    end)
  end
end

describe("the documents", function()
  it("have examples", function()
    assert.is_true(found >= 15, found .. " found")
  end)
end)
