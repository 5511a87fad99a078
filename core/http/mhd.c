// SPDX-License-Identifier: Apache-2.0
// libmicrohttpd brings a TLS library and seven more with it, and linking those takes as long as all else that a command
// does. Only an engine that serves needs it, so it is loaded by the first server and not with the program: here are the
// functions of microhttpd.h that this folder calls, each passed on to the library.
//
// The table is a file-level static because the functions are the library's own, which have no place to carry it in. It
// is written once, by the loop's thread, before any of them is called.
#include "http/mhd.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/library.h"

// The name that belongs to the header (the library's ABI version).
static const char library[] = "libmicrohttpd.so.12";

#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(MHD_add_response_header)                                                                                    \
  FUNCTION(MHD_create_response_from_buffer)                                                                            \
  FUNCTION(MHD_create_response_from_callback)                                                                          \
  FUNCTION(MHD_destroy_response)                                                                                       \
  FUNCTION(MHD_get_connection_info)                                                                                    \
  FUNCTION(MHD_get_connection_values_n)                                                                                \
  FUNCTION(MHD_get_daemon_info)                                                                                        \
  FUNCTION(MHD_get_timeout)                                                                                            \
  FUNCTION(MHD_queue_response)                                                                                         \
  FUNCTION(MHD_quiesce_daemon)                                                                                         \
  FUNCTION(MHD_resume_connection)                                                                                      \
  FUNCTION(MHD_run)                                                                                                    \
  FUNCTION(MHD_start_daemon_va)                                                                                        \
  FUNCTION(MHD_stop_daemon)                                                                                            \
  FUNCTION(MHD_suspend_connection)

struct mhd {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member can't stand in parentheses
#define MEMBER(function) __typeof__(&(function)) function;
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static struct mhd mhd;

bool mhd_load(struct err *err) {
  static const struct library_symbol symbols[] = {
#define SYMBOL(function) {#function, offsetof(struct mhd, function)},
      FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  if (mhd.MHD_run != NULL) return true;
  struct mhd loaded = {0};
  if (!library_load(library, symbols, sizeof symbols / sizeof *symbols, &loaded, err)) return false;
  mhd = loaded;
  return true;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header, const char *content) {
  return mhd.MHD_add_response_header(response, header, content);
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode) {
  return mhd.MHD_create_response_from_buffer(size, buffer, mode);
}

struct MHD_Response *MHD_create_response_from_callback(uint64_t size, size_t block_size,
                                                       MHD_ContentReaderCallback reader, void *ctx,
                                                       MHD_ContentReaderFreeCallback done) {
  return mhd.MHD_create_response_from_callback(size, block_size, reader, ctx, done);
}

void MHD_destroy_response(struct MHD_Response *response) {
  mhd.MHD_destroy_response(response);
}

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
                                                        enum MHD_ConnectionInfoType type, ...) {
  return mhd.MHD_get_connection_info(connection, type);
}

int MHD_get_connection_values_n(struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN visit,
                                void *ctx) {
  return mhd.MHD_get_connection_values_n(connection, kind, visit, ctx);
}

const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...) {
  return mhd.MHD_get_daemon_info(daemon, type);
}

enum MHD_Result MHD_get_timeout(struct MHD_Daemon *daemon, MHD_UNSIGNED_LONG_LONG *timeout_ms) {
  return mhd.MHD_get_timeout(daemon, timeout_ms);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
  return mhd.MHD_queue_response(connection, status, response);
}

MHD_socket MHD_quiesce_daemon(struct MHD_Daemon *daemon) {
  return mhd.MHD_quiesce_daemon(daemon);
}

void MHD_resume_connection(struct MHD_Connection *connection) {
  mhd.MHD_resume_connection(connection);
}

enum MHD_Result MHD_run(struct MHD_Daemon *daemon) {
  return mhd.MHD_run(daemon);
}

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accept_ctx,
                                    MHD_AccessHandlerCallback handle, void *handle_ctx, ...) {
  va_list options;
  va_start(options, handle_ctx);
  struct MHD_Daemon *daemon = mhd.MHD_start_daemon_va(flags, port, accept, accept_ctx, handle, handle_ctx, options);
  va_end(options);
  return daemon;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon) {
  mhd.MHD_stop_daemon(daemon);
}

void MHD_suspend_connection(struct MHD_Connection *connection) {
  mhd.MHD_suspend_connection(connection);
}
