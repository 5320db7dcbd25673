/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_incident.h - the settings of incidents: how much the daemon saves of a reported hang, and
 * how often. Pure. Only one thread at a time. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H
#define CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H

#include <stdint.h>

#include "daemon/config/incident_rate.h"

struct config_incident {
	/* before_ns: how long before the beginning of the hang the snapshot begins. after_ns: how
	 * long after the report of the hang the snapshot is taken. */
	uint64_t before_ns, after_ns;
	uint64_t size_bytes; /* room on the disk for all snapshots of hangs together */
	struct incident_rate rate;
};

/* Sets the built-in values. */
void config_incident_defaults(struct config_incident *c);
/* Sets snapshot-before, snapshot-after, snapshot-rate or hangs-size. what: the name as the user
 * wrote it, for err (CONFIG_ERR_MAX bytes). Returns 0, -ENOENT if key is none of these names, or
 * -EINVAL with a sentence in err. */
int config_incident_set(struct config_incident *c, const char *key, const char *what, const char *value,
			char *err);

#endif
