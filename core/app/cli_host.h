// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "app/engine.h"

/// The C side of the CLI: the Lua state with the embedded chunks, and the modules `olivares.client` (one request, in
/// process or over libcurl), `olivares.json`, `olivares.term`, `olivares.file`.

/// Runs the CLI with the process's arguments; returns the exit status. `serve` is handed back to C through the host.
int cli_host_run(int argc, char **argv);
