/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_incident.h - how much the daemon saves of a reported hang, and how often. Pure. One thread
 * at a time. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H
#define CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/incident_rate.h"

struct config_incident {
	/* The snapshot begins before_ns before the hang, and is taken after_ns after the report. */
	uint64_t before_ns, after_ns;
	uint64_t size_bytes; /* for all snapshots of hangs together */
	struct incident_rate rate;
	bool view; /* make a page of each hang */
};

void config_incident_defaults(struct config_incident *c);
/* key: snapshot-before, snapshot-after, snapshot-rate, hangs-size or view. what: the name as the user
 * wrote it, for err (CONFIG_ERR_MAX bytes). Returns 0, -ENOENT for another key, or -EINVAL. */
int config_incident_set(struct config_incident *c, const char *key, const char *what, const char *value,
			char *err);

#endif
