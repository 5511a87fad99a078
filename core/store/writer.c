// SPDX-License-Identifier: Apache-2.0
// The group-commit writer: one thread that owns the only writing connection. It takes everything that waits, has it
// committed as one batch (batch.c), and rings the loop, where the operations' `done` run in the order they were
// submitted.
//
// What is submitted during one turn of the loop is handed over at the end of that turn. Were the thread woken by the
// first operation of a burst, it would commit that one alone while the others wait for a whole fsync: half the
// throughput and twice the latency.
//
// The log is brought into the database after the batch that filled it has been answered, so that no answer waits for
// it. SQLite begins the log anew only when no reader needs any of it, and a busy loop always has a reader open
// (snapshot.c): without a pause of the writer the log would grow for ever. So the writer waits for the readers, for as
// long as a turn of the loop may take; when that is not enough, since a long read is under way, it tries again only
// when the log has grown by as much again.
//
// Thread and connection are made for the first operation: a command that only reads has neither.
#include "store/writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/mem.h"
#include "store/batch.h"

enum { BATCH_MAX = 512, CHECKPOINT_FRAMES = 4000, CHECKPOINT_WAIT_MS = 50, ROOM_BYTES = 1 << 20 };

struct op_queue {
  struct store_op *first, *last;
};

struct writer {
  char *path;

  // The thread's:
  struct store_conn *conn;
  int checkpoint_at; // frames in the log

  // The loop's:
  struct loop *loop;
  struct loop_bell *bell;
  pthread_t thread;
  bool started;
  struct op_queue submitted, delivering;
  uint64_t version; // counts deliveries

  _Atomic uint64_t in_flight; // submitted, `done` not yet run; changed by the loop only

  pthread_mutex_t mutex; // guards the rest
  pthread_cond_t wake;
  struct op_queue waiting, finished;
  bool stopping, probe_wanted;
  struct store_stats stats;
  struct err why_unhealthy;
};

static void queue_append(struct op_queue *queue, struct op_queue *from) {
  if (!from->first) return;
  if (queue->last)
    queue->last->next = from->first;
  else
    queue->first = from->first;
  queue->last = from->last;
  *from = (struct op_queue){0};
}

static void queue_push(struct op_queue *queue, struct store_op *op) {
  op->next = NULL;
  queue_append(queue, &(struct op_queue){op, op});
}

static struct store_op *queue_pop(struct op_queue *queue) {
  struct store_op *op = queue->first;
  if (!op) return NULL;
  queue->first = op->next;
  if (!queue->first) queue->last = NULL;
  return op;
}

static struct op_queue queue_take(struct op_queue *queue, size_t most) {
  struct op_queue taken = {0};
  struct store_op *op;
  for (size_t n = 0; n < most && (op = queue_pop(queue)) != NULL; n++) queue_push(&taken, op);
  return taken;
}

// ---- the thread ----

static bool open_conn(struct writer *w, struct err *err) {
  return w->conn || conn_open(w->path, CONN_WRITER, &w->conn, err);
}

static enum batch_result commit(struct writer *w, struct store_op *batch, struct err *why) {
  if (open_conn(w, why)) return batch_commit(w->conn, batch, why);
  batch_fail(batch, why);
  return BATCH_LOST;
}

static void count(struct writer *w, const struct op_queue *batch, enum batch_result result, const struct err *why) {
  for (const struct store_op *op = batch->first; op; op = op->next) {
    w->stats.ops++;
    w->stats.ops_failed += !op->ok;
  }
  if (result == BATCH_WRITTEN) {
    w->stats.commits++;
    w->why_unhealthy = (struct err){0};
  } else if (result == BATCH_LOST) {
    w->why_unhealthy = *why;
  }
}

/// SQLite's own waiting would be in vain: it waits for the place of a reader to be free, and a busy loop has taken it
/// again, for a newer state, by the time SQLite looks. A new attempt sees how far the reader has come.
static bool empty_log(sqlite3 *db) {
  sqlite3_busy_timeout(db, 0);
  int code = SQLITE_BUSY;
  for (int ms = 0; ms < CHECKPOINT_WAIT_MS && code == SQLITE_BUSY; ms++) {
    if (ms > 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    code = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
  }
  sqlite3_busy_timeout(db, CONN_BUSY_MS);
  return code == SQLITE_OK;
}

/// A checkpoint that fails or that a reader holds up loses nothing: the log grows on.
static void check_log(struct writer *w) {
  int frames = w->conn ? w->conn->wal_frames : 0;
  if (frames == 0) return; // the batch wrote nothing
  if (frames < CHECKPOINT_FRAMES) w->checkpoint_at = CHECKPOINT_FRAMES;
  if (frames >= w->checkpoint_at && !empty_log(w->conn->db)) w->checkpoint_at = frames + CHECKPOINT_FRAMES;
}

/// On a full disk a small write may still fit into what the log's file has already; it proves nothing.
static bool has_room(const char *path, struct err *why) {
  struct statvfs fs;
  if (statvfs(path, &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= ROOM_BYTES) return true;
  return err_set(why, ERR_UNAVAILABLE, CONN_DISK_FULL);
}

/// The mutex is held at the call and at the return, here and in `probe`.
static void serve_batch(struct writer *w) {
  struct op_queue batch = queue_take(&w->waiting, BATCH_MAX);
  pthread_mutex_unlock(&w->mutex);
  struct err why = {0};
  enum batch_result result = commit(w, batch.first, &why);
  pthread_mutex_lock(&w->mutex);
  count(w, &batch, result, &why);
  queue_append(&w->finished, &batch);
  pthread_mutex_unlock(&w->mutex);
  loop_bell_ring(w->bell);
  check_log(w);
  pthread_mutex_lock(&w->mutex);
}

static void probe(struct writer *w) {
  w->probe_wanted = false;
  pthread_mutex_unlock(&w->mutex);
  struct err why = {0};
  bool ok = has_room(w->path, &why) && open_conn(w, &why) && batch_probe(w->conn, &why);
  pthread_mutex_lock(&w->mutex);
  if (ok) err_clear(&why);
  w->why_unhealthy = why;
  loop_bell_ring(w->bell);
}

static void *writer_main(void *ctx) {
  struct writer *w = ctx;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    if (w->waiting.first)
      serve_batch(w);
    else if (w->stopping)
      break;
    else if (w->probe_wanted)
      probe(w);
    else
      pthread_cond_wait(&w->wake, &w->mutex);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

// ---- the loop ----

static void deliver(void *ctx) {
  struct writer *w = ctx;
  w->version++;
  pthread_mutex_lock(&w->mutex);
  queue_append(&w->delivering, &w->finished);
  pthread_mutex_unlock(&w->mutex);
  // A `done` may turn the loop, and the rest must come then too: so the queue is the writer's and not this call's, and
  // the bell is left ringing.
  for (struct store_op *op = queue_pop(&w->delivering); op; op = queue_pop(&w->delivering)) {
    w->in_flight--;
    if (w->delivering.first) loop_bell_ring(w->bell);
    op->done(op);
  }
}

// Signals stay with the loop's thread.
static bool start(struct writer *w, struct err *err) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int failed = pthread_create(&w->thread, NULL, writer_main, w);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  w->started = failed == 0;
  return w->started || err_set_sys(err, ERR_UNAVAILABLE, failed, "The thread that writes the database can't start");
}

static void hand_over(void *ctx) {
  struct writer *w = ctx;
  struct err err = {0};
  bool started = w->started || start(w, &err);
  if (!started) batch_fail(w->submitted.first, &err);
  pthread_mutex_lock(&w->mutex);
  queue_append(started ? &w->waiting : &w->finished, &w->submitted);
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->mutex);
  if (!started) loop_bell_ring(w->bell);
}

void writer_submit(struct writer *w, struct store_op *op) {
  if (!w->submitted.first) loop_defer(w->loop, hand_over, w);
  w->in_flight++;
  queue_push(&w->submitted, op);
}

struct writer *writer_new(const char *path, struct loop *loop) {
  struct writer *w = mem_zalloc(sizeof *w);
  w->path = mem_strdup(str_c(path));
  w->loop = loop;
  w->bell = loop_bell_open(loop, deliver, w);
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->wake, NULL);
  return w;
}

bool writer_idle(const struct writer *w) {
  return w->in_flight == 0;
}

uint64_t writer_version(const struct writer *w) {
  return w->version;
}

void writer_free(struct writer *w) {
  if (!w) return;
  while (w->in_flight > 0) loop_turn(w->loop, true);
  if (w->started) {
    pthread_mutex_lock(&w->mutex);
    w->stopping = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
  }
  conn_close(w->conn);
  loop_bell_close(w->bell);
  pthread_cond_destroy(&w->wake);
  pthread_mutex_destroy(&w->mutex);
  free(w->path);
  free(w);
}

void writer_stats(struct writer *w, struct store_stats *ret_stats) {
  pthread_mutex_lock(&w->mutex);
  *ret_stats = w->stats;
  pthread_mutex_unlock(&w->mutex);
  ret_stats->queue_len = w->in_flight;
}

bool writer_healthy(struct writer *w, struct err *ret_why) {
  pthread_mutex_lock(&w->mutex);
  *ret_why = w->why_unhealthy;
  bool healthy = ret_why->code == ERR_NONE;
  if (!healthy) {
    w->probe_wanted = true;
    pthread_cond_signal(&w->wake);
  }
  pthread_mutex_unlock(&w->mutex);
  return healthy;
}
