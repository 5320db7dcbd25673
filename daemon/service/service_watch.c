// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

struct watch_job {
	struct service *service;
	struct watchpoint_want want;
	struct watchpoint_info info;
	char err[WATCHPOINT_ERR_MAX];
	int error;
};

static void watch_job_free(void *arg)
{
	struct watch_job *j = arg;

	if (!j)
		return;
	free((char *)j->want.var);
	free(j);
}

static void watch_run(void *arg)
{
	struct watch_job *j = arg;

	j->error = watchpoints_add(j->service->watchpoints, j->service->drain, &j->want, &j->info, j->err);
	/* If the job was cancelled, watch_done() may never run, so the watch ends here. */
	if (!worker_progress())
		watchpoints_drop(j->service->watchpoints, j->want.client);
}

static void watch_done(void *arg)
{
	struct watch_job *j = arg;
	struct service *s = j->service;
	char addr[32];

	snprintf(addr, sizeof(addr), "0x%" PRIx64, j->info.addr);
	if (j->error)
		control_refuse(s->control, j->want.client, "%s", j->err);
	else
		control_answer(s->control, j->want.client,
			       json_pack("{s:b,s:i,s:i,s:s%,s:s,s:i,s:I,s:b}", "ok", 1, "watch",
					 (int)j->info.id, "pid", (int)j->info.pid, "name", j->info.name,
					 strnlen(j->info.name, sizeof(j->info.name)), "address", addr, "len",
					 (int)j->info.len, "value", (json_int_t)j->info.value, "reads",
					 j->want.reads));
	if (!control_connected(s->control, j->want.client))
		watchpoints_drop(s->watchpoints, j->want.client);
	watch_job_free(j);
}

static int watch_check(struct service *s, uint64_t client, json_t *body, struct watchpoint_want *ret)
{
	json_int_t pid = json_integer_value(json_object_get(body, "pid"));
	json_int_t len = json_integer_value(json_object_get(body, "len"));

	*ret = (struct watchpoint_want){ .client = client,
					 .pid = (uint32_t)pid,
					 .var = json_string_value(json_object_get(body, "var")),
					 .len = (uint32_t)len,
					 .reads = json_is_true(json_object_get(body, "reads")) };
	if (pid <= 0 || pid > INT32_MAX || !ret->var || !*ret->var)
		control_refuse(
			s->control, client,
			"The request \"watch\" needs a pid and a var; send for example {\"cmd\":\"watch\",\"pid\":1,\"var\":\"flag\"}.");
	else if (len && len != 1 && len != 2 && len != 4 && len != 8)
		control_refuse(s->control, client, "The length must be 1, 2, 4 or 8 bytes.");
	else
		return 0;
	return -EINVAL;
}

void service_watch(struct service *s, uint64_t client, json_t *body)
{
	struct watch_job *j = calloc(1, sizeof(*j));
	const struct worker_job wj = {
		.run = watch_run, .done = watch_done, .drop = watch_job_free, .late = SERVICE_STUCK, .arg = j
	};
	struct watchpoint_want want;

	if (watch_check(s, client, body, &want)) {
		free(j);
		return;
	}
	if (j) {
		j->service = s;
		j->want = want;
		j->want.var = strdup(want.var);
	}
	if (j && j->want.var) {
		service_post(s, client, &wj);
		return;
	}
	watch_job_free(j);
	control_refuse(s->control, client, SERVICE_TOO_MUCH);
}

static json_t *watched_accesses(const struct watchpoint_news *n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n->n; i++) {
		const struct watchpoint_access *a = &n->v[i];
		/* NULL if the text is not UTF-8 */
		json_t *where = json_string(a->where);

		json_array_append_new(list,
				      json_pack("{s:I,s:i,s:b,s:I,s:o}", "ts_ns", (json_int_t)a->ts_ns, "tid",
						(int)a->tid, "read", a->read, "value", (json_int_t)a->value,
						"where", where ? where : json_string("")));
	}
	return list;
}

void service_watched(struct service *s, uint64_t client, json_t *body)
{
	static const char *const ends[] = {
		[WATCHPOINT_GOES_ON] = "", [WATCHPOINT_EXITED] = "exited", [WATCHPOINT_EXECED] = "exec"
	};
	_cleanup_free_ struct watchpoint_news *n = malloc(sizeof(*n));
	uint32_t id = (uint32_t)json_integer_value(json_object_get(body, "watch"));

	if (!n || watchpoints_news(s->watchpoints, client, id, n)) {
		control_refuse(s->control, client, "There is no such watchpoint on this connection.");
		return;
	}
	control_answer(s->control, client,
		       json_pack("{s:b,s:o,s:I,s:I,s:s}", "ok", 1, "accesses", watched_accesses(n), "refused",
				 (json_int_t)n->refused, "unshown", (json_int_t)n->unshown, "ended",
				 ends[n->end]));
}
