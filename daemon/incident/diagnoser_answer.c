// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/crashes/crashes.h"
#include "analysis/hangs/hangs.h"
#include "ctrace/fields.h"
#include "daemon/incident/diagnoser_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "report/thresholds.h"
#include "trace/words/describe.h"
#include "trace/read/reader.h"

#define ANSWER_TEXT_MAX 4096

/* A name may have any bytes, but JSON may not. */
static json_t *answer_text(const char *s)
{
	char clean[ANSWER_TEXT_MAX];

	describe_clean(s ? s : "", clean, sizeof(clean));
	return json_string(clean);
}

static json_t *answer_error(const char *why)
{
	return json_pack("{s:o}", "error", answer_text(why));
}

static json_t *answer_chain(const struct graph *g, const struct diagnosis *d)
{
	json_t *chain = json_array();

	for (size_t i = 0; i < d->n_chain; i++) {
		const struct link *k = &d->chain[i];
		struct cgroup_name p = graph_place(g, k->task, k->to_ns);

		json_array_append_new(
			chain, json_pack("{s:I,s:I,s:o,s:o*,s:o*,s:s}", "pid", (json_int_t)k->pid, "tid",
					 (json_int_t)k->tid, "comm", answer_text(k->comm), "cgroup",
					 p.cgroup[0] ? answer_text(p.cgroup) : NULL, "container",
					 p.container[0] ? answer_text(p.container) : NULL, "edge",
					 i + 1 == d->n_chain ? "none" : edge_kind_name(k->edge)));
	}
	return chain;
}

static json_t *answer_diagnosis(const struct graph *g, const struct diagnosis *d, bool lasts)
{
	const struct link *root = &d->chain[d->n_chain - 1];

	return json_pack("{s:o,s:s,s:s,s:s,s:b,s:I,s:I,s:{s:I,s:I,s:o,s:o},s:o}", "text",
			 answer_text(d->sentence), "verdict", verdict_name(d->verdict), "cause",
			 cause_word(d->cause), "confidence", d->strong ? "strong" : "weak", "lasts", lasts,
			 "from_ns", (json_int_t)d->from_ns, "to_ns", (json_int_t)d->to_ns, "root_cause",
			 "pid", (json_int_t)root->pid, "tid", (json_int_t)root->tid, "comm",
			 answer_text(root->comm), "text", answer_text(d->root_text), "chain",
			 answer_chain(g, d));
}

/* Returns the steps of the path, from the crash to the origin of the work. c->path has at most
 * CRASH_STEPS_MAX steps. If the path is longer, its last steps, near the origin, are missing. */
static json_t *answer_path(const struct crashes *cs, const struct crash *c)
{
	const struct graph *g = cs->g;
	json_t *chain = json_array();
	size_t n = c->path ? c->path->n_steps : 1;

	for (size_t i = 0; i < n; i++) {
		const struct slice_step *x = c->path ? &c->path->steps[i] : NULL;
		uint32_t edge = x && i + 1 < n ? c->path->steps[i + 1].edge : GRAPH_NONE;
		uint32_t task = x ? cs->c->segments[x->segment].task : c->task;
		uint64_t ns = x ? x->at_ns : c->at_ns;
		struct cgroup_name p = graph_place(g, task, ns);

		json_array_append_new(
			chain,
			json_pack("{s:I,s:I,s:o,s:o*,s:o*,s:s}", "pid", (json_int_t)g->tasks[task].tgid,
				  "tid", (json_int_t)g->tasks[task].tid, "comm",
				  answer_text(graph_comm(g, task, ns)), "cgroup",
				  p.cgroup[0] ? answer_text(p.cgroup) : NULL, "container",
				  p.container[0] ? answer_text(p.container) : NULL, "edge",
				  edge == GRAPH_NONE ? "none" : edge_kind_name(cs->c->edges[edge].kind)));
	}
	return chain;
}

static json_t *answer_crash(const struct crashes *cs, const struct crash *c)
{
	const struct graph *g = cs->g;
	bool strong = c->confirmed && c->task_known && crash_path_certain(cs, c);
	uint64_t from_ns = c->path ? c->path->steps[c->path->n_steps - 1].at_ns : c->at_ns;

	return json_pack("{s:o,s:s,s:s,s:s,s:b,s:I,s:I,s:{s:I,s:I,s:o,s:o},s:o}", "text",
			 answer_text(c->text), "verdict", "crash", "cause", "crash", "confidence",
			 strong ? "strong" : "weak", "lasts", false, "from_ns",
			 (json_int_t)MIN(from_ns, c->at_ns), "to_ns", (json_int_t)c->at_ns, "root_cause",
			 "pid", (json_int_t)g->tasks[c->task].tgid, "tid", (json_int_t)g->tasks[c->task].tid,
			 "comm", answer_text(graph_comm(g, c->task, c->at_ns - 1)), "text",
			 answer_text(c->text), "chain", answer_path(cs, c));
}

static bool answer_fits(const struct crash *c, enum ct_hang rule)
{
	return rule == CT_HANG_CRASH ? c->how == CRASH_SIGNAL
				     : c->how == CRASH_EXCEPTION || c->how == CRASH_THREAD;
}

static int answer_crashes(const struct graph *g, const struct diagnoser_question *q, json_t **ret)
{
	struct crashes *cs;
	int r = crashes_find(g, q->since_ns, g->w->to_ns, &cs);

	if (r)
		return r;
	*ret = NULL;
	for (size_t i = 0; i < cs->n && !*ret; i++)
		if (answer_fits(&cs->v[i], q->rule) && g->tasks[cs->v[i].task].tid == q->tid)
			*ret = answer_crash(cs, &cs->v[i]);
	if (!*ret)
		*ret = answer_error("the snapshot does not show the crash");
	crashes_free(cs);
	return 0;
}

struct answer_job {
	const struct diagnoser_question *q;
	int page_fd;       /* -1: no page is wanted */
	bool lean;         /* build the graph with graph_build_lean() */
	uint64_t begun_ns; /* diagnoser_cpu_ns() at the begin of this try */
};

static int answer_page(const struct graph *g, const struct diagnosis *d, struct answer_job *job,
		       json_t **answer)
{
	char why[DIAGNOSER_WHY_MAX];
	int r = diagnoser_page(job->page_fd, g, d, job->q, !job->lean, job->begun_ns, why);

	if (!r)
		return 0;
	json_decref(*answer);
	*answer = NULL;
	if (r == -ENOMEM)
		return r;
	*answer = answer_error(why);
	return 0;
}

static int answer_graph(const struct graph *g, struct answer_job *job, json_t **ret)
{
	const struct diagnoser_question *q = job->q;
	bool looped = q->rule != CT_HANG_DISK && q->rule != CT_HANG_DEADLOCK;
	uint32_t task = graph_task_at(g, q->tid, q->found_ns);
	uint64_t from_ns, to_ns;
	struct diagnosis *d;
	int r;

	if (ct_hang_is_crash(q->rule))
		return answer_crashes(g, q, ret);
	if (task == GRAPH_NONE) {
		*ret = answer_error("the snapshot does not show the task");
		return 0;
	}
	to_ns = hangs_end(g, task, q->since_ns, q->found_ns, looped);
	from_ns = MAX(q->since_ns, g->w->from_ns);
	from_ns = MAX(from_ns, g->tasks[task].born_ns);
	if (to_ns <= from_ns) {
		*ret = answer_error("the snapshot does not reach back to the hang");
		return 0;
	}
	r = diagnose(g, task, from_ns, to_ns, NULL, &d);
	if (r)
		return r;
	*ret = answer_diagnosis(g, d, to_ns >= g->w->to_ns && g->tasks[task].exit_ns > to_ns);
	if (job->page_fd >= 0)
		r = answer_page(g, d, job, ret);
	diagnosis_free(d);
	return r;
}

static int answer_from(struct reader *reader, uint64_t from_ns, struct answer_job *job, json_t **ret,
		       char *err)
{
	struct window *w = NULL;
	struct graph *g = NULL;
	int r;

	job->begun_ns = diagnoser_cpu_ns();
	reader_want_kinds(reader, GRAPH_KINDS);
	r = window_load(reader, from_ns, reader_info(reader)->to_ns + 1, DIAGNOSER_EVENTS_MAX, &w, err);

	if (!r) {
		snprintf(err, READER_ERR_MAX, "out of memory");
		r = job->lean ? graph_build_lean(w, &g) : graph_build(w, &g);
	}
	if (!r)
		r = answer_graph(g, job, ret);
	graph_free(g);
	window_free(w);
	return r;
}

static bool answer_lacks_memory(int r)
{
	return r == -ENOMEM || r == -E2BIG;
}

json_t *diagnoser_answer(int fd, int page_fd, const struct diagnoser_question *q)
{
	char err[READER_ERR_MAX] = "out of memory";
	struct reader *reader = NULL;
	/* the path of a crash needs the causal graph, which needs all records */
	struct answer_job job = { .q = q, .page_fd = page_fd, .lean = !ct_hang_is_crash(q->rule) };
	json_t *answer = NULL;
	uint64_t from_ns = 0;
	int r = reader_open_fd(fd, "the snapshot", &reader, err);

	if (!r) {
		from_ns = reader_info(reader)->from_ns;
		job.lean &= page_fd < 0 || reader_info(reader)->records > VIEW_TABLES_RECORDS;
		r = answer_from(reader, from_ns, &job, &answer, err);
	}
	if (answer_lacks_memory(r) && page_fd >= 0 && !job.lean) {
		job.lean = true;
		r = answer_from(reader, from_ns, &job, &answer, err);
	}
	/* The snapshot may be too large for the memory. Each further try leaves out the first half
	 * of the remaining time before the hang. The last tries leave out a part of the hang too. */
	for (unsigned i = 0; i < DIAGNOSER_TRIES && answer_lacks_memory(r); i++) {
		uint64_t limit_ns = i < DIAGNOSER_TRIES_BEFORE ? q->since_ns : q->found_ns;

		if (from_ns >= limit_ns)
			continue;
		from_ns += (limit_ns - from_ns) / 2;
		r = answer_from(reader, from_ns, &job, &answer, err);
	}
	reader_free(reader);
	return r ? answer_error(err) : answer;
}
