-- SPDX-License-Identifier: Apache-2.0
-- Options that every command takes, before or behind its name, and those that several commands share.

local M = {}

M.global = {
  { "--server", value = "URL", env = "OLIVARES_SERVER_URL",
    help = "Work on the server at URL. Without one, commands work on the local data directory as its owner." },
  { "--token", value = "TOKEN", env = "OLIVARES_TOKEN",
    help = "Token for the server. Other users of this machine can see it in the list of processes; prefer "
      .. "--token-file or the environment." },
  { "--token-file", value = "FILE", file = true,
    help = "Read the token for the server from FILE ('-': standard input)." },
  { "--tenant", value = "ID", type = "id", env = "OLIVARES_TENANT",
    help = "Tenant to work in; needed only by those who belong to several." },
  { "--data", value = "DIR", env = "OLIVARES_DATA", help = "Data directory to work on when there is no server." },
  { "-o", "--output", value = "FORMAT", choices = { "text", "json" },
    help = "text (for people, the default) or json (the document of the HTTP API)." },
  { "-h", "--help", help = "Show help for the command." },
}

-- Of every command that lists.
M.paging = {
  { "--limit", value = "N", type = "integer", min = 1, max = 1000, query = "limit",
    help = "At most N entries on a page (1 to 1000, default 100)." },
  { "--cursor", value = "CURSOR", query = "cursor", help = "Go on where an earlier page ended." },
  { "--order", value = "ORDER", choices = { "desc", "asc" }, query = "order",
    help = "asc for oldest first, desc for newest first." },
  { "--all", help = "Fetch every page." },
}

M.strict = { "--strict", query = "strict", help = "Refuse text over its limit instead of cutting it." }

M.roles = { "viewer", "editor", "admin", "owner" }

---Largest seed: integers up to it survive as JSON numbers everywhere.
M.seed_max = (1 << 53) - 1

---@param target string what is created with the password
---@return table option
function M.password(target)
  return { "--password-file", value = "FILE", file = true, secret = "password",
    help = "Read the password " .. target .. " from FILE ('-': standard input) instead of asking for it." }
end

M.save = { "--save", value = "FILE",
  help = "Write the token to FILE, readable by its owner only, instead of showing it." }

return M
