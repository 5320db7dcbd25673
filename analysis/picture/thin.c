// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/thin.h"

/* With exactly `max` groups, the mean length of a group would be the total length / max. thin_finest()
 * first tries this mean length / THIN_FIRST. */
#define THIN_FIRST 64

size_t thin_group(thin_length_fn length, const void *arg, size_t n, size_t i, uint64_t finest_ns)
{
	uint64_t ns = length(arg, i), sum = ns;

	if (ns >= finest_ns)
		return i + 1;
	while (++i < n && sum < finest_ns) {
		ns = length(arg, i);
		if (ns >= finest_ns)
			break;
		sum += ns;
	}
	return i;
}

static size_t groups(thin_length_fn length, const void *arg, size_t n, uint64_t finest_ns, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < n && count <= max; count++)
		i = thin_group(length, arg, n, i, finest_ns);
	return count;
}

uint64_t thin_finest(thin_length_fn length, const void *arg, size_t n, size_t max)
{
	uint64_t total = 0, finest;

	if (n <= max)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = length(arg, i);

		total += ns == THIN_KEEP ? 0 : ns;
	}
	finest = total / (max ? max : 1) / THIN_FIRST + 1;
	while (finest <= total && groups(length, arg, n, finest, max) > max)
		finest *= 2;
	return finest;
}
