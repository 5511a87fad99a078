-- SPDX-License-Identifier: Apache-2.0
-- The one table of commands. Parsing, help, completion, the manual page and the comparison with the documents are all
-- made from it.
--
-- A command is
--   name         its words
--   summary      one sentence, for lists of commands
--   description  more sentences, optional
--   arguments    list of { name, value =, help =, choices =?, repeated =? }, filled into {name} of the route;
--                suggested = words that completion offers, though others may do
--   options      list of { names…, help =, and one or more of
--                  value =     what it takes, as shown; without one it is a flag
--                  choices =, or type =, a form (cli.forms); "integer" has min =, max =
--                  query =     the parameter of the route it becomes
--                  body =      the member of the request's body it becomes
--                  json =      true: FILE holds a JSON text, which becomes the member as it is
--                  file =      true: names a file, of which only one can be standard input
--                  text =      true: FILE holds text, which becomes the member byte for byte
--                  whole_body = true: FILE holds the whole body
--                  secret =    the member it becomes: a line of a file, or asked for at the terminal
--                  required =, or required_unless = or required_with = another option }
--   one_of       sets of options of which exactly one, whole, must be given
--   needs_change true: at least one option must be given that changes what is there
--   route        "METHOD /path/{argument}", the request it makes (or the main one)
--   lists        true for a route that answers in pages
--   body         function(arguments) → members of the request's body that no option gives
--   json_member  with -o json, the member of the answer that is printed instead of the whole
--   view         how its answer is shown to a person (cli.render)
--   status       function(document, arguments) → exit status of an answer that came
--   action       the module that carries it out; cli.action.request when absent
--   examples     list of { command line, what it does }
--   confirm_secret  true: a secret that is asked for is asked for twice
--   exits        exit statuses beyond the common ones (cli.exit): numbers, or { number, note }

local options = require("cli.options")

local M = {}

local parts = { "engine", "access", "scenarios", "mocks", "runs", "comparisons", "program" }

-- What a group of commands is about, by its words; also the order in which groups are shown.
M.groups = {
  { name = "audit", summary = "The ledger of everything that was changed" },
  { name = "modules", summary = "Switch modules on and off" },
  { name = "orgs", summary = "Organizations" },
  { name = "users", summary = "People who may log in" },
  { name = "memberships", summary = "What a user may do in a tenant" },
  { name = "tokens", summary = "API tokens" },
  { name = "sandbox", summary = "Scenarios, runs and comparisons" },
  { name = "sandbox scenarios", summary = "What is simulated: steps and the mocks that answer them" },
  { name = "sandbox mocks", summary = "Mocks of other tools" },
  { name = "sandbox runs", summary = "Executions of scenarios and what they gave" },
  { name = "sandbox comparisons", summary = "Verdicts on two variants" },
}

local function with_paging(own)
  local all = {}
  for _, option in ipairs(own or {}) do all[#all + 1] = option end
  for _, option in ipairs(options.paging) do all[#all + 1] = option end
  return all
end

M.list, M.by_name = {}, {}
for _, part in ipairs(parts) do
  for _, command in ipairs(require("cli.commands." .. part)) do
    command.arguments = command.arguments or {}
    command.options = command.lists and with_paging(command.options) or command.options or {}
    M.list[#M.list + 1] = command
    M.by_name[command.name] = command
  end
end

M.group_by_name = {}
for _, group in ipairs(M.groups) do M.group_by_name[group.name] = group end

---The words that can follow a group, in order of the table.
---@param prefix string words of a group; "" for the top
---@return { word: string, summary: string, command: table? }[]
function M.children(prefix)
  local found, seen = {}, {}
  local start = prefix == "" and "" or prefix .. " "
  for _, command in ipairs(M.list) do
    if command.name:sub(1, #start) == start then
      local word = command.name:sub(#start + 1):match("^%S+")
      local name = start .. word
      if not seen[word] then
        seen[word] = true
        local target = M.by_name[name] or M.group_by_name[name]
        found[#found + 1] = { word = word, summary = target.summary, command = M.by_name[name] }
      end
    end
  end
  return found
end

return M
