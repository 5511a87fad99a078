// SPDX-License-Identifier: Apache-2.0
// Argon2id off the loop. While the worker has a piece of work, nothing else touches the call: it is the loop's again
// when `done` runs.
#include "api/passwords.h"

#include <stdio.h>

#include "api/call.h"
#include "api/call_work.h"
#include "base/mem.h"
#include "base/secret.h"

struct password_work {
  struct api_call *call;
  struct str password;
  char hash[SECRET_PASSWORD_HASH_MAX];
  bool ok; // made, or matches
  void (*then_hash)(struct api_call *call, const char *hash);
  void (*then_check)(struct api_call *call, bool matches);
};

static struct password_work *work_new(struct api_call *call, struct str password) {
  struct password_work *work = arena_alloc(call->arena, sizeof *work);
  work->call = call;
  work->password = password;
  return work;
}

static void hash_work(void *ctx) {
  struct password_work *work = ctx;
  work->ok = secret_password_hash(work->password, work->hash, &work->call->err);
}

static void hash_done(void *ctx) {
  struct password_work *work = ctx;
  if (work->ok)
    work->then_hash(work->call, work->hash);
  else
    call_fail(work->call, &work->call->err);
}

void password_hash(struct api_call *call, struct str password, void (*then)(struct api_call *call, const char *hash)) {
  struct password_work *work = work_new(call, password);
  work->then_hash = then;
  call_work(call, hash_work, hash_done, work);
}

static void check_work(void *ctx) {
  struct password_work *work = ctx;
  work->ok = secret_password_matches(work->hash, work->password);
}

static void check_done(void *ctx) {
  struct password_work *work = ctx;
  work->then_check(work->call, work->ok);
}

void password_check_hash(struct api_call *call, const char *hash, struct str password,
                         void (*then)(struct api_call *call, bool matches)) {
  struct password_work *work = work_new(call, password);
  snprintf(work->hash, sizeof work->hash, "%s", hash);
  work->then_check = then;
  call_work(call, check_work, check_done, work);
}
