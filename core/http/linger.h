// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/server_state.h"

/// Keeps a duplicate of `fd`, whose owner is about to close it, until the peer has stopped sending.
void linger_start(struct http_server *server, int fd);
void lingerings_close(struct http_server *server);
