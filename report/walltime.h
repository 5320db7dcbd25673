/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walltime.h - a boot time as wall clock, in the local time zone (TZ). Any thread, after tzset(). */
#ifndef CTRACE_REPORT_WALLTIME_H
#define CTRACE_REPORT_WALLTIME_H

#include <stdint.h>

#include "lib/clock.h"

#define WALLTIME_MAX 48
/* Writes a boot time as local wall clock, such as "2026-01-31 14:03:12.345". digits: how
 * many follow the second, 0 to 9. Returns buf. */
const char *walltime_text(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned digits,
			  char buf[WALLTIME_MAX]);
/* As walltime_text(), without the day: "14:03:12.345". Returns a pointer into buf. */
const char *walltime_clock(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned digits,
			   char buf[WALLTIME_MAX]);

#define WALLTIME_ZONE_MAX 8
/* Writes the offset of the local time from UTC at a boot time, such as "+01:00". Returns buf. */
const char *walltime_zone(uint64_t boot_ns, const struct clock_offsets *offsets, char buf[WALLTIME_ZONE_MAX]);
/* As walltime_text(), in the form that timearg_parse() reads in any time zone:
 * "2026-01-31T14:03:12.345+01:00". */
const char *walltime_iso(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned digits,
			 char buf[WALLTIME_MAX]);

#endif
