// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/config_incident.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/config/config_value.h"
#include "lib/clock.h"

#define INCIDENT_TIME_MAX (600 * NSEC_PER_SEC)
#define INCIDENT_SIZE_MIN (16ULL << 20)

void config_incident_defaults(struct config_incident *c)
{
	c->before_ns = 30 * NSEC_PER_SEC;
	c->after_ns = 5 * NSEC_PER_SEC;
	c->size_bytes = 1ULL << 30;
	c->rate = (struct incident_rate){ .v = { { .n = 1, .per_ns = 60 * NSEC_PER_SEC },
						 { .n = 10, .per_ns = 3600 * NSEC_PER_SEC } },
					  .n = 2 };
}

static int incident_time(uint64_t *dst, const char *what, const char *value, char *err)
{
	uint64_t v;

	if (config_value_time(value, &v) || v > INCIDENT_TIME_MAX) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a time up to 10min; give for example 5s or 2min.", what,
			 value);
		return -EINVAL;
	}
	*dst = v;
	return 0;
}

int config_incident_set(struct config_incident *c, const char *key, const char *what, const char *value,
			char *err)
{
	uint64_t v;

	if (!strcmp(key, "snapshot-before"))
		return incident_time(&c->before_ns, what, value, err);
	if (!strcmp(key, "snapshot-after"))
		return incident_time(&c->after_ns, what, value, err);
	if (!strcmp(key, "snapshot-rate")) {
		if (!incident_rate_parse(value, &c->rate))
			return 0;
		snprintf(
			err, CONFIG_ERR_MAX,
			"%s: \"%.60s\" is neither no nor one to four limits (1 to 100 per s, min, h or day); give for example 1/min, 10/h.",
			what, value);
		return -EINVAL;
	}
	if (!strcmp(key, "view"))
		return config_value_yes_no(what, value, &c->view, err);
	if (strcmp(key, "hangs-size") != 0)
		return -ENOENT;
	if (config_value_size(value, &v) || v < INCIDENT_SIZE_MIN || v > CONFIG_SIZE_MAX) {
		snprintf(err, CONFIG_ERR_MAX,
			 "%s: \"%.40s\" is not a size from 16M to 1T; give for example 512M or 1G.", what,
			 value);
		return -EINVAL;
	}
	c->size_bytes = v;
	return 0;
}
