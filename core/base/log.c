// SPDX-License-Identifier: Apache-2.0
// Log lines. A line is put together on the stack and written in one call, so that lines of several threads don't mix,
// and holds no byte that a terminal or a reader of lines would take for more than text: values come from strangers.
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

enum { LINE_MAX_BYTES = 4096 };
static const char ellipsis[] = "…";

static const char *level_name(enum log_level level) {
  switch (level) {
  case LOG_LEVEL_INFO: return "info";
  case LOG_LEVEL_WARN: return "warn";
  case LOG_LEVEL_ERROR: return "error";
  }
  return "error";
}

// C0 controls, DEL, and the C1 controls, which are U+0080 to U+009F: c2 80 to c2 9f.
static void neutralise(char *text, size_t len) {
  utf8_mend(text, len);
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    bool c1 = c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
    if (c < 0x20 || c == 0x7f || c1) text[i] = '?';
    if (c1) text[++i] = '?';
  }
}

static void write_all(const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t written = write(STDERR_FILENO, bytes, len);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return; // nowhere left to say so
    bytes += written;
    len -= (size_t)written;
  }
}

void log_event(enum log_level level, const char *event, const char *fmt, ...) {
  int errno_before = errno;
  struct clock clock = clock_system();
  char line[LINE_MAX_BYTES + 1]; // the line with its newline, then room for a NUL
  int head = snprintf(line, sizeof(line), "%s %s event=%s%s", clock_format(clock_wall_ns(&clock)).text,
                      level_name(level), event, fmt[0] ? " " : "");
  size_t len = head > 0 ? (size_t)head : 0;
  if (len < LINE_MAX_BYTES) {
    va_list args;
    va_start(args, fmt);
    int fields = vsnprintf(line + len, sizeof(line) - len, fmt, args);
    va_end(args);
    len += fields > 0 ? (size_t)fields : 0;
  }
  if (len >= LINE_MAX_BYTES) {
    size_t most = LINE_MAX_BYTES - sizeof(ellipsis); // its three bytes and the newline
    len = utf8_clamp((struct str){line, LINE_MAX_BYTES}, most).len;
    memcpy(line + len, ellipsis, sizeof(ellipsis) - 1);
    len += sizeof(ellipsis) - 1;
  }
  neutralise(line, len);
  line[len++] = '\n';
  write_all(line, len);
  errno = errno_before;
}
