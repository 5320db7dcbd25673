// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/contention.h"

#include <errno.h>

#include "analysis/contention/tally.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

/* runs: so far ahead, a run is fetched from memory */
#define RUNS_AHEAD 12

static void tally_best(const struct map *tally, struct contention *r)
{
	for (size_t i = 0; i < tally->cap; i++) {
		const struct map_slot *s = &tally->slots[i];

		if (!s->used || s->val < r->ns || (s->val == r->ns && s->key >= r->task))
			continue;
		r->ns = s->val;
		r->task = (uint32_t)s->key;
	}
}

/* Returns for how long a task may have had the CPU in [from, to) without a record of it. ix is one of
 * these:
 * - g->gaps: gaps, in which records of any task were lost.
 * - g->groups: caps of groups. While a group is capped, the runs of its tasks are not recorded.
 * Word 0 of the record is the begin of the gap or cap. The end of a gap is word 1, the end of a cap is the
 * time of the record. */
static uint64_t lost_by(const struct graph *g, const struct graph_index *ix, uint32_t cpu, uint64_t from,
			uint64_t to)
{
	uint64_t lost = 0, seen = from;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, ix, 0, from, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];
		uint64_t end = e->r.kind == CT_GAP ? window_words(g->w, e)[1] : e->r.ts;

		if (e->r.kind == CT_GAP && e->r.tid != cpu && e->r.tid != CT_GAP_ALL_CPUS)
			continue;
		lost += overlap(MAX(window_words(g->w, e)[0], seen), end, from, to);
		seen = MAX(seen, end);
	}
	return lost;
}

static uint64_t lost_on(const struct graph *g, uint32_t cpu, uint64_t from, uint64_t to)
{
	return lost_by(g, &g->gaps, cpu, from, to) + lost_by(g, &g->groups, cpu, from, to) +
	       graph_lacked_ns(g, CT_LACK_SWITCHES, from, to);
}

static int contention_cpu_interval(const struct graph *g, uint32_t task, uint32_t cpu, uint64_t from,
				   uint64_t to, size_t *near, struct map *tally, struct contention *r)
{
	uint64_t had = 0, lost;
	int err = 0;

	*near = path_run_near(g, cpu, from, *near);
	for (size_t i = *near; i < g->n_runs[cpu] && !err; i++) {
		const struct interval *run = graph_run(g, cpu, i);
		uint64_t ns = overlap(run->from_ns, run->to_ns, from, to);

		if (run->from_ns >= to)
			break;
		/* the intervals of a CPU lie far apart in memory */
		if (i + RUNS_AHEAD < g->n_runs[cpu])
			__builtin_prefetch(graph_run(g, cpu, i + RUNS_AHEAD));
		had += ns;
		if (g->tasks[run->task].tgid == g->tasks[task].tgid)
			r->own_ns += ns;
		else
			err = tally_add(tally, run->task, ns);
	}
	r->total_ns += to - from;
	if (err || to - from <= had)
		return err;
	lost = MIN(lost_on(g, cpu, from, to), to - from - had);
	r->lost_ns += lost;
	r->idle_ns += to - from - had - lost;
	return 0;
}

/* Returns true if the task lost one CPU, and then got another one. It may have waited for the first one for
 * most of the interval. */
static bool was_moved(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	const struct graph_task *t = &g->tasks[s->task];

	return interval > t->first_interval && interval + 1 < t->first_interval + t->n_intervals &&
	       s[-1].state == INTERVAL_RUNNING && s[1].state == INTERVAL_RUNNING && s[-1].cpu != s[1].cpu;
}

int contention_cpu(const struct graph *g, uint32_t task, const struct path_piece *waits, size_t n,
		   struct contention *ret)
{
	_cleanup_free_ size_t *near = calloc((size_t)g->n_cpus + 1, sizeof(*near));
	struct map tally = { 0 };
	int r = near ? 0 : -ENOMEM;

	*ret = (struct contention){ .task = GRAPH_NONE };
	for (size_t i = 0; !r && i < n; i++) {
		const struct path_piece *x = &waits[i];
		uint32_t cpu = path_cpu_wanted(g, x->interval);

		if (g->intervals[x->interval].flags & CT_SF_THROTTLED)
			ret->throttled_ns += x->to_ns - x->from_ns;
		if (was_moved(g, x->interval))
			ret->moved_ns += x->to_ns - x->from_ns;
		if (cpu < g->n_cpus)
			r = contention_cpu_interval(g, task, cpu, x->from_ns, x->to_ns, &near[cpu], &tally,
						    ret);
	}
	if (!r)
		tally_best(&tally, ret);
	map_done(&tally);
	return r;
}

bool contention_is_throttled(const struct contention *c)
{
	return c->throttled_ns > c->total_ns / 2;
}

uint64_t contention_others_ns(const struct contention *c)
{
	uint64_t known_ns = c->ns + c->idle_ns + c->lost_ns;

	return !c->sampled && c->total_ns > known_ns ? c->total_ns - known_ns : 0;
}

static bool is_look(enum call call)
{
	switch (call) {
	case CALL_EPOLL_PWAIT:
	case CALL_EPOLL_WAIT:
	case CALL_POLL:
	case CALL_PPOLL:
	case CALL_PSELECT6:
	case CALL_SCHED_YIELD:
	case CALL_SELECT:
		return true;
	case CALL_OTHER:
	case CALL_CLOSE:
	case CALL_EXECVE:
	case CALL_EXIT_GROUP:
	case CALL_MQ_TIMEDRECEIVE:
	case CALL_MQ_TIMEDSEND:
	case CALL_MSGRCV:
	case CALL_MSGSND:
	case CALL_SEMOP:
	case CALL_SEMTIMEDOP:
	case CALL_SHUTDOWN:
	case CALLS:
		break;
	}
	return false;
}

uint32_t contention_yields(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   uint32_t *ret_sampled, uint32_t *ret_samples)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t yields = 0;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->samples, t->tid, from_ns, &n);

	*ret_sampled = *ret_samples = 0;
	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals && g->intervals[i].from_ns < to_ns;
	     i++)
		yields += g->intervals[i].state == INTERVAL_RUNNABLE && g->intervals[i].from_ns >= from_ns &&
			  (g->intervals[i].wait == CT_W_YIELD || g->intervals[i].flags & CT_SF_ZEROWAIT);
	for (size_t i = 0; i < n; i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.ts >= to_ns)
			break;
		++*ret_samples;
		*ret_sampled += is_look(call_of(g->w->machine, e->r.nr));
	}
	return yields;
}

static const struct interval *last_run(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, to_ns);

	i = i == GRAPH_NONE ? t->first_interval + t->n_intervals : i + 1;
	for (; i > t->first_interval && g->intervals[i - 1].to_ns > from_ns; i--)
		if (g->intervals[i - 1].state == INTERVAL_RUNNING && g->intervals[i - 1].from_ns < to_ns)
			return &g->intervals[i - 1];
	return NULL;
}

/* The task waited for a CPU for queued_ns, and ran for ran_ns. */
struct part {
	uint64_t queued_ns, ran_ns;
};

static bool lacks_cpu(const struct part *p)
{
	return p->queued_ns > p->ran_ns * STARVED_RATIO;
}

/* This is the search for the largest sum of neighbours (Kadane's algorithm). */
uint64_t contention_starved_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t end = t->first_interval + t->n_intervals;
	uint64_t most = 0, queued_ns = 0;
	struct part p = { 0 };

	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i < end && g->intervals[i].from_ns < to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t ns = MIN(s->to_ns, to_ns) - MAX(s->from_ns, from_ns);

		if (s->state == INTERVAL_RUNNABLE)
			p.queued_ns += ns;
		else if (s->state == INTERVAL_RUNNING)
			p.ran_ns += ns;
		if (!lacks_cpu(&p) || s->state == INTERVAL_FOLDED || s->state == INTERVAL_UNKNOWN) {
			p = (struct part){ 0 };
		} else if (p.queued_ns - p.ran_ns * STARVED_RATIO > most) {
			most = p.queued_ns - p.ran_ns * STARVED_RATIO;
			queued_ns = p.queued_ns;
		}
	}
	return queued_ns;
}

uint32_t contention_flag(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t best = GRAPH_NONE;
	uint64_t best_gap = UINT64_MAX;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	/* The write that ended the spin probably came from a thread that ran just before. */
	for (size_t i = 0; i < n; i++) {
		const struct interval *s;
		uint64_t gap;

		if (r[i].event == task || g->tasks[r[i].event].exit_ns < from_ns)
			continue;
		s = last_run(g, r[i].event, from_ns, to_ns);
		gap = s && to_ns > s->to_ns ? to_ns - s->to_ns : 0;
		if (s && gap < best_gap) {
			best_gap = gap;
			best = r[i].event;
		}
	}
	return best;
}
