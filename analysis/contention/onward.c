// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/onward.h"

#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/cleanup.h"

/* A task that takes part in the work. */
struct part {
	uint32_t task;
	uint32_t from; /* the part from which the work came, an index into walk.parts */
	uint64_t obj;  /* the socket on which it got the work; 0: another way */
	uint64_t from_ns;
	uint64_t until_ns; /* then it has done its part; UINT64_MAX: it has not by the end */
};

/* A message that no task has received yet. */
struct under_way {
	uint64_t obj; /* the socket that gets it; 0: unused */
	uint32_t from;
};

struct walk {
	const struct graph *g;
	uint64_t to_ns;
	uint32_t producer; /* the id of a process all of whose threads count as part 0; 0: none */
	struct part parts[ONWARD_TASKS];
	uint32_t n;
	struct under_way messages[ONWARD_MESSAGES];
	uint32_t n_messages;
	bool all; /* no task and no message was left out */
};

/* Returns true if the task has ended its piece of work with this wait, and waits for the next one. */
static bool is_for_work(const struct graph *g, const struct interval *s, uint64_t to_ns)
{
	struct blame b;

	if (s->st & CT_ST_DISK)
		return false;
	switch ((enum ct_wait)s->wait) {
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_SIGNAL:
	case CT_W_SYSVIPC:
	case CT_W_URING:
	case CT_W_KTHREAD:
	case CT_W_EXITED:
	case CT_W_OTHER:
		return true;
	case CT_W_POLL:
	case CT_W_READ:
		return CT_OBJ_KIND(s->obj) != CT_OBJ_SOCK || !owner_owed(g, s->obj, s->from_ns);
	case CT_W_FUTEX:
		if (graph_futex_owner(g, s) || s->to_ns - s->from_ns <= HANDED_PAUSE_NS ||
		    owner_sends_to_channel(g, s))
			return false;
		if (s->to_ns < to_ns)
			return true;
		blame_lasting(g, (uint32_t)(s - g->intervals), &b);
		return b.time != TIME_LOCK;
	case CT_W_NONE:
	case CT_W_WRITE:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_CHILD:
	case CT_W_VFORK:
	case CT_W_FLOCK:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_MEMORY:
	case CT_W_YIELD:
	default:
		return false;
	}
}

static uint32_t find_part(const struct walk *k, uint32_t task)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->parts[i].task == task)
			return i;
	return GRAPH_NONE;
}

static uint32_t working_part(const struct walk *k, uint32_t tid, uint64_t ts_ns)
{
	uint32_t task = tid ? graph_task_at(k->g, tid, ts_ns) : GRAPH_NONE;
	uint32_t at = task == GRAPH_NONE ? GRAPH_NONE : find_part(k, task);

	if (task != GRAPH_NONE && k->producer && k->g->tasks[task].tgid == k->producer)
		return 0;
	return at != GRAPH_NONE && ts_ns < k->parts[at].until_ns ? at : GRAPH_NONE;
}

/* Returns when the task first waits for further work after ts_ns, or UINT64_MAX. */
static uint64_t works_until(const struct walk *k, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &k->g->tasks[task];
	uint32_t i = graph_interval_at(k->g, task, ts_ns), end = t->first_interval + t->n_intervals;

	for (; i < end && k->g->intervals[i].from_ns < k->to_ns && scan_step(k->g); i++) {
		const struct interval *s = &k->g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && s->from_ns >= ts_ns && is_for_work(k->g, s, k->to_ns))
			return s->from_ns;
	}
	return UINT64_MAX;
}

static void take_part(struct walk *k, uint32_t tid, uint64_t ts_ns, uint32_t from, uint64_t obj)
{
	uint32_t task = graph_task_at(k->g, tid, ts_ns),
		 at = task == GRAPH_NONE ? GRAPH_NONE : find_part(k, task);

	if (task == GRAPH_NONE || k->g->tasks[task].kthread || at == 0 ||
	    (k->producer && k->g->tasks[task].tgid == k->producer))
		return;
	if (at == GRAPH_NONE && k->n == ONWARD_TASKS) {
		k->all = false;
		return;
	}
	if (at == GRAPH_NONE)
		at = k->n++;
	else if (ts_ns < k->parts[at].until_ns)
		return;
	k->parts[at] = (struct part){ task, from, obj, ts_ns, works_until(k, task, ts_ns) };
}

static void note_send(struct walk *k, const struct ct_rec *r)
{
	uint32_t from = working_part(k, r->tid, r->ts);
	uint64_t peer = from == GRAPH_NONE ? 0 : graph_peer_object(k->g, r->obj);
	uint32_t at = 0;

	for (uint32_t i = 0; i < k->n_messages; i++)
		if (k->messages[i].obj == peer)
			return;
	if (!peer)
		return;
	while (at < k->n_messages && k->messages[at].obj)
		at++;
	if (at == ONWARD_MESSAGES) {
		k->all = false;
		return;
	}
	k->messages[at] = (struct under_way){ peer, from };
	k->n_messages = at < k->n_messages ? k->n_messages : at + 1;
}

/* A task that gets a request of another client works for this client from then on. */
static void note_receive(struct walk *k, const struct ct_rec *r)
{
	uint32_t at = working_part(k, r->tid, r->ts);
	bool found = false;

	for (uint32_t i = 0; i < k->n_messages; i++) {
		if (k->messages[i].obj != r->obj)
			continue;
		take_part(k, r->tid, r->ts, k->messages[i].from, r->obj);
		k->messages[i].obj = 0;
		found = true;
	}
	if (!found && at && at != GRAPH_NONE && k->parts[at].obj != r->obj && graph_is_accepted(k->g, r->obj))
		k->parts[at].until_ns = r->ts;
}

/* A wake-up hands work on if it is through a pipe, an eventfd, a request to a FUSE server, or a futex that is
 * no lock. A task that waits for room in a pipe is not waiting for work. */
static void note_wake(struct walk *k, uint32_t event)
{
	const struct ct_rec *r = &k->g->w->events[event].r;
	uint32_t from = ct_wake_by_task(r) ? working_part(k, ct_wake_waker(r), r->ts) : GRAPH_NONE, task, i;
	uint8_t kind, strength;

	if (from == GRAPH_NONE)
		return;
	task = graph_task_at(k->g, r->tid, r->ts);
	i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(k->g, task, r->ts - 1);
	if (i == GRAPH_NONE || k->g->intervals[i].wake != event || k->g->intervals[i].wait == CT_W_WRITE)
		return;
	edge_classify(k->g, &k->g->intervals[i], &k->g->w->events[event], &kind, &strength);
	if (strength == EDGE_STRONG &&
	    (kind == EDGE_PIPE || kind == EDGE_EVENTFD || kind == EDGE_POST || kind == EDGE_FUSE))
		take_part(k, r->tid, r->ts, from, 0);
}

static void note_fork(struct walk *k, const struct ct_rec *r)
{
	uint32_t from = working_part(k, r->tid, r->ts);

	if (from != GRAPH_NONE)
		take_part(k, r->peer, r->ts, from, 0);
}

/* Returns the time at which the piece of work began that led to the wait. A wait may be one of several, of
 * which a time limit ended each: then the first of them counts. */
static uint64_t work_since(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval], *x = s;
	const struct graph_task *t = &g->tasks[s->task];

	while (x-- > &g->intervals[t->first_interval] && scan_step(g)) {
		if (x->state != INTERVAL_BLOCKED)
			continue;
		if (blame_same_wait(x, s) && x->wake != GRAPH_NONE &&
		    edge_by_timer(g, x, &g->w->events[x->wake]))
			continue;
		if (blame_same_wait(x, s) || is_for_work(g, x, x->to_ns))
			return x->to_ns;
	}
	return g->intervals[t->first_interval].from_ns;
}

/* Returns true if the work went on from part `at` to another part that still works. */
static bool went_on(const struct walk *k, uint32_t at)
{
	for (uint32_t i = 1; i < k->n; i++) {
		if (k->parts[i].until_ns != UINT64_MAX || i == at)
			continue;
		for (uint32_t x = i, n = 0; x && n < k->n; x = k->parts[x].from, n++)
			if (k->parts[x].from == at)
				return true;
	}
	return false;
}

static void add_process(const struct graph *g, struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid == g->tasks[task].tgid)
			return;
	if (e->n < ENDERS_MAX)
		e->v[e->n++] = task;
}

static void walk_on(struct walk *k, uint64_t from_ns)
{
	const struct window *w = k->g->w;

	for (size_t i = window_lower_bound(w, from_ns); i < w->n_events && w->events[i].r.ts < k->to_ns;
	     i++) {
		const struct ct_rec *r = &w->events[i].r;

		if (!scan_step(k->g)) {
			k->all = false;
			return;
		}
		if (r->kind == CT_SEND)
			note_send(k, r);
		else if (r->kind == CT_RECV)
			note_receive(k, r);
		else if (r->kind == CT_WAKE)
			note_wake(k, (uint32_t)i);
		else if (r->kind == CT_FORK)
			note_fork(k, r);
	}
}

bool onward_find(const struct graph *g, uint32_t interval, uint64_t by_ns, uint64_t to_ns, uint32_t producer,
		 struct enders *ret)
{
	uint32_t waiter = g->intervals[interval].task;
	struct walk k = { .g = g,
			  .to_ns = to_ns,
			  .producer = producer,
			  .parts = { { .task = waiter, .until_ns = UINT64_MAX } },
			  .n = 1,
			  .all = true };

	*ret = (struct enders){ 0 };
	walk_on(&k, work_since(g, interval));
	for (uint32_t i = 1; i < k.n; i++) {
		const struct part *p = &k.parts[i];

		if (p->until_ns == UINT64_MAX && p->from_ns <= by_ns && g->tasks[p->task].exit_ns > to_ns &&
		    g->tasks[p->task].tgid != g->tasks[waiter].tgid && !went_on(&k, i))
			add_process(g, ret, p->task);
	}
	return k.all && ret->n < ENDERS_MAX;
}

static bool is_write(const struct graph *g, const struct interval *s)
{
	(void)g;
	return s->wait == CT_W_WRITE;
}

/* Returns true for a wait for work: on a futex that is no known lock, in a loop, or for an io_uring. */
static bool awaits_work(const struct graph *g, const struct interval *s)
{
	if (s->wait == CT_W_FUTEX)
		return !graph_futex_owner(g, s);
	return s->wait == CT_W_URING ||
	       ((ct_wait_is_poll(s->wait) || s->wait == CT_W_ACCEPT) && blame_idles(g, s->task, s->from_ns));
}

/* Returns true if the task is in such waits for at least half of the time. */
static bool waits_mostly(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			 bool (*such)(const struct graph *g, const struct interval *s))
{
	uint32_t end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	uint64_t ns = 0;

	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i < end && g->intervals[i].from_ns < to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && s->to_ns > from_ns && such(g, s))
			ns += MIN(s->to_ns, to_ns) - MAX(s->from_ns, from_ns);
	}
	return ns >= (to_ns - from_ns) / 2;
}

uint32_t onward_writer(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t found = GRAPH_NONE;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct graph_task *t = &g->tasks[r[i].event];

		if (r[i].event == task || t->exit_ns <= from_ns || t->born_ns >= to_ns ||
		    waits_mostly(g, r[i].event, from_ns, to_ns, awaits_work))
			continue;
		if (found != GRAPH_NONE || t->parent != task ||
		    !waits_mostly(g, r[i].event, from_ns, to_ns, is_write))
			return GRAPH_NONE;
		found = r[i].event;
	}
	return scan_left(g) ? found : GRAPH_NONE;
}
