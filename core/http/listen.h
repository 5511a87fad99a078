// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum { LISTEN_ADDRESS_MAX = 64 };

/// Opens a listening TCP socket (non-blocking, close-on-exec) on "host:port": an IPv4 address, an IPv6 address in
/// brackets, or a name; port 0 lets the system choose. `ret_address` gets the same form with the real address and port.
/// The caller closes
/// `*ret_fd`. Errors as http_server_open.
bool listen_open(const char *listen_on, int *ret_fd, char ret_address[LISTEN_ADDRESS_MAX], struct err *err);
