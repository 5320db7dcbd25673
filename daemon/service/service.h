/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - data and functions that the handlers of requests from the control socket share. Main
 * thread only.
 *
 * Two workers do everything that may take long, or that touches a descriptor of a client: `clients`
 * runs requests, and `closer` closes descriptors. So a file system that does not answer holds up
 * neither the event loop nor the snapshots of hangs.
 */
#ifndef CTRACE_DAEMON_SERVICE_SERVICE_H
#define CTRACE_DAEMON_SERVICE_SERVICE_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/config/config.h"
#include "daemon/control/control.h"
#include "daemon/capture/drain.h"
#include "daemon/incident/incident.h"
#include "daemon/jobs/jobs.h"
#include "daemon/record/marks.h"
#include "daemon/service/watchpoint.h"
#include "daemon/worker.h"

#define SERVICE_TOO_MUCH "The daemon has too much to do at the moment; try again in a second."
#define SERVICE_STUCK                                                                                        \
	"The daemon did not come to an end of this within 10 s, and gave it up; try again, and see its log."

struct service {
	const struct config *config;
	const char *trace;
	struct control *control;
	struct probe *probe;
	struct worker *worker;
	struct worker *clients;
	struct worker *closer;
	struct drain *drain;
	struct jobs *jobs; /* NULL: frameworks report no jobs */
	struct watchpoints *watchpoints;
	struct marks marks;
	struct incidents *incidents; /* NULL: no snapshots of hangs */
};

void service_gone(void *arg, uint64_t client);
/* For control_options.dispose. Hands a client's descriptor to the worker `closer`. */
void service_dispose(void *arg, uid_t uid, int fd);
/* For control_options.choked. Returns true if so many descriptors wait to be closed that the daemon
 * should take no more. */
bool service_choked(void *arg);

int service_start(struct service *s, sd_event *event);
/* Gives a copy of job to the clients' worker, with client, uid and owner filled in. Returns 0, or
 * -errno: the job was dropped, and the client got an answer. */
int service_post(struct service *s, uint64_t client, const struct worker_job *job);

#endif
