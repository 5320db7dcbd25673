// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service_budget.h"

#include <stdlib.h>

struct budget_job {
	struct service *service;
	uint64_t client;
	uint32_t budget_ppm, before_ppm;
	int error;
};

static void budget_change(struct drain *d, void *arg)
{
	struct budget_job *j = arg;

	j->before_ppm = drain_budget(d, j->budget_ppm);
}

static void budget_run(void *arg)
{
	struct budget_job *j = arg;

	j->error = drain_call(j->service->drain, budget_change, j);
}

static void budget_done(void *arg)
{
	struct budget_job *j = arg;
	struct service *s = j->service;

	if (j->error) {
		control_refuse(s->control, j->client,
			       "The daemon is about to end; change the budget after its next start.");
	} else {
		jobs_budget(s->jobs, j->budget_ppm);
		control_answer(s->control, j->client,
			       json_pack("{s:b,s:f,s:f,s:f,s:o*}", "ok", 1, "budget_percent",
					 j->budget_ppm / 1e4, "before_percent", j->before_ppm / 1e4,
					 "setting_percent", s->config->budget_ppm / 1e4, "config",
					 json_string(s->config->file)));
	}
	free(j);
}

void service_budget(struct service *s, uint64_t client, json_t *body)
{
	const char *value = json_string_value(json_object_get(body, "budget"));
	struct worker_job wj = {
		.run = budget_run, .done = budget_done, .drop = free, .late = SERVICE_STUCK
	};
	char err[CONFIG_ERR_MAX];
	struct budget_job *j;
	uint32_t ppm = 0;

	if (!control_is_owner(s->control, client)) {
		control_refuse(s->control, client,
			       "Only root may change the budget; ask root to run 'ctrace budget'.");
		return;
	}
	if (config_budget(&ppm, "budget", value ? value : "", err)) {
		control_refuse(s->control, client, "%s", err);
		return;
	}
	j = malloc(sizeof(*j));
	if (!j) {
		control_refuse(s->control, client, SERVICE_TOO_MUCH);
		return;
	}
	*j = (struct budget_job){ .service = s, .client = client, .budget_ppm = ppm };
	wj.arg = j;
	service_post(s, client, &wj);
}
