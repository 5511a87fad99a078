// SPDX-License-Identifier: Apache-2.0
// Time as numbers, and the one text form it has. Formatted by hand: every row and every event carries a time.
#include "base/clock.h"

#include <time.h>

static const int64_t NS_PER_S = 1000000000;

static int64_t read_clock(clockid_t which) {
  struct timespec now;
  // Can't fail for these two clocks and a valid address.
  clock_gettime(which, &now);
  return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t system_wall_ns(void *ctx) {
  (void)ctx;
  return read_clock(CLOCK_REALTIME);
}

static int64_t system_mono_ns(void *ctx) {
  (void)ctx;
  return read_clock(CLOCK_MONOTONIC);
}

struct clock clock_system(void) {
  return (struct clock){.wall_ns = system_wall_ns, .mono_ns = system_mono_ns};
}

int64_t clock_wall_ns(const struct clock *clock) {
  return clock->wall_ns(clock->ctx);
}

int64_t clock_mono_ns(const struct clock *clock) {
  return clock->mono_ns(clock->ctx);
}

struct date {
  unsigned year, month, day;
};

// The civil date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Counted from 1 March of year 0,
// so that the leap day is the last of its year; 146097 days are 400 years (Hinnant, "chrono-Compatible Low-Level Date
// Algorithms", civil_from_days).
static struct date date_of(uint64_t days) {
  uint64_t day = days + 719468;
  uint64_t era = day / 146097;
  uint64_t day_of_era = day % 146097;
  uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  uint64_t month_from_march = (5 * day_of_year + 2) / 153;
  struct date date;
  date.day = (unsigned)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month = (unsigned)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = (unsigned)(year_of_era + era * 400 + (date.month <= 2));
  return date;
}

static char *put_digits(char *to, uint64_t value, unsigned digits, char behind) {
  for (unsigned i = digits; i > 0; i--, value /= 10) to[i - 1] = (char)('0' + value % 10);
  to[digits] = behind;
  return to + digits + 1;
}

struct clock_text clock_format(int64_t wall_ns) {
  uint64_t ns = wall_ns > 0 ? (uint64_t)wall_ns : 0;
  uint64_t seconds = ns / (uint64_t)NS_PER_S;
  uint64_t second_of_day = seconds % 86400;
  struct date date = date_of(seconds / 86400);

  struct clock_text text;
  char *to = text.text;
  to = put_digits(to, date.year, 4, '-');
  to = put_digits(to, date.month, 2, '-');
  to = put_digits(to, date.day, 2, 'T');
  to = put_digits(to, second_of_day / 3600, 2, ':');
  to = put_digits(to, second_of_day / 60 % 60, 2, ':');
  to = put_digits(to, second_of_day % 60, 2, '.');
  to = put_digits(to, ns % (uint64_t)NS_PER_S, 9, 'Z');
  *to = '\0';
  return text;
}
