// SPDX-License-Identifier: Apache-2.0
// Event streams, line by line. Comments, retry and unknown fields are passed over; an event without data is none.
#include "app/lua_sse.h"

// An event carries at most one output with its calls, escaped.
enum { SSE_LINE_MAX_BYTES = 16 * 1024 * 1024, SSE_NAME_MAX_BYTES = 4096 };

void sse_init(struct sse *sse, bool (*on_event)(void *ctx, const struct sse_event *event), void *ctx) {
  *sse = (struct sse){.on_event = on_event, .ctx = ctx};
  buf_init(&sse->line, SSE_LINE_MAX_BYTES);
  buf_init(&sse->event, SSE_NAME_MAX_BYTES);
  buf_init(&sse->data, SSE_LINE_MAX_BYTES);
  buf_init(&sse->id, SSE_NAME_MAX_BYTES);
}

void sse_done(struct sse *sse) {
  buf_done(&sse->line);
  buf_done(&sse->event);
  buf_done(&sse->data);
  buf_done(&sse->id);
}

static bool dispatch(struct sse *sse) {
  bool more = true;
  if (sse->data.len > 0) {
    // The last line feed of the data is not part of it.
    struct str data = {buf_str(&sse->data).data, sse->data.len - 1};
    struct sse_event event = {buf_str(&sse->event), data, buf_str(&sse->id)};
    more = sse->on_event(sse->ctx, &event);
  }
  buf_clear(&sse->event);
  buf_clear(&sse->data);
  return more;
}

static bool take_line(struct sse *sse, struct str line) {
  if (line.len > 0 && line.data[line.len - 1] == '\r') line.len--;
  if (line.len == 0) return dispatch(sse);
  struct str value = line;
  struct str field = str_cut(&value, ':');
  if (!str_present(value)) value = STR("");
  if (value.len > 0 && value.data[0] == ' ') value = str_skip(value, 1);

  struct buf *target = NULL;
  if (str_eq(field, STR("data"))) return buf_add_str(&sse->data, value) && buf_add_char(&sse->data, '\n');
  if (str_eq(field, STR("event"))) target = &sse->event;
  if (str_eq(field, STR("id"))) target = &sse->id;
  if (!target) return true;
  buf_clear(target);
  return buf_add_str(target, value);
}

bool sse_feed(struct sse *sse, struct str bytes) {
  while (!sse->ended && bytes.len > 0) {
    struct str rest = bytes;
    struct str piece = str_cut(&rest, '\n');
    bool complete = str_present(rest);
    sse->ended = !buf_add_str(&sse->line, piece);
    if (!complete || sse->ended) break;
    sse->ended = !take_line(sse, buf_str(&sse->line));
    buf_clear(&sse->line);
    bytes = rest;
  }
  return !sse->ended;
}
