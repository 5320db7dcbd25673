// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/walltime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t real_ns(uint64_t boot_ns, const struct clock_offsets *offsets)
{
	int64_t real = clock_real_ns(boot_ns, offsets);

	/* The offsets come from a file and may be wrong. */
	return real < 0 || real == INT64_MAX ? 0 : real;
}

const char *walltime_text(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned n_digits,
			  char buf[WALLTIME_MAX])
{
	int64_t ns = real_ns(boot_ns, offsets);
	time_t sec = (time_t)(ns / (int64_t)NSEC_PER_SEC);
	unsigned frac = (unsigned)(ns % (int64_t)NSEC_PER_SEC);
	struct tm tm;
	size_t n;

	localtime_r(&sec, &tm);
	n = strftime(buf, WALLTIME_MAX, "%Y-%m-%d %H:%M:%S", &tm);
	if (n_digits > 9)
		n_digits = 9;
	for (unsigned i = n_digits; i < 9; i++)
		frac /= 10;
	if (n_digits)
		snprintf(buf + n, WALLTIME_MAX - n, ".%0*u", (int)n_digits, frac);
	return buf;
}

const char *walltime_clock(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned n_digits,
			   char buf[WALLTIME_MAX])
{
	return walltime_text(boot_ns, offsets, n_digits, buf) + sizeof("2026-01-31");
}

const char *walltime_zone(uint64_t boot_ns, const struct clock_offsets *offsets, char buf[WALLTIME_ZONE_MAX])
{
	time_t sec = (time_t)(real_ns(boot_ns, offsets) / (int64_t)NSEC_PER_SEC);
	struct tm tm;
	long minutes;

	localtime_r(&sec, &tm);
	minutes = labs(tm.tm_gmtoff) / 60;
	snprintf(buf, WALLTIME_ZONE_MAX, "%c%02u:%02u", tm.tm_gmtoff < 0 ? '-' : '+',
		 (unsigned)(minutes / 60) % 100, (unsigned)(minutes % 60));
	return buf;
}

const char *walltime_iso(uint64_t boot_ns, const struct clock_offsets *offsets, unsigned n_digits,
			 char buf[WALLTIME_MAX])
{
	size_t n;

	walltime_text(boot_ns, offsets, n_digits, buf);
	buf[sizeof("2026-01-31") - 1] = 'T';
	n = strlen(buf);
	if (n + WALLTIME_ZONE_MAX <= WALLTIME_MAX)
		walltime_zone(boot_ns, offsets, buf + n);
	return buf;
}
