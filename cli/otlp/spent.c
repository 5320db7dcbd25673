// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/spent.h"

#include <errno.h>
#include <string.h>

#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

enum { WAIT_ATTRS = 7 };

static enum time_kind time_of(const struct interval *s, const struct blame *b)
{
	switch ((enum interval_state)s->state) {
	case INTERVAL_RUNNING:
		return TIME_RUNNING;
	case INTERVAL_RUNNABLE:
		return TIME_RUNNABLE;
	case INTERVAL_BLOCKED:
		return (enum time_kind)b->time;
	case INTERVAL_FOLDED:
		return TIME_SHORT;
	case INTERVAL_UNKNOWN:
		break;
	}
	return TIME_UNKNOWN;
}

int spent_find_work(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, spent_list *ret)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns), end = t->first_interval + t->n_intervals;

	for (; i < end && g->intervals[i].from_ns < to_ns; i++) {
		const struct interval *s = &g->intervals[i];
		struct spent_piece x = { .from_ns = MAX(s->from_ns, from_ns),
					 .to_ns = MIN(s->to_ns, to_ns),
					 .interval = i };

		if (s->state == INTERVAL_BLOCKED)
			blame_wait(g, i, to_ns, &x.blame);
		x.time = time_of(s, &x.blame);
		if (x.from_ns < x.to_ns && VEC_PUSH(ret, x))
			return -ENOMEM;
	}
	return 0;
}

static enum time_kind part_time(const struct part *part)
{
	switch ((enum part_kind)part->kind) {
	case PART_QUEUED:
	case PART_CONNECTION:
		return TIME_QUEUE;
	case PART_TIMER:
		return TIME_TIMER;
	case PART_WORK: /* no task worked: the time between this host and the client */
	case PART_DELIVERY:
	case PART_OUTSIDE:
		return TIME_NETWORK;
	case PART_LOCK:
		return TIME_LOCK;
	case PART_SHARED:
	case PART_INSIDE:
		break;
	}
	return TIME_UNKNOWN;
}

static int add_part(const struct services *s, uint32_t request, const struct part *part, spent_list *ret)
{
	bool child = part->request != request;
	struct spent_piece x = { .from_ns = part->from_ns,
				 .to_ns = part->to_ns,
				 .interval = GRAPH_NONE,
				 .time = part_time(part),
				 .child = child };

	if (part->kind == PART_WORK && part->task != GRAPH_NONE && !child)
		return spent_find_work(s->g, part->task, part->from_ns, part->to_ns, ret);
	return VEC_PUSH(ret, x) ? -ENOMEM : 0;
}

int spent_find(const struct services *s, uint32_t request, spent_list *ret)
{
	part_list parts = { 0 };
	int r = parts_of(&s->parts, request, &parts);

	for (size_t i = 0; i < parts.n && !r; i++)
		r = add_part(s, request, &parts.v[i], ret);
	VEC_FREE(&parts);
	return r;
}

static uint64_t cut(const struct spent_piece *x, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = MAX(x->from_ns, *from_ns);
	*to_ns = MIN(x->to_ns, *to_ns);
	return *from_ns < *to_ns ? *to_ns - *from_ns : 0;
}

static void add_times(const struct graph *g, const struct spent_piece *x, uint64_t from_ns, uint64_t to_ns,
		      uint64_t kinds[TIME_KINDS])
{
	const struct interval *s = x->interval == GRAPH_NONE ? NULL : &g->intervals[x->interval];
	uint64_t ns = to_ns - from_ns;
	struct interval_sums sums;

	if (s && s->state == INTERVAL_FOLDED && interval_sums(s, from_ns, to_ns, &sums)) {
		kinds[TIME_RUNNING] += sums.ran_ns;
		kinds[TIME_RUNNABLE] += sums.queued_ns;
		ns -= sums.ran_ns + sums.queued_ns;
	}
	kinds[x->time] += ns;
}

void spent_put_kinds(struct attrs *a, const uint64_t kinds[TIME_KINDS])
{
	static const char *const names[TIME_KINDS] = {
		[TIME_RUNNING] = "ctrace.time.running_ns",   [TIME_RUNNABLE] = "ctrace.time.runnable_ns",
		[TIME_LOCK] = "ctrace.time.lock_ns",         [TIME_IPC] = "ctrace.time.ipc_ns",
		[TIME_DISK] = "ctrace.time.disk_ns",         [TIME_NETWORK] = "ctrace.time.network_ns",
		[TIME_TIMER] = "ctrace.time.timer_ns",       [TIME_QUEUE] = "ctrace.time.queue_ns",
		[TIME_FAULT] = "ctrace.time.fault_ns",       [TIME_UNKNOWN] = "ctrace.time.unknown_ns",
		[TIME_SHORT] = "ctrace.time.short_waits_ns",
	};

	for (int i = 0; i < TIME_KINDS; i++)
		if (kinds[i])
			attrs_number(a, names[i], kinds[i]);
}

void spent_put_times(struct attrs *a, const struct graph *g, const spent_list *v, uint64_t from_ns,
		     uint64_t to_ns)
{
	uint64_t kinds[TIME_KINDS] = { 0 }, child = 0, all = 0;

	for (size_t i = 0; i < v->n; i++) {
		uint64_t from = from_ns, to = to_ns, ns = cut(&v->v[i], &from, &to);

		all += ns;
		if (v->v[i].child)
			child += ns;
		else if (ns)
			add_times(g, &v->v[i], from, to, kinds);
	}
	kinds[TIME_UNKNOWN] += to_ns - from_ns - MIN(all, to_ns - from_ns);
	spent_put_kinds(a, kinds);
	if (child)
		attrs_number(a, "ctrace.time.child_requests_ns", child);
}

static bool is_wait(const struct spent_piece *x)
{
	return !x->child && x->time != TIME_RUNNING && x->time != TIME_SHORT && x->time != TIME_UNKNOWN;
}

struct wait {
	const struct spent_piece *x;
	uint64_t from_ns, ns;
};

/* Writes the longest waits to best[], the longest one first. Returns their number. */
static size_t longest(const spent_list *v, uint64_t from_ns, uint64_t to_ns, struct wait best[OTLP_WAITS])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		uint64_t from = from_ns, to = to_ns, ns = cut(&v->v[i], &from, &to);
		size_t at = n;

		if (!ns || !is_wait(&v->v[i]))
			continue;
		while (at && best[at - 1].ns < ns)
			at--;
		if (at == OTLP_WAITS)
			continue;
		n = MIN(n + 1, (size_t)OTLP_WAITS);
		memmove(&best[at + 1], &best[at], (n - at - 1) * sizeof(*best));
		best[at] = (struct wait){ &v->v[i], from, ns };
	}
	return n;
}

static void put_blame(struct attrs *a, const struct graph *g, const struct spent_piece *x)
{
	const struct blame *b = &x->blame;
	char text[DESCRIBE_MAX] = "", who[EXPORT_NAME_MAX];

	attrs_text(a, "ctrace.wait.call", describe_syscall(g->w->machine, g->intervals[x->interval].nr));
	attrs_text(a, "ctrace.wait.resource", resource_kind_word(b->kind));
	describe_object(g->w, b->obj, text, sizeof(text));
	attrs_text(a, "ctrace.wait.object", text);
	if (b->task == GRAPH_NONE)
		return;
	attrs_text(a, "ctrace.wait.for", export_who(g, b->task, x->to_ns - 1, who));
	attrs_text(a, "ctrace.wait.strength", edge_strength_name(b->strength));
}

static Ot__Event *wait_event(struct batch *b, const struct wait *w)
{
	const struct graph *g = b->x->g;
	struct attrs a = attrs_new(b, WAIT_ATTRS);
	Ot__Event *e = batch_take(b, sizeof(*e));

	if (!e)
		return NULL;
	ot__event__init(e);
	e->name = "wait";
	e->has_time_unix_nano = true;
	e->time_unix_nano = batch_time(b, w->from_ns);
	attrs_text(&a, "ctrace.wait.time", time_kind_name((enum time_kind)w->x->time));
	attrs_number(&a, "ctrace.wait.ns", w->ns);
	if (w->x->interval != GRAPH_NONE && g->intervals[w->x->interval].state == INTERVAL_BLOCKED)
		put_blame(&a, g, w->x);
	e->n_attributes = a.n;
	e->attributes = a.v;
	return e;
}

void spent_put_waits(struct batch *b, Ot__Span *span, const spent_list *v, uint64_t from_ns, uint64_t to_ns)
{
	struct wait best[OTLP_WAITS];
	size_t n = longest(v, from_ns, to_ns, best);

	span->events = n ? batch_take(b, n * sizeof(*span->events)) : NULL;
	for (size_t i = 0; i < n && !b->failed; i++)
		span->events[span->n_events++] = wait_event(b, &best[i]);
}
