// SPDX-License-Identifier: Apache-2.0
// The listening socket. Made here and handed to libmicrohttpd, which on its own could only say that it did not start,
// not that the port is taken.
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"

enum { BACKLOG = 1024 };

struct host_port {
  char host[256];
  char port[6];
};

static bool set_unreadable(const char *listen_on, struct err *err) {
  return err_set(err, ERR_BAD_REQUEST,
                 "'%s' is not a listening address; one looks like 127.0.0.1:8440, [::1]:8440 or localhost:8440",
                 listen_on);
}

static bool split(const char *listen_on, struct host_port *ret_split, struct err *err) {
  const char *colon = strrchr(listen_on, ':');
  if (colon == NULL) return set_unreadable(listen_on, err);
  int64_t port = 0;
  struct str digits = str_c(colon + 1);
  if (digits.len > 5 || !str_int(digits, &port) || port < 0 || port > 65535) return set_unreadable(listen_on, err);

  struct str host = {listen_on, (size_t)(colon - listen_on)};
  bool bracketed = host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']';
  if (bracketed) host = (struct str){host.data + 1, host.len - 2};
  bool has_colon = host.len > 0 && memchr(host.data, ':', host.len) != NULL;
  if (host.len == 0 || host.len >= sizeof ret_split->host || bracketed != has_colon)
    return set_unreadable(listen_on, err);

  memcpy(ret_split->host, host.data, host.len);
  ret_split->host[host.len] = '\0';
  memcpy(ret_split->port, digits.data, digits.len + 1);
  return true;
}

static bool set_unbound(const char *listen_on, int sys_errno, struct err *err) {
  switch (sys_errno) {
  case EADDRINUSE:
    return err_set(err, ERR_UNAVAILABLE, "%s is in use by another program; stop it or listen on another port",
                   listen_on);
  case EACCES:
    return err_set(err, ERR_UNAVAILABLE, "not allowed to listen on %s; choose a port from 1024 up", listen_on);
  case EADDRNOTAVAIL:
    return err_set(err, ERR_UNAVAILABLE, "%s is not an address of this machine; listen on one that is", listen_on);
  default: return err_set_sys(err, ERR_UNAVAILABLE, sys_errno, "can't listen on %s", listen_on);
  }
}

// -1 with errno on failure.
static int open_one(const struct addrinfo *info) {
  int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  // A restart must not wait for the old connections' TIME_WAIT.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
  int saved = errno;
  close(fd);
  errno = saved;
  return -1;
}

// IPv4 first: "localhost" has both, and most clients of a name given without thought try 127.0.0.1.
static int open_any(const struct addrinfo *infos) {
  static const int FAMILIES[] = {AF_INET, AF_INET6};
  errno = EADDRNOTAVAIL;
  for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++) {
    for (const struct addrinfo *info = infos; info != NULL; info = info->ai_next) {
      if (info->ai_family != FAMILIES[i]) continue;
      int fd = open_one(info);
      if (fd >= 0 || errno == EADDRINUSE) return fd;
    }
  }
  return -1;
}

static bool write_address(int fd, char ret_address[LISTEN_ADDRESS_MAX]) {
  struct sockaddr_storage address = {0};
  socklen_t len = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &len) != 0) return false;
  char host[INET6_ADDRSTRLEN];
  if (address.ss_family == AF_INET6) {
    struct sockaddr_in6 in6;
    memcpy(&in6, &address, sizeof in6);
    if (inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host) == NULL) return false;
    snprintf(ret_address, LISTEN_ADDRESS_MAX, "[%s]:%u", host, (unsigned)ntohs(in6.sin6_port));
    return true;
  }
  struct sockaddr_in in;
  memcpy(&in, &address, sizeof in);
  if (inet_ntop(AF_INET, &in.sin_addr, host, sizeof host) == NULL) return false;
  snprintf(ret_address, LISTEN_ADDRESS_MAX, "%s:%u", host, (unsigned)ntohs(in.sin_port));
  return true;
}

bool listen_open(const char *listen_on, int *ret_fd, char ret_address[LISTEN_ADDRESS_MAX], struct err *err) {
  struct host_port parts;
  if (!split(listen_on, &parts, err)) return false;

  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *infos = NULL;
  int failed = getaddrinfo(parts.host, parts.port, &hints, &infos);
  if (failed != 0) {
    return err_set(err, ERR_BAD_REQUEST, "can't find the address of '%s' to listen on: %s", parts.host,
                   gai_strerror(failed));
  }
  int fd = open_any(infos);
  int saved = errno;
  freeaddrinfo(infos);
  if (fd < 0) return set_unbound(listen_on, saved, err);
  if (!write_address(fd, ret_address)) {
    saved = errno;
    close(fd);
    return set_unbound(listen_on, saved, err);
  }
  *ret_fd = fd;
  return true;
}
