// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/clock.h"

uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

struct clock_offsets clock_offsets_now(void)
{
	struct clock_offsets best = { 0 };
	uint64_t best_width = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t b0 = clock_ns(CLOCK_BOOTTIME);
		uint64_t m = clock_ns(CLOCK_MONOTONIC);
		uint64_t r = clock_ns(CLOCK_REALTIME);
		uint64_t b1 = clock_ns(CLOCK_BOOTTIME);
		uint64_t mid = b0 + (b1 - b0) / 2;

		if (b1 - b0 < best_width) {
			best_width = b1 - b0;
			/* The two clocks differ only by the time of suspends, and no suspend is as short as
			 * this measurement. */
			best.boot_to_mono_ns = b0 <= m && m <= b1 ? 0 : (int64_t)(m - mid);
			best.boot_to_real_ns = (int64_t)(r - mid);
		}
	}
	return best;
}

void clock_utc(uint64_t real_ns, char buf[CLOCK_UTC_MAX])
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	strftime(buf, CLOCK_UTC_MAX, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
}
