/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what the requests of the control socket work with.  Main thread.
 *
 * What may take long is done by the clients' worker, and so is all that touches a descriptor that a client
 * passed: a file system that does not answer must hold up neither the event loop nor the snapshots of hangs.
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
#include "daemon/service/watchpoint.h"
#include "daemon/worker.h"

#define SERVICE_LIMIT_NS  10000000000ULL /* what gets no further for so long is given up */
#define SERVICE_CLOSE_NS  2000000000ULL  /* the same of a descriptor that is to be closed */
#define SERVICE_CLOSE_MAX 512 /* descriptors that wait for that; with half as many no more are received */

#define SERVICE_TOO_MUCH "The daemon has too much to do at the moment; try again in a second."
#define SERVICE_STUCK                                                                                        \
	"The daemon did not come to an end of this within 10 s, and gave it up; try again, and see its log."

struct service {
	const struct config *config;
	const char *trace;
	struct control *control;
	struct probe *probe;
	struct worker *worker;  /* of the daemon itself: nothing of a client's gets into its way */
	struct worker *clients; /* what clients ask for */
	struct worker *closer;  /* closes descriptors that clients passed */
	struct drain *drain;
	struct jobs *jobs; /* NULL: no framework reports */
	struct watchpoints *watchpoints;
	struct incidents *incidents; /* NULL: no snapshots of hangs */
};

/* For control_options.gone: ends what the client had going; arg: the struct service. */
void service_gone(void *arg, uint64_t client);
/* For control_options.dispose and choked. */
void service_dispose(void *arg, uid_t uid, int fd);
bool service_choked(void *arg);

/* Starts the workers for clients.  0 or -errno. */
int service_start(struct service *s, sd_event *event);
/* Has the clients' worker do a job; client, uid and owner are filled in.  0, or -errno: it has been refused,
 * and the job dropped. */
int service_post(struct service *s, uint64_t client, const struct worker_job *job);

#endif
