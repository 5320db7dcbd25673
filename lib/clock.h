/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the clocks of a trace, in nanoseconds. Inside ctrace, time is CLOCK_BOOTTIME. People
 * and other tools use CLOCK_MONOTONIC and the wall clock. Any thread.
 */
#ifndef CTRACE_LIB_CLOCK_H
#define CTRACE_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "lib/checked.h"

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC  1000000000ULL

struct clock_offsets {
	int64_t boot_to_mono_ns;
	int64_t boot_to_real_ns;
};

/* The numbers may come from a file. If the sum is too large, the result is INT64_MAX. */
static inline int64_t clock_mono_ns(uint64_t boot_ns, const struct clock_offsets *o)
{
	return checked_shift(boot_ns, o->boot_to_mono_ns);
}
static inline int64_t clock_real_ns(uint64_t boot_ns, const struct clock_offsets *o)
{
	return checked_shift(boot_ns, o->boot_to_real_ns);
}

uint64_t clock_ns(clockid_t id);
uint64_t clock_boot_ns(void);
struct clock_offsets clock_offsets_now(void);

#define CLOCK_UTC_MAX 32
/* Writes a time in nanoseconds since 1970 as "2026-01-31T14:03:12Z", rounded down to a second. */
void clock_utc(uint64_t real_ns, char buf[CLOCK_UTC_MAX]);

#endif
