// SPDX-License-Identifier: Apache-2.0
#pragma once

struct serve_options {
  const char *listen;   ///< NULL = SERVE_DEFAULT_LISTEN
  const char *data_dir; ///< NULL = the user's data directory
};
#define SERVE_DEFAULT_LISTEN "127.0.0.1:8440"

/// `olivares serve`: runs until SIGTERM or SIGINT, drains, returns the exit status (0, or 6 when it could not start). A
/// second signal cuts what is left.
int serve_run(const struct serve_options *options);
