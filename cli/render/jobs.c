// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/jobs.h"

#include <inttypes.h>
#include <jansson.h>

#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

#define JOBS_NAME_MAX 160

/* "server[12]": the process of the queue. */
static const char *process_of(const struct graph *g, const struct queue *q, char buf[JOBS_NAME_MAX])
{
	uint32_t tgid = g->tasks[q->task].tgid, leader = graph_task_at(g, tgid, g->w->to_ns);
	char comm[64];

	describe_clean(graph_comm(g, leader == GRAPH_NONE ? q->task : leader, g->w->to_ns), comm,
		       sizeof(comm));
	snprintf(buf, JOBS_NAME_MAX, "%s[%u]", comm, tgid);
	return buf;
}

static const char *name_of(const struct graph *g, const struct queue *q, char buf[DESCRIBE_MAX])
{
	if (q->obj)
		describe_object(g->w, q->obj, buf, DESCRIBE_MAX);
	else
		snprintf(buf, DESCRIBE_MAX, "pool");
	return buf;
}

static const char *group_name(const struct graph *g, const struct job_group *x, char buf[JOBS_NAME_MAX])
{
	char comm[64] = "";

	if (x->enqueuer != GRAPH_NONE)
		describe_clean(graph_comm(g, x->enqueuer, g->w->to_ns), comm, sizeof(comm));
	if (x->function)
		snprintf(buf, JOBS_NAME_MAX, "function 0x%" PRIx64 "%s%s", x->function,
			 comm[0] ? ", enqueued by " : "", comm);
	else
		snprintf(buf, JOBS_NAME_MAX, "enqueued by %s", comm[0] ? comm : "a thread that is not known");
	return buf;
}

static json_t *quantiles_json(const struct quantiles *q)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "p50", (json_int_t)q->p50, "p95", (json_int_t)q->p95, "p99",
			 (json_int_t)q->p99, "max", (json_int_t)q->max);
}

static json_t *queue_json(const struct graph *g, const struct queue *q)
{
	json_t *groups = json_array();
	char name[DESCRIBE_MAX], process[JOBS_NAME_MAX];

	for (size_t i = 0; i < q->n_groups; i++) {
		const struct job_group *x = &q->groups[i];

		json_array_append_new(groups, json_pack("{s:o, s:I, s:o, s:o, s:I}", "text",
							text_json(group_name(g, x, process)), "count",
							(json_int_t)x->times.count, "queueing_ns",
							quantiles_json(&x->times.queueing), "execution_ns",
							quantiles_json(&x->times.execution), "total_ns",
							(json_int_t)x->total_ns));
	}
	return json_pack(
		"{s:o, s:{s:I, s:o}, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:s, s:o, s:o}", "name",
		text_json(name_of(g, q, name)), "process", "pid", (json_int_t)g->tasks[q->task].tgid, "comm",
		text_json(graph_comm(g, q->task, g->w->to_ns)), "capacity", (json_int_t)q->n_threads,
		"most_running", (json_int_t)q->most_running, "most_waiting", (json_int_t)q->most_waiting,
		"count", (json_int_t)q->times.count, "waiting", (json_int_t)q->n_waiting, "running",
		(json_int_t)q->n_running, "queueing_ns", quantiles_json(&q->times.queueing), "execution_ns",
		quantiles_json(&q->times.execution), "on_cpu", q->on_cpu, "verdict",
		queue_verdict_name(q->verdict), "text", text_json(q->text), "groups", groups);
}

int render_jobs_json(const struct graph *g, const struct queues *q)
{
	json_t *queues = json_array();

	for (size_t i = 0; i < q->n; i++)
		json_array_append_new(queues, queue_json(g, &q->v[i]));
	return text_print_json(json_pack("{s:s, s:o}", "schema", "ctrace.jobs/1", "queues", queues));
}

static void show_times(FILE *f, const char *what, const struct quantiles *q)
{
	char p[4][TEXT_NUMBER_MAX];

	fprintf(f, "    %s p50 %s, p95 %s, p99 %s, max %s\n", what, text_duration(q->p50, p[0]),
		text_duration(q->p95, p[1]), text_duration(q->p99, p[2]), text_duration(q->max, p[3]));
}

static void show_queue(FILE *f, const struct graph *g, const struct queue *q)
{
	char name[DESCRIBE_MAX], process[JOBS_NAME_MAX], n[TEXT_NUMBER_MAX];

	fprintf(f, "%s  %s: %s\n", process_of(g, q, process), name_of(g, q, name), q->text);
	fprintf(f, "    %s jobs; %u threads, at most %u jobs ran and %u waited at one time",
		text_count(q->times.count, n), q->n_threads, q->most_running, q->most_waiting);
	if (q->n_waiting)
		fprintf(f, "; %s still wait", text_count(q->n_waiting, n));
	if (q->n_running)
		fprintf(f, "; %s still run", text_count(q->n_running, n));
	fputc('\n', f);
	show_times(f, "in the queue:", &q->times.queueing);
	show_times(f, "execution:   ", &q->times.execution);
	for (size_t i = 0; i < q->n_groups && q->n_groups > 1; i++) {
		const struct job_group *x = &q->groups[i];
		char total[TEXT_NUMBER_MAX], p99[TEXT_NUMBER_MAX];

		fprintf(f, "    %s: %s jobs, execution %s in all, p99 %s\n", group_name(g, x, process),
			text_count(x->times.count, n), text_duration(x->total_ns, total),
			text_duration(x->times.execution.p99, p99));
	}
}

void render_jobs(FILE *f, const struct graph *g, const struct queues *q)
{
	for (size_t i = 0; i < q->n; i++) {
		if (i)
			fputc('\n', f);
		show_queue(f, g, &q->v[i]);
	}
	if (!q->n)
		fprintf(f,
			"No jobs in this time. Jobs are recorded for the frameworks that are switched on: see ctraced.conf(5), 'frameworks', and 'ctrace record --frameworks'.\n");
}
