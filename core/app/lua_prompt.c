// SPDX-License-Identifier: Apache-2.0
// A password prompt. The terminal must never be left without echo: the signals a person can cause from the keyboard are
// read as data while the prompt is open, and raised again once the terminal is as it was.
#include "app/lua_prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"

/// One read of the terminal, which gives a line at a time: 1 more to come, 0 the line is complete, -1 the input ended.
static int read_piece(int tty, struct buf *line) {
  char bytes[512];
  ssize_t got = read(tty, bytes, sizeof bytes);
  if (got <= 0) return got < 0 && errno == EINTR ? 1 : -1;
  bool complete = bytes[got - 1] == '\n';
  buf_add(line, bytes, (size_t)got - complete);
  return complete ? 0 : 1;
}

/// Waits for the line or for a signal, whose number it returns; 0 when the line is there, -1 when it never will be.
static int read_line(int tty, int signals, struct buf *line) {
  for (;;) {
    struct pollfd fds[] = {{.fd = tty, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    struct signalfd_siginfo info;
    if (fds[1].revents && read(signals, &info, sizeof info) == (ssize_t)sizeof info) return (int)info.ssi_signo;
    if (!fds[0].revents) continue;
    int more = read_piece(tty, line);
    if (more <= 0) return more;
  }
}

static int ask(int tty, const char *prompt, struct buf *line) {
  struct termios before;
  if (tcgetattr(tty, &before) < 0) return -1;
  sigset_t keyboard, mask;
  sigemptyset(&keyboard);
  sigaddset(&keyboard, SIGINT);
  sigaddset(&keyboard, SIGQUIT);
  sigaddset(&keyboard, SIGTERM);
  sigaddset(&keyboard, SIGHUP);
  sigaddset(&keyboard, SIGTSTP);
  sigprocmask(SIG_BLOCK, &keyboard, &mask);
  AUTO(fd_close) int signals = signalfd(-1, &keyboard, SFD_CLOEXEC);

  struct termios silent = before;
  silent.c_lflag &= ~(tcflag_t)ECHO;
  silent.c_lflag |= ECHONL;
  int result = -1;
  if (signals >= 0 && tcsetattr(tty, TCSAFLUSH, &silent) == 0) {
    if (write(tty, prompt, strlen(prompt)) >= 0) result = read_line(tty, signals, line);
    tcsetattr(tty, TCSAFLUSH, &before);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return result;
}

bool prompt_secret(const char *prompt, struct buf *line, struct err *err) {
  AUTO(fd_close) int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (tty < 0) return err_set_sys(err, ERR_BAD_REQUEST, errno, "There is no terminal to ask at");
  int result = ask(tty, prompt, line);
  if (result > 0) {
    raise(result);
    return err_set(err, ERR_BAD_REQUEST, "The prompt was interrupted.");
  }
  if (result < 0) return err_set(err, ERR_BAD_REQUEST, "The terminal gave no line.");
  if (line->over) return err_set(err, ERR_BAD_REQUEST, "The line is longer than %zu bytes.", line->cap_bytes);
  return true;
}
