// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/wakeless_edges.h"

#include <errno.h>
#include <signal.h>

#include "graph/causal/exchange.h"
#include "graph/causal/segments.h"
#include "graph/causal/wake_edges.h"
#include "lib/cleanup.h"

#define SIGNALS 65

static struct origin *wakeless_edges_of(struct pass *p, struct map *table, uint64_t key)
{
	uint64_t at;

	if (map_get(table, key, &at))
		return &p->origins.v[at];
	at = p->origins.n;
	if (VEC_PUSH(&p->origins, (struct origin){ .event = GRAPH_NONE, .segment = GRAPH_NONE }) ||
	    map_set(table, key, at)) {
		p->err = -ENOMEM;
		return NULL;
	}
	return &p->origins.v[at];
}

static void wakeless_edges_edge(struct pass *p, const struct origin *o, uint32_t task, uint32_t event,
				enum edge_kind kind, enum edge_strength strength)
{
	struct edge e = { .from = o->segment,
			  .to = p->work[task].segment,
			  .event = event,
			  .cause = o->event,
			  .kind = (uint8_t)kind,
			  .strength = (uint8_t)strength };

	if (e.from != e.to)
		pass_edge(p, &e);
}

/* A number identifies a job only within one process and one framework. */
static uint64_t job_key(const struct pass *p, uint32_t task, const struct window_event *e)
{
	return window_words(p->g->w, e)[0] ^ (uint64_t)p->g->tasks[task].tgid * 0x9e3779b97f4a7c15ULL ^
	       ct_job_framework(&e->r) * 0xbf58476d1ce4e5b9ULL;
}

static uint64_t job_key_in_task(uint64_t key, uint32_t task)
{
	return key ^ (task + 1ULL) * 0x94d049bb133111ebULL;
}

static void job_begins(struct pass *p, uint32_t task, uint32_t event, uint64_t key)
{
	if (map_set(&p->jobs_begun, key, event) || map_set(&p->jobs_begun, job_key_in_task(key, task), event))
		p->err = -ENOMEM;
}

/* Returns true if `event` is the end of a job that has started, first of one that this task began. */
static bool job_ends(struct pass *p, uint32_t task, uint32_t event, uint64_t key)
{
	uint64_t cut = 0, begun = 0, any = 0;
	bool own = map_get(&p->jobs_begun, job_key_in_task(key, task), &begun);
	bool found = map_get(&p->jobs_begun, key, &any);

	map_get(&p->jobs_cut, ct_job_framework(&p->e[event].r), &cut);
	if (own)
		map_del(&p->jobs_begun, job_key_in_task(key, task));
	if (found && (!own || any == begun))
		map_del(&p->jobs_begun, key);
	return (own && begun >= cut) || (found && !own && any >= cut);
}

/* A job that ends before it starts was cancelled, so the end is not that of a job of this task. But a job
 * may be enqueued again while it runs. */
static bool job_is_cancelled(struct pass *p, uint32_t task, uint32_t event, uint64_t key)
{
	uint64_t queued, cut;

	if (job_ends(p, task, event, key) || !map_get(&p->jobs, key, &queued))
		return false;
	map_del(&p->jobs, key);
	return !map_get(&p->jobs_cut, ct_job_framework(&p->e[event].r), &cut) || (uint32_t)queued >= cut;
}

static void wakeless_edges_job(struct pass *p, uint32_t task, uint32_t event)
{
	const struct window_event *e = &p->e[event];
	uint64_t key = job_key(p, task, e), queued, cut;
	struct origin o;

	if (ct_job_state(&e->r) == CT_JOB_END && job_is_cancelled(p, task, event, key))
		return;
	segments_job(p, task, e, event);
	if (ct_job_state(&e->r) == CT_JOB_START)
		job_begins(p, task, event, key);
	if (ct_job_state(&e->r) == CT_JOB_ENQUEUE) {
		if (map_set(&p->jobs, key, (uint64_t)p->work[task].segment << 32 | event))
			p->err = -ENOMEM;
	} else if (ct_job_state(&e->r) == CT_JOB_START && map_get(&p->jobs, key, &queued)) {
		map_del(&p->jobs, key);
		if (map_get(&p->jobs_cut, ct_job_framework(&e->r), &cut) && (uint32_t)queued < cut)
			return;
		o = (struct origin){ .event = (uint32_t)queued, .segment = (uint32_t)(queued >> 32) };
		wakeless_edges_edge(p, &o, task, event, EDGE_JOB, EDGE_STRONG);
		segments_inherit(p, task, pass_task_of(p, o.segment), event);
	}
}

/* A part of the probes is attached before a CT_JOB_ON. So the ends of earlier jobs may be missing then,
 * too. If the first CT_JOB_OFF is lost, its first repetition counts. */
static void wakeless_edges_probes(struct pass *p, uint32_t event)
{
	const struct window_event *e = &p->e[event];
	uint64_t since_ns = window_words(p->g->w, e)[0], off_ns;
	uint16_t framework = ct_job_framework(&e->r);

	if (ct_job_state(&e->r) == CT_JOB_OFF) {
		if (map_get(&p->jobs_off, framework, &off_ns) && off_ns == since_ns)
			return;
		if (map_set(&p->jobs_off, framework, since_ns))
			p->err = -ENOMEM;
		exchange_stream_off(p, framework);
	}
	if (map_set(&p->jobs_cut, framework, event))
		p->err = -ENOMEM;
	segments_forget_jobs(p, framework);
}

static void wakeless_edges_access(struct pass *p, uint32_t task, uint32_t event)
{
	const struct window_event *e = &p->e[event];
	struct origin *o = wakeless_edges_of(p, &p->variables, e->r.obj);
	uint64_t value = window_words(p->g->w, e)[0];
	bool written = ct_access_is_write(&e->r);

	if (!o)
		return;
	if (o->event != GRAPH_NONE && pass_task_of(p, o->segment) != task && (!written || o->value != value))
		/* An edge to a write is weak: the task may not have read the variable first. */
		wakeless_edges_edge(p, o, task, event, EDGE_FLAG, written ? EDGE_WEAK : EDGE_STRONG);
	if (written)
		*o = (struct origin){ event, p->work[task].segment, value };
}

static void wakeless_edges_lock(struct pass *p, uint32_t task, uint32_t event)
{
	const struct window_event *e = &p->e[event];
	struct origin *o = wakeless_edges_of(p, &p->locks, e->r.obj);
	const struct work *w = &p->work[task];
	const struct edge *wake = w->wake_edge == GRAPH_NONE ? NULL : &p->edges.v[w->wake_edge];

	if (!o)
		return;
	if (ct_lock_op(&e->r) == CT_LOCK_UNLOCK) {
		o->event = event;
		o->segment = w->segment;
		return;
	}
	if (ct_lock_result(&e->r) || o->event == GRAPH_NONE)
		return;
	/* If the task waited for the lock, its wake-up has made an edge already. If the task did
	 * not wait, makes a weak edge: the order of the two tasks may be chance. */
	if (!pass_same_process(p, task, pass_task_of(p, o->segment)) &&
	    !(wake && wake->kind == EDGE_FILELOCK && wake->from == o->segment))
		wakeless_edges_edge(p, o, task, event, EDGE_LOCK_ORDER, EDGE_WEAK);
	o->event = GRAPH_NONE;
}

static uint64_t signal_key(const struct pass *p, uint32_t task, uint8_t sig)
{
	return (uint64_t)p->g->tasks[task].tgid * SIGNALS + sig % SIGNALS;
}

static void wakeless_edges_signal(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t target = pass_task(p, ct_signal_target(r), r->ts), sender = pass_task(p, r->tid, r->ts);
	struct origin *o;

	if (target == GRAPH_NONE || r->flags & CT_GF_IGNORED)
		return;
	if (sender != GRAPH_NONE && pass_segment(p, sender, r->ts) != GRAPH_NONE) {
		p->work[sender].acts++;
		if (wake_edges_by_signal(p, target, sender, event))
			return;
	}
	o = wakeless_edges_of(p, &p->signals, signal_key(p, target, ct_signal_number(r)));
	if (!o)
		return;
	o->event = event;
	o->segment = GRAPH_NONE;
	/* The task on the CPU may have nothing to do with a signal of the kernel. Exception: a
	 * child that sends SIGCHLD. */
	if (sender != GRAPH_NONE &&
	    (!(r->flags & CT_GF_KERNEL) ||
	     (ct_signal_number(r) == SIGCHLD && p->g->tasks[sender].ptgid == p->g->tasks[target].tgid)))
		o->segment = p->work[sender].segment;
}

static void wakeless_edges_deliver(struct pass *p, uint32_t task, uint32_t event)
{
	struct origin *o =
		wakeless_edges_of(p, &p->signals, signal_key(p, task, ct_signal_number(&p->e[event].r)));
	bool kernel;

	if (!o || o->event == GRAPH_NONE)
		return;
	kernel = p->e[o->event].r.flags & CT_GF_KERNEL;
	if (kernel && o->segment != GRAPH_NONE)
		wakeless_edges_edge(p, o, task, event, EDGE_EXIT, EDGE_STRONG);
	else
		wakeless_edges_edge(p, o, task, event, EDGE_SIGNAL, kernel ? EDGE_WEAK : EDGE_STRONG);
	o->event = GRAPH_NONE;
}

static void wakeless_edges_fork(struct pass *p, uint32_t task, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t child = pass_task(p, ct_fork_child(r), r->ts);
	struct origin o = { .event = event, .segment = p->work[task].segment };

	if (child == GRAPH_NONE || child == task || pass_segment(p, child, r->ts) == GRAPH_NONE)
		return;
	wakeless_edges_edge(p, &o, child, event, EDGE_FORK, EDGE_STRONG);
	segments_inherit(p, child, task, event);
}

static void wakeless_edges_exec(struct pass *p, uint32_t task, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	/* At an exec, a thread that is not the leader takes over the leader's tid. */
	uint32_t tid = ct_exec_tid_before(r), was = tid && tid != r->tid ? pass_task(p, tid, r->ts) : task;
	struct origin o = { .event = event, .segment = GRAPH_NONE };

	if (was != GRAPH_NONE)
		o.segment = pass_segment(p, was, r->ts);
	p->work[task].jobs = 0;
	p->work[task].jobs_from = event;
	p->work[task].taken = 0;
	if (segments_cut(p, task, r->ts, event, CUT_EXEC))
		wakeless_edges_edge(p, &o, task, event, EDGE_EXEC, EDGE_STRONG);
}

static void wakeless_edges_set(struct work *w, const struct ct_rec *r)
{
	w->n_set = ct_waitfd_count(r);
	if (ct_waitfd_index(r) < ARRAY_SIZE(w->set))
		w->set[ct_waitfd_index(r)] = r->obj;
}

static void wakeless_edges_sample(struct pass *p, uint32_t task, const struct window_event *e)
{
	uint64_t stack = window_words(p->g->w, e)[0];

	if (stack &&
	    VEC_PUSH(&p->stacks, (struct stack_seen){ .segment = p->work[task].segment, .stack = stack }))
		p->err = -ENOMEM;
}

void wakeless_edges_event(struct pass *p, uint32_t event)
{
	const struct window_event *e = &p->e[event];
	uint32_t task;

	if (e->r.kind == CT_SIGNAL) {
		wakeless_edges_signal(p, event);
		return;
	}
	if (e->r.kind == CT_JOB && ct_job_state(&e->r) > CT_JOB_END) {
		wakeless_edges_probes(p, event);
		return;
	}
	task = pass_task(p, e->r.tid, e->r.ts);
	if (task == GRAPH_NONE || pass_segment(p, task, e->r.ts) == GRAPH_NONE)
		return;
	if (e->r.kind == CT_SAMPLE && p->links)
		return;
	switch (e->r.kind) {
	case CT_WAITFD:
		wakeless_edges_set(&p->work[task], &e->r);
		return;
	case CT_VISIT:
		p->work[task].visit_stack = window_words(p->g->w, e)[0];
		return;
	case CT_SAMPLE:
		wakeless_edges_sample(p, task, e);
		return;
	}
	p->work[task].acts++;
	switch (e->r.kind) {
	case CT_FORK:
		wakeless_edges_fork(p, task, event);
		break;
	case CT_EXEC:
		wakeless_edges_exec(p, task, event);
		break;
	case CT_SIGDELIVER:
		wakeless_edges_deliver(p, task, event);
		break;
	case CT_FLOCK:
		wakeless_edges_lock(p, task, event);
		break;
	case CT_ACCESS:
		wakeless_edges_access(p, task, event);
		break;
	case CT_JOB:
		wakeless_edges_job(p, task, event);
		break;
	}
}
