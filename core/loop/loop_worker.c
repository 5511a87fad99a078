// SPDX-License-Identifier: Apache-2.0
// The thread for work too long for the loop. One thread and a short queue on purpose: what runs here costs tens of
// milliseconds and much memory each (password hashes), so more of them at once would only starve the loop, and a long
// queue would only hide that we are overloaded.
//
// A task is owned by the waiting queue, then by the thread, then by the finished queue, and is freed on the loop.
#include "loop/loop_worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"

struct task {
  struct task *next;
  loop_fn work, done;
  void *ctx;
};

struct task_queue {
  struct task *first, *last;
  unsigned count;
};

struct loop_worker {
  struct loop_bell *finished_bell;
  pthread_t thread;
  bool started; // loop thread only
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  // Under the mutex:
  struct task_queue waiting, finished;
  bool stopping;
};

static void queue_push(struct task_queue *queue, struct task *task) {
  task->next = NULL;
  if (queue->last != NULL) {
    queue->last->next = task;
  } else {
    queue->first = task;
  }
  queue->last = task;
  queue->count++;
}

static struct task *queue_pop(struct task_queue *queue) {
  struct task *task = queue->first;
  if (task == NULL) return NULL;
  queue->first = task->next;
  if (queue->first == NULL) queue->last = NULL;
  queue->count--;
  return task;
}

static void queue_drop(struct task_queue *queue) {
  for (struct task *task = queue_pop(queue); task != NULL; task = queue_pop(queue)) free(task);
}

static void *worker_main(void *ctx) {
  struct loop_worker *worker = ctx;
  pthread_mutex_lock(&worker->mutex);
  for (;;) {
    struct task *task = NULL;
    while (!worker->stopping && (task = queue_pop(&worker->waiting)) == NULL) {
      pthread_cond_wait(&worker->changed, &worker->mutex);
    }
    if (task == NULL) break;
    pthread_mutex_unlock(&worker->mutex);
    task->work(task->ctx);
    pthread_mutex_lock(&worker->mutex);
    queue_push(&worker->finished, task);
    loop_bell_ring(worker->finished_bell);
  }
  pthread_mutex_unlock(&worker->mutex);
  return NULL;
}

static void on_finished(void *ctx) {
  struct loop_worker *worker = ctx;
  pthread_mutex_lock(&worker->mutex);
  struct task_queue finished = worker->finished;
  worker->finished = (struct task_queue){0};
  pthread_mutex_unlock(&worker->mutex);
  for (struct task *task = queue_pop(&finished); task != NULL; task = queue_pop(&finished)) {
    task->done(task->ctx);
    free(task);
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
    struct task *task = mem_alloc(sizeof *task);
    *task = (struct task){.work = work, .done = done, .ctx = ctx};
    queue_push(&worker->waiting, task);
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
