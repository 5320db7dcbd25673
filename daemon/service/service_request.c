// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service_request.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/capture/snapshot_request.h"
#include "daemon/capture/trace_storage.h"
#include "daemon/control/metrics.h"
#include "daemon/service/report.h"
#include "daemon/service/service_budget.h"
#include "daemon/service/service_hangs.h"
#include "daemon/service/service_mark.h"
#include "daemon/service/service_watch.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

struct service_job {
	struct service *service;
	uint64_t client;
	uid_t uid;
	int fd;
	struct snapshot_request snapshot;
	char err[SNAPSHOT_REQUEST_ERR_MAX];
	double bpf_percent;
	int error;
};

static bool snapshot_step(void *arg)
{
	return worker_progress();
}

static void service_job_free(void *arg)
{
	struct service_job *j = arg;

	if (j->fd >= 0)
		service_dispose(j->service, j->uid, j->fd);
	free(j);
}

/* The new job owns job->fd. On failure, job->fd goes to service_dispose(), and the client gets an
 * answer. */
static void service_copy(struct service *s, uint64_t client, const struct service_job *job,
			 const struct worker_job *how)
{
	struct service_job *j = malloc(sizeof(*j));
	struct worker_job wj = *how;

	if (!j) {
		if (job->fd >= 0)
			service_dispose(s, job->uid, job->fd);
		control_refuse(s->control, client, SERVICE_TOO_MUCH);
		return;
	}
	*j = *job;
	wj.arg = j;
	wj.drop = service_job_free;
	service_post(s, client, &wj);
}

static void snapshot_run(void *arg)
{
	struct service_job *j = arg;
	const struct snapshot_request_source src = { .probe = j->service->probe,
						     .drain = j->service->drain,
						     .trace = j->service->trace };
	uint64_t from_ns = j->snapshot.from_ns, to_ns = j->snapshot.to_ns;

	worker_leave();
	j->error = snapshot_request_check_fd(j->fd, j->err);
	if (!j->error && !worker_enter())
		j->error = -ECANCELED;
	if (!j->error) {
		snapshot_request_begin(&src, from_ns, to_ns, &j->snapshot);
		worker_leave();
		j->error = worker_progress()
				   ? snapshot_request_finish(&j->snapshot, j->fd, snapshot_step, j->err)
				   : -ECANCELED;
	}
	close(TAKE_FD(j->fd));
}

static json_t *snapshot_storage(const struct snapshot_request *r)
{
	const struct writer_storage *st = &r->storage;
	bool waits = r->missing_ns && !st->untold_ns;
	json_t *o = json_pack("{s:s}", "state", waits ? "stuck" : trace_storage_word(st, clock_boot_ns()));

	if (st->trouble != WRITER_FINE)
		json_object_set_new(o, "error", json_string(strerror(-st->error)));
	if (r->missing_ns) {
		json_object_set_new(o, "missing_from_ns", json_integer((json_int_t)r->missing_ns));
		json_object_set_new(o, "lost_records", json_integer((json_int_t)st->untold_records));
	}
	if (st->failed_syncs && st->unsure_from_ns < r->to_ns && st->unsure_to_ns > r->from_ns) {
		json_object_set_new(o, "unsure_from_ns", json_integer((json_int_t)st->unsure_from_ns));
		json_object_set_new(o, "unsure_to_ns", json_integer((json_int_t)st->unsure_to_ns));
	}
	return o;
}

static void snapshot_done(void *arg)
{
	struct service_job *j = arg;
	const struct snapshot_request *r = &j->snapshot;

	if (j->error)
		control_refuse(j->service->control, j->client, "%s", j->err);
	else
		control_answer(j->service->control, j->client,
			       json_pack("{s:b,s:I,s:I,s:I,s:I,s:I,s:o}", "ok", 1, "segments",
					 (json_int_t)r->segments, "from_ns", (json_int_t)r->from_ns, "to_ns",
					 (json_int_t)r->to_ns, "bytes", (json_int_t)r->bytes, "took_ns",
					 (json_int_t)r->took_ns, "storage", snapshot_storage(r)));
	service_job_free(j);
}

static bool service_time(json_t *body, const char *key, uint64_t fallback, uint64_t *ret)
{
	json_t *v = json_object_get(body, key);

	if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
		return false;
	*ret = v ? (uint64_t)json_integer_value(v) : fallback;
	return true;
}

static void service_snapshot(struct service *s, uint64_t client, json_t *body, int *fd)
{
	const struct worker_job how = {
		.run = snapshot_run,
		.done = snapshot_done,
		.late = "The file system of the snapshot has not answered for 10 s, so the daemon gave up; write the snapshot somewhere else, for example below /var/tmp.",
	};
	struct service_job job = { .service = s, .client = client, .uid = control_uid(s->control, client) };

	if (!service_time(body, "from_ns", 0, &job.snapshot.from_ns) ||
	    !service_time(body, "to_ns", UINT64_MAX, &job.snapshot.to_ns)) {
		control_refuse(s->control, client,
			       "from_ns and to_ns must be whole numbers of nanoseconds, not negative.");
		return;
	}
	if (job.snapshot.from_ns >= job.snapshot.to_ns) {
		control_refuse(s->control, client,
			       "The window is empty: from_ns is not before to_ns; give a longer one.");
		return;
	}
	job.fd = TAKE_FD(*fd);
	service_copy(s, client, &job, &how);
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
		.marks = &s->marks,
		.denied = control_denied(s->control),
		.turned_away = control_turned_away(s->control),
		.jobs_refused = worker_stats(s->worker).refused,
		.requests = worker_stats(s->clients),
		.closing = worker_stats(s->closer),
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
	const struct worker_job how = { .run = status_run, .done = status_done, .late = SERVICE_STUCK };

	if (!json_is_true(json_object_get(body, "bpf_stats")))
		status_answer(s, client, -1);
	else if (!control_is_owner(s->control, client))
		control_refuse(
			s->control, client,
			"Only root may ask for \"bpf_stats\": they slow every BPF program of the machine; ask for the status without them.");
	else
		service_copy(s, client, &job, &how);
}

static bool service_allows(struct service *s, uint64_t client, const char *cmd)
{
	enum control_right needs = CONTROL_STATUS;

	/* the answers to "snapshot" and "hangs" show names of programs, paths and connections of
	 * all users */
	if (!strcmp(cmd, "snapshot") || !strcmp(cmd, "hangs"))
		needs = CONTROL_SNAPSHOT;
	else if (!strcmp(cmd, "watch") || !strcmp(cmd, "watched"))
		needs = CONTROL_WATCH;
	if (needs <= control_right(s->control, client))
		return true;
	control_refuse(
		s->control, client,
		"You may ask this daemon for its status, but not for \"%s\": ask root to do it, or to set group-may = %s in ctraced.conf(5).",
		cmd, needs == CONTROL_SNAPSHOT ? "snapshot" : "watch");
	return false;
}

void service_request(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd)
{
	struct service *s = arg;

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
		service_snapshot(s, client, body, fd);
	else if (!strcmp(cmd, "hangs"))
		service_hangs(s, client);
	else if (!strcmp(cmd, "mark"))
		service_mark(s, client, body);
	else if (!strcmp(cmd, "budget"))
		service_budget(s, client, body);
	else if (!strcmp(cmd, "watch"))
		service_watch(s, client, body);
	else if (!strcmp(cmd, "watched"))
		service_watched(s, client, body);
	else
		control_refuse(
			s->control, client,
			"There is no request \"%.40s\"; there are ping, status, metrics, doctor, snapshot, hangs, mark, budget, watch and watched.",
			cmd);
}
