// SPDX-License-Identifier: Apache-2.0
// Which backends stand behind the runner port, in the order in which they are shown.
#include "app/backends.h"

#include "runners/absent/absent.h"
#include "runners/inproc/inproc.h"

void backends_init(struct backends *backends, struct loop *loop) {
  *backends = (struct backends){{
      inproc_new(loop),
      absent_new("lua-guest", "process", "Lua guests"),
      absent_new("process", "process, shared kernel", "the process runner"),
      absent_new("gvisor", "user-space kernel", "the gVisor runner"),
      absent_new("qemu-microvm", "own kernel", "the QEMU microvm runner"),
      absent_new("firecracker", "hardware virtualisation", "the Firecracker runner"),
  }};
}

void backends_done(struct backends *backends) {
  inproc_free(backends->runners[0]);
  for (size_t i = 1; i < BACKENDS_COUNT; i++) absent_free(backends->runners[i]);
  *backends = (struct backends){0};
}
