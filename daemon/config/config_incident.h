/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_incident.h - the settings of what follows when a hang was noticed. */
#ifndef CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H
#define CTRACE_DAEMON_CONFIG_CONFIG_INCIDENT_H

#include "daemon/config/config.h"

void config_incident_defaults(struct config *c);
/* Sets snapshot-before, snapshot-after, snapshot-rate or hangs-size; what: how the user wrote it.  0, -EINVAL
 * with a sentence in err, or -ENOENT: it is none of them. */
int config_incident_set(struct config *c, const char *key, const char *what, const char *value, char *err);

#endif
