// SPDX-License-Identifier: Apache-2.0
// The thread for work too long for the loop. One thread and a short queue on purpose: what runs here costs tens of
// milliseconds and much memory each (password hashes), so more of them at once would only starve the loop, and a long
// queue would only hide that we are overloaded.
//
// A job is owned by the waiting queue, then by the thread, then by the finished queue, and is freed on the loop.
#include "loop/loop_worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"

struct job {
  struct job *next;
  loop_fn work, done;
  void *ctx;
};

struct job_queue {
  struct job *first, *last;
  unsigned count;
};

struct loop_worker {
  struct loop_bell *finished_bell;
  pthread_t thread;
  bool started; // loop thread only
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  // Under the mutex:
  struct job_queue waiting, finished;
  bool stopping;
};

static void queue_push(struct job_queue *queue, struct job *job) {
  job->next = NULL;
  if (queue->last != NULL) {
    queue->last->next = job;
  } else {
    queue->first = job;
  }
  queue->last = job;
  queue->count++;
}

static struct job *queue_pop(struct job_queue *queue) {
  struct job *job = queue->first;
  if (job == NULL) return NULL;
  queue->first = job->next;
  if (queue->first == NULL) queue->last = NULL;
  queue->count--;
  return job;
}

static void queue_drop(struct job_queue *queue) {
  for (struct job *job = queue_pop(queue); job != NULL; job = queue_pop(queue)) free(job);
}

static void *worker_main(void *ctx) {
  struct loop_worker *worker = ctx;
  pthread_mutex_lock(&worker->mutex);
  for (;;) {
    struct job *job = NULL;
    while (!worker->stopping && (job = queue_pop(&worker->waiting)) == NULL) {
      pthread_cond_wait(&worker->changed, &worker->mutex);
    }
    if (job == NULL) break;
    pthread_mutex_unlock(&worker->mutex);
    job->work(job->ctx);
    pthread_mutex_lock(&worker->mutex);
    queue_push(&worker->finished, job);
    loop_bell_ring(worker->finished_bell);
  }
  pthread_mutex_unlock(&worker->mutex);
  return NULL;
}

static void on_finished(void *ctx) {
  struct loop_worker *worker = ctx;
  pthread_mutex_lock(&worker->mutex);
  struct job_queue finished = worker->finished;
  worker->finished = (struct job_queue){0};
  pthread_mutex_unlock(&worker->mutex);
  for (struct job *job = queue_pop(&finished); job != NULL; job = queue_pop(&finished)) {
    job->done(job->ctx);
    free(job);
  }
}

struct loop_worker *loop_worker_new(struct loop *loop) {
  struct loop_worker *worker = mem_zalloc(sizeof *worker);
  pthread_mutex_init(&worker->mutex, NULL);
  pthread_cond_init(&worker->changed, NULL);
  worker->finished_bell = loop_bell_open(loop, on_finished, worker);
  return worker;
}

// Signals stay with the loop's thread: the worker starts with all of them blocked.
static bool start(struct loop_worker *worker) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  worker->started = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return worker->started;
}

bool loop_worker_add(struct loop_worker *worker, loop_fn work, loop_fn done, void *ctx) {
  if (!worker->started && !start(worker)) return false;
  pthread_mutex_lock(&worker->mutex);
  bool room = worker->waiting.count < LOOP_WORK_MAX;
  if (room) {
    struct job *job = mem_alloc(sizeof *job);
    *job = (struct job){.work = work, .done = done, .ctx = ctx};
    queue_push(&worker->waiting, job);
    pthread_cond_signal(&worker->changed);
  }
  pthread_mutex_unlock(&worker->mutex);
  return room;
}

void loop_worker_free(struct loop_worker *worker) {
  if (worker == NULL) return;
  if (worker->started) {
    pthread_mutex_lock(&worker->mutex);
    worker->stopping = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
  }
  loop_bell_close(worker->finished_bell);
  queue_drop(&worker->waiting);
  queue_drop(&worker->finished);
  pthread_cond_destroy(&worker->changed);
  pthread_mutex_destroy(&worker->mutex);
  free(worker);
}
