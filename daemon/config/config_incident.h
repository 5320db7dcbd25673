/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_incident.h - the settings of incidents: what the daemon saves after it has noticed a hang. Pure;
 * one thread. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H
#define CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H

#include <stdint.h>

#include "daemon/config/incident_rate.h"

struct config_incident {
	/* before_ns: the time before the hang that the snapshot covers. after_ns: the time from the notice of
	 * the hang to the snapshot. */
	uint64_t before_ns, after_ns;
	uint64_t size_bytes; /* room for all snapshots of hangs together */
	struct incident_rate rate;
};

/* Sets the built-in values. */
void config_incident_defaults(struct config_incident *c);
/* Sets snapshot-before, snapshot-after, snapshot-rate or hangs-size. what: the name as the user wrote it,
 * for err. Returns 0; -ENOENT: key is none of these names; -EINVAL with a sentence in err (CONFIG_ERR_MAX
 * bytes). */
int config_incident_set(struct config_incident *c, const char *key, const char *what, const char *value,
			char *err);

#endif
