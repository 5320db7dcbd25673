// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - the tables of `ctrace export`. doc/export.md explains the columns. Times are CLOCK_MONOTONIC. */
#include <errno.h>
#include <string.h>

#include "analysis/jobs/jobs.h"
#include "analysis/requests/services.h"
#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/export/table.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

#define TASK_COLUMNS(prefix) prefix "pid", prefix "tid", prefix "comm"

static const char *const interval_columns[] = {
	TASK_COLUMNS(""), "from_ns",    "to_ns",     "ns",   "state",    "time",   "running_ns",
	"runnable_ns",    "waiting_ns", "cpu",       "call", "resource", "object", TASK_COLUMNS("for_"),
	"edge",           "strength",   "timed_out", NULL,
};
static const char *const edge_columns[] = {
	TASK_COLUMNS("from_"),
	TASK_COLUMNS("to_"),
	"left_ns",
	"arrived_ns",
	"kind",
	"strength",
	"resource",
	"object",
	"false_wake",
	NULL,
};
static const char *const request_columns[] = {
	"id",
	"parent",
	"service",
	"address",
	"connection",
	TASK_COLUMNS("client_"),
	TASK_COLUMNS("server_"),
	"from_ns",
	"to_ns",
	"ns",
	"asked_bytes",
	"answer_bytes",
	"shared",
	NULL,
};
static const char *const job_columns[] = {
	"pid",
	"queue",
	"function",
	TASK_COLUMNS("enqueuer_"),
	TASK_COLUMNS("worker_"),
	"queued_ns",
	"start_ns",
	"end_ns",
	"queueing_ns",
	"execution_ns",
	"cpu_ns",
	NULL,
};

struct rows {
	const struct export *x;
	struct table t;
};

static void put_time(struct rows *k, uint64_t ns)
{
	table_number(&k->t, clock_mono_ns(ns, &k->x->g->w->offsets));
}

static void put_time_or_none(struct rows *k, uint64_t ns)
{
	if (ns)
		put_time(k, ns);
	else
		table_none(&k->t);
}

static void put_ns(struct rows *k, bool known, uint64_t ns)
{
	if (known)
		table_number(&k->t, (int64_t)ns);
	else
		table_none(&k->t);
}

static void put_task(struct rows *k, uint32_t task, uint64_t ts_ns)
{
	const struct graph *g = k->x->g;

	if (task == GRAPH_NONE) {
		for (int i = 0; i < 3; i++)
			table_none(&k->t);
		return;
	}
	table_number(&k->t, g->tasks[task].tgid);
	table_number(&k->t, g->tasks[task].tid);
	table_text(&k->t, graph_comm(g, task, ts_ns));
}

static void put_object(struct rows *k, uint64_t object)
{
	char name[DESCRIBE_MAX] = "";

	describe_object(k->x->g->w, object, name, sizeof(name));
	table_text(&k->t, name);
}

static void put_interval(void *arg, const struct export_item *item)
{
	struct rows *k = arg;
	const struct blame *b = item->blocked ? &item->blame : NULL;
	bool by = b && b->task != GRAPH_NONE;

	put_task(k, item->s->task, item->from_ns);
	put_time(k, item->from_ns);
	put_time(k, item->to_ns);
	table_number(&k->t, (int64_t)(item->to_ns - item->from_ns));
	table_word(&k->t, item->state);
	table_word(&k->t, item->time);
	table_number(&k->t, (int64_t)item->running_ns);
	table_number(&k->t, (int64_t)item->runnable_ns);
	table_number(&k->t, (int64_t)item->waiting_ns);
	put_ns(k, item->cpu != FORMAT_CPU_NONE, item->cpu);
	table_word(&k->t, b ? describe_syscall(k->x->g->w->machine, item->s->nr) : NULL);
	table_word(&k->t, b ? resource_kind_word(b->kind) : NULL);
	if (b)
		put_object(k, b->obj);
	else
		table_none(&k->t);
	put_task(k, by ? b->task : GRAPH_NONE, item->to_ns - 1);
	table_word(&k->t, by ? edge_kind_name(b->edge) : NULL);
	table_word(&k->t, by ? edge_strength_name(b->strength) : NULL);
	if (b)
		table_bool(&k->t, b->timed_out);
	else
		table_none(&k->t);
}

static void put_edge(void *arg, const struct export_edge *edge)
{
	struct rows *k = arg;
	uint64_t object = edge_object(k->x->c, edge->e);

	put_task(k, edge->from, edge->left_ns);
	put_task(k, edge->to, edge->arrived_ns);
	put_time(k, edge->left_ns);
	put_time(k, edge->arrived_ns);
	table_word(&k->t, edge_kind_name(edge->e->kind));
	table_word(&k->t, edge_strength_name(edge->e->strength));
	table_word(&k->t, resource_kind_word(resource_of_object(k->x->g->w, object)));
	put_object(k, object);
	table_bool(&k->t, edge->e->flags & EDGE_FALSE_WAKE);
}

static void put_request(struct rows *k, const struct services *s, uint32_t i)
{
	const struct graph *g = k->x->g;
	const struct request *q = &s->requests.v[i];
	const struct service *service = &s->v[s->of[i]];
	bool answered = q->answered != GRAPH_NONE;
	uint64_t from = request_from_ns(g, q), to = answered ? request_to_ns(g, q) : 0;

	table_number(&k->t, i);
	put_ns(k, q->parent != GRAPH_NONE, q->parent);
	table_text(&k->t, service->name);
	table_text(&k->t, service->address);
	put_object(k, q->sock);
	put_task(k, q->client, from);
	put_task(k, q->server, from);
	put_time(k, from);
	put_time_or_none(k, to);
	put_ns(k, answered, to - from);
	put_ns(k, !q->stream, q->asked_bytes);
	put_ns(k, !q->stream, q->answer_bytes);
	table_bool(&k->t, q->shared);
}

static int put_requests(struct rows *k)
{
	const struct export *x = k->x;
	const struct services_filter filter = { .touching = x->touching };
	struct services *s = NULL;
	int r = services_find(x->g, x->from_ns, x->to_ns, &filter, &s);

	for (uint32_t i = 0; !r && i < s->requests.n && !export_stopped(x); i++)
		if (services_counts(s, i) &&
		    export_is_of(x, s->requests.v[i].client, s->requests.v[i].server))
			put_request(k, s, i);
	services_free(s);
	return r;
}

static void put_job(struct rows *k, const struct job *j)
{
	bool started = j->start_ns, ended = started && j->end_ns;
	char name[DESCRIBE_MAX] = "", function[32] = "";
	uint64_t at = started ? j->start_ns : j->queued_ns ? j->queued_ns : j->end_ns;

	describe_object(k->x->g->w, j->obj, name, sizeof(name));
	if (j->function)
		snprintf(function, sizeof(function), "0x%llx", (unsigned long long)j->function);
	table_number(&k->t, j->tgid);
	table_text(&k->t, name);
	table_word(&k->t, *function ? function : NULL);
	put_task(k, j->enqueuer, at);
	put_task(k, j->worker, at);
	put_time_or_none(k, j->queued_ns);
	put_time_or_none(k, j->start_ns);
	put_time_or_none(k, j->end_ns);
	put_ns(k, started && j->queued_ns, j->start_ns - j->queued_ns);
	put_ns(k, ended, j->end_ns - j->start_ns);
	put_ns(k, ended, j->cpu_ns);
}

static int put_jobs(struct rows *k)
{
	const struct export *x = k->x;
	job_list jobs = { 0 };
	int r = jobs_find(x->g, x->from_ns, x->to_ns, &jobs);

	for (size_t i = 0; !r && i < jobs.n && !export_stopped(x); i++)
		if (export_is_of(x, jobs.v[i].enqueuer, jobs.v[i].worker))
			put_job(k, &jobs.v[i]);
	VEC_FREE(&jobs);
	return r;
}

int export_rows(const struct export *x)
{
	static const char *const *const columns[EXPORT_TABLES] = { interval_columns, edge_columns,
								   request_columns, job_columns };
	struct rows k = { .x = x, .t = { .f = x->f, .csv = x->csv, .columns = columns[x->table] } };
	int r = 0;

	table_begin(&k.t);
	switch (x->table) {
	case EXPORT_INTERVALS:
		export_items(x, put_interval, &k);
		break;
	case EXPORT_EDGES:
		export_edges(x, put_edge, &k);
		break;
	case EXPORT_REQUESTS:
		r = put_requests(&k);
		break;
	case EXPORT_JOBS:
		r = put_jobs(&k);
		break;
	case EXPORT_TABLES:
		break;
	}
	return r ? cli_error("cannot make the table: %s; narrow the window with --from and --to",
			     strerror(-r))
		 : CLI_OK;
}
