// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service.h"

#include <errno.h>
#include <unistd.h>

#include "daemon/thresholds.h"

static void service_late(void *arg, uint64_t client, const char *why)
{
	struct service *s = arg;

	control_refuse(
		s->control, client, "%s",
		why ? why
		    : "Too many requests are already stuck (two of yours, or four of all users other than root), at a file system that does not answer; repair that file system, then try again.");
}

static void close_run(void *arg)
{
	worker_leave();
	close((int)(intptr_t)arg);
}

void service_dispose(void *arg, uid_t uid, int fd)
{
	struct service *s = arg;
	const struct worker_job job = { .run = close_run,
					.arg = (void *)(intptr_t)fd,
					.uid = uid,
					.owner = uid == 0 || uid == geteuid() };

	/* If the queue of the closer is full, the descriptor is never closed. service_choked()
	 * makes this rare. */
	if (s->closer)
		(void)worker_post(s->closer, &job);
	else
		close(fd);
}

bool service_choked(void *arg)
{
	struct service *s = arg;

	return s->closer && worker_stats(s->closer).queued >= SERVICE_CLOSE_MAX / 2;
}

int service_post(struct service *s, uint64_t client, const struct worker_job *job)
{
	struct worker_job j = *job;
	int r;

	j.client = client;
	j.uid = control_uid(s->control, client);
	j.owner = control_is_owner(s->control, client);
	r = worker_post(s->clients, &j);
	if (!r)
		return 0;
	j.drop(j.arg);
	if (r == -EBUSY)
		service_late(s, client, NULL);
	else
		control_refuse(s->control, client, SERVICE_TOO_MUCH);
	return r;
}

void service_gone(void *arg, uint64_t client)
{
	struct service *s = arg;

	if (s->clients)
		worker_cancel(s->clients, client);
	watchpoints_drop(s->watchpoints, client);
}

int service_start(struct service *s, sd_event *event)
{
	const struct worker_options clients = { .name = "ctraced-clients",
						.queue_max = WORKER_QUEUE_MAX,
						.limit_ns = SERVICE_LIMIT_NS,
						.late = service_late,
						.arg = s };
	const struct worker_options closer = { .name = "ctraced-closer",
					       .queue_max = SERVICE_CLOSE_MAX,
					       .limit_ns = SERVICE_CLOSE_NS };
	int r = worker_new(event, &clients, &s->clients);

	return r < 0 ? r : worker_new(event, &closer, &s->closer);
}
