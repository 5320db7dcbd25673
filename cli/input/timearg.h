/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timearg.h - times and durations as people write them.
 *
 * A time is one of
 *   mono:NS  boot:NS  real:NS       nanoseconds of that clock
 *   14:03  14:03:12  14:03:12.5     local wall clock; the day: see timearg_parse()
 *   2026-01-31T14:03:12.5+01:00     ISO 8601; Z, an offset, or local time; T may be a blank
 *   -30s  -1.5m  -200ms  -0s        before the end of the trace, at most back to the boot
 * A duration is a number with one of the units ns, us, ms, s, m, min, h and d.
 *
 * Pure, except for the time zone (TZ). One thread.
 */
#ifndef CTRACE_CLI_INPUT_TIMEARG_H
#define CTRACE_CLI_INPUT_TIMEARG_H

#include <stddef.h>
#include <stdint.h>

#include "lib/clock.h"

/* In a command without a trace, to_ns is the present time. */
struct timearg_context {
	struct clock_offsets offsets;
	uint64_t from_ns, to_ns; /* boot time */
};

/* The time of --at. Without --at, to_ns is 0. */
struct timearg_moment {
	uint64_t from_ns, to_ns; /* boot time */
};

#define TIMEARG_ERR_MAX 160

/*
 * Reads a time as boot time in nanoseconds. A wall clock time without a date is the latest such
 * time in the range of ctx. If there is none, *ret_ns is outside of the range, so the caller has to
 * check. Returns 0, -EINVAL, or -ERANGE if the time is too large or before the boot. On failure err
 * has "why; what to do".
 */
int timearg_parse(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns,
		  char err[TIMEARG_ERR_MAX]);
/* Returns how long the moment is that the text of a time means, in ns: "14:03" is a minute, "14:03:12" and
 * "-30s" are a second. A time with a fraction, or in nanoseconds, is a moment of 1 ns. */
uint64_t timearg_length_ns(const char *s);
/* Reads a duration in nanoseconds. Return values and err: as timearg_parse(). */
int timearg_duration(const char *s, uint64_t *ret_ns, char err[TIMEARG_ERR_MAX]);

#endif
