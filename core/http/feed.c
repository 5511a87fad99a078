// SPDX-License-Identifier: Apache-2.0
// Event streams (WHATWG HTML, section 9.2) over a chunked response. libmicrohttpd asks for bytes when the client can
// take some; we pull from the stream, and when it waits, suspend the connection until it is woken.
//
// libmicrohttpd does not watch a suspended connection, so a client that left is only found out by writing to it: that
// is the second use of the heartbeat. The first is to keep proxies from giving up on a silent connection. A comment
// also goes out at once when there is no event yet, since headers alone stay in the kernel until more follows
// (MSG_MORE).
#include "http/feed.h"

#include <assert.h>
#include <string.h>

enum { PIECE_MAX_BYTES = 16 * 1024 * 1024, BLOCK_BYTES = 16 * 1024 };
#define HEARTBEAT ": keep-alive\n\n"

static void feed_suspend(struct feed *feed) {
  feed->suspended = true;
  MHD_suspend_connection(feed->mhd);
  loop_timer_set(feed->heartbeat, feed->server->heartbeat_ms);
}

void feed_resume(struct feed *feed) {
  if (!feed->suspended) return;
  feed->suspended = false;
  loop_timer_stop(feed->heartbeat);
  MHD_resume_connection(feed->mhd);
  http_server_run_soon(feed->server);
}

static void on_heartbeat(void *ctx) {
  struct feed *feed = ctx;
  feed->heartbeat_due = true;
  feed_resume(feed);
}

static void on_wake(void *ctx) {
  struct feed *feed = ctx;
  feed->woken = true;
  if (!feed->pulling) feed_resume(feed);
}

// A wake from inside pull means: ask once more even though this pull says WAIT.
static enum http_pull pull(struct feed *feed) {
  enum http_pull pulled;
  feed->pulling = true;
  do {
    feed->woken = false;
    pulled = feed->stream->pull(feed->stream, &feed->pending);
  } while (pulled == HTTP_PULL_WAIT && feed->woken && feed->pending.len == 0);
  feed->pulling = false;
  return pulled;
}

// Puts the next bytes into `pending`; leaves it empty at the end and when the connection was suspended.
static void refill(struct feed *feed) {
  buf_clear(&feed->pending);
  feed->taken = 0;
  if (feed->ended) return;
  enum http_pull pulled = pull(feed);
  feed->failed = feed->pending.over;
  feed->ended = pulled == HTTP_PULL_END || feed->failed;
  if (feed->ended || feed->pending.len > 0) return;
  assert(pulled == HTTP_PULL_WAIT);
  if (feed->heartbeat_due || !feed->headers_pushed) {
    buf_add_c(&feed->pending, HEARTBEAT);
    feed->heartbeat_due = false;
    return;
  }
  feed_suspend(feed);
}

static ssize_t feed_read(void *ctx, uint64_t position, char *out, size_t max) {
  (void)position;
  struct feed *feed = ctx;
  if (feed->taken == feed->pending.len) refill(feed);
  if (feed->failed) return MHD_CONTENT_READER_END_WITH_ERROR;
  size_t left = feed->pending.len - feed->taken;
  if (left == 0) return feed->ended ? MHD_CONTENT_READER_END_OF_STREAM : 0;
  size_t len = left < max ? left : max;
  memcpy(out, feed->pending.data + feed->taken, len);
  feed->taken += len;
  feed->headers_pushed = true;
  return (ssize_t)len;
}

struct MHD_Response *feed_open(struct feed *feed, struct http_stream *stream, struct http_server *server,
                               struct MHD_Connection *mhd) {
  feed->stream = stream;
  feed->mhd = mhd;
  feed->server = server;
  feed->heartbeat = loop_timer_open(server->loop, on_heartbeat, feed);
  buf_init(&feed->pending, PIECE_MAX_BYTES);
  stream->wake_ctx = feed;
  stream->wake = on_wake;
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, feed_read, feed, NULL);
  assert(response != NULL);
  return response;
}

void feed_close(struct feed *feed) {
  struct http_stream *stream = feed->stream;
  if (stream == NULL) return;
  feed->stream = NULL;
  stream->wake = NULL;
  stream->close(stream);
  loop_timer_close(feed->heartbeat);
  buf_done(&feed->pending);
}
