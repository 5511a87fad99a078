// SPDX-License-Identifier: Apache-2.0
// What this disk asks for making something durable: appending one page to a file and fdatasync(2), as a commit to a
// write-ahead log does. Without this figure no number of commits per second says anything.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, COUNT_MAX = 100000 };

__attribute__((noreturn)) static void fail(const char *doing) {
  perror(doing);
  exit(EXIT_FAILURE);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  char *end = NULL;
  long count = argc == 3 ? strtol(argv[2], &end, 10) : -1;
  if (count < 1 || count > COUNT_MAX || *end) {
    fprintf(stderr, "usage: sync_times NEW_FILE COUNT\n");
    return 2;
  }
  static const char page[PAGE_BYTES] = "x";
  double *took_us = calloc((size_t)count, sizeof *took_us);
  int fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!took_us || fd < 0) fail(argv[1]);
  for (long i = 0; i < count; i++) {
    double begin_us = now_us();
    if (write(fd, page, sizeof page) != (ssize_t)sizeof page || fdatasync(fd) != 0) fail("fdatasync");
    took_us[i] = now_us() - begin_us;
  }
  close(fd);
  unlink(argv[1]);
  qsort(took_us, (size_t)count, sizeof *took_us, by_size);
  printf("median_us=%.1f p95_us=%.1f\n", took_us[count / 2], took_us[count * 95 / 100]);
  free(took_us);
  return EXIT_SUCCESS;
}
