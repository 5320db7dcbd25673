// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/jobs/jobs.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

uint32_t find_type(struct finding *k, const struct transaction_rule *rule, const char *name)
{
	struct transaction_type type = { .source = (uint8_t)rule->source };
	char key[DESCRIBE_MAX * 2];
	size_t at;

	name = rule->name ? rule->name : name;
	snprintf(key, sizeof(key), "%u %s", (unsigned)rule->source, name);
	if (texts_add(&k->names, key, &at)) {
		k->err = -ENOMEM;
		return GRAPH_NONE;
	}
	if (at == k->types.n) {
		type.name = strdup(name);
		if (!type.name || VEC_PUSH(&k->types, type)) {
			free(type.name);
			k->err = -ENOMEM;
			return GRAPH_NONE;
		}
	}
	return (uint32_t)at;
}

bool find_fits(const struct finding *k, uint32_t begin_task, uint32_t end_task)
{
	const bool *tasks = k->filter.tasks;

	return !tasks || (begin_task != GRAPH_NONE && tasks[begin_task]) ||
	       (end_task != GRAPH_NONE && tasks[end_task]);
}

static bool is_in_window(const struct finding *k, const struct transaction *x)
{
	uint64_t end_ns = x->to_ns ? x->to_ns : x->from_ns;

	if (k->filter.touching)
		return x->from_ns < k->t->to_ns && (!x->to_ns || end_ns >= k->t->from_ns);
	return end_ns >= k->t->from_ns && end_ns < k->t->to_ns;
}

void find_add(struct finding *k, const struct transaction *x)
{
	if (k->err || !is_in_window(k, x) || (x->to_ns && x->to_ns <= x->from_ns) ||
	    !find_fits(k, x->begin_task, x->end_task))
		return;
	if (k->v.n >= TRANSACTIONS_MAX)
		k->err = -E2BIG;
	else if (VEC_PUSH(&k->v, *x))
		k->err = -ENOMEM;
	else if (!x->to_ns)
		*(x->silent ? &k->types.v[x->type].n_silent : &k->types.v[x->type].n_open) += 1;
	else
		k->types.v[x->type].n_shared += x->shared;
}

static bool is_wanted(const struct graph *g, const struct transaction_rule *rule, uint32_t task,
		      uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[task];

	if (t->tid != t->tgid || t->kthread || t->tracer || (rule->tid && rule->tid != t->tid))
		return false;
	return transaction_rule_fits(rule->program, graph_comm(g, task, ts_ns)) &&
	       transaction_rule_fits(rule->cmdline, graph_cmdline(g, task, ts_ns));
}

/* A process has the name and the command line of its last program. */
void find_processes(struct finding *k, const struct transaction_rule *rule)
{
	const struct graph *g = k->t->g;

	for (uint32_t i = 0; i < g->n_tasks && !k->err; i++) {
		const struct graph_task *t = &g->tasks[i];
		bool ended = t->exit_ns != UINT64_MAX;
		uint64_t last_ns = MIN(t->exit_ns, g->w->to_ns);
		struct transaction x = { .source = TRANSACTION_PROCESS,
					 .from_ns = t->born_ns,
					 .to_ns = ended ? t->exit_ns : 0,
					 .id = t->tid,
					 .begin_task = i,
					 .end_task = i,
					 .request = GRAPH_NONE };

		if (!is_wanted(g, rule, i, last_ns ? last_ns - 1 : 0) || !find_fits(k, i, i))
			continue;
		if (!t->born_ns && !ended)
			continue;
		x.type = find_type(k, rule, graph_comm(g, i, last_ns ? last_ns - 1 : 0));
		if (x.type == GRAPH_NONE)
			return;
		if (!t->born_ns)
			k->types.v[x.type].n_cut += t->exit_ns >= k->t->from_ns && t->exit_ns < k->t->to_ns;
		else
			find_add(k, &x);
	}
}

static void find_request(struct finding *k, const struct transaction_rule *rule, uint32_t request)
{
	const struct services *s = k->t->services;
	const struct request *q = &s->requests.v[request];
	const struct service *to = &s->v[s->of[request]];
	struct transaction x = { .source = TRANSACTION_REQUEST,
				 .from_ns = request_from_ns(k->t->g, q),
				 .to_ns = q->answered == GRAPH_NONE ? 0 : request_to_ns(k->t->g, q),
				 .begin_task = q->client,
				 .end_task = q->server,
				 .request = request };

	/* a message that needs no answer has no end, but it is over */
	if (!x.to_ns && x.from_ns < k->t->from_ns &&
	    (q->client == GRAPH_NONE || !services_is_awaited(s, request)))
		return;
	if (request_is_of_tracer(k->t->g, q) || !transaction_rule_fits(rule->service, to->name) ||
	    !transaction_rule_fits(rule->address, to->address))
		return;
	x.type = find_type(k, rule, to->name);
	if (x.type != GRAPH_NONE)
		find_add(k, &x);
}

void find_requests(struct finding *k, const struct transaction_rule *rule)
{
	struct transactions *t = k->t;

	if (!t->services)
		k->err = services_find(t->g, t->from_ns, t->to_ns, NULL, &t->services);
	for (uint32_t i = 0; !k->err && i < t->services->requests.n; i++)
		find_request(k, rule, i);
}

static const char *queue_name(const struct graph *g, const struct job *j)
{
	const struct window_object *o = graph_object(g, j->obj);

	return o && o->name[0] ? o->name : "queue";
}

static void find_job(struct finding *k, const struct transaction_rule *rule, const struct job *j)
{
	const struct graph *g = k->t->g;
	uint64_t from_ns = j->queued_ns ? j->queued_ns : j->start_ns;
	uint32_t task = j->worker == GRAPH_NONE ? j->enqueuer : j->worker;
	uint32_t leader = graph_task_at(g, j->tgid, from_ns);
	struct transaction x = { .source = TRANSACTION_JOB,
				 .from_ns = from_ns,
				 .start_ns = j->start_ns,
				 .to_ns = j->start_ns ? j->end_ns : 0,
				 .begin_task = j->enqueuer,
				 .end_task = j->worker,
				 .request = GRAPH_NONE };

	leader = leader == GRAPH_NONE ? task : leader;
	if (!from_ns || leader == GRAPH_NONE || !transaction_rule_fits(rule->queue, queue_name(g, j)) ||
	    !transaction_rule_fits(rule->program, graph_comm(g, leader, from_ns)))
		return;
	x.type = find_type(k, rule, queue_name(g, j));
	if (x.type != GRAPH_NONE)
		find_add(k, &x);
}

void find_jobs(struct finding *k, const struct transaction_rule *rule)
{
	job_list jobs = { 0 };

	k->err = jobs_find(k->t->g, k->t->from_ns, k->t->to_ns, &jobs);
	for (size_t i = 0; i < jobs.n && !k->err; i++)
		find_job(k, rule, &jobs.v[i]);
	VEC_FREE(&jobs);
}
