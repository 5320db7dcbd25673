// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/hangs/hangs.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/diagnose/chain.h"
#include "analysis/diagnose/idle_client.h"
#include "analysis/diagnose/prompted.h"
#include "analysis/thresholds.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/bytes.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

struct candidate {
	uint32_t task;
	uint64_t from_ns, to_ns;
};
typedef VEC(struct candidate) candidates;

/* Returns true if the task may not have got the thing for which it waited. This is so in these cases:
 * - No record shows what ended the wait.
 * - A timer ended the wait, or an interrupt of unknown kind, or a softirq other than that of received
 *   packets.
 * - The wait was for a futex, or uninterruptible. Another task may have taken the lock or the page
 *   first. */
static bool is_unsatisfied(const struct graph *g, const struct interval *s)
{
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];

	return !wake || ct_wake_context(&wake->r) == CT_CTX_TIMER ||
	       ct_wake_context(&wake->r) == CT_CTX_IRQ ||
	       (ct_wake_context(&wake->r) == CT_CTX_SOFTIRQ && ct_wake_softirq(&wake->r) != NET_RX_SOFTIRQ) ||
	       s->st & CT_ST_DISK || s->wait == CT_W_FUTEX;
}

/* A run of waits: the same call on the same object, with hardly any work in between. */
struct run {
	uint32_t first, last;
	uint32_t next;
	uint64_t ran;
	bool worked;
	uint64_t before;
};

static void run_extend(const struct graph *g, struct run *r, uint32_t end)
{
	const struct interval *s = &g->intervals[r->first];

	r->worked = false;
	for (; r->next < end; r->next++) {
		const struct interval *x = &g->intervals[r->next];
		uint64_t ran = r->ran + interval_ran_ns(x);

		r->worked = ran > HANGS_BETWEEN_NS + (x->from_ns - s->from_ns) / HANGS_BETWEEN_SHARE;
		if (r->worked)
			break;
		if (x->state == INTERVAL_RUNNABLE && x->to_ns - x->from_ns > DIAGNOSE_STALL_NS)
			break;
		if (x->state == INTERVAL_BLOCKED && !is_unsatisfied(g, &g->intervals[r->last]))
			break;
		if (x->state == INTERVAL_BLOCKED && blame_same_wait(s, x))
			r->last = r->next;
		else if (x->state == INTERVAL_BLOCKED && x->to_ns - x->from_ns > OTHER_WAIT_NS)
			break;
		r->ran = ran;
	}
}

static uint32_t same_waits(const struct graph *g, uint32_t i, uint32_t end)
{
	struct run r = { .first = i, .last = i, .next = i + 1 };

	run_extend(g, &r, end);
	return r.last;
}

/* The latest runs. run_of() gives each pair of call and object an element of v. If several pairs have
 * the same element, only the newest of their runs is kept. */
struct runs {
	struct run v[8];
	uint64_t ran;
};

static struct run *run_of(struct runs *runs, const struct interval *s)
{
	return &runs->v[(s->obj ^ s->obj >> 3 ^ s->nr ^ s->wait) % ARRAY_SIZE(runs->v)];
}

/* Returns the last wait of the run that begins with wait i, like same_waits(). But if wait i lies
 * in an earlier run, returns i. The caller skips all waits of a hang, so the earlier run was too
 * short for a hang. The part of the earlier run from wait i on is even shorter. Exception: the
 * earlier run ended because the task worked too much between its waits. A run that begins with wait
 * i does not contain the work before wait i, so this run may end later, and next_waits() finds its
 * end. */
static uint32_t next_waits(const struct graph *g, struct runs *runs, uint32_t i, uint32_t end)
{
	const struct interval *s = &g->intervals[i];
	struct run *r = run_of(runs, s);
	const struct interval *first = &g->intervals[r->first];
	uint64_t skipped = runs->ran - r->before;
	bool within = i > r->first && i <= r->last && blame_same_wait(first, s);

	if (within && (!r->worked || skipped * HANGS_BETWEEN_SHARE < s->from_ns - first->from_ns))
		return i;
	if (within) {
		r->first = i;
		r->ran -= skipped;
	} else {
		*r = (struct run){ .first = i, .last = i, .next = i + 1 };
	}
	r->before = runs->ran;
	run_extend(g, r, end);
	return r->last;
}

static bool folded_for(const struct interval *s, enum time_kind time)
{
	struct interval_sums sums;

	return s->state == INTERVAL_FOLDED && interval_sums(s, s->from_ns, s->to_ns, &sums) &&
	       (time == TIME_RUNNING ? sums.ran_ns : sums.queued_ns) > (s->to_ns - s->from_ns) / 2;
}

static bool is_empty_fold(const struct interval *s)
{
	return s->state == INTERVAL_FOLDED && s->from_ns == s->to_ns;
}

/* The governor may stop the recording of switches while the task waits for a CPU. Then this wait has two
 * intervals, and between them is an INTERVAL_FOLDED of length 0. Returns the last interval of the wait. */
static uint32_t queue_last(const struct graph *g, uint32_t i, uint32_t end)
{
	const struct interval *s = g->intervals;

	return i + 2 < end && is_empty_fold(&s[i + 1]) && s[i + 2].state == INTERVAL_RUNNABLE ? i + 2 : i;
}

static int task_candidates(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			   candidates *v)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t end = t->first_interval + t->n_intervals;
	struct runs runs = { 0 };
	uint64_t run_from = 0;

	for (uint32_t i = t->first_interval; i < end; i++) {
		const struct interval *s = &g->intervals[i];
		struct candidate c = { task, MAX(s->from_ns, from_ns), MIN(s->to_ns, to_ns) };
		bool take = false;

		if (s->from_ns >= to_ns)
			break;
		if (s->to_ns <= from_ns)
			continue;
		if (s->state == INTERVAL_BLOCKED) {
			uint32_t last = next_waits(g, &runs, i, end);

			c.to_ns = MIN(g->intervals[last].to_ns, to_ns);
			take = c.to_ns > c.from_ns && c.to_ns - c.from_ns >= HANGS_WAIT_NS;
			if (take) {
				i = last;
				runs = (struct runs){ 0 };
			}
			run_from = take || s->to_ns - s->from_ns > HANGS_SHORT_WAIT_NS ? 0 : run_from;
		} else if (s->state == INTERVAL_RUNNABLE) {
			i = queue_last(g, i, end);
			c.to_ns = MIN(g->intervals[i].to_ns, to_ns);
			take = c.to_ns > c.from_ns && c.to_ns - c.from_ns >= DIAGNOSE_STALL_NS;
		} else if (folded_for(s, TIME_RUNNABLE)) {
			for (; i + 1 < end && folded_for(&g->intervals[i + 1], TIME_RUNNABLE); i++)
				;
			c.to_ns = MIN(g->intervals[i].to_ns, to_ns);
			take = c.to_ns > c.from_ns && c.to_ns - c.from_ns >= HANGS_WAIT_NS;
			run_from = 0;
		} else if (s->state == INTERVAL_FOLDED && !folded_for(s, TIME_RUNNING)) {
			runs.ran += interval_ran_ns(s);
			run_from = 0;
		} else if (s->state == INTERVAL_RUNNING || s->state == INTERVAL_FOLDED) {
			runs.ran += interval_ran_ns(s);
			if (!run_from)
				run_from = c.from_ns;
			/* A preemption does not end the running time. A short wait ends it only if
			 * the running time is already long enough for the list of hangs. */
			if ((i + 1 == end || (g->intervals[i + 1].state != INTERVAL_RUNNABLE &&
					      !folded_for(&g->intervals[i + 1], TIME_RUNNING))) &&
			    c.to_ns - run_from >= HANGS_RUN_NS) {
				c.from_ns = run_from;
				take = true;
				run_from = 0;
			}
		}
		if (take && VEC_PUSH(v, c))
			return -ENOMEM;
	}
	return 0;
}

static int candidate_cmp(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	uint64_t lx = x->to_ns - x->from_ns, ly = y->to_ns - y->from_ns;

	if (lx != ly)
		return lx > ly ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* A task may poll for the end of its child, and sleep in between. Then all sleeps are one wait. */
static uint64_t longest_wait_ns(const struct link *k)
{
	return k->wait == CT_W_SLEEP ? k->total_ns : k->longest_ns;
}

static bool waits_for_child(const struct link *k)
{
	return k->wait != CT_W_FUTEX && (k->edge == EDGE_EXIT || k->edge == EDGE_VFORK);
}

/* Returns true if a task of the chain, but not the first one, waits for short children: each of these waits
 * is shorter than HANGS_CHILD_BUSY_NS, and shorter than half of the first task's longest wait. Such children,
 * as those of xargs, are ordinary work. */
static bool has_short_children(const struct diagnosis *d)
{
	uint64_t longest_ns = longest_wait_ns(&d->chain[0]);

	for (size_t i = 1; i < d->n_chain; i++)
		if (waits_for_child(&d->chain[i]) &&
		    longest_wait_ns(&d->chain[i]) < MIN(longest_ns / 2, HANGS_CHILD_BUSY_NS))
			return true;
	return false;
}

/* The first task waits for a child that computes, or through a pipe for a program that computes. Mostly, this
 * is ordinary work. Returns true if the work should have ended before: a person or another program ended the
 * wait, or the wait is very long. */
static bool is_late_work(const struct graph *g, const struct diagnosis *d)
{
	uint64_t ns = longest_wait_ns(&d->chain[0]);

	return ns + d->chain[0].before_ns >= HANGS_CHILD_LONG_NS ||
	       (ns >= HANGS_CHILD_BUSY_NS && prompted_kill(g, d->chain, d->n_chain));
}

/* Returns true if the first task is a server that waits for a client. With UDP, k->server is true for
 * clients, too. */
static bool waits_for_client(const struct diagnosis *d)
{
	const struct link *k = &d->chain[0];

	return d->n_chain > 1 && k->server && k->kind != RESOURCE_UDP &&
	       (k->edge == EDGE_MESSAGE || k->edge == EDGE_OWNER) &&
	       (k->wait == CT_W_READ || ct_wait_is_poll(k->wait));
}

/* Returns true if the first task waits on a connection whose other end has left bytes of the task unread, for
 * at least the first half of its wait. */
static bool has_unread_request(const struct graph *g, const struct diagnosis *d)
{
	const struct link *k = &d->chain[0];
	uint64_t middle_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;

	return d->n_chain > 1 && CT_OBJ_KIND(k->obj) == CT_OBJ_SOCK &&
	       bytes_stay_unread(g, k->obj, d->chain[1].task, k->from_ns, middle_ns);
}

/* Returns the cause whose rules hold for the alarm. A task that got a part of the CPU works, so the rules for
 * a busy task hold. If a task of the chain waits for a lock, the owner of the lock may wait for further
 * tasks: the rules for the owner of a lock hold then too. */
static enum cause_kind cause_of_alarm(const struct diagnosis *d)
{
	enum cause_kind c = d->cause == CAUSE_STARVED && d->doubts >> DOUBT_WORK & 1 ? CAUSE_BUSY : d->cause;

	switch ((unsigned)c) {
	case CAUSE_BUSY:
	case CAUSE_EXTERNAL:
	case CAUSE_NETWORK:
	case CAUSE_POLLING:
	case CAUSE_QUEUEING:
	case CAUSE_SLOW_PEER:
	case CAUSE_TIMER:
		return chain_has_lock(d->chain, d->n_chain) ? CAUSE_LOCK_HOLDER : c;
	default:
		return c;
	}
}

static bool is_alarm(const struct graph *g, const struct diagnosis *d)
{
	const struct link *k = &d->chain[0];
	enum cause_kind c = cause_of_alarm(d);
	bool child = k->edge == EDGE_EXIT || k->edge == EDGE_VFORK;
	uint64_t ns = d->to_ns - d->from_ns;

	if (d->verdict == VERDICT_NORMAL || d->verdict == VERDICT_LONG_RUNNING)
		return false;
	/* the third: a shell sleeps because it cannot start a process */
	if (d->no_waker || d->told_to_end != GRAPH_NONE || chain_retries_fork(g, &d->chain[d->n_chain - 1]))
		return true;
	/* The victim waits for a futex, and it is a guess which task has to wake the victim. A
	 * worker thread without work waits in the same way. So the wait of a worker thread is an
	 * alarm only if it is in a cycle. The wait of a main thread is no alarm if the cause is
	 * CAUSE_BUSY. */
	if (k->wait == CT_W_FUTEX && k->kind != RESOURCE_LOCK && k->edge == EDGE_OWNER &&
	    (k->pid != k->tid || c == CAUSE_BUSY))
		return c == CAUSE_CIRCULAR_WAIT;
	/* A worker that waits for its next job waits in the same way as a client for its answer. */
	if (k->wait == CT_W_SYSVIPC && k->kind != RESOURCE_SEMAPHORE && c == CAUSE_BUSY)
		return false;
	/* An event loop waits for a client that waits for it. If somebody ended this client, its own row says
	 * whether it hung. */
	if (c == CAUSE_CIRCULAR_WAIT)
		return !(waits_for_client(d) && idle_client_left(g, d));
	/* A client that does not get the CPU, the disk or memory has its own row in the list of hangs. */
	if (c == CAUSE_STARVED || c == CAUSE_DISK || c == CAUSE_MEMORY ||
	    (c == CAUSE_NETWORK && d->chain[d->n_chain - 1].kind == RESOURCE_NETWORK_FS))
		return !waits_for_client(d);
	if (k->edge == EDGE_LOCK || k->kind == RESOURCE_LOCK || k->edge == EDGE_FILELOCK ||
	    k->edge == EDGE_POLLED || k->edge == EDGE_KERNEL_LOCK || k->edge == EDGE_FUSE ||
	    (k->edge == EDGE_STOP && d->n_chain > 1))
		return true;
	/* Apart from the cases above, a wait for a child is an alarm only for these three causes. If the
	 * child hangs for another cause, the child has its own row in the list of hangs. */
	if (child)
		return c == CAUSE_LOCK_HOLDER || c == CAUSE_STOPPED ||
		       (c == CAUSE_BUSY && !has_short_children(d) && is_late_work(g, d));
	/* A terminal is full, for example after Ctrl-S. */
	if (k->kind == RESOURCE_INPUT && k->wait == CT_W_WRITE)
		return true;
	if (d->n_chain == 1)
		return k->wait == CT_W_STOPPED || (c == CAUSE_NETWORK && k->owed && !k->server) ||
		       (c == CAUSE_POLLING && d->verdict == VERDICT_REPEATED_YIELD && k->wait == 0);
	if (k->server)
		return false;
	if (k->kind == RESOURCE_UNIX || k->kind == RESOURCE_TCP || k->kind == RESOURCE_UDP)
		return k->owed || has_unread_request(g, d) || k->wait == CT_W_WRITE ||
		       k->wait == CT_W_CONNECT || c == CAUSE_BUSY || c == CAUSE_QUEUEING ||
		       c == CAUSE_LOCK_HOLDER || c == CAUSE_STOPPED;
	if (k->kind == RESOURCE_PIPE && c == CAUSE_BUSY)
		return !has_short_children(d) && is_late_work(g, d);
	if (k->kind == RESOURCE_PIPE)
		return k->wait == CT_W_WRITE || c == CAUSE_LOCK_HOLDER || c == CAUSE_STOPPED;
	return k->pid == k->tid && (c == CAUSE_BUSY || c == CAUSE_LOCK_HOLDER || c == CAUSE_QUEUEING) &&
	       ns >= HANGS_RUN_NS;
}

/* Returns true if the first task waits for work of another one, and only the length of the wait is a sign
 * that this work should have ended. */
static bool is_long_work(const struct graph *g, const struct diagnosis *d)
{
	const struct link *k = &d->chain[0];

	return d->n_chain > 1 && cause_of_alarm(d) == CAUSE_BUSY &&
	       (k->edge == EDGE_EXIT || k->edge == EDGE_VFORK || k->kind == RESOURCE_PIPE) &&
	       !prompted_kill(g, d->chain, d->n_chain);
}

/* A chain that ends in a sleep is minor if the answer has a doubt. DOUBT_POLLING does not count: it only says
 * that it is not known what the last task polls for. */
static bool is_minor(const struct diagnosis *d)
{
	return (d->n_chain == 1 &&
		(d->chain[0].wait == CT_W_STOPPED || d->chain[0].kind == RESOURCE_DATA_FLAG)) ||
	       (d->n_chain > 1 &&
		(d->cause == CAUSE_SLOW_PEER || d->cause == CAUSE_TIMER || d->cause == CAUSE_POLLING) &&
		d->chain[d->n_chain - 1].wait == CT_W_SLEEP && d->doubts & ~(1U << DOUBT_POLLING));
}

/* An old trace does not mark the tasks of ctrace (graph/timeline/build.c). */
static bool is_old_command(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	return g->w->machine == MACHINE_THIS && graph_is_called(g, task, ts_ns, "ctrace");
}

static bool is_client(const struct graph *g, const struct diagnosis *d)
{
	return d->n_chain > 1 && g->tasks[d->chain[1].task].tracer && d->chain[0].edge != EDGE_CPU &&
	       d->chain[0].edge != EDGE_DISK;
}

static int hang_cmp(const void *a, const void *b)
{
	const struct hang *x = a, *y = b;
	uint64_t lx = x->to_ns - x->from_ns, ly = y->to_ns - y->from_ns;
	bool nx = x->diagnosis->verdict == VERDICT_NORMAL, ny = y->diagnosis->verdict == VERDICT_NORMAL;

	if (x->alarm != y->alarm)
		return x->alarm ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor ? 1 : -1;
	if (nx != ny)
		return nx ? 1 : -1;
	if (lx != ly)
		return lx > ly ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Returns true if the task's process has ended, and another one with its pid lives at the end of the window.
 */
static bool is_followed(const struct graph *g, const struct graph_task *t)
{
	uint32_t now = graph_task_at(g, t->tgid, g->w->to_ns);

	return now != GRAPH_NONE && g->tasks[now].exit_ns == UINT64_MAX &&
	       t->exit_ns <= g->tasks[now].born_ns;
}

static bool wanted(const struct graph *g, uint32_t task, const struct hangs_filter *f)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t end = MIN(t->exit_ns, g->w->to_ns);

	if (t->kthread || t->tracer || is_old_command(g, task, end))
		return false;
	if (f && f->alive && is_followed(g, t))
		return false;
	return !f ||
	       (graph_fits(g, task, &f->who, end) && (!f->under || graph_descends_from(g, task, f->under)));
}

/* Removes the candidates that have no part in the time of f->at_from_ns and f->at_to_ns. */
static void keep_at(candidates *v, const struct hangs_filter *f)
{
	size_t n = 0;

	if (!f || !f->at_to_ns)
		return;
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].from_ns < f->at_to_ns && v->v[i].to_ns > f->at_from_ns)
			v->v[n++] = v->v[i];
	v->n = n;
}

static bool in_chain(const struct diagnosis *d, uint32_t task)
{
	for (size_t i = 0; i < d->n_chain; i++)
		if (d->chain[i].task == task)
			return true;
	return false;
}

static bool are_stopped(const struct hang *a, const struct hang *b)
{
	const struct link *x = &a->diagnosis->chain[0], *y = &b->diagnosis->chain[0];

	return x->wait == CT_W_STOPPED && y->wait == CT_W_STOPPED && x->pid == y->pid;
}

static bool is_same(const struct hang *a, const struct hang *b)
{
	const struct diagnosis *x = a->diagnosis, *y = b->diagnosis;

	return a->alarm == b->alarm && a->from_ns < b->to_ns && b->from_ns < a->to_ns &&
	       (in_chain(x, b->task) || in_chain(y, a->task) || are_stopped(a, b) ||
		x->chain[x->n_chain - 1].task == y->chain[y->n_chain - 1].task);
}

static void main_thread_first(struct hangs *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct link *k = &h->v[i].diagnosis->chain[0];

		for (size_t j = 0; k->wait == CT_W_STOPPED && k->pid == k->tid && j < i; j++)
			if (is_same(&h->v[i], &h->v[j]) && are_stopped(&h->v[i], &h->v[j])) {
				struct hang x = h->v[i];

				memmove(&h->v[j + 1], &h->v[j], (i - j) * sizeof(x));
				h->v[j] = x;
				break;
			}
	}
}

static void find_same(struct hangs *h)
{
	for (size_t i = 0; i < h->n; i++) {
		h->v[i].first_row = i;
		for (size_t j = 0; j < i && h->v[i].first_row == i; j++)
			if (is_same(&h->v[i], &h->v[j]))
				h->v[i].first_row = h->v[j].first_row;
	}
}

bool hangs_is_worst(const struct hang *x)
{
	return x->alarm && !x->minor;
}

static uint64_t length(const struct hang *x)
{
	return x->to_ns - x->from_ns;
}

static bool is_alike(const struct hang *x, uint64_t longest_ns)
{
	return length(x) >= longest_ns - longest_ns / HANGS_ALIKE_SHARE;
}

static size_t alike_rows(const struct hangs *h, size_t i, uint64_t longest_ns)
{
	size_t n = 0;

	for (size_t j = i; j < h->n; j++)
		n += h->v[j].first_row == i && is_alike(&h->v[j], longest_ns);
	return n;
}

static void most_waiters_first(struct hangs *h)
{
	for (size_t at = 0; at < h->n && hangs_is_worst(&h->v[at]); at++) {
		uint64_t longest_ns = length(&h->v[at]);
		size_t best = at, most = alike_rows(h, at, longest_ns);
		struct hang x;

		for (size_t i = at + 1; most && i < h->n && hangs_is_worst(&h->v[i]); i++) {
			size_t n = is_alike(&h->v[i], longest_ns) ? alike_rows(h, i, longest_ns) : 0;

			if (n > most) {
				best = i;
				most = n;
			}
		}
		if (best == at)
			continue;
		x = h->v[best];
		memmove(&h->v[at + 1], &h->v[at], (best - at) * sizeof(x));
		h->v[at] = x;
		find_same(h);
	}
}

static void number_rows(struct hangs *h)
{
	uint32_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		h->v[i].number = h->v[i].alarm && h->v[i].first_row == i ? ++n : 0;
}

struct hang *hangs_numbered(const struct hangs *h, uint32_t number)
{
	for (size_t i = 0; i < h->n; i++)
		if (number && h->v[i].number == number)
			return &h->v[i];
	return NULL;
}

int hangs_candidates(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		     const struct hangs_filter *filter, struct hangs **ret)
{
	candidates v = { 0 };
	struct hangs *h = calloc(1, sizeof(*h));
	int r = h ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < g->n_tasks && !r; i++)
		if (wanted(g, i, filter))
			r = task_candidates(g, i, from_ns, to_ns, &v);
	if (!r) {
		keep_at(&v, filter);
		VEC_SORT(&v, candidate_cmp);
		h->n = MIN(v.n, (size_t)HANGS_MAX);
		h->refused = v.n - h->n;
		h->v = calloc(h->n + 1, sizeof(*h->v));
		r = h->v ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !r && i < h->n; i++)
		h->v[i] = (struct hang){ .task = v.v[i].task,
					 .from_ns = v.v[i].from_ns,
					 .to_ns = v.v[i].to_ns };
	VEC_FREE(&v);
	if (r) {
		free(h);
		return r;
	}
	*ret = h;
	return 0;
}

int hangs_diagnose(const struct graph *g, struct hang *x)
{
	struct graph_scans own = { .left = scan_left(g) };
	struct graph view = scan_view(g, &own);
	int r;

	x->budget = own.left;
	r = diagnose(&view, x->task, x->from_ns, x->to_ns, NULL, &x->diagnosis);
	x->steps = x->budget - own.left;
	x->refused = own.refused;
	if (!r) {
		x->alarm = is_alarm(g, x->diagnosis) && !is_client(g, x->diagnosis) &&
			   !idle_client_killed(g, x->diagnosis);
		x->minor = x->alarm && (is_minor(x->diagnosis) || is_long_work(g, x->diagnosis));
	}
	return r;
}

int hangs_settle(const struct graph *g, struct hang *x)
{
	uint64_t left = scan_left(g);
	int r = 0;

	/* The diagnosis was allowed x->budget steps, and took x->steps. Now only `left` steps are allowed.
	 * If x->steps reaches this limit, the result may differ, so the diagnosis is made again. */
	if (x->budget != left && x->steps >= left) {
		diagnosis_free(TAKE_PTR(x->diagnosis));
		r = hangs_diagnose(g, x);
	}
	scan_pay(g, x->steps, x->refused);
	return r;
}

/* Returns true if main_thread_first() may move a shorter row before one of these rows. */
static bool has_stopped_thread(const struct hangs *h, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct link *k = &h->v[i].diagnosis->chain[0];

		if (hangs_is_worst(&h->v[i]) && k->wait == CT_W_STOPPED && k->pid != k->tid)
			return true;
	}
	return false;
}

bool hangs_are_decided(const struct hangs *h, size_t settled)
{
	for (size_t i = 0; i < settled; i++)
		if (hangs_is_worst(&h->v[i]))
			return settled == h->n || (!is_alike(&h->v[settled], length(&h->v[i])) &&
						   !has_stopped_thread(h, settled));
	return false;
}

void hangs_sort(struct hangs *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].diagnosis)
			h->v[n++] = h->v[i];
	h->missing = h->n - n;
	h->n = n;
	qsort(h->v, h->n, sizeof(*h->v), hang_cmp);
	main_thread_first(h);
	find_same(h);
	most_waiters_first(h);
	number_rows(h);
}

int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret)
{
	struct hangs *h;
	int r = hangs_candidates(g, from_ns, to_ns, filter, &h);

	if (r)
		return r;
	for (size_t i = 0; i < h->n && !r; i++) {
		r = hangs_diagnose(g, &h->v[i]);
		if (!r)
			r = hangs_settle(g, &h->v[i]);
		if (!r && filter && filter->worst && hangs_are_decided(h, i + 1))
			break;
	}
	if (r) {
		hangs_free(h);
		return r;
	}
	hangs_sort(h);
	*ret = h;
	return 0;
}

void hangs_free(struct hangs *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++)
		diagnosis_free(h->v[i].diagnosis);
	free(h->v);
	free(h);
}

static uint64_t stall_end(const struct graph *g, uint32_t i, uint32_t end)
{
	uint64_t to_ns = g->intervals[i].to_ns;

	if (g->intervals[i].state == INTERVAL_BLOCKED)
		return g->intervals[same_waits(g, i, end)].to_ns;
	for (; i < end; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_UNKNOWN ||
		    (s->state == INTERVAL_BLOCKED && s->to_ns - s->from_ns > HANGS_SHORT_WAIT_NS))
			break;
		to_ns = s->to_ns;
	}
	return to_ns;
}

static const struct interval *loop_wait(const struct graph *g, const struct graph_task *t, uint64_t since_ns)
{
	const struct interval *loop = NULL;

	for (uint32_t i = t->first_interval; i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->to_ns > since_ns + HANGS_SHORT_WAIT_NS)
			break;
		if (s->state == INTERVAL_BLOCKED)
			loop = s;
	}
	return loop;
}

uint64_t hangs_end(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t found_ns, bool looped)
{
	const struct graph_task *t = &g->tasks[task];
	const struct interval *loop = looped ? loop_wait(g, t, since_ns) : NULL;
	uint32_t i = graph_interval_at(g, task, found_ns), end = t->first_interval + t->n_intervals;
	uint64_t to_ns;

	if (i == GRAPH_NONE)
		return MIN(t->exit_ns, g->w->to_ns);
	to_ns = stall_end(g, i, end);
	for (; loop && i < end; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->from_ns >= to_ns && s->state == INTERVAL_BLOCKED && blame_same_wait(loop, s))
			return s->from_ns;
	}
	return loop ? MIN(t->exit_ns, g->w->to_ns) : to_ns;
}
