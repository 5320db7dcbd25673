// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service_hangs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/incident/incident.h"
#include "lib/incidents.h"

struct hangs_job {
	struct service *service;
	uint64_t client;
	char dir[CONFIG_PATH_MAX + 16];
	json_t *list;
	size_t left_out;
	int error;
};

/* bytes: room for the list of hangs in an answer. The rest of the answer is the path of the
 * directory (each byte takes up to six in JSON), and other members (up to 128 bytes). */
#define HANGS_BYTES_MAX (CONTROL_OUT_MAX - 6 * sizeof(((struct hangs_job *)0)->dir) - 128)

static void hangs_free(void *arg)
{
	struct hangs_job *j = arg;

	json_decref(j->list);
	free(j);
}

static void hangs_run(void *arg)
{
	struct hangs_job *j = arg;

	worker_leave(); /* the file system may not answer */
	j->error = incidents_read(j->dir, SERVICE_HANGS_MAX, &j->list, &j->left_out);
	if (j->error == -ENOENT) {
		j->list = json_array();
		j->error = j->list ? 0 : -ENOMEM;
	}
	if (!j->error)
		j->left_out += incidents_fit(j->list, HANGS_BYTES_MAX);
}

static void hangs_done(void *arg)
{
	struct hangs_job *j = arg;

	if (j->error)
		control_refuse(j->service->control, j->client, "Cannot read %.500s: %s.", j->dir,
			       strerror(-j->error));
	else
		control_answer(j->service->control, j->client,
			       json_pack("{s:b,s:s,s:O,s:I}", "ok", 1, "directory", j->dir, "hangs", j->list,
					 "left_out", (json_int_t)j->left_out));
	hangs_free(j);
}

void service_hangs(struct service *s, uint64_t client)
{
	struct hangs_job *j = calloc(1, sizeof(*j));
	const struct worker_job wj = {
		.run = hangs_run, .done = hangs_done, .drop = hangs_free, .late = SERVICE_STUCK, .arg = j
	};

	if (!j) {
		control_refuse(s->control, client, SERVICE_TOO_MUCH);
		return;
	}
	j->service = s;
	j->client = client;
	snprintf(j->dir, sizeof(j->dir), "%s/" INCIDENTS_DIR, s->config->state_dir);
	service_post(s, client, &wj);
}
