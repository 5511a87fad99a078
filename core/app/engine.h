// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "api/api.h"
#include "base/err.h"
#include "http/http.h"
#include "loop/loop.h"
#include "sandbox/sandbox.h"

/// The engine, wired: data directory locked, store open, adapters in their ports. Used by `serve` behind a socket and
/// by the CLI in process.
struct engine;

struct engine_config {
  const char *data_dir; ///< NULL = path_default_data()
  const char *note;     ///< what the lock says of the holder, e.g. "serving", "command sandbox runs get"
  bool serving;         ///< a server: refuses to wait for the lock, makes no organization of its own
};

bool engine_open(const struct engine_config *config, struct engine **ret_engine, struct err *err);
void engine_close(struct engine *engine); ///< stops what runs, finishes what is queued; accepts NULL

struct loop *engine_loop(struct engine *engine);
struct http_handler engine_handler(struct engine *engine);
struct api *engine_api(struct engine *engine);
struct sandbox *engine_sandbox(struct engine *engine);
struct store *engine_store(struct engine *engine);
const char *engine_data_dir(const struct engine *engine);
void engine_note(struct engine *engine, const char *note); ///< replaces what the lock says

/// The one-time token that setup needs, made and kept in the data directory (mode 0600) when there is none.
/// `*ret_token` is released with free(); NULL when the engine has been set up.
bool engine_setup_token(struct engine *engine, char **ret_token, struct err *err);
