/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timearg.h - times and durations as people write them.
 *
 * A time is one of
 *	mono:NS  boot:NS  real:NS	nanoseconds of that clock
 *	14:03  14:03:12  14:03:12.5	local wall clock; the day is that of the trace
 *	2026-01-31T14:03:12.5+01:00	ISO 8601; Z, an offset, or local time; a blank instead of T will do
 *	-30s  -1.5m  -200ms  -0s	before the end of the trace, at most up to the boot
 * A duration is a number with ns, us, ms, s, m, h or d.
 *
 * Pure but for the time zone (TZ).
 */
#ifndef CTRACE_CLI_INPUT_TIMEARG_H
#define CTRACE_CLI_INPUT_TIMEARG_H

#include <stddef.h>
#include <stdint.h>

#include "lib/clock.h"

/* What a time is relative to. For a live command to_ns is now. */
struct timearg_context {
	struct clock_offsets offsets;
	uint64_t from_ns, to_ns; /* boot time */
};

#define TIMEARG_ERR_MAX 160

/*
 * A time as boot nanoseconds: 0, or -EINVAL (cannot be understood), -ERANGE (does not fit, or was before the
 * machine booted); err gets "why; what to do".  A wall clock without a date that fits several days means the
 * latest inside of the context's range, or when there is none the one nearest to it.  That the result is in
 * the range is not checked.
 */
int timearg_parse(const char *s, const struct timearg_context *ctx, uint64_t *ret_ns,
		  char err[TIMEARG_ERR_MAX]);
/* A duration in nanoseconds: 0, -EINVAL, -ERANGE. */
int timearg_duration(const char *s, uint64_t *ret_ns, char err[TIMEARG_ERR_MAX]);

#define TIMEARG_WALL_MAX 48
/* Local wall clock of a boot time with that many digits after the second (0..9): "2026-01-31 14:03:12.345".
 */
const char *timearg_wall(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned digits,
			 char buf[TIMEARG_WALL_MAX]);
/* The same without the day: "12:03:12.345", somewhere in buf. */
const char *timearg_time(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned digits,
			 char buf[TIMEARG_WALL_MAX]);

#endif
