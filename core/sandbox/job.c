// SPDX-License-Identifier: Apache-2.0
// One execution and its record. See job.h for what is written when.
//
// All of it happens on the loop, except `apply`, which the writer thread calls while the job stands still: as long as
// an operation is in flight (`writing`) the backend is told to wait, and an end that arrives meanwhile is kept in
// `pending_end`. So run, batch and flags are never touched by two threads.
//
// An operation that the store refuses (full disk) is kept and tried again, since what ran is known here and nowhere
// else; who waits for the run is told at once. Only a run that was never recorded is dropped: nobody has been told of
// it.
#include "sandbox/job.h"

#include <stddef.h>
#include <stdio.h>

#include "access/ledger.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "sandbox/drive.h"
#include "sandbox/limits.h"
#include "sandbox/sandbox_private.h"

enum {
  BATCH_MAX_OUTPUTS = 4096,
  BATCH_MAX_BYTES = 4 * 1024 * 1024,
  ANNOUNCED_BATCH_MAX_OUTPUTS = 256, // somebody may be watching
  ATTESTATION_MAX_BYTES = 64 * 1024,
  UNUSED_MAX_BYTES = 64 * 1024 * 1024, // a place for each mock of a request's body: never reached
};

struct listener {
  job_ended_fn ended;
  void *ctx;
  struct listener *next;
};

struct job {
  struct sandbox *sandbox;
  struct arena *arena; // as long as the job
  struct run run;
  struct plan *plan;
  struct drive *drive;
  bool announce;
  job_announced_fn announced;
  void *announced_ctx;
  struct listener *listeners;
  int64_t started_mono_ns;
  size_t evidence_bytes;

  struct output *batch; // text in batch_arena
  size_t batch_count, batch_allocated, batch_bytes;
  struct arena *batch_arena;

  bool recorded; // the row is in the store
  bool started;  // the backend was told to start
  bool writing;  // an operation is in flight
  bool starved;  // the backend was told to wait
  bool ended;    // `run` holds the end; what is left is to record it
  bool stuck;    // the store refused the last operation
  bool end_pending;
  enum runner_end_kind pending_end;
  struct str pending_detail;
  const char *stop_code, *stop_message; // why it is being stopped
  struct store_op op;

  struct job *next, **link; // sandbox->jobs
};

static struct job *job_of(struct store_op *op) {
  return (struct job *)(void *)((char *)op - offsetof(struct job, op));
}

static void submit(struct job *job);

static void batch_clear(struct job *job) {
  job->batch_count = 0;
  job->batch_bytes = 0;
  arena_free(job->batch_arena);
  job->batch_arena = NULL;
}

static void job_free(struct job *job) {
  *job->link = job->next;
  if (job->next) job->next->link = job->link;
  job->sandbox->job_count--;
  drive_free(job->drive, NULL);
  plan_unref(job->plan);
  free(job->batch);
  arena_free(job->batch_arena);
  arena_free(job->arena);
  free(job);
}

static void tell(struct job *job, const struct err *err) {
  struct listener *listeners = job->listeners;
  job->listeners = NULL;
  for (struct listener *l = listeners; l; l = l->next) l->ended(l->ctx, err ? NULL : &job->run, err);
}

// ---- the end ----

static void attest(struct job *job) {
  struct buf text;
  buf_init(&text, ATTESTATION_MAX_BYTES);
  struct json_writer out;
  jw_init(&out, &text);
  jw_object(&out, NULL);
  jw_str(&out, "runner", job->run.runner);
  drive_attest(job->drive, &out);
  jw_object_end(&out);
  // A cut document would be none.
  job->run.attestation = text.over ? STR("{}") : arena_str(job->arena, buf_str(&text));
  buf_done(&text);
}

static void keep_unused_required(struct job *job) {
  struct buf text;
  buf_init(&text, UNUSED_MAX_BYTES);
  struct json_writer out;
  jw_init(&out, &text);
  drive_write_unused_required(job->drive, &out);
  job->run.unused_mocks = arena_str(job->arena, buf_str(&text));
  buf_done(&text);
}

static void set_end(struct run *run, enum run_status status, const char *code, struct str message) {
  run->status = status;
  run->reason = (struct reason){code, message};
}

static void set_end_of(struct job *job, enum runner_end_kind end, struct str detail) {
  struct run *run = &job->run;
  struct str said = str_present(detail) ? arena_str(job->arena, detail) : STR("The backend gave no detail.");
  switch (end) {
  case RUNNER_END_DONE:
    if (str_present(run->suite_ref))
      set_end(run, RUN_DEGRADED, "not_scored",
              STR("A suite was named and this engine has no scorer: the run was executed but not scored."));
    else
      set_end(run, RUN_COMPLETED, NULL, STR_NONE);
    return;
  case RUNNER_END_STOPPED: {
    if (!job->stop_code) {
      set_end(run, RUN_ERROR, "backend_failed", STR("The backend stopped although nobody had asked it to."));
      return;
    }
    bool limit = strcmp(job->stop_code, "evidence_limit") == 0;
    set_end(run, limit ? RUN_ERROR : RUN_CANCELED, job->stop_code, str_c(job->stop_message));
    return;
  }
  case RUNNER_END_SETUP_FAILED:
    run->isolated = false; // what was to isolate it never stood
    set_end(run, RUN_ERROR, "backend_failed", said);
    return;
  case RUNNER_END_BACKEND_LOST: set_end(run, RUN_ERROR, "backend_failed", said); return;
  case RUNNER_END_PROTOCOL: set_end(run, RUN_ERROR, "protocol", said); return;
  }
}

static void stamp_end(struct job *job) {
  const struct clock *clock = &job->sandbox->config.clock;
  job->run.finished_at = clock_wall_ns(clock);
  job->run.duration_ms = (clock_mono_ns(clock) - job->started_mono_ns) / 1000000;
  job->ended = true;
}

static void conclude(struct job *job, enum runner_end_kind end, struct str detail) {
  set_end_of(job, end, detail);
  attest(job);
  keep_unused_required(job);
  job->run.unused_mock_count = drive_unused_mocks(job->drive);
  job->run.virtual_ms = drive_virtual_ms(job->drive);
  job->run.outputs_hash = drive_outputs_hash(job->drive);
  job->run.has_outputs_hash = true;
  drive_free(job->drive, &job->run.destroyed);
  job->drive = NULL;
  stamp_end(job);
  submit(job);
}

// ---- recording ----

static bool ledger(struct job *job, struct store_conn *conn, const char *action, struct err *err) {
  char details[192];
  snprintf(details, sizeof details, "{\"kind\":\"%s\",\"runner\":\"%.*s\",\"status\":\"%s\"}",
           run_kind_names[job->run.kind], STR_ARG(job->run.runner), run_status_names[job->run.status]);
  return ledger_append(conn, job->run.tenant, job->run.launched_by, action, "run", job->run.id, str_c(details),
                       clock_wall_ns(&job->sandbox->config.clock), err);
}

/// The row when it is not there yet, the batch, and the end when there is one: one transaction.
static bool apply(struct store_op *op, struct store_conn *conn) {
  struct job *job = job_of(op);
  struct err *err = &op->err;
  if (!job->recorded) {
    struct str canonical = {job->plan->canonical, job->plan->canonical_len};
    if (!run_insert_spec(conn, job->run.tenant, &job->run.spec_hash, canonical, err) ||
        !run_insert(conn, &job->run, err) || !ledger(job, conn, "run.launch", err))
      return false;
  }
  for (size_t i = 0; i < job->batch_count; i++)
    if (!run_insert_output(conn, job->run.tenant, &job->batch[i], err)) return false;
  if (job->recorded && job->ended) return run_finish(conn, &job->run, err) && ledger(job, conn, "run.end", err);
  return true;
}

static void refused(struct job *job, const struct err *why) {
  tell(job, why);
  if (job->recorded)
    job->stuck = true;
  else
    job_free(job);
}

static void start(struct job *job) {
  job->started = true;
  drive_start(job->drive);
}

static void go_on(struct job *job, bool first) {
  if (first && job->announce) {
    if (job->announced) job->announced(job->announced_ctx, &job->run);
    if (job->stop_code)
      conclude(job, RUNNER_END_STOPPED, STR_NONE);
    else
      start(job);
  } else if (job->end_pending) {
    conclude(job, job->pending_end, job->pending_detail);
  } else if (job->starved) {
    job->starved = false;
    drive_wake(job->drive);
  }
}

static void written(struct store_op *op) {
  struct job *job = job_of(op);
  job->writing = false;
  if (!op->ok) {
    struct err why = op->err;
    refused(job, &why);
    return;
  }
  struct sandbox *sandbox = job->sandbox;
  struct id run = job->run.id;
  bool first = !job->recorded;
  job->recorded = true;
  batch_clear(job);
  if (job->ended) {
    tell(job, NULL);
    job_free(job);
  } else {
    go_on(job, first);
  }
  sandbox_notify(sandbox, run);
}

static void submit(struct job *job) {
  job->writing = true;
  job->op = (struct store_op){.apply = apply, .done = written};
  store_submit(job->sandbox->config.store, &job->op);
}

// ---- events of the drive ----

static bool batch_full(const struct job *job) {
  size_t most = job->announce ? ANNOUNCED_BATCH_MAX_OUTPUTS : BATCH_MAX_OUTPUTS;
  return job->batch_count >= most || job->batch_bytes >= BATCH_MAX_BYTES;
}

static bool ready(void *ctx) {
  struct job *job = ctx;
  job->starved = job->writing || job->stuck;
  return !job->starved;
}

static void batch_add(struct job *job, const struct output *output) {
  if (!job->batch_arena) job->batch_arena = arena_new();
  if (job->batch_count == job->batch_allocated) {
    job->batch_allocated = job->batch_allocated ? 2 * job->batch_allocated : 4;
    job->batch = mem_realloc(job->batch, job->batch_allocated * sizeof *job->batch);
  }
  struct output *kept = &job->batch[job->batch_count++];
  *kept = *output;
  kept->run = job->run.id;
  kept->occurred_at = clock_wall_ns(&job->sandbox->config.clock);
  kept->id = id_new(kept->occurred_at);
  kept->output = arena_str(job->batch_arena, output->output);
  kept->calls = arena_str(job->batch_arena, output->calls);
  // step_key is the plan's, which outlives the batch.
  size_t bytes = output->output.len + output->calls.len + output->step_key.len;
  job->batch_bytes += bytes;
  job->evidence_bytes += bytes;
}

static void on_output(void *ctx, const struct output *output) {
  struct job *job = ctx;
  batch_add(job, output);
  job->run.steps_total++;
  if (output->mock_hit)
    job->run.steps_ok++;
  else
    job->run.steps_error++;
  if (job->evidence_bytes > EVIDENCE_MAX_BYTES)
    job_stop(job, "evidence_limit",
             "The run's outputs went over what one run may record (256 MiB); it was stopped there.");
  if (batch_full(job)) submit(job);
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  struct job *job = ctx;
  if (!job->writing && !job->stuck) {
    conclude(job, end, detail);
    return;
  }
  job->end_pending = true;
  job->pending_end = end;
  job->pending_detail = str_present(detail) ? arena_str(job->arena, detail) : detail;
}

static const struct drive_events drive_events = {ready, on_output, on_end};

// ---- what the flows call ----

static struct job *job_new(struct sandbox *sandbox, const struct job_config *config) {
  struct job *job = mem_zalloc(sizeof *job);
  job->sandbox = sandbox;
  job->announce = config->announce;
  job->announced = config->announced;
  job->announced_ctx = config->ctx;
  job->arena = arena_new();
  job->plan = plan_ref(config->plan);
  job->run = config->run;
  run_keep_texts(&job->run, job->arena);
  if (!str_present(job->run.attestation)) job->run.attestation = STR("{}");
  if (!str_present(job->run.unused_mocks)) job->run.unused_mocks = STR("[]");
  job->run.started_at = clock_wall_ns(&sandbox->config.clock);
  job->started_mono_ns = clock_mono_ns(&sandbox->config.clock);
  job->run.id = id_new(job->run.started_at);
  job->run.spec_hash = job->plan->spec_hash;
  job->run.seed = job->plan->seed;
  job->run.overlaid = job->plan->overlaid;
  if (config->ended) job_on_end(job, config->ended, config->ctx);

  job->next = sandbox->jobs;
  job->link = &sandbox->jobs;
  if (job->next) job->next->link = &job->next;
  sandbox->jobs = job;
  sandbox->job_count++;
  return job;
}

void job_start(struct sandbox *sandbox, const struct job_config *config) {
  struct job *job = job_new(sandbox, config);
  struct err err = {0};
  if (!drive_new(config->runner, job->run.id, job->plan, &drive_events, job, &job->drive, &err)) {
    set_end(&job->run, RUN_ERROR, "backend_failed", arena_str(job->arena, str_c(err.msg)));
    job->run.destroyed = true;
    stamp_end(job);
    submit(job);
    return;
  }
  job->run.isolated = true;
  job->run.status = RUN_RUNNING;
  if (job->announce)
    submit(job);
  else
    start(job);
}

void job_record(struct sandbox *sandbox, const struct job_config *config) {
  struct job *job = job_new(sandbox, config);
  stamp_end(job);
  submit(job);
}

struct job *job_find(struct sandbox *sandbox, struct id tenant, struct id run) {
  for (struct job *job = sandbox->jobs; job; job = job->next)
    if (id_eq(job->run.id, run) && id_eq(job->run.tenant, tenant)) return job;
  return NULL;
}

void job_stop(struct job *job, const char *reason_code, const char *message) {
  if (job->ended || job->stop_code) return;
  job->stop_code = reason_code;
  job->stop_message = message;
  // Before the start, and between the backend's end and its record, there is nothing to stop.
  if (job->started && !job->end_pending) drive_stop(job->drive);
}

void job_on_end(struct job *job, job_ended_fn ended, void *ctx) {
  struct listener *listener = arena_alloc(job->arena, sizeof *listener);
  *listener = (struct listener){ended, ctx, job->listeners};
  job->listeners = listener;
}

void job_retry(struct job *job) {
  if (!job->stuck) return;
  job->stuck = false;
  submit(job);
}

bool job_is_stuck(const struct job *job) {
  return job->stuck;
}

void job_abandon(struct job *job) {
  job_free(job);
}

struct job *job_next(const struct job *job) {
  return job->next;
}
