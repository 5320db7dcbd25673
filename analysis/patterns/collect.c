// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/patterns/collect.h"

#include <stdio.h>

#include "analysis/patterns/name.h"
#include "analysis/profile/role.h"
#include "analysis/transactions/transactions.h"
#include "graph/causal/requests.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

/* Classes of message sizes, in bytes. */
#define SIZE_FIRST 64
#define SIZE_LAST  (1U << 30)

_Static_assert(NAME_MAX_BYTES >= ROLE_MAX, "role_task() fills ROLE_MAX bytes");

struct act {
	uint64_t ts_ns;
	uint32_t task;
	uint32_t event; /* index of the record, or of the interval */
	bool is_wait;
};

struct range {
	uint64_t from_ns, to_ns;
	uint32_t transaction, task;
};

struct collecting {
	const struct graph *g;
	uint64_t from_ns, to_ns;
	bool *wanted;         /* [task] */
	VEC(struct act) acts; /* sorted by (task, ts_ns) */
	VEC(struct range) ranges;
	struct collected *out;
	bool life; /* see collect_life() */
};

const char *collect_action_name(enum collect_action action)
{
	static const char *const names[] = { "requests", "marks", "life" };

	return names[action];
}

static void put_size(uint32_t bytes, char buf[NAME_MAX_BYTES])
{
	uint32_t class = SIZE_FIRST;

	while (class < bytes && class < SIZE_LAST)
		class *= 4;
	snprintf(buf, NAME_MAX_BYTES, "up to %u bytes", class);
}

/* Takes the last name of the child: before its exec, the child has the name of its parent. */
static void put_child(const struct graph *g, const struct ct_rec *r, char name[NAME_MAX_BYTES])
{
	uint32_t child = graph_task_at(g, r->peer, r->ts);

	if (child == GRAPH_NONE)
		snprintf(name, NAME_MAX_BYTES, "?");
	else
		role_task(g, child, g->tasks[child].exit_ns, name);
}

static int record_symbol(struct collecting *c, const struct window_event *e, uint32_t *ret)
{
	char name[NAME_MAX_BYTES], variant[NAME_MAX_BYTES] = "", text[SEQUENCE_SYMBOL_BYTES];
	const char *does = "send to";

	switch (e->r.kind) {
	case CT_SEND:
		name_object(c->g, e->r.obj, name);
		put_size(e->r.peer, variant);
		break;
	case CT_FORK:
		does = e->r.flags & CT_LF_THREAD ? "start thread" : "start";
		put_child(c->g, &e->r, name);
		break;
	case CT_JOB:
		does = "put a job into";
		name_object(c->g, e->r.obj, name);
		break;
	case CT_MARK:
		does = e->r.flags & CT_MF_CALL ? "call" : "mark";
		name_call(c->g, e->r.obj, name, variant);
		break;
	default:
		does = "lock";
		name_object(c->g, e->r.obj, name);
		name_variant(c->g, e->r.obj, variant);
		break;
	}
	snprintf(text, sizeof(text), "%s %s", does, name[0] ? name : "?");
	return sequence_symbol(&c->out->sequence, text, variant, ret);
}

static int wait_symbol(struct collecting *c, const struct interval *w, uint32_t *ret)
{
	char name[NAME_MAX_BYTES] = "", variant[NAME_MAX_BYTES] = "", text[SEQUENCE_SYMBOL_BYTES];

	if (w->obj) {
		name_object(c->g, w->obj, name);
		name_variant(c->g, w->obj, variant);
	}
	snprintf(text, sizeof(text), name[0] ? "wait in %s for %s" : "wait in %s%s", describe_wait(w->wait),
		 name);
	return sequence_symbol(&c->out->sequence, text, variant, ret);
}

/* Returns true if the wait is an event of the sequence. Returns false for a wait in vfork(), and for a
 * wait that the program did not ask for, such as a page fault. As events, these waits would stand between
 * the events of a pattern, and divide the pattern. */
static bool is_call(const struct interval *w)
{
	switch ((enum ct_wait)w->wait) {
	case CT_W_FUTEX:
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_CHILD:
	case CT_W_SIGNAL:
	case CT_W_FLOCK:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_SYSVIPC:
	case CT_W_URING:
	case CT_W_OTHER:
		return true;
	case CT_W_NONE:
	case CT_W_VFORK:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_YIELD:
	case CT_W_MEMORY:
	default:
		return false;
	}
}

static bool is_act(const struct window_event *e)
{
	return e->r.kind == CT_SEND || e->r.kind == CT_FORK ||
	       (e->r.kind == CT_JOB && e->r.state == CT_JOB_ENQUEUE) ||
	       (e->r.kind == CT_MARK && ct_mark_what(&e->r) == CT_MARK_POINT) ||
	       (e->r.kind == CT_FLOCK && e->r.state < 2);
}

static int act_cmp(const void *a, const void *b)
{
	const struct act *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	if (x->is_wait != y->is_wait)
		return x->is_wait ? 1 : -1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int find_acts(struct collecting *c)
{
	const struct graph *g = c->g;

	for (size_t i = window_lower_bound(g->w, c->from_ns); i < g->w->n_events; i++) {
		const struct window_event *e = &g->w->events[i];
		uint32_t task;

		if (e->r.ts >= c->to_ns)
			break;
		if (!is_act(e))
			continue;
		task = graph_task_at(g, e->r.tid, e->r.ts);
		if (task != GRAPH_NONE && c->wanted[task] &&
		    VEC_PUSH(&c->acts, (struct act){ e->r.ts, task, (uint32_t)i, false }))
			return -ENOMEM;
	}
	for (uint32_t t = 0; t < g->n_tasks; t++) {
		const struct graph_task *task = &g->tasks[t];

		for (uint32_t i = task->first_interval;
		     c->wanted[t] && i < task->first_interval + task->n_intervals; i++) {
			const struct interval *w = &g->intervals[i];

			if (w->state == INTERVAL_BLOCKED && is_call(w) && w->from_ns >= c->from_ns &&
			    w->from_ns < c->to_ns &&
			    VEC_PUSH(&c->acts, (struct act){ w->from_ns, t, i, true }))
				return -ENOMEM;
		}
	}
	VEC_SORT(&c->acts, act_cmp);
	return 0;
}

static size_t first_act(const struct collecting *c, uint32_t task, uint64_t ts_ns)
{
	size_t from = 0, to = c->acts.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct act *a = &c->acts.v[mid];

		if (a->task < task || (a->task == task && a->ts_ns < ts_ns))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* A wait for the answer is no event of its own, because a fast answer causes no wait. */
static bool is_answer_wait(const struct collecting *c, const struct act *sent, const struct act *a)
{
	return !sent->is_wait && a->is_wait && a->task == sent->task &&
	       c->g->w->events[sent->event].r.kind == CT_SEND &&
	       c->g->intervals[a->event].obj == c->g->w->events[sent->event].r.obj;
}

/* before: the range before w, or NULL. The ranges of one task in one transaction are one strand. */
static int take_range(struct collecting *c, const struct range *w, const struct range *before)
{
	struct sequence *q = &c->out->sequence;
	bool goes_on = before && before->transaction == w->transaction && before->task == w->task;
	int r = goes_on ? 0 : sequence_begin(q, w->transaction);

	for (size_t i = first_act(c, w->task, w->from_ns), next; i < c->acts.n && !r; i = next) {
		const struct act *a = &c->acts.v[i];
		uint64_t to_ns = w->to_ns;
		uint32_t symbol;

		if (a->task != w->task || a->ts_ns >= w->to_ns)
			break;
		for (next = i + 1; next < c->acts.n && is_answer_wait(c, a, &c->acts.v[next]);)
			next++;
		if (next < c->acts.n && c->acts.v[next].task == w->task)
			to_ns = MIN(to_ns, c->acts.v[next].ts_ns);
		r = a->is_wait ? wait_symbol(c, &c->g->intervals[a->event], &symbol)
			       : record_symbol(c, &c->g->w->events[a->event], &symbol);
		r = r ? r : sequence_add(q, symbol, to_ns - a->ts_ns);
	}
	return r;
}

static int range_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->transaction != y->transaction)
		return x->transaction < y->transaction ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

struct served {
	uint64_t from_ns;
	uint32_t request;
};

static int served_cmp(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

/* Sets number[i] to 1 + the number of the transaction of request i. 0: it is no transaction. */
static int number_requests(struct collecting *c, const struct requests *all, uint32_t tgid, uint32_t *number,
			   size_t *ret_n)
{
	struct served *v = malloc((all->n + 1) * sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct request *q = &all->v[i];

		if (q->server != GRAPH_NONE && c->g->tasks[q->server].tgid == tgid &&
		    q->answered != GRAPH_NONE && request_from_ns(c->g, q) >= c->from_ns &&
		    request_to_ns(c->g, q) < c->to_ns)
			v[n++] = (struct served){ request_from_ns(c->g, q), i };
	}
	qsort(v, n, sizeof(*v), served_cmp);
	for (size_t i = 0; i < n; i++)
		number[v[i].request] = (uint32_t)i + 1;
	*ret_n = n;
	free(v);
	return 0;
}

/* Takes the work for each answered request only up to the answer: later work is for no request. */
static int request_ranges(struct collecting *c, uint32_t tgid)
{
	_cleanup_(requests_done) struct requests all = { 0 };
	_cleanup_free_ uint32_t *number = NULL;
	size_t n = 0;
	int r = requests_find(c->g, &all);

	if (r)
		return r;
	number = calloc(all.n + 1, sizeof(*number));
	r = number ? number_requests(c, &all, tgid, number, &n) : -ENOMEM;
	for (size_t i = 0; i < all.n_works && !r; i++) {
		const struct request_work *w = &all.works[i];
		struct range range = { w->from_ns, w->to_ns, number[w->request] - 1, w->task };

		if (!number[w->request] || c->g->tasks[w->task].tgid != tgid)
			continue;
		range.to_ns = MIN(range.to_ns, c->g->w->events[all.v[w->request].answered].r.ts + 1);
		if (range.from_ns < range.to_ns)
			r = VEC_PUSH(&c->ranges, range);
	}
	if (!r && n) {
		c->out->action = COLLECT_REQUESTS;
		c->out->sequence.n_transactions = n;
	}
	return r;
}

static int family_ranges(struct collecting *c, uint32_t tgid, uint64_t from_ns, uint64_t to_ns,
			 uint32_t transaction)
{
	const struct graph *g = c->g;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];
		struct range w = { MAX(t->born_ns, from_ns), MIN(t->exit_ns, to_ns), transaction, i };

		if (t->tracer || (t->tgid != tgid && !graph_descends_from(g, i, tgid)) ||
		    w.from_ns >= w.to_ns)
			continue;
		if (VEC_PUSH(&c->ranges, w))
			return -ENOMEM;
	}
	return 0;
}

static void free_transactions(struct transactions **t)
{
	transactions_free(*t);
}

/* Of several types of marks, takes the type with the most time, which transactions_find() puts first. */
static int mark_ranges(struct collecting *c, uint32_t tgid)
{
	struct transaction_rule rule = { .source = TRANSACTION_MARK };
	const struct transaction_rules rules = { .v = { .v = &rule, .n = 1 } };
	_cleanup_(free_transactions) struct transactions *all = NULL;
	uint32_t type = GRAPH_NONE, n = 0;
	int r = transactions_find(c->g, c->from_ns, c->to_ns, &rules, NULL, &all);

	for (size_t i = 0; !r && i < all->n; i++) {
		const struct transaction *x = &all->v[i];
		uint32_t task = transaction_task(x);

		if (!x->to_ns || task == GRAPH_NONE || c->g->tasks[task].tgid != tgid ||
		    (type != GRAPH_NONE && x->type != type))
			continue;
		type = x->type;
		r = family_ranges(c, tgid, x->from_ns, x->to_ns, n++);
	}
	if (!r && n) {
		c->out->action = COLLECT_MARKS;
		c->out->sequence.n_transactions = n;
	}
	return r;
}

static bool has_marks(const struct graph *g)
{
	for (size_t i = 0; i < g->w->n_events; i++)
		if (g->w->events[i].r.kind == CT_MARK)
			return true;
	return false;
}

static int life_ranges(struct collecting *c, uint32_t tgid)
{
	c->out->action = COLLECT_LIFE;
	c->out->sequence.n_transactions = 1;
	return family_ranges(c, tgid, c->from_ns, c->to_ns, 0);
}

static int find(struct collecting *c, uint32_t task)
{
	uint32_t tgid = c->g->tasks[task].tgid;
	int r = 0;

	c->wanted = calloc(c->g->n_tasks + 1, sizeof(*c->wanted));
	if (!c->wanted)
		return -ENOMEM;
	if (!c->life)
		r = request_ranges(c, tgid);
	if (!r && !c->life && !c->ranges.n && has_marks(c->g))
		r = mark_ranges(c, tgid);
	if (!r && !c->ranges.n)
		r = life_ranges(c, tgid);
	if (r)
		return r;
	for (size_t i = 0; i < c->ranges.n; i++)
		c->wanted[c->ranges.v[i].task] = true;
	r = find_acts(c);
	VEC_SORT(&c->ranges, range_cmp);
	for (size_t i = 0; i < c->ranges.n && !r; i++) {
		size_t events = c->out->sequence.events.n;
		uint32_t of = c->ranges.v[i].task;

		r = take_range(c, &c->ranges.v[i], i ? &c->ranges.v[i - 1] : NULL);
		c->out->n_tasks += c->wanted[of] && c->out->sequence.events.n > events;
		c->wanted[of] = c->wanted[of] && c->out->sequence.events.n == events;
	}
	return r;
}

static int run(struct collecting *c, uint32_t task, struct collected **ret)
{
	int r;

	c->out = calloc(1, sizeof(*c->out));
	r = c->out ? find(c, task) : -ENOMEM;
	VEC_FREE(&c->acts);
	VEC_FREE(&c->ranges);
	free(c->wanted);
	if (r) {
		collected_free(c->out);
		return r;
	}
	c->out->lacks = graph_lacks_within(c->g, c->from_ns, c->to_ns);
	*ret = c->out;
	return 0;
}

int collect(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct collected **ret)
{
	struct collecting c = { .g = g, .from_ns = from_ns, .to_ns = to_ns };

	return run(&c, task, ret);
}

int collect_life(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		 struct collected **ret)
{
	struct collecting c = { .g = g, .from_ns = from_ns, .to_ns = to_ns, .life = true };

	return run(&c, task, ret);
}

void collected_free(struct collected *c)
{
	if (c)
		sequence_done(&c->sequence);
	free(c);
}
