// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/config_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

#define VALUE_MAX 9e18 /* so that all values fit into 63 bits */

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

struct unit {
	const char *name;
	uint64_t factor;
};

static int in_units(const char *s, const struct unit *units, size_t n, uint64_t *ret)
{
	const char *name;
	double v;

	if (config_value_number(s, &v, &name))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(name, units[i].name))
			continue;
		v *= (double)units[i].factor;
		if (v >= VALUE_MAX)
			return -EINVAL;
		*ret = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}

int config_value_size(const char *s, uint64_t *ret_bytes)
{
	static const struct unit units[] = { { "", 1 },           { "B", 1 },
					     { "K", 1ULL << 10 }, { "KiB", 1ULL << 10 },
					     { "M", 1ULL << 20 }, { "MiB", 1ULL << 20 },
					     { "G", 1ULL << 30 }, { "GiB", 1ULL << 30 },
					     { "T", 1ULL << 40 }, { "TiB", 1ULL << 40 } };

	return in_units(s, units, ARRAY_SIZE(units), ret_bytes);
}

int config_value_time(const char *s, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },           { "us", NSEC_PER_USEC },    { "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "min", 60 * NSEC_PER_SEC }
	};

	return in_units(s, units, ARRAY_SIZE(units), ret_ns);
}

int config_value_yes_no(const char *what, const char *value, bool *ret, char *err)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) {
		snprintf(err, CONFIG_ERR_MAX, "%s: \"%.40s\" is neither yes nor no.", what, value);
		return -EINVAL;
	}
	*ret = !strcmp(value, "yes");
	return 0;
}
