/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_incident.h - the settings of what follows when a hang was noticed. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H
#define CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H

#include <stdint.h>

#include "daemon/config/incident_rate.h"

struct config_incident {
	uint64_t before_ns, after_ns; /* of the snapshot */
	uint64_t size_bytes;          /* of all snapshots of hangs */
	struct incident_rate rate;
};

void config_incident_defaults(struct config_incident *c);
/* Sets snapshot-before, snapshot-after, snapshot-rate or hangs-size; what: how the user wrote it.  0, -EINVAL
 * with a sentence in err, or -ENOENT: it is none of them. */
int config_incident_set(struct config_incident *c, const char *key, const char *what, const char *value,
			char *err);

#endif
