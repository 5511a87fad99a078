// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

// The writer thread and its queue. Loop thread only, except where it says otherwise.

struct writer;

struct writer *writer_new(const char *path, struct loop *loop); ///< writes and opens nothing yet
void writer_free(struct writer *writer);                        ///< drains, joins; accepts NULL
void writer_submit(struct writer *writer, struct store_op *op);
bool writer_idle(const struct writer *writer);
/// Another number as soon as the `done` of something committed is about to run.
uint64_t writer_version(const struct writer *writer);
void writer_stats(struct writer *writer, struct store_stats *ret_stats); ///< any thread; fills the writer's part
bool writer_healthy(struct writer *writer, struct err *ret_why);         ///< any thread
