/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the clocks of a trace, in nanoseconds. Inside ctrace, time is CLOCK_BOOTTIME. People
 * and other tools use CLOCK_MONOTONIC and the wall clock.
 *
 * Any thread may call these functions. They do not set a clock and do not wait.
 */
#ifndef CTRACE_LIB_CLOCK_H
#define CTRACE_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "lib/checked.h"

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC  1000000000ULL

/* A boot time plus boot_to_mono_ns is a time of CLOCK_MONOTONIC. A boot time plus boot_to_real_ns is a wall
 * clock time. */
struct clock_offsets {
	int64_t boot_to_mono_ns;
	int64_t boot_to_real_ns;
};

/*
 * clock_mono_ns() turns a boot time into a time of CLOCK_MONOTONIC, clock_real_ns() into a wall
 * clock time. The boot time and the offset may come from a file, so their sum may be too large. The
 * result is then INT64_MAX.
 */
static inline int64_t clock_mono_ns(uint64_t boot_ns, const struct clock_offsets *o)
{
	return checked_shift(boot_ns, o->boot_to_mono_ns);
}
static inline int64_t clock_real_ns(uint64_t boot_ns, const struct clock_offsets *o)
{
	return checked_shift(boot_ns, o->boot_to_real_ns);
}

/* The present time of any clock of clock_gettime(2), also of a CPU-time clock. */
uint64_t clock_ns(clockid_t id);
/* The present boot time. */
uint64_t clock_boot_ns(void);
/* Measures the present offsets. Reads the clocks several times, and uses the reading that took the
 * shortest time, because it is the most exact one. */
struct clock_offsets clock_offsets_now(void);

#define CLOCK_UTC_MAX 32
/* Writes a wall clock time (nanoseconds since 1970) as "2026-01-31T14:03:12Z", rounded down to
 * seconds. */
void clock_utc(uint64_t real_ns, char buf[CLOCK_UTC_MAX]);

#endif
