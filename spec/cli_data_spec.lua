-- SPDX-License-Identifier: Apache-2.0
-- Which data directory is meant when the command line names none: what the environment says, if it can be meant.

local cli = require("spec.support.cli")
local lfs = require("lfs")

-- A user whom the user database does not know has no other home than $HOME.
-- An engine that starts all the same must not stay.
local stranger = "timeout 20 unshare --user --map-user=54321 "
local has_strangers = os.execute(stranger .. "true >/dev/null 2>&1")

describe("the default data directory", function()
  local box
  before_each(function() box = cli.new() end)
  after_each(function() box:remove() end)

  local function run(words, env, before)
    env.OLIVARES_DATA = ""
    return box:shell(("cd %s && %s%s"):format(cli.quote(box.root), before or "", box:command(words, env)))
  end

  it("is below XDG_DATA_HOME, else below HOME; a relative or empty XDG_DATA_HOME counts as unset", function()
    for xdg, path in pairs({ [box.root .. "/xdg"] = "/xdg/olivares", ["xdg"] = "/.local/share/olivares",
      [""] = "/.local/share/olivares" }) do
      assert.equal(0, run({ "whoami" }, { XDG_DATA_HOME = xdg }).status)
      assert.equal("directory", lfs.attributes(box.root .. path, "mode"))
      os.execute("rm -rf " .. cli.quote(box.root) .. "/.local")
    end
    assert.is_nil(lfs.attributes(box.root .. "/xdg/olivares/xdg"))
  end)

  for _, home in ipairs({ "", "home", "./home" }) do
    for _, words in ipairs({ { "whoami" }, { "serve", "--listen", "127.0.0.1:0" } }) do
      it(("is asked for by %s when nothing is left, HOME being '%s'"):format(words[1], home), function()
        if not has_strangers then pending("needs user namespaces") end
        assert(lfs.mkdir(box.root .. "/home"))
        local result = run(words, { HOME = home, XDG_DATA_HOME = "home" }, stranger)
        assert.same({ status = 2, out = "", err = "olivares: no home directory to keep the data in; name one with "
          .. "--data or OLIVARES_DATA (usage)\n" }, result)
        assert.equal("directory", lfs.attributes(box.root .. "/home", "mode"))
        assert.is_nil(lfs.attributes(box.root .. "/home/.local"))
      end)
    end
  end
end)

describe("OLIVARES_TENANT", function()
  it("is named when it is no id", function()
    local box = cli.new()
    local result = box:run({ "whoami" }, { env = { OLIVARES_TENANT = "zz" } })
    assert.same({ 2, "olivares: OLIVARES_TENANT takes an id (a lower-case UUIDv7) like "
      .. "0190a0b0-0000-7000-8000-000000000001, not 'zz' (usage)\n" }, { result.status, result.err })
    assert.is_nil(lfs.attributes(box.data))
    box:remove()
  end)
end)
