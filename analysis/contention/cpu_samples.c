// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/cpu_samples.h"

#include <string.h>

#include "analysis/thresholds.h"
#include "graph/path/path.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

/* A time in which the victim waited in the queue of a CPU. In a folded interval, the victim waited for
 * only a part of this time: queued_ns. */
struct queue {
	uint64_t from_ns, to_ns, queued_ns;
	uint32_t cpu;
};

struct search {
	const struct graph *g;
	uint64_t from_ns, to_ns;
	uint32_t cpu;
	size_t sure; /* the queues before this index have their final CPU */
	VEC(struct queue) queues;
	struct cpu_samples *ret;
};

static int add_candidate(struct search *s, uint32_t task, uint32_t cpu)
{
	struct cpu_samples *c = s->ret;

	for (size_t i = 0; i < c->shares.n; i++) {
		if (!scan_step(s->g))
			return 0;
		if (c->shares.v[i].task == task && c->shares.v[i].cpu == cpu) {
			c->shares.v[i].seen++;
			return 0;
		}
	}
	return VEC_PUSH(&c->shares, (struct cpu_share){ .task = task, .cpu = cpu, .seen = 1 });
}

/* Called when a record shows that the victim is on `cpu`. Each element of s->queues is a time in which the
 * victim waited for a CPU. From index s->sure on, the CPU of an element is a guess: the last CPU on which
 * the victim was seen before. If the guess is `cpu`, it is now final. If not, the victim changed its CPU
 * at an unknown time, and the CPU of the element becomes unknown. */
static void ran_on(struct search *s, uint32_t cpu)
{
	for (; s->sure < s->queues.n; s->sure++)
		if (s->queues.v[s->sure].cpu != cpu)
			s->queues.v[s->sure].cpu = FORMAT_CPU_NONE;
	s->cpu = cpu;
}

static void forget_cpu(struct search *s)
{
	s->sure = s->queues.n;
	s->cpu = FORMAT_CPU_NONE;
}

/* The timer of a task's own time limit runs on the task's CPU. */
static bool by_own_timer(const struct interval *x, const struct window_event *wake)
{
	return ct_wake_context(&wake->r) == CT_CTX_TIMER && CT_OBJ_KIND(x->obj) != CT_OBJ_TIMERFD &&
	       (x->wait == CT_W_SLEEP || x->flags & CT_SF_TIMEOUT);
}

static int add_wait(struct search *s, const struct interval *x)
{
	const struct window_event *wake = x->wake == GRAPH_NONE ? NULL : &s->g->w->events[x->wake];
	uint16_t cpu;

	if (!wake || !by_own_timer(x, wake)) {
		forget_cpu(s);
		return 0;
	}
	cpu = window_cpu(s->g->w, wake);
	ran_on(s, cpu);
	return wake->r.ts < s->to_ns
		       ? add_candidate(s, graph_task_at(s->g, ct_wake_waker(&wake->r), wake->r.ts), cpu)
		       : 0;
}

static int add_queue(struct search *s, const struct interval *x, uint64_t queued_ns)
{
	s->ret->total_ns += queued_ns;
	return VEC_PUSH(&s->queues, (struct queue){ MAX(x->from_ns, s->from_ns), MIN(x->to_ns, s->to_ns),
						    queued_ns, s->cpu });
}

static int add_runnable(struct search *s, uint32_t interval)
{
	const struct graph *g = s->g;
	const struct interval *x = &g->intervals[interval];
	uint32_t cpu = path_cpu_wanted(g, interval);
	int r = 0;

	if (cpu < g->n_cpus && !(graph_lacks_at(g, x->from_ns) & CT_LACK_SWITCHES)) {
		size_t run = path_first_run(g, cpu, x->to_ns - 1);

		s->sure = s->queues.n;
		s->cpu = cpu;
		if (run < g->n_runs[cpu] && graph_run(g, cpu, run)->from_ns < x->to_ns)
			r = add_candidate(s, graph_run(g, cpu, run)->task, cpu);
	}
	return r || x->to_ns <= s->from_ns || x->from_ns >= s->to_ns
		       ? r
		       : add_queue(s, x, MIN(x->to_ns, s->to_ns) - MAX(x->from_ns, s->from_ns));
}

static int add_interval(struct search *s, uint32_t interval)
{
	const struct interval *x = &s->g->intervals[interval];
	struct interval_sums sums;

	switch ((enum interval_state)x->state) {
	case INTERVAL_RUNNING:
		ran_on(s, x->cpu);
		break;
	case INTERVAL_BLOCKED:
		return add_wait(s, x);
	case INTERVAL_RUNNABLE:
		return add_runnable(s, interval);
	case INTERVAL_FOLDED:
		if (interval_sums(x, MAX(x->from_ns, s->from_ns), MIN(x->to_ns, s->to_ns), &sums) &&
		    sums.queued_ns)
			return add_queue(s, x, sums.queued_ns);
		break;
	case INTERVAL_UNKNOWN:
		forget_cpu(s);
		break;
	}
	return 0;
}

static bool is_queue(const struct interval *x)
{
	return x->state == INTERVAL_RUNNABLE || x->state == INTERVAL_FOLDED;
}

static int find_queues(struct search *s, uint32_t task)
{
	const struct graph *g = s->g;
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, s->from_ns), end = t->first_interval + t->n_intervals;
	bool last = false;
	int r = 0;

	if (i == GRAPH_NONE)
		return 0;
	while (i > t->first_interval && is_queue(&g->intervals[i]) && scan_step(g))
		i--;
	for (; i < end && !last && !r; i++) {
		last = g->intervals[i].to_ns >= s->to_ns && !is_queue(&g->intervals[i]);
		r = scan_step(g) ? add_interval(s, i) : 0;
	}
	return r;
}

static uint64_t sampled_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = 0, seen_ns = from_ns;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->samples, g->tasks[task].tid, from_ns, &n);

	for (size_t i = 0; i < n && seen_ns < to_ns && scan_step(g); i++) {
		const struct window_event *e = &g->w->events[r[i].event];
		uint64_t len = MIN(window_words(g->w, e)[1], CPU_SAMPLE_NS);
		uint64_t begin = e->r.ts > len ? e->r.ts - len : 0, stop = MIN(e->r.ts, to_ns);

		if (e->r.ts - MIN(e->r.ts, CPU_SAMPLE_NS) >= to_ns)
			break;
		if (graph_task_at(g, e->r.tid, e->r.ts) != task)
			continue;
		begin = MAX(begin, seen_ns);
		ns += stop > begin ? stop - begin : 0;
		seen_ns = MAX(seen_ns, stop);
	}
	return ns;
}

static uint64_t ran_ns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t ns = 0;

	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals && g->intervals[i].from_ns < to_ns &&
	     scan_step(g);
	     i++) {
		const struct interval *x = &g->intervals[i];
		uint64_t begin = MAX(x->from_ns, from_ns), stop = MIN(x->to_ns, to_ns);
		struct interval_sums sums;

		if (x->state == INTERVAL_RUNNING)
			ns += stop - begin;
		else if (interval_sums(x, begin, stop, &sums))
			ns += sums.ran_ns;
	}
	return ns;
}

/* elsewhere: time in which the victim was not in the queue, but the task may have run. */
static uint64_t share_of(const struct graph *g, uint32_t task, const struct queue *q)
{
	uint64_t sampled = task == GRAPH_NONE ? 0 : sampled_ns(g, task, q->from_ns, q->to_ns), ran, elsewhere;

	if (!sampled)
		return 0;
	ran = ran_ns(g, task, q->from_ns, q->to_ns);
	ran = MIN(ran, sampled);
	elsewhere = q->to_ns - q->from_ns - q->queued_ns;
	return ran > elsewhere ? ran - elsewhere : 0;
}

static int share_cmp(const void *a, const void *b)
{
	const struct cpu_share *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

int cpu_samples_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		     struct cpu_samples *ret)
{
	struct search s = { .g = g, .from_ns = from_ns, .to_ns = to_ns, .cpu = FORMAT_CPU_NONE, .ret = ret };
	int r;

	*ret = (struct cpu_samples){ 0 };
	r = find_queues(&s, task);
	for (size_t i = 0; i < s.queues.n && !r; i++)
		for (size_t j = 0; j < ret->shares.n && scan_step(g); j++)
			if (ret->shares.v[j].cpu == s.queues.v[i].cpu)
				ret->shares.v[j].ns += share_of(g, ret->shares.v[j].task, &s.queues.v[i]);
	VEC_SORT(&ret->shares, share_cmp);
	VEC_FREE(&s.queues);
	return r;
}

const struct cpu_share *cpu_samples_blamed(const struct graph *g, uint32_t task, const struct cpu_samples *c)
{
	uint64_t most_ns = c->total_ns / CPU_SAMPLED_SHARE;
	const struct cpu_share *best = c->shares.v;
	uint32_t looks = 0;

	if (!c->shares.n || !most_ns || best->ns < most_ns || (c->shares.n > 1 && best[1].ns >= most_ns) ||
	    g->tasks[best->task].tgid == g->tasks[task].tgid)
		return NULL;
	for (size_t i = 0; i < c->shares.n; i++)
		looks += c->shares.v[i].cpu == best->cpu ? c->shares.v[i].seen : 0;
	return (uint64_t)best->seen * CPU_SAMPLED_SHARE >= looks ? best : NULL;
}

void cpu_samples_done(struct cpu_samples *c)
{
	VEC_FREE(&c->shares);
}
