-- SPDX-License-Identifier: Apache-2.0
-- Mocks of other tools. Needs no engine.

return {
  {
    name = "sandbox mocks import",
    summary = "Print the mocks of another tool as mocks of a scenario",
    description = "Standard output is a JSON array for `scenarios create --mocks-file`, whatever -o says. What could "
      .. "not be carried over is told on standard error, each thing on a line with its place in the file; the last "
      .. "line counts.",
    arguments = {
      { "file", value = "FILE", help = "The file, JSON or YAML ('-': standard input)." },
    },
    options = {
      { "--format", value = "FORMAT", choices = { "auto", "wiremock", "hoverfly", "mountebank", "vcr" },
        help = "The tool it is of (default auto: seen by its shape)." },
    },
    action = "cli.action.import",
    examples = {
      { "olivares sandbox mocks import mappings.json > mocks.json", "Mocks, for --mocks-file" },
      { "olivares sandbox mocks import --format vcr - < cassette.yml", "A cassette from standard input" },
    },
  },
}
