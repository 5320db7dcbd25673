// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/config_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

int config_value_number(const char *s, double *ret, const char **ret_unit)
{
	char *end;

	if (*s < '0' || *s > '9' || s[strspn(s, "0123456789.")] == 'x')
		return -EINVAL;
	errno = 0;
	*ret = strtod(s, &end);
	if (errno)
		return -EINVAL;
	while (*end == ' ')
		end++;
	*ret_unit = end;
	return 0;
}

int config_value_size(const char *s, uint64_t *ret_bytes)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} units[] = { { "", 0 },     { "B", 0 },  { "K", 10 },   { "KiB", 10 }, { "M", 20 },
		      { "MiB", 20 }, { "G", 30 }, { "GiB", 30 }, { "T", 40 },   { "TiB", 40 } };
	const char *unit;
	double v;

	if (config_value_number(s, &v, &unit))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		v *= (double)(1ULL << units[i].shift);
		if (v >= 9e18)
			return -EINVAL;
		*ret_bytes = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}

int config_value_time(const char *s, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 },           { "us", NSEC_PER_USEC },    { "ms", NSEC_PER_MSEC },
		      { "s", NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "min", 60 * NSEC_PER_SEC } };
	const char *unit;
	double v;

	if (config_value_number(s, &v, &unit))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		v *= (double)units[i].ns;
		if (v >= 9e18)
			return -EINVAL;
		*ret_ns = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}
