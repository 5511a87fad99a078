// SPDX-License-Identifier: Apache-2.0
// The engine in Prometheus' text format. All values are read when they are asked for; nothing is counted here.
#include "api/metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"

static int64_t resident_bytes(void) {
  AUTO(buf_done) struct buf statm = {0};
  struct err err = {0};
  if (!file_read("/proc/self/statm", 256, &statm, &err)) return -1;
  struct str rest = buf_str(&statm);
  int64_t pages;
  str_cut(&rest, ' '); // the size of the address space
  return str_int(str_cut(&rest, ' '), &pages) ? pages * sysconf(_SC_PAGESIZE) : -1;
}

static int64_t open_fds(void) {
  DIR *dir = opendir("/proc/self/fd");
  if (!dir) return -1;
  int64_t count = -1; // the directory's own
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
    if (entry->d_name[0] != '.') count++;
  closedir(dir);
  return count;
}

static int64_t max_fds(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT64_MAX) return -1;
  return (int64_t)limit.rlim_cur;
}

void metrics_process(struct metrics *metrics) {
  metrics->resident_bytes = resident_bytes();
  metrics->open_fds = open_fds();
  metrics->max_fds = max_fds();
}

static void write_head(struct buf *out, const char *name, const char *type, const char *help) {
  buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_counter(struct buf *out, const char *name, const char *help, uint64_t value) {
  write_head(out, name, "counter", help);
  buf_addf(out, "%s %" PRIu64 "\n", name, value);
}

static void write_gauge(struct buf *out, const char *name, const char *help, int64_t value) {
  if (value < 0) return;
  write_head(out, name, "gauge", help);
  buf_addf(out, "%s %" PRId64 "\n", name, value);
}

static void write_build(const struct metrics *metrics, struct buf *out) {
  static const char name[] = "olivares_build_info";
  write_head(out, name, "gauge", "What this engine is; always 1.");
  buf_addf(out, "%s{version=\"%s\",schema_version=\"%d\"} 1\n", name, metrics->version, metrics->schema_version);
}

void metrics_write(const struct metrics *metrics, struct buf *out) {
  const struct http_server_stats *http = &metrics->http;
  const struct store_stats *store = &metrics->store;
  write_build(metrics, out);
  write_counter(out, "olivares_http_requests_total", "Requests received.", http->requests);
  write_gauge(out, "olivares_http_connections", "Connections that are open.", http->connections);
  write_gauge(out, "olivares_http_exchanges", "Requests whose answer was not sent yet.", http->exchanges);
  write_gauge(out, "olivares_api_calls", "Calls that a handler has not answered yet.", metrics->calls);
  write_gauge(out, "olivares_sandbox_executions", "Runs under way.", (int64_t)metrics->executions);
  write_counter(out, "olivares_store_commits_total", "Transactions committed.", store->commits);
  write_counter(out, "olivares_store_ops_total", "Mutations that were tried, failed ones included.", store->ops);
  write_counter(out, "olivares_store_ops_failed_total", "Mutations undone.", store->ops_failed);
  write_gauge(out, "olivares_store_queue", "Mutations that wait for the writer.", (int64_t)store->queue_len);
  write_gauge(out, "olivares_store_database_bytes", "Size of the database file.", store->database_bytes);
  write_gauge(out, "olivares_store_wal_bytes", "Size of the write-ahead log.", store->wal_bytes);
  write_gauge(out, "process_resident_memory_bytes", "Resident memory.", metrics->resident_bytes);
  write_gauge(out, "process_open_fds", "File descriptors that are open.", metrics->open_fds);
  write_gauge(out, "process_max_fds", "File descriptors that may be open.", metrics->max_fds);
}
