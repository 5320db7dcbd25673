// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/metrics.h"
#include "daemon/report.h"
#include "daemon/service_hangs.h"
#include "daemon/service_watch.h"
#include "daemon/snapshot.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* A request that the worker has on hand. */
struct service_job {
	struct service *service;
	uint64_t client;
	/* snapshot */
	int fd;
	uint64_t from_ns, to_ns;
	struct snapshot_result result;
	char err[SNAPSHOT_ERR_MAX];
	/* status */
	double bpf_percent;
	int error;
};

static void service_job_free(void *arg)
{
	struct service_job *j = arg;

	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

static void service_post(struct service *s, uint64_t client, const struct service_job *job,
			 void (*run)(void *), void (*done)(void *))
{
	struct service_job *j = malloc(sizeof(*j));
	const struct worker_job wj = { .run = run, .done = done, .drop = service_job_free, .arg = j };

	if (j)
		*j = *job;
	if (j && !worker_post(s->worker, &wj))
		return;
	if (job->fd >= 0)
		close(job->fd);
	free(j);
	control_refuse(s->control, client,
		       "The daemon has too much to do at the moment; try again in a second.");
}

static void snapshot_run(void *arg)
{
	struct service_job *j = arg;
	const struct snapshot_source src = { .probe = j->service->probe,
					     .drain = j->service->drain,
					     .trace = j->service->trace };

	j->error = snapshot_take(&src, j->from_ns, j->to_ns, j->fd, &j->result, j->err);
}

static void snapshot_done(void *arg)
{
	struct service_job *j = arg;
	const struct snapshot_result *r = &j->result;

	if (j->error)
		control_refuse(j->service->control, j->client, "%s", j->err);
	else
		control_answer(j->service->control, j->client,
			       json_pack("{s:b,s:I,s:I,s:I,s:I,s:I}", "ok", 1, "segments",
					 (json_int_t)r->segments, "from_ns", (json_int_t)r->from_ns, "to_ns",
					 (json_int_t)r->to_ns, "bytes", (json_int_t)r->bytes, "took_ns",
					 (json_int_t)r->took_ns));
	service_job_free(j);
}

/* A time of the request: absent is fallback; false when it is no such number. */
static bool service_time(json_t *body, const char *key, uint64_t fallback, uint64_t *ret)
{
	json_t *v = json_object_get(body, key);

	if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
		return false;
	*ret = v ? (uint64_t)json_integer_value(v) : fallback;
	return true;
}

static void service_snapshot(struct service *s, uint64_t client, json_t *body, int passed_fd)
{
	struct service_job job = { .service = s, .client = client, .fd = -1 };
	_cleanup_close_ int fd = passed_fd;
	char err[SNAPSHOT_ERR_MAX];

	if (!service_time(body, "from_ns", 0, &job.from_ns) ||
	    !service_time(body, "to_ns", UINT64_MAX, &job.to_ns)) {
		control_refuse(s->control, client,
			       "from_ns and to_ns must be whole numbers of nanoseconds, not negative.");
		return;
	}
	if (job.from_ns >= job.to_ns) {
		control_refuse(s->control, client,
			       "The window is empty: from_ns is not before to_ns; give a longer one.");
		return;
	}
	if (snapshot_check_fd(fd, err)) {
		control_refuse(s->control, client, "%s", err);
		return;
	}
	job.fd = TAKE_FD(fd);
	service_post(s, client, &job, snapshot_run, snapshot_done);
}

static void status_run(void *arg)
{
	struct service_job *j = arg;

	j->error = report_bpf_percent(j->service->probe, &j->bpf_percent);
}

static json_t *status_report(struct service *s, double bpf_percent)
{
	const struct report_source src = {
		.probe = s->probe,
		.drain = s->drain,
		.jobs = s->jobs,
		.incidents = s->incidents,
		.trace = s->trace,
		.size_bytes = s->config->size_bytes,
		.ring_bytes = s->config->ring_bytes,
		.budget_ppm = s->config->budget_ppm,
		.task_cap = s->config->task_cap,
		.clients = control_clients(s->control),
		.denied = control_denied(s->control),
		.jobs_refused = worker_refused(s->worker),
	};

	return report_status(&src, bpf_percent);
}

static void status_answer(struct service *s, uint64_t client, double bpf_percent)
{
	control_answer(s->control, client, status_report(s, bpf_percent));
}

static void service_metrics(struct service *s, uint64_t client)
{
	json_t *status = status_report(s, -1);
	_cleanup_free_ char *text = metrics_text(status, clock_offsets_now().boot_to_real_ns);

	json_decref(status);
	control_answer(s->control, client, text ? json_pack("{s:b,s:s}", "ok", 1, "text", text) : NULL);
}

static void status_done(void *arg)
{
	struct service_job *j = arg;

	status_answer(j->service, j->client, j->error ? -1 : j->bpf_percent);
	service_job_free(j);
}

static void service_status(struct service *s, uint64_t client, json_t *body)
{
	const struct service_job job = { .service = s, .client = client, .fd = -1 };

	if (!json_is_true(json_object_get(body, "bpf_stats")))
		status_answer(s, client, -1);
	else if (!control_is_owner(s->control, client))
		control_refuse(
			s->control, client,
			"Only root may ask for \"bpf_stats\": they make every BPF program of the machine "
			"slower; ask for the status without them.");
	else
		service_post(s, client, &job, status_run, status_done);
}

static bool service_allows(struct service *s, uint64_t client, const char *cmd)
{
	enum control_right needs = CONTROL_STATUS;

	if (!strcmp(cmd, "snapshot") || !strcmp(cmd, "hangs")) /* names, paths and peers */
		needs = CONTROL_SNAPSHOT;
	else if (!strcmp(cmd, "watch") || !strcmp(cmd, "watched"))
		needs = CONTROL_WATCH;
	if (needs <= control_right(s->control, client))
		return true;
	control_refuse(s->control, client,
		       "You may ask this daemon how it is, but not for \"%s\": ask root to do it, or to set "
		       "group-may = %s in ctraced.conf(5).",
		       cmd, needs == CONTROL_SNAPSHOT ? "snapshot" : "watch");
	return false;
}

void service_request(void *arg, uint64_t client, const char *cmd, json_t *body, int passed_fd)
{
	struct service *s = arg;
	_cleanup_close_ int fd = passed_fd;

	if (!service_allows(s, client, cmd))
		return;
	if (!strcmp(cmd, "ping"))
		control_answer(s->control, client,
			       json_pack("{s:b,s:s,s:i}", "ok", 1, "version", CTRACED_VERSION, "pid",
					 (int)getpid()));
	else if (!strcmp(cmd, "status"))
		service_status(s, client, body);
	else if (!strcmp(cmd, "metrics"))
		service_metrics(s, client);
	else if (!strcmp(cmd, "doctor"))
		control_answer(s->control, client, report_doctor(s->probe, s->jobs));
	else if (!strcmp(cmd, "snapshot"))
		service_snapshot(s, client, body, TAKE_FD(fd));
	else if (!strcmp(cmd, "hangs"))
		service_hangs(s, client);
	else if (!strcmp(cmd, "watch"))
		service_watch(s, client, body);
	else if (!strcmp(cmd, "watched"))
		service_watched(s, client, body);
	else
		control_refuse(
			s->control, client,
			"There is no request \"%.40s\"; there are ping, status, metrics, doctor, snapshot, "
			"hangs, watch and watched.",
			cmd);
}

void service_gone(void *arg, uint64_t client)
{
	struct service *s = arg;

	watchpoints_drop(s->watchpoints, client);
}
