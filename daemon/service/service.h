/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - the state and the workers that the handlers of requests share. The requests come from
 * the control socket. All functions run on the main thread.
 *
 * The clients' worker and the closer do everything that may take long, and everything that touches
 * a descriptor from a client. So a file system that does not answer holds up neither the event loop
 * nor the snapshots of hangs.
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
	struct worker *worker;  /* does the daemon's own work; no request of a client runs on it */
	struct worker *clients; /* handles requests of clients */
	struct worker *closer;  /* closes descriptors that clients passed */
	struct drain *drain;
	struct jobs *jobs; /* NULL: the daemon does not ask frameworks for jobs */
	struct watchpoints *watchpoints;
	struct marks marks;          /* the limits of the request "mark" */
	struct incidents *incidents; /* NULL: the daemon takes no snapshots of hangs */
};

/* The function for control_options.gone. Ends all that the daemon does for a client that has gone.
 * arg: the struct service. */
void service_gone(void *arg, uint64_t client);
/* The functions for the members dispose and choked of struct control_options. service_dispose()
 * hands the descriptor fd of a client to the closer. service_choked() returns true if so many
 * descriptors wait for the closer that the daemon should receive no more. arg: the struct
 * service. */
void service_dispose(void *arg, uid_t uid, int fd);
bool service_choked(void *arg);

/* Starts the clients' worker and the closer. Returns 0 or -errno. */
int service_start(struct service *s, sd_event *event);
/* Gives a copy of job to the clients' worker, with client, uid and owner filled in. Returns 0 or
 * -errno. On failure the job was dropped, and the client got an answer that says why. */
int service_post(struct service *s, uint64_t client, const struct worker_job *job);

#endif
