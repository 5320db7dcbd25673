/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what the requests of the control socket do.  Main thread.
 */
#ifndef CTRACE_DAEMON_SERVICE_H
#define CTRACE_DAEMON_SERVICE_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/config.h"
#include "daemon/control.h"
#include "daemon/drain.h"
#include "daemon/incident.h"
#include "daemon/jobs.h"
#include "daemon/watchpoint.h"
#include "daemon/worker.h"

struct service {
	const struct config *config;
	const char *trace;
	struct control *control;
	struct probe *probe;
	struct worker *worker;
	struct drain *drain;
	struct jobs *jobs; /* NULL: no framework reports */
	struct watchpoints *watchpoints;
	struct incidents *incidents; /* NULL: no snapshots of hangs */
};

/* For control_options.request; arg: the struct service. */
void service_request(void *arg, uint64_t client, const char *cmd, json_t *body, int fd);
/* For control_options.gone: ends what the client had going. */
void service_gone(void *arg, uint64_t client);

#endif
