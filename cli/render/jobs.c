// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/jobs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jobs/behind.h"
#include "analysis/jobs/unprobed.h"
#include "cli/cli.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "report/jobs_behind.h"
#include "report/quantiles.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

#define JOBS_NAME_MAX QUEUE_NAME_MAX

static const char *process_of(const struct graph *g, const struct queue *q, char buf[JOBS_NAME_MAX])
{
	char comm[64];

	describe_clean(queue_comm(g, q), comm, sizeof(comm));
	snprintf(buf, JOBS_NAME_MAX, "%s[%u]", comm, g->tasks[q->task].tgid);
	return buf;
}

static json_t *stack_json(const struct graph *g, const struct job_group *x)
{
	const struct window_stack *s = window_stack(g->w, x->stack);
	json_t *frames = json_array();

	for (unsigned i = 0; s && i < s->n_frames; i++)
		json_array_append_new(frames, text_json(s->frames[i]));
	return frames;
}

static json_t *group_json(const struct graph *g, const struct job_group *x)
{
	char name[JOBS_NAME_MAX];
	json_t *o = json_pack("{s:o, s:I, s:o, s:o, s:I, s:I}", "text",
			      text_json(queue_group_name(g, x, name)), "count", (json_int_t)x->times.count,
			      "queueing_ns", render_json_quantiles(&x->times.queueing), "execution_ns",
			      render_json_quantiles(&x->times.execution), "total_ns", (json_int_t)x->total_ns,
			      "with_stack", (json_int_t)x->n_stacks);

	if (x->stack) {
		json_object_set_new(o, "stack", stack_json(g, x));
		json_object_set_new(o, "stacks_alike", json_integer((json_int_t)x->n_alike));
	}
	return o;
}

static json_t *thousandths(double x)
{
	return json_real((double)(int64_t)(x * 1000 + 0.5) / 1000);
}

static json_t *length_json(const struct queue_length *l)
{
	json_t *most = json_array(), *mean = json_array();

	for (size_t i = 0; l->known && i < QUEUE_LENGTH_PARTS; i++) {
		json_array_append_new(most, json_integer((json_int_t)l->parts[i].most));
		json_array_append_new(mean, thousandths(l->parts[i].mean));
	}
	if (!l->known) {
		json_decref(most);
		json_decref(mean);
		return json_null();
	}
	return json_pack("{s:I, s:o, s:o, s:I, s:I, s:o, s:o}", "most", (json_int_t)l->most, "most_at_ns",
			 l->most ? json_integer((json_int_t)l->most_ns) : json_null(), "mean",
			 thousandths(l->mean), "from_ns", (json_int_t)l->from_ns, "part_ns",
			 (json_int_t)l->part_ns, "most_in_parts", most, "mean_in_parts", mean);
}

static json_t *queue_json(const struct graph *g, const struct queue *q)
{
	json_t *groups = json_array();
	char name[DESCRIBE_MAX];

	for (size_t i = 0; i < q->n_groups; i++)
		json_array_append_new(groups, group_json(g, &q->groups[i]));
	return json_pack(
		"{s:o, s:{s:I, s:o}, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:f, s:s, s:o, s:o}",
		"name", text_json(queue_words(g, q, name)), "process", "pid",
		(json_int_t)g->tasks[q->task].tgid, "comm", text_json(queue_comm(g, q)), "capacity",
		(json_int_t)(q->declared ? q->declared : q->most_running), "capacity_is",
		q->declared ? "declared" : "most-running", "threads", (json_int_t)q->n_threads,
		"most_running", (json_int_t)q->most_running, "most_waiting", (json_int_t)q->most_waiting,
		"count", (json_int_t)q->times.count, "waiting", (json_int_t)q->n_waiting, "running",
		(json_int_t)q->n_running, "length", length_json(&q->length), "queueing_ns",
		render_json_quantiles(&q->times.queueing), "execution_ns",
		render_json_quantiles(&q->times.execution), "on_cpu", q->on_cpu, "verdict",
		queue_verdict_name(q->verdict), "text", text_json(q->text), "groups", groups);
}

/* Returns for each queue of `now` its index in `before`, or SIZE_MAX. NULL: an error was printed. */
static size_t *matches(const struct queues_of *now, const struct queues_of *before)
{
	size_t *of = malloc((now->q->n + 1) * sizeof(*of));

	if (of)
		queues_match(before, now, of);
	else
		(void)cli_error("out of memory");
	return of;
}

static bool has_match(const struct queues_of *now, const size_t *of, size_t index)
{
	for (size_t i = 0; i < now->q->n; i++)
		if (of[i] == index)
			return true;
	return false;
}

/* Finds the times without probes in the time of q. The caller frees ret->v. Returns 0 or -ENOMEM. */
static int find_unprobed(const struct queues_of *q, unprobed_list *ret)
{
	int r = unprobed_find(q->g->w, ret);

	unprobed_keep(ret, q->from_ns, q->to_ns);
	return r;
}

static json_t *unprobed_json(const struct graph *g, const unprobed_list *off)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < off->n; i++) {
		const struct unprobed *x = &off->v[i];
		char name[DESCRIBE_MAX];

		describe_object(g->w, x->obj, name, sizeof(name));
		json_array_append_new(
			rows,
			json_pack("{s:o, s:I, s:o}", "name", text_json(name), "from_ns",
				  (json_int_t)x->from_ns, "to_ns",
				  x->to_ns == UINT64_MAX ? json_null() : json_integer((json_int_t)x->to_ns)));
	}
	return rows;
}

static json_t *pools_json(const struct queues_of *now, uint32_t limit)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < now->pools->n && (!limit || i < limit); i++)
		json_array_append_new(rows, queue_json(now->g, &now->pools->v[i]));
	return rows;
}

static size_t shown_queues(const struct queues_of *now, uint32_t limit)
{
	return limit ? MIN(now->q->n, (size_t)limit) : now->q->n;
}

int render_jobs_json(const struct queues_of *now, const struct queues_of *before, uint32_t limit)
{
	_cleanup_free_ size_t *of = before ? matches(now, before) : NULL;
	json_t *queues = json_array(), *gone = json_array(), *doc;
	unprobed_list off = { 0 };

	for (size_t i = 0; i < shown_queues(now, limit); i++) {
		json_t *one = queue_json(now->g, &now->q->v[i]);

		if (of)
			json_object_set_new(one, "before",
					    of[i] == SIZE_MAX ? json_null()
							      : queue_json(before->g, &before->q->v[of[i]]));
		json_array_append_new(queues, one);
	}
	for (size_t i = 0; of && i < before->q->n; i++)
		if (!has_match(now, of, i))
			json_array_append_new(gone, queue_json(before->g, &before->q->v[i]));
	doc = json_pack("{s:s, s:o}", "schema", "ctrace.jobs/1", "queues", queues);
	if (!find_unprobed(now, &off) && off.n)
		json_object_set_new(doc, "unrecorded", unprobed_json(now->g, &off));
	VEC_FREE(&off);
	if (now->pools)
		json_object_set_new(doc, "pools", pools_json(now, limit));
	if (before && !of) {
		json_decref(doc);
		json_decref(gone);
		return CLI_FAILED;
	}
	if (before)
		json_object_set_new(doc, "gone", gone);
	else
		json_decref(gone);
	return text_print_json(doc);
}

static void show_times(FILE *f, const char *what, const struct quantiles *q)
{
	char p[4][TEXT_NUMBER_MAX];

	fprintf(f, "    %s p50 %s, p95 %s, p99 %s, max %s\n", what, text_duration(q->p50, p[0]),
		text_duration(q->p95, p[1]), text_duration(q->p99, p[2]), text_duration(q->max, p[3]));
}

#define FRAMES_SHOWN 6

/* The names of the functions. The first one, which takes the job, says nothing about the caller. */
static void show_stack(FILE *f, const struct graph *g, const struct job_group *x, const char *indent)
{
	const struct window_stack *s = x->stack ? window_stack(g->w, x->stack) : NULL;
	char n[TEXT_NUMBER_MAX];

	if (!s || s->n_frames < 2)
		return;
	fprintf(f, "%scall stack of %s job%s%s", indent, text_count(x->n_stacks, n), text_s(x->n_stacks),
		x->n_alike > 1 ? ", or one much like it" : "");
	for (unsigned i = 1; i < s->n_frames && i <= FRAMES_SHOWN; i++) {
		char name[DESCRIBE_MAX], clean[DESCRIBE_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)frame_function_len(s->frames[i]), s->frames[i]);
		describe_clean(name, clean, sizeof(clean));
		fprintf(f, "%s%s", i == 1 ? ": " : " < ", clean);
	}
	fprintf(f, "%s\n", s->n_frames > FRAMES_SHOWN + 1 ? " < ..." : "");
}

#define LENGTHS_SHOWN 10

/* The largest length in each of LENGTHS_SHOWN parts of the time. */
static void show_length(FILE *f, const struct graph *g, const struct queue_length *l)
{
	const size_t each = QUEUE_LENGTH_PARTS / LENGTHS_SHOWN;
	char n[TEXT_NUMBER_MAX], wall[WALLTIME_MAX];

	if (!l->known || !l->most)
		return;
	fprintf(f, "    length:       mean %.3g, most %s at %s; at most, in each tenth:", l->mean,
		text_count(l->most, n), walltime_text(l->most_ns, &g->w->offsets, 3, wall));
	for (size_t i = 0; i < LENGTHS_SHOWN; i++) {
		uint32_t most = 0;

		for (size_t k = i * each; k < (i + 1) * each; k++)
			most = MAX(most, l->parts[k].most);
		fprintf(f, " %u", most);
	}
	fputc('\n', f);
}

/* A pool has no times in the queue. */
static void show_queue(FILE *f, const struct graph *g, const struct queue *q, bool is_pool)
{
	char name[DESCRIBE_MAX], process[JOBS_NAME_MAX], n[TEXT_NUMBER_MAX];

	fprintf(f, "%s  %s: %s\n", process_of(g, q, process), queue_words(g, q, name), q->text);
	fprintf(f, "    %s job%s; %u thread%s, at most %u job%s", text_count(q->times.count, n),
		text_s(q->times.count), q->n_threads, text_s(q->n_threads), q->most_running,
		text_s(q->most_running));
	if (q->declared)
		fprintf(f, " of %u allowed", q->declared);
	fprintf(f, " ran");
	if (!is_pool)
		fprintf(f, " and %u waited", q->most_waiting);
	fprintf(f, " at one time");
	if (q->n_waiting)
		fprintf(f, "; %s still wait%s", text_count(q->n_waiting, n), q->n_waiting == 1 ? "s" : "");
	if (q->n_running)
		fprintf(f, "; %s still run%s", text_count(q->n_running, n), q->n_running == 1 ? "s" : "");
	fputc('\n', f);
	if (!is_pool)
		show_times(f, "in the queue:", &q->times.queueing);
	show_times(f, "execution:   ", &q->times.execution);
	show_length(f, g, &q->length);
	for (size_t i = 0; i < q->n_groups && q->n_groups > 1; i++) {
		const struct job_group *x = &q->groups[i];
		char total[TEXT_NUMBER_MAX], p99[TEXT_NUMBER_MAX];

		fprintf(f, "    %s: %s job%s, execution %s in all, p99 %s\n", queue_group_name(g, x, process),
			text_count(x->times.count, n), text_s(x->times.count),
			text_duration(x->total_ns, total), text_duration(x->times.execution.p99, p99));
		show_stack(f, g, x, "        ");
	}
	if (q->n_groups == 1)
		show_stack(f, g, &q->groups[0], "    ");
}

static void show_count_pair(FILE *f, const char *what, uint64_t before, uint64_t now)
{
	char b[TEXT_NUMBER_MAX], n[TEXT_NUMBER_MAX];

	fprintf(f, "    %-26s %12s %12s\n", what, text_count(before, b), text_count(now, n));
}

static void show_time_pair(FILE *f, const char *what, const char *rank, uint64_t before, uint64_t now)
{
	char label[JOBS_NAME_MAX], b[TEXT_NUMBER_MAX], n[TEXT_NUMBER_MAX];

	snprintf(label, sizeof(label), "%s, %s", what, rank);
	fprintf(f, "    %-26s %12s %12s", label, text_duration(before, b), text_duration(now, n));
	if (before)
		fprintf(f, "  %+.0f %%", 100 * ((double)now - (double)before) / (double)before);
	fputc('\n', f);
}

static void show_times_pair(FILE *f, const char *what, const struct quantiles *before,
			    const struct quantiles *now)
{
	show_time_pair(f, what, "p50", before->p50, now->p50);
	show_time_pair(f, what, "p95", before->p95, now->p95);
	show_time_pair(f, what, "p99", before->p99, now->p99);
	show_time_pair(f, what, "max", before->max, now->max);
}

static void show_pair(FILE *f, const struct queues_of *before, const struct queue *b,
		      const struct queues_of *now, const struct queue *q)
{
	char name[DESCRIBE_MAX], process[JOBS_NAME_MAX], then[JOBS_NAME_MAX];

	fprintf(f, "%s  %s (before: %s)\n", process_of(now->g, q, process), queue_words(now->g, q, name),
		process_of(before->g, b, then));
	fprintf(f, "    before: %s\n    now:    %s\n", b->text, q->text);
	fprintf(f, "    %-26s %12s %12s\n", "", "before", "now");
	show_count_pair(f, "jobs", b->times.count, q->times.count);
	show_count_pair(f, "threads", b->n_threads, q->n_threads);
	show_count_pair(f, "most ran at one time", b->most_running, q->most_running);
	show_count_pair(f, "most waited at one time", b->most_waiting, q->most_waiting);
	show_times_pair(f, "in the queue", &b->times.queueing, &q->times.queueing);
	show_times_pair(f, "execution", &b->times.execution, &q->times.execution);
}

static void show_none(FILE *f)
{
	fprintf(f,
		"No jobs in this time. Jobs are recorded for the frameworks that are switched on: see ctraced.conf(5), 'frameworks', and 'ctrace record --frameworks'.\n");
}

static void show_unprobed(FILE *f, const struct queues_of *now)
{
	const struct window *w = now->g->w;
	char name[DESCRIBE_MAX], wall[WALLTIME_MAX];
	unprobed_list off = { 0 };

	if (find_unprobed(now, &off))
		(void)cli_error("out of memory");
	for (size_t i = 0; i < off.n; i++) {
		const struct unprobed *x = &off.v[i];

		describe_object(w, x->obj, name, sizeof(name));
		fprintf(f, "Not recorded: jobs of %s from %s",
			*name ? name : "a framework without a known name",
			walltime_text(x->from_ns, &w->offsets, 3, wall));
		if (x->to_ns != UINT64_MAX)
			fprintf(f, " to %s", walltime_text(x->to_ns, &w->offsets, 3, wall));
		fprintf(f, "; the probes cost too much, so ctraced had detached them\n");
	}
	VEC_FREE(&off);
}

static void show_more(FILE *f, const struct queues_of *now, uint32_t limit)
{
	size_t more = now->q->n - shown_queues(now, limit);

	if (more)
		fprintf(f, "\n%zu more queue%s: show them with --limit\n", more, text_s(more));
}

static int show_compared(FILE *f, const struct queues_of *now, const struct queues_of *before,
			 const uint32_t *order, uint32_t limit)
{
	_cleanup_free_ size_t *of = matches(now, before);
	char process[JOBS_NAME_MAX], name[DESCRIBE_MAX];

	if (!of)
		return CLI_FAILED;
	for (size_t k = 0; k < shown_queues(now, limit); k++) {
		size_t i = tablearg_row(order, k);

		if (k)
			fputc('\n', f);
		if (of[i] == SIZE_MAX) {
			fprintf(f, "Only now:\n");
			show_queue(f, now->g, &now->q->v[i], false);
		} else {
			show_pair(f, before, &before->q->v[of[i]], now, &now->q->v[i]);
		}
	}
	show_more(f, now, limit);
	for (size_t i = 0; i < before->q->n; i++)
		if (!has_match(now, of, i))
			fprintf(f, "Only before: %s  %s: %s\n",
				process_of(before->g, &before->q->v[i], process),
				queue_words(before->g, &before->q->v[i], name), before->q->v[i].text);
	return CLI_OK;
}

#define POOLS_SHOWN 8 /* --limit replaces it */

static void show_pools(FILE *f, const struct queues_of *now, uint32_t limit)
{
	size_t all = now->pools->n, n = MIN(all, (size_t)(limit ? limit : POOLS_SHOWN));

	fprintf(f,
		"\nPools of threads without a framework. A job is what a thread does between two waits.\n");
	for (size_t i = 0; i < n; i++)
		show_queue(f, now->g, &now->pools->v[i], true);
	if (all > n)
		fprintf(f, "%zu more pool%s: show them with --limit\n", all - n, text_s(all - n));
}

int render_jobs(FILE *f, const struct queues_of *now, const struct queues_of *before, const uint32_t *order,
		uint32_t limit)
{
	show_unprobed(f, now);
	if (before && (now->q->n || before->q->n))
		return show_compared(f, now, before, order, limit);
	for (size_t i = 0; i < shown_queues(now, limit); i++) {
		if (i)
			fputc('\n', f);
		show_queue(f, now->g, &now->q->v[tablearg_row(order, i)], false);
	}
	show_more(f, now, limit);
	if (!now->q->n)
		show_none(f);
	if (now->pools && now->pools->n)
		show_pools(f, now, limit);
	return CLI_OK;
}

void render_jobs_behind(FILE *f, const struct graph *g, const struct diagnosis *d)
{
	char process[JOBS_NAME_MAX], name[DESCRIBE_MAX];
	struct queues *q;
	int r = behind_find(g, d, &q);

	if (r) {
		fprintf(f,
			"The queues of jobs could not be examined: %s; narrow the window with --from and --to.\n",
			strerror(-r));
		return;
	}
	for (size_t i = 0; i < q->n; i++)
		fprintf(f, "Jobs of %s waited in their queue (%s): %s; 'ctrace jobs' shows its figures.\n",
			process_of(g, &q->v[i], process), queue_words(g, &q->v[i], name), q->v[i].text);
	queues_free(q);
}
