// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/pools.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/jobs/jobs.h"
#include "analysis/thresholds.h"
#include "graph/causal/causal.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"

/* An idle wait of a thread, which has ended. */
struct idle {
	uint64_t on;      /* the same for all threads that idle on one thing */
	uint32_t process; /* the process of the thread; 0: threads of any process may idle on this thing */
	uint32_t interval;
	bool timed_out; /* no job ended it */
};

struct search {
	const struct graph *g;
	struct causal *c;
	bool *reported; /* [task]: a framework reports its jobs */
	VEC(struct idle) v;
	job_list jobs; /* of pools */
	uint64_t from_ns, to_ns;
};

/* Finding all jobs would take as long as everything else in this file. */
static void mark_reported(struct search *k)
{
	const struct window *w = k->g->w;

	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1)) {
		const struct ct_rec *r = &w->events[i].r;
		uint32_t task = GRAPH_NONE;

		if (r->kind == CT_JOB && ct_job_state(r) == CT_JOB_START)
			task = graph_task_at(k->g, r->tid, r->ts);
		if (task != GRAPH_NONE)
			k->reported[task] = true;
	}
}

/* Returns true for a wait in which several threads may wait for the next piece of work, of which one of them
 * gets it. */
static bool is_for_work(const struct interval *s)
{
	unsigned kind = CT_OBJ_KIND(s->obj);

	if (s->state != INTERVAL_BLOCKED || !s->obj)
		return false;
	return s->wait == CT_W_FUTEX || s->wait == CT_W_EPOLL || s->wait == CT_W_ACCEPT ||
	       (s->wait == CT_W_READ && (kind == CT_OBJ_PIPE || kind == CT_OBJ_FIFO));
}

/* The waiters of a condition variable of glibc wait on one of two futexes. Both lie in one aligned unit of 8
 * bytes. */
static uint64_t thing_of(const struct interval *s)
{
	return s->wait == CT_W_FUTEX ? s->obj & ~7ULL : s->obj;
}

static int find_idles(struct search *k)
{
	const struct graph *g = k->g;

	for (uint32_t i = 0; i < k->c->n_segments; i++) {
		const struct segment *s = &k->c->segments[i];
		const struct graph_task *t = &g->tasks[s->task];
		const struct interval *wait;
		uint32_t at;

		if (s->cut != CUT_IDLE || !s->from_ns || t->kthread || t->tracer || k->reported[s->task])
			continue;
		at = graph_interval_at(g, s->task, s->from_ns - 1);
		wait = at == GRAPH_NONE ? NULL : &g->intervals[at];
		if (!wait || !is_for_work(wait))
			continue;
		if (VEC_PUSH(&k->v, (struct idle){ .on = thing_of(wait),
						   .process = wait->wait == CT_W_ACCEPT ? 0 : t->tgid,
						   .interval = at,
						   .timed_out = edge_is_timed_out(g, wait) }))
			return -ENOMEM;
	}
	return 0;
}

static bool is_same_thread(const struct search *k, const struct idle *x, const struct idle *y)
{
	return k->g->intervals[x->interval].task == k->g->intervals[y->interval].task;
}

/* Sets *ret to the thing on which the thread of the n waits in v idled longest. Returns 0 or -ENOMEM. */
static int find_home(const struct graph *g, const struct idle *v, size_t n, uint64_t *ret)
{
	struct map sums = { 0 };
	uint64_t best_ns = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct interval *wait = &g->intervals[v[i].interval];
		uint64_t ns = 0;

		map_get(&sums, v[i].on, &ns);
		ns += wait->to_ns - wait->from_ns;
		r = map_set(&sums, v[i].on, ns);
		if (ns > best_ns) {
			best_ns = ns;
			*ret = v[i].on;
		}
	}
	map_done(&sums);
	return r;
}

/* A thread idles on one thing. Its other waits that look idle, such as those for the lock of an interpreter,
 * are part of its jobs. The waits are in the order of their threads. */
static int keep_homes(struct search *k)
{
	const struct graph *g = k->g;
	struct idle *v = k->v.v;
	size_t kept = 0;
	int r = 0;

	for (size_t lo = 0, hi; lo < k->v.n && !r; lo = hi) {
		uint64_t home = 0;

		for (hi = lo; hi < k->v.n && is_same_thread(k, &v[hi], &v[lo]); hi++)
			;
		r = find_home(g, v + lo, hi - lo, &home);
		for (size_t i = lo; i < hi; i++)
			if (v[i].on == home)
				v[kept++] = v[i];
	}
	k->v.n = kept;
	return r;
}

/* The intervals are in the order of task and time. */
static int idle_cmp(const void *a, const void *b)
{
	const struct idle *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->on != y->on)
		return x->on < y->on ? -1 : 1;
	return x->interval < y->interval ? -1 : x->interval > y->interval;
}

/* Returns when the thread last began to idle on the thing of x, if it still does so at the end of the trace;
 * or when the thread ended; or 0. */
static uint64_t last_end(const struct graph *g, const struct idle *x)
{
	const struct graph_task *t = &g->tasks[g->intervals[x->interval].task];
	const struct interval *last = &g->intervals[t->first_interval + t->n_intervals - 1];

	if (is_for_work(last) && thing_of(last) == x->on)
		return last->from_ns;
	return t->exit_ns == UINT64_MAX ? 0 : t->exit_ns;
}

/* Adds the job after the wait *x. next: the next wait of the thread on this thing, or NULL. */
static int add_job(struct search *k, const struct idle *x, const struct idle *next,
		   const struct interval *first)
{
	const struct graph *g = k->g;
	const struct interval *wait = &g->intervals[x->interval];
	struct job j = { .obj = first->obj,
			 .tgid = g->tasks[first->task].tgid,
			 .start_ns = wait->to_ns,
			 .end_ns = next ? g->intervals[next->interval].from_ns : last_end(g, x),
			 .enqueuer = GRAPH_NONE,
			 .worker = wait->task };

	if (x->timed_out || j.start_ns >= k->to_ns || (j.end_ns && j.end_ns <= MAX(j.start_ns, k->from_ns)))
		return 0;
	if (j.end_ns)
		j.cpu_ns = jobs_cpu_ns(g, j.worker, j.start_ns, j.end_ns);
	return VEC_PUSH(&k->jobs, j);
}

/* Returns the task that ended the wait; GRAPH_NONE: no task did, or it is not known. */
static uint32_t ender(const struct graph *g, const struct interval *wait)
{
	const struct window_event *e = wait->wake == GRAPH_NONE ? NULL : &g->w->events[wait->wake];

	if (!e || ct_wake_context(&e->r) != CT_CTX_TASK || !ct_wake_waker(&e->r))
		return GRAPH_NONE;
	return graph_task_at(g, ct_wake_waker(&e->r), e->r.ts);
}

/* v: the n waits on one thing. Threads that mostly wake each other pass on a lock, such as that of an
 * interpreter. Such a lock has no owner in the records. Sets *ret to false for it. */
static int is_fed_from_outside(const struct search *k, const struct idle *v, size_t n, bool *ret)
{
	const struct graph *g = k->g;
	struct map workers = { 0 };
	size_t inside = 0, ended = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = map_set(&workers, g->intervals[v[i].interval].task, 1);
	for (size_t i = 0; i < n; i++) {
		ended += !v[i].timed_out;
		inside += !v[i].timed_out && map_get(&workers, ender(g, &g->intervals[v[i].interval]), NULL);
	}
	map_done(&workers);
	*ret = (ended - inside) * POOL_OUTSIDE_SHARE >= ended;
	return r;
}

static bool is_in_window(const struct search *k, const struct idle *x)
{
	uint64_t end_ns = k->g->intervals[x->interval].to_ns;

	return end_ns >= k->from_ns && end_ns < k->to_ns;
}

static size_t count_workers(const struct search *k, const struct idle *v, size_t n)
{
	size_t workers = 0;

	for (size_t lo = 0, hi; lo < n; lo = hi) {
		size_t rounds = 0;

		for (hi = lo; hi < n && is_same_thread(k, &v[hi], &v[lo]); hi++)
			rounds += !v[hi].timed_out && is_in_window(k, &v[hi]);
		workers += rounds >= POOL_ROUNDS;
	}
	return workers;
}

/* v: the n waits on one thing. If the threads are a pool, adds the jobs after the waits. */
static int add_pool(struct search *k, const struct idle *v, size_t n)
{
	bool is_pool = false;
	int r = count_workers(k, v, n) > 1 ? is_fed_from_outside(k, v, n, &is_pool) : 0;

	for (size_t i = 0; i < n && is_pool && !r; i++)
		r = add_job(k, &v[i], i + 1 < n && is_same_thread(k, &v[i + 1], &v[i]) ? &v[i + 1] : NULL,
			    &k->g->intervals[v[0].interval]);
	return r;
}

static int add_pools(struct search *k)
{
	const struct idle *v;
	int r = 0;

	VEC_SORT(&k->v, idle_cmp);
	v = k->v.v;
	for (size_t lo = 0, hi; lo < k->v.n && !r; lo = hi) {
		for (hi = lo; hi < k->v.n && v[hi].process == v[lo].process && v[hi].on == v[lo].on; hi++)
			;
		r = add_pool(k, v + lo, hi - lo);
	}
	return r;
}

static int most_work_cmp(const void *a, const void *b)
{
	const struct queue *x = a, *y = b;
	uint64_t m = x->n_groups ? x->groups[0].so_far_ns : 0, n = y->n_groups ? y->groups[0].so_far_ns : 0;

	if (m != n)
		return m > n ? -1 : 1;
	return x->obj < y->obj ? -1 : x->obj > y->obj;
}

int pools_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret)
{
	struct search k = { .g = g, .from_ns = from_ns, .to_ns = to_ns };
	/* The search needs no edges. */
	struct causal_options no_edges = { .from_ns = UINT64_MAX - 1, .to_ns = UINT64_MAX };
	int r = causal_build(g, &no_edges, &k.c);

	if (!r) {
		k.reported = calloc(g->n_tasks + 1, sizeof(*k.reported));
		r = k.reported ? 0 : -ENOMEM;
	}
	if (!r) {
		mark_reported(&k);
		r = find_idles(&k);
	}
	if (!r)
		r = keep_homes(&k);
	if (!r)
		r = add_pools(&k);
	if (!r)
		r = queues_of_jobs(g, &k.jobs, from_ns, to_ns, ret);
	/* All jobs of a pool are of one group. */
	if (!r && (*ret)->n)
		qsort((*ret)->v, (*ret)->n, sizeof(*(*ret)->v), most_work_cmp);
	VEC_FREE(&k.jobs);
	VEC_FREE(&k.v);
	free(k.reported);
	causal_free(k.c);
	return r;
}
