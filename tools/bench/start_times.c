// SPDX-License-Identifier: Apache-2.0
// How long a program takes from being started to having ended: median and 95th percentile of COUNT starts, its output
// thrown away. One that fails is not measured, since a failure is usually quick.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 100000 };

__attribute__((noreturn)) static void fail(const char *doing) {
  fprintf(stderr, "start_times: %s\n", doing);
  exit(EXIT_FAILURE);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double start_once(const posix_spawn_file_actions_t *silence, char **command) {
  pid_t pid;
  int status;
  double begin_us = now_us();
  if (posix_spawn(&pid, command[0], silence, NULL, command, environ) != 0) fail(command[0]);
  if (waitpid(pid, &status, 0) != pid) fail("waitpid");
  double took_us = now_us() - begin_us;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("the program failed; run it by hand to see why");
  return took_us;
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  char *end = NULL;
  long count = argc >= 3 ? strtol(argv[1], &end, 10) : -1;
  if (count < 1 || count > COUNT_MAX || *end) {
    fprintf(stderr, "usage: start_times COUNT PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  double *took_us = calloc((size_t)count, sizeof *took_us);
  posix_spawn_file_actions_t silence;
  if (!took_us || posix_spawn_file_actions_init(&silence) != 0 ||
      posix_spawn_file_actions_addopen(&silence, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0)
    fail("no memory");
  for (long i = 0; i < count; i++) took_us[i] = start_once(&silence, argv + 2);
  qsort(took_us, (size_t)count, sizeof *took_us, by_size);
  printf("median_us=%.1f p95_us=%.1f\n", took_us[count / 2], took_us[count * 95 / 100]);
  free(took_us);
  return EXIT_SUCCESS;
}
