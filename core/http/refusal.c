// SPDX-License-Identifier: Apache-2.0
// Refusals of a request's head: their documents, and how they reach the client when libmicrohttpd gives no chance to
// queue one.
//
// What libmicrohttpd 0.9.75 finds wrong once a head is complete (a Content-Length that is no number, no memory for the
// cookies), it answers before the handler is called, and by a fault of its own with the status line and headers twice.
// The only notice it gives is a line of its log, which names no connection; but the one it talks about is the only one
// with a complete head that the handler has not seen. That connection gets its answer here, straight into the socket,
// which is then shut for sending: libmicrohttpd's own answer fails on that and it closes the connection.
#include "http/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "http/head.h"
#include "http/incoming.h"

enum { ANSWER_MAX_BYTES = 1024, DATE_MAX_BYTES = 64 };

#define DOCUMENT(code, message) "{\"error\":{\"code\":\"" code "\",\"message\":\"" message "\"}}"

const struct refusal refusal_target = {400, "Bad Request",
                                       DOCUMENT("bad_request", "The request target holds a blank; write it as %20.")};
const struct refusal refusal_host = {
    400, "Bad Request", DOCUMENT("bad_request", "Send one Host header: HTTP/1.1 takes neither none nor several.")};
const struct refusal refusal_field_name = {400, "Bad Request",
                                           DOCUMENT("bad_request", "A header's name holds a blank.")};
const struct refusal refusal_length = {
    400, "Bad Request",
    DOCUMENT("bad_request",
             "The length of the body is not clear: send one Content-Length, or Transfer-Encoding: chunked.")};
const struct refusal refusal_body_too_large = {
    413, "Content Too Large", DOCUMENT("request_body_too_large", "The body is longer than 1048576 bytes.")};
const struct refusal refusal_head_too_large = {431, "Request Header Fields Too Large",
                                               DOCUMENT("bad_request", "The header fields are too long.")};

struct first_length {
  bool coded; // a Transfer-Encoding is there: libmicrohttpd does not look at lengths then
  const char *value;
};

static enum MHD_Result find_length(void *ctx, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                   const char *value, size_t value_len) {
  (void)kind, (void)value_len;
  struct first_length *found = ctx;
  struct str field = {name, name_len};
  if (head_name_is(field, STR("Transfer-Encoding"))) found->coded = true;
  if (found->value == NULL && head_name_is(field, STR("Content-Length"))) found->value = value != NULL ? value : "";
  return MHD_YES;
}

/// What libmicrohttpd refuses the complete head for.
static const struct refusal *refusal_of(struct MHD_Connection *mhd) {
  struct first_length found = {0};
  MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, find_length, &found);
  if (found.coded || found.value == NULL) return &refusal_head_too_large;
  size_t digits = strspn(found.value, "0123456789");
  if (digits == 0 || found.value[digits] != '\0') return &refusal_length;
  errno = 0;
  (void)strtoull(found.value, NULL, 10);
  return errno == ERANGE ? &refusal_body_too_large : &refusal_head_too_large;
}

static void send_refusal(int fd, const struct refusal *refusal) {
  char date[DATE_MAX_BYTES], answer[ANSWER_MAX_BYTES];
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc) == NULL || strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc) == 0) return;
  int len = snprintf(answer, sizeof answer,
                     "HTTP/1.1 %u %s\r\nDate: %s\r\nConnection: close\r\nContent-Type: application/json\r\n"
                     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: %zu\r\n\r\n%s",
                     refusal->status, refusal->reason, date, strlen(refusal->body), refusal->body);
  // It fits into the socket's buffer or the client is one that reads nothing.
  send(fd, answer, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Its head is complete, and neither we nor libmicrohttpd have answered it.
static bool is_about_to_be_refused(const struct incoming *incoming) {
  return !incoming->head_read && !incoming->refused && incoming->mhd != NULL &&
         MHD_get_connection_info(incoming->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL &&
         MHD_get_connection_info(incoming->mhd, MHD_CONNECTION_INFO_HTTP_STATUS) == NULL;
}

void refusal_on_log(void *ctx, const char *format, va_list args) {
  (void)format, (void)args;
  struct http_server *server = ctx;
  for (struct incoming *incoming = LIST_FIRST(&server->incomings); incoming != NULL;
       incoming = LIST_NEXT(incoming, link)) {
    if (!is_about_to_be_refused(incoming)) continue;
    incoming->refused = incoming->body_unread = true;
    send_refusal(incoming->connection->fd, refusal_of(incoming->mhd));
    shutdown(incoming->connection->fd, SHUT_WR);
    return;
  }
}
