// SPDX-License-Identifier: Apache-2.0
// One binary: the CLI, of which `serve` is a command.
#include "app/cli_host.h"

int main(int argc, char **argv) {
  return cli_host_run(argc, argv);
}
