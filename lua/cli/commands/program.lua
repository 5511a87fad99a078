-- SPDX-License-Identifier: Apache-2.0
-- Commands about the program itself; none of them needs an engine.

return {
  {
    name = "version",
    summary = "Show the version",
    action = "cli.action.version",
    examples = { { "olivares version", nil } },
  },
  {
    name = "help",
    summary = "Show help for a command",
    arguments = { { "command", value = "COMMAND", repeated = true, help = "Words of the command." } },
    action = "cli.action.help",
    examples = { { "olivares help sandbox scenarios run", nil } },
  },
  {
    name = "completion",
    summary = "Print a completion script for a shell",
    arguments = { { "shell", value = "SHELL", choices = { "bash", "zsh" }, help = "The shell." } },
    action = "cli.action.completion",
    examples = {
      { "source <(olivares completion bash)", "For this shell" },
      { "olivares completion zsh > ~/.zfunc/_olivares", "In a folder of zsh's fpath" },
    },
  },
  {
    name = "man",
    summary = "Print the manual page",
    action = "cli.action.man",
    examples = { { "olivares man | man -l -", "Read it" } },
  },
}
