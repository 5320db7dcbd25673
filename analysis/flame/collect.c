// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/flame/flame.h"
#include "graph/wake/blame.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

/* bytes of the text of a frame; the rest of a longer text is left out */
#define FRAME_TEXT_MAX 4096

struct adder {
	struct flame *f;
	const struct graph *g;
	bool other; /* the frames belong to the task to blame */
	/* the result of the last find_run() */
	uint32_t run_task;
	uint64_t run_from_ns, run_to_ns;
};

/* find_run() looks at no more intervals than this before its interval, and as many after it */
#define RUN_LOOKS 4096

static uint32_t push(const struct adder *a, uint32_t node, const char *text, enum flame_what what)
{
	return node == GRAPH_NONE ? node : flame_child(a->f, node, text, what, a->other);
}

static uint32_t push_state(const struct adder *a, uint32_t node, const char *word)
{
	char text[64];

	snprintf(text, sizeof(text), "[%s]", word);
	return push(a, node, text, FLAME_STATE);
}

/* Leaves out the offset in the function. So all places of one function are the same frame. */
static uint32_t push_frame(const struct adder *a, uint32_t node, const char *frame)
{
	size_t n = frame_function_len(frame);
	const char *file = frame[n] ? strchr(frame + n, ' ') : NULL;
	char text[FRAME_TEXT_MAX];

	snprintf(text, sizeof(text), "%.*s%s", (int)MIN(n, sizeof(text)), frame, file ? file : "");
	return push(a, node, text, frame_is_kernel(frame) ? FLAME_KERNEL : FLAME_FUNCTION);
}

static uint32_t push_stack(const struct adder *a, uint32_t node, uint64_t id)
{
	const struct window_stack *s = id ? window_stack(a->g->w, id) : NULL;

	if (!s || !s->n_frames)
		return push_state(a, node, "no stack");
	for (size_t i = s->n_frames; i-- && node != GRAPH_NONE;)
		node = push_frame(a, node, s->frames[i]);
	return node;
}

static uint32_t push_task(const struct adder *a, uint32_t node, uint32_t task, uint64_t ts_ns)
{
	return push(a, node, graph_comm(a->g, task, ts_ns), FLAME_TASK);
}

/* If the stack of the wait is not known, adds the name of the system call. */
static uint32_t push_wait(const struct adder *a, uint32_t node, const struct interval *s)
{
	const struct window *w = a->g->w;
	uint64_t stack = graph_visit_stack(a->g, s);
	const char *call = stack ? NULL : describe_syscall(w->machine, s->nr);

	node = push_stack(a, node, stack);
	if (call && *call)
		node = push(a, node, call, FLAME_FUNCTION);
	return push_state(a, node,
			  resource_kind_word(resource_of_wait(w, (enum ct_wait)s->wait, s->nr, s->obj)));
}

static uint64_t share(uint64_t part, uint64_t ns, uint64_t all)
{
	return all ? (uint64_t)((unsigned __int128)ns * part / all) : 0;
}

static bool is_run(const struct interval *s)
{
	return s->state == INTERVAL_RUNNING || s->state == INTERVAL_RUNNABLE;
}

/* Finds the run of an interval: all neighbours in which the task ran or was ready. A folded interval
 * is a run of its own. */
static void find_run(struct adder *a, uint32_t interval)
{
	const struct interval *v = a->g->intervals, *s = &v[interval];
	const struct graph_task *t = &a->g->tasks[s->task];
	uint32_t first = interval, last = interval;

	if (s->task == a->run_task && s->from_ns >= a->run_from_ns && s->to_ns <= a->run_to_ns)
		return;
	while (s->state == INTERVAL_RUNNING && first > t->first_interval && is_run(&v[first - 1]) &&
	       interval - first < RUN_LOOKS)
		first--;
	while (s->state == INTERVAL_RUNNING && last + 1 < t->first_interval + t->n_intervals &&
	       is_run(&v[last + 1]) && last - interval < RUN_LOOKS)
		last++;
	a->run_task = s->task;
	a->run_from_ns = v[first].from_ns;
	a->run_to_ns = v[last].to_ns;
}

static int add_sample(const struct adder *a, uint32_t node, const struct graph_ref *sample, uint64_t ns)
{
	if (sample)
		node = push_stack(a, node, window_words(a->g->w, &a->g->w->events[sample->event])[0]);
	if (a->other || !sample)
		node = push_state(a, node, a->other ? "running" : "no sample");
	return flame_time(a->f, node, ns);
}

/* The task ran for ran_ns in [from, to), a part of the interval. Adds this time to the stacks of the
 * samples of the run. */
static int add_run(struct adder *a, uint32_t node, uint32_t interval, uint64_t from, uint64_t to,
		   uint64_t ran_ns)
{
	const struct graph *g = a->g;
	uint32_t tid = g->tasks[g->intervals[interval].task].tid;
	const struct graph_ref *before = graph_ref_before(g, &g->samples, tid, from), *r;
	uint64_t done = 0;
	int err = 0;
	size_t n;

	find_run(a, interval);
	if (before && g->w->events[before->event].r.ts < a->run_from_ns)
		before = NULL;
	r = graph_refs_from(g, &g->samples, tid, from, &n);
	for (size_t i = 0; i < n && done < ran_ns && !err; i++) {
		uint64_t ts = g->w->events[r[i].event].r.ts, upto;

		if (ts > a->run_to_ns)
			break;
		upto = ts >= to ? ran_ns : share(ts - from, ran_ns, to - from);
		err = add_sample(a, node, &r[i], upto - done);
		done = upto;
		before = &r[i];
	}
	return err || done == ran_ns ? err : add_sample(a, node, before, ran_ns - done);
}

static int add_off(const struct adder *a, uint32_t node, const struct interval *s, uint64_t from, uint64_t to)
{
	struct interval_sums sums;
	int r = 0;

	switch ((enum interval_state)s->state) {
	case INTERVAL_BLOCKED:
		return flame_time(a->f, push_wait(a, node, s), to - from);
	case INTERVAL_RUNNABLE:
		return flame_time(a->f, push_state(a, node, "runnable"), to - from);
	case INTERVAL_FOLDED:
		if (!interval_sums(s, from, to, &sums))
			return 0;
		if (sums.queued_ns)
			r = flame_time(a->f, push_state(a, node, "runnable"), sums.queued_ns);
		if (!r && to - from > sums.ran_ns + sums.queued_ns)
			r = flame_time(a->f, push_state(a, node, "short waits"),
				       to - from - sums.ran_ns - sums.queued_ns);
		return r;
	case INTERVAL_RUNNING:
	case INTERVAL_UNKNOWN:
		break;
	}
	return 0;
}

static int add_on(struct adder *a, uint32_t node, const struct interval *s, uint64_t from, uint64_t to)
{
	uint32_t interval = (uint32_t)(s - a->g->intervals);
	struct interval_sums sums;

	if (s->state == INTERVAL_RUNNING)
		return add_run(a, node, interval, from, to, to - from);
	if (s->state == INTERVAL_FOLDED && interval_sums(s, from, to, &sums) && sums.ran_ns)
		return add_run(a, node, interval, from, to, sums.ran_ns);
	return 0;
}

/* Adds what the task to blame did in its interval s. */
static int add_other(struct adder *a, uint32_t node, const struct interval *s, uint64_t from, uint64_t to)
{
	struct interval_sums sums;
	int r = 0;

	if (s->state == INTERVAL_UNKNOWN ||
	    (s->state == INTERVAL_FOLDED && !interval_sums(s, from, to, &sums)))
		return flame_time(a->f, push_state(a, node, "unknown"), to - from);
	r = add_on(a, node, s, from, to);
	return r ? r : add_off(a, node, s, from, to);
}

/* Adds the time of a wait in [from, to). The task to blame acts at one moment: for example, it
 * sends the wake-up. The time before this moment goes to frames above `node`, which show what the
 * task to blame did. The time after this moment goes to `node`. If the task to blame did not act
 * during the wait, the frames get the time of the whole wait. Time in which the task to blame has
 * no interval always goes to `node`. */
static int add_blame(struct adder *a, uint32_t node, uint32_t wait, uint64_t from, uint64_t to,
		     uint64_t window_to)
{
	const struct graph *g = a->g;
	struct blame b;
	uint64_t end, at = from;
	uint32_t i, last, other;
	int r = 0;

	blame_wait(g, wait, window_to, &b);
	if (b.task == GRAPH_NONE || b.task == g->intervals[wait].task)
		return flame_time(a->f, node, to - from);
	end = b.until_ns > g->intervals[wait].from_ns ? MAX(b.until_ns, from) : to;
	end = MIN(end, to);
	a->other = true;
	other = push_task(a, node, b.task, end - 1);
	i = graph_interval_at(g, b.task, from);
	last = g->tasks[b.task].first_interval + g->tasks[b.task].n_intervals;
	for (uint64_t steps = 0; !r && i < last && g->intervals[i].from_ns < end; i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t x = MAX(s->from_ns, at), y = MIN(s->to_ns, end);

		if (++steps > FLAME_WAIT_STEPS || ++a->f->steps > FLAME_STEPS) {
			a->f->refused++;
			break;
		}
		if (x > at)
			r = flame_time(a->f, node, x - at);
		if (!r && x < y)
			r = add_other(a, other, s, x, y);
		at = MAX(x, y);
	}
	a->other = false;
	return r || at >= to ? r : flame_time(a->f, node, to - at);
}

static int add_interval(struct adder *a, enum flame_kind kind, uint32_t node, uint32_t i, uint64_t from,
			uint64_t to, uint64_t window_to)
{
	const struct interval *s = &a->g->intervals[i];

	switch (kind) {
	case FLAME_OFFCPU:
		return add_off(a, node, s, from, to);
	case FLAME_BLAME:
		return s->state == INTERVAL_BLOCKED
			       ? add_blame(a, push_wait(a, node, s), i, from, to, window_to)
			       : 0;
	case FLAME_ONCPU:
		return add_on(a, node, s, from, to);
	case FLAME_KINDS:
		break;
	}
	return -EINVAL;
}

int flame_add(struct flame *f, const struct graph *g, enum flame_kind kind, uint32_t task, uint64_t from_ns,
	      uint64_t to_ns)
{
	struct adder a = { .f = f, .g = g, .run_task = GRAPH_NONE };
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns), end = t->first_interval + t->n_intervals;
	int r = 0;

	for (; i < end && !r && g->intervals[i].from_ns < to_ns; i++) {
		uint64_t from = MAX(g->intervals[i].from_ns, from_ns), to = MIN(g->intervals[i].to_ns, to_ns);

		if (from < to)
			r = add_interval(&a, kind, push_task(&a, 0, task, from), i, from, to, to_ns);
	}
	return r;
}
