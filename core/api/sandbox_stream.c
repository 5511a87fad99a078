// SPDX-License-Identifier: Apache-2.0
// A run as server-sent events: `output` for each step, then `summary` with the run, then `done`. There is one source,
// the store: a live run is read as its batches become durable, a stored one all at once, so nothing is shown that a
// crash could take back. Event ids are the outputs' seq; summary and done take the next two, so that Last-Event-ID says
// exactly what a client has. When the store can't be read on, an `error` event says so and ends the stream.
#include "access/audit.h"
#include "api/call.h"
#include "api/sandbox_documents.h"
#include "api/sandbox_runs.h"
#include "base/log.h"
#include "base/mem.h"
#include "sandbox/run.h"
#include "sandbox/sandbox.h"

// A piece ends with the output that takes it over PIECE_BYTES. One output alone is far below the transport's cap (16
// MiB): 64 KiB of text, six bytes each at most, and 1 MiB of requests.
enum { OUTPUTS_A_PULL = 64, PIECE_BYTES = 1024 * 1024 };

struct run_stream {
  struct http_stream stream; // first: the transport hands it back
  struct run_watch watch;
  struct sandbox *sandbox;
  struct store *store;
  struct id tenant, run;
  int64_t next; // id of the next event
  bool failed;  // the client has been told
};

static struct run_stream *stream_of(struct http_stream *stream) {
  return (struct run_stream *)stream;
}

static void write_event(struct buf *out, int64_t id, const char *event, struct str data) {
  buf_addf(out, "id: %lld\nevent: %s\ndata: ", (long long)id, event);
  buf_add_str(out, data);
  buf_add_c(out, "\n\n");
}

struct pulling {
  struct run_stream *stream;
  struct buf *out;
  bool any;
};

static bool write_output_event(void *ctx, const struct output *output) {
  struct pulling *p = ctx;
  struct buf data;
  buf_init(&data, 16 * 1024 * 1024);
  struct json_writer json;
  jw_init(&json, &data);
  write_output(&json, output);
  write_event(p->out, output->seq, "output", buf_str(&data));
  buf_done(&data);
  p->stream->next = output->seq + 1;
  p->any = true;
  return p->out->len < PIECE_BYTES;
}

static void write_summary(struct buf *out, const struct run *run) {
  struct buf data;
  buf_init(&data, 16 * 1024 * 1024);
  struct json_writer json;
  jw_init(&json, &data);
  write_run(&json, run, STR_NONE);
  write_event(out, run->steps_total, "summary", buf_str(&data));
  buf_done(&data);
}

static void write_done(struct buf *out, const struct run *run) {
  struct buf data;
  buf_init(&data, 1024);
  buf_addf(&data, "{\"run_ref\":\"%s\",\"status\":\"%s\"}", id_format(run->id).text, run_status_names[run->status]);
  write_event(out, run->steps_total + 1, "done", buf_str(&data));
  buf_done(&data);
}

/// What follows the outputs of a run that has ended.
static enum http_pull pull_end(struct run_stream *s, const struct run *run, struct buf *out) {
  if (s->next > run->steps_total + 1) return HTTP_PULL_END;
  if (s->next <= run->steps_total) write_summary(out, run);
  write_done(out, run);
  s->next = run->steps_total + 2;
  return HTTP_PULL_DATA;
}

/// Without an id: a client that resumes does so behind the last output it has.
static enum http_pull pull_failure(struct run_stream *s, const struct err *err, struct buf *out) {
  log_event(LOG_LEVEL_ERROR, "stream.failed", "run=%s message=\"%s\"", id_format(s->run).text, err->msg);
  buf_add_c(out, "event: error\ndata: ");
  struct json_writer json;
  jw_init(&json, out);
  write_error(&json, err);
  buf_add_c(out, "\n\n");
  s->failed = true;
  return HTTP_PULL_DATA;
}

static enum http_pull pull(struct http_stream *stream, struct buf *out) {
  struct run_stream *s = stream_of(stream);
  if (s->failed) return HTTP_PULL_END;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct store_conn *conn = store_reader(s->store);
  struct err err = {0};
  struct run run;
  bool found;
  struct pulling p = {s, out, false};
  // The run first: when it is read as ended, every output of it is there.
  if (!run_get(conn, arena, s->tenant, s->run, &run, &found, &err) ||
      (!found && !err_set(&err, ERR_INTERNAL, "The run is gone.")) ||
      !run_outputs(conn, s->tenant, s->run, false, s->next - 1, OUTPUTS_A_PULL, write_output_event, &p, &err))
    return pull_failure(s, &err, out);
  if (p.any) return HTTP_PULL_DATA;
  return run.status == RUN_RUNNING ? HTTP_PULL_WAIT : pull_end(s, &run, out);
}

static void close_stream(struct http_stream *stream) {
  struct run_stream *s = stream_of(stream);
  sandbox_unwatch(s->sandbox, &s->watch);
  free(s);
}

static void wake(struct run_watch *watch) {
  struct run_stream *s = (struct run_stream *)(void *)((char *)watch - offsetof(struct run_stream, watch));
  http_stream_wake(&s->stream);
}

static bool apply_opened(struct api_call *call, struct store_conn *conn, struct err *err) {
  struct str target = arena_printf(call->arena, "run:%s", id_format(call->path_id).text);
  return call_audit(call, conn, "run.stream", target, STR_NONE, err);
}

static void reply_opened(struct api_call *call) {
  struct run_stream *s = mem_zalloc(sizeof *s);
  s->stream.pull = pull;
  s->stream.close = close_stream;
  s->watch.run = call->path_id;
  s->watch.wake = wake;
  s->sandbox = call->config->sandbox;
  s->store = call->config->store;
  s->tenant = call->tenant;
  s->run = call->path_id;
  s->next = *(const int64_t *)call->state;
  sandbox_watch(s->sandbox, &s->watch);
  call_stream(call, &s->stream);
}

static bool note_seq(void *ctx, const struct output *output) {
  *(int64_t *)ctx = output->seq;
  return false;
}

/// Whether an event of this run can have had the id: that of an output there is, or, of a run that has ended, one of
/// the two that follow.
static bool has_event(struct api_call *call, const struct run *run, int64_t id, bool *ret_has) {
  int64_t found = -1;
  if (run->status != RUN_RUNNING) {
    *ret_has = id <= run->steps_total + 1;
    return true;
  }
  if (!run_outputs(call_reader(call), call->tenant, run->id, false, id - 1, 1, note_seq, &found, &call->err))
    return false;
  *ret_has = found == id;
  return true;
}

/// Where the stream begins: behind Last-Event-ID.
static bool first_event(struct api_call *call, const struct run *run, int64_t *ret_next) {
  struct str last = call->exchange->request.last_event_id;
  int64_t seen = -1;
  bool has = !str_present(last);
  if (str_present(last) && canonical_int(last, &seen) && seen >= 0 && !has_event(call, run, seen, &has)) return false;
  if (!has)
    return err_set_at(&call->err, ERR_BAD_REQUEST, "Last-Event-ID",
                      "This is not the id of an event of this run; leave the header out to read from the start.");
  *ret_next = seen + 1;
  return true;
}

void runs_stream(struct api_call *call) {
  struct run run;
  bool found;
  int64_t *next = arena_alloc(call->arena, sizeof *next);
  if (!run_get(call_reader(call), call->arena, call->tenant, call->path_id, &run, &found, &call->err) ||
      (!found && !err_set(&call->err, ERR_NOT_FOUND, "There is no run with this id.")) ||
      !first_event(call, &run, next)) {
    call_fail(call, &call->err);
    return;
  }
  call->state = next;
  call_mutate(call, apply_opened, reply_opened);
}
