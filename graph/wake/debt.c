// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debt.c - blame_debt() and blame_active(): look at the other threads of the waiter's process to
 * find the task to blame. While one thread serves a request, the thread that received the request
 * may already wait for the next one. This happens in runtimes in which any thread may go on with
 * any request (Go, Rust's tokio, executors of the JVM), and in servers with a pool of threads.
 */
#include "graph/wake/blame.h"

#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/received.h"
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner_private.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

/* Returns true if the socket `at` listens at the port to which `sock` is connected. */
static bool listens_for(const struct graph *g, uint64_t at, uint64_t sock)
{
	const struct window_object *x = graph_object(g, at), *o = graph_object(g, sock);

	return x && o && x->family != AF_UNIX && x->lport == o->rport && x->netns == o->netns;
}

uint64_t blame_connected_ns(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	const struct window_event *e = g->w->events;
	size_t at = window_lower_bound(g->w, ts_ns);

	for (size_t looks = 0; at-- > 0 && looks < SPOKE_LOOKS && scan_step(g); looks++)
		if (e[at].r.kind == CT_WAKE && ct_wake_waker(&e[at].r) == g->tasks[task].tid &&
		    ct_wake_call(&e[at].r) == CT_W_CONNECT && listens_for(g, e[at].r.obj, sock))
			return e[at].r.ts;
	return ts_ns;
}

static uint32_t asking_wait(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, ts_ns);

	if (i == GRAPH_NONE)
		return GRAPH_NONE;
	for (size_t looks = 0; looks < DEBT_LOOKS && scan_step(g); looks++, i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED &&
		    (s->wait == CT_W_EPOLL ||
		     (!looks && (s->wait == CT_W_READ || s->wait == CT_W_CONNECT || s->wait == CT_W_POLL))))
			return i;
		if (i == t->first_interval)
			break;
	}
	return GRAPH_NONE;
}

bool blame_idles(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b;

	if (!s)
		return true;
	if (s->state != INTERVAL_BLOCKED)
		return false;
	if (!ct_wait_is_poll(s->wait))
		return s->wait == CT_W_ACCEPT || s->wait == CT_W_SLEEP || s->wait == CT_W_FUTEX;
	blame_lasting(g, i, &b);
	return b.task == GRAPH_NONE || !(b.owed || graph_descends_from(g, b.task, g->tasks[task].tgid));
}

/* Returns true if a question on obj was recorded since since_ns and up to ts_ns. */
static bool asked_since(const struct graph *g, uint64_t obj, uint64_t since_ns, uint64_t ts_ns)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, obj, ts_ns);

	return sent && g->w->events[sent->event].r.ts >= since_ns;
}

/* Returns true if the request on b->obj may be a long poll: the server is idle, and answers only
 * when it has news. */
static bool may_have_no_news(const struct graph *g, const struct blame *b, uint64_t asked_by_ns,
			     uint64_t since_ns, uint64_t ts_ns)
{
	return !asked_since(g, b->obj, since_ns, asked_by_ns) && blame_idles(g, b->task, ts_ns);
}

/* Returns true if the task itself sent the last question on sock, after it received a request of a client,
 * and has not answered this request. Then it waits for the answer to go on with the request, not for news. */
static bool asks_for_client(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *asked = graph_ref_before(g, &g->sends, sock, ts_ns), *answer;
	const struct window_event *request;

	if (!asked || g->w->events[asked->event].r.tid != g->tasks[task].tid)
		return false;
	request = received_request(g, task, asked->event);
	answer = request ? graph_ref_before(g, &g->sends, request->r.obj, ts_ns) : NULL;
	return request && (!answer || &g->w->events[answer->event] < request);
}

/* Returns true if the process tgid, or a descendant of it, has started the task's process. Unlike
 * graph_descends_from(), also finds a process whose parent has ended, and which has a new parent since. */
static bool was_started_by(const struct graph *g, uint32_t task, uint32_t tgid)
{
	for (int i = 0; i < ANCESTORS_MAX && task != GRAPH_NONE && scan_step(g); i++) {
		task = g->tasks[task].parent;
		if (task != GRAPH_NONE && g->tasks[task].tgid == tgid)
			return true;
	}
	return false;
}

/* b is the blame for a wait of the process. Returns true if the wait is for output of the blamed task, and
 * the process started this task itself, since it began to work on its present request. */
static bool is_started_for(const struct graph *g, const struct blame *b, uint32_t tgid, uint64_t since_ns)
{
	return b->edge == EDGE_OWNER &&
	       (CT_OBJ_KIND(b->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(b->obj) == CT_OBJ_FIFO) &&
	       g->tasks[b->task].born_ns > since_ns &&
	       (graph_descends_from(g, b->task, tgid) || was_started_by(g, b->task, tgid));
}

/* The wait is in an epoll. Adds to *all the programs that have pipes in this epoll for their output, and that
 * the process has started for its present request (is_started_for()). The other members of the epoll may be
 * of other requests. Returns true if there is such a program; *b then blames the first one. */
static bool awaits_output(const struct graph *g, uint32_t wait, uint32_t tgid, uint64_t since_ns,
			  uint64_t ts_ns, struct blame *b, struct enders *all)
{
	const struct interval *s = &g->intervals[wait];
	struct blame found = { .edge = EDGE_OWNER };
	size_t n;
	const struct graph_ref *r;

	if (s->wait != CT_W_EPOLL)
		return false;
	r = table_members(g, s->obj, s->from_ns, s->to_ns, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		struct enders writers = { 0 };
		uint64_t woke_ns;

		found.obj = owner_event(g, &r[i])->r.obj;
		if (CT_OBJ_KIND(found.obj) != CT_OBJ_PIPE && CT_OBJ_KIND(found.obj) != CT_OBJ_FIFO)
			continue;
		found.task = owner_past_waker(g, found.obj, ts_ns, s->task, &writers, &woke_ns);
		if (found.task == GRAPH_NONE && !writers.n)
			found.task = owner_fd(g, found.obj, ts_ns, tgid, CT_FF_WRITE, &writers);
		if (found.task == GRAPH_NONE || g->tasks[found.task].tgid == tgid ||
		    !is_started_for(g, &found, tgid, since_ns))
			continue;
		if (!all->n) {
			*b = (struct blame){ .task = found.task,
					     .event = r[i].event,
					     .obj = found.obj,
					     .until_ns = s->to_ns,
					     .kind = resource_of_object(g->w, found.obj),
					     .time = TIME_IPC,
					     .edge = EDGE_OWNER,
					     .strength = EDGE_WEAK };
		}
		owner_add(g, all, found.task);
	}
	return all->n > 0;
}

/* If `thread` waits for a process for which blame_debt() looks, returns true, and *b blames a task of this
 * process. If the thread may wait for several processes, adds all of them to *all. *ret_shown: records show
 * that the wait began after the process got its request. */
static bool debt_of(const struct graph *g, uint32_t thread, const struct blame_request *request,
		    uint64_t ts_ns, struct blame *b, struct enders *all, bool *ret_shown)
{
	uint32_t wait = asking_wait(g, thread, ts_ns), tgid = g->tasks[thread].tgid;
	struct blame output;
	bool outputs, debt;

	if (wait == GRAPH_NONE)
		return false;
	outputs = awaits_output(g, wait, tgid, request->since_ns, ts_ns, &output, all);
	blame_lasting(g, wait, b);
	debt = b->task != GRAPH_NONE && g->tasks[b->task].tgid != tgid &&
	       (b->owed ? !may_have_no_news(g, b, g->intervals[wait].from_ns, request->since_ns, ts_ns)
			: is_started_for(g, b, tgid, request->since_ns));
	*ret_shown =
		request->recorded &&
		(!debt || !b->owed || asked_since(g, b->obj, request->since_ns, g->intervals[wait].from_ns));
	if (!debt && outputs)
		*b = output;
	return debt || outputs;
}

/* Looks at some moments only, because a busy task may have very many intervals. */
bool owner_computed(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	unsigned n = 0;

	for (unsigned k = 0; k < ACTIVE_MOMENTS; k++) {
		uint64_t ts_ns = from_ns + (to_ns - from_ns) / (2 * ACTIVE_MOMENTS) * (2 * k + 1);
		uint32_t i = graph_interval_at(g, task, ts_ns);
		const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

		n += s && s->from_ns <= ts_ns &&
		     (s->state == INTERVAL_RUNNING || s->state == INTERVAL_RUNNABLE);
	}
	return n * ACTIVE_SHARE >= ACTIVE_MOMENTS;
}

/* The task of the wait s is in s at ts_ns. Returns true if it waits for the connection sock to be made. */
static bool connects(const struct graph *g, const struct interval *s, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = CT_OBJ_KIND(sock) == CT_OBJ_SOCK ? graph_object(g, sock) : NULL;

	if (!o)
		return false;
	return graph_is_local(g, sock) ? bytes_connected_ns(g, s, sock, s->from_ns, ts_ns) >= ts_ns
				       : o->connecting_ns >= ts_ns;
}

/* Returns true if the wait s is only for one connection, which the task of b has not accepted yet. */
static bool is_unaccepted(const struct graph *g, const struct interval *s, const struct blame *b)
{
	return b->task != GRAPH_NONE && CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK && s->obj == b->obj &&
	       graph_peer_object(g, b->obj) & CT_OBJ_NOT_ACCEPTED;
}

/* Returns true if the task waits for one of the things listed at blame_active(). Sets *ret_for, if
 * it waits for a known task of another process. */
static bool waits_outside(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t ts_ns,
			  uint32_t *ret_for)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b;

	if (!s || s->state != INTERVAL_BLOCKED || s->wait == CT_W_FUTEX || s->wait == CT_W_SLEEP)
		return false;
	if (s->wait == CT_W_FLOCK || s->wait == CT_W_FILE || s->wait == CT_W_SYNC ||
	    (s->wait == CT_W_READ && s->flags & CT_SF_IOWAIT))
		return true;
	blame_lasting(g, i, &b);
	if (b.task != GRAPH_NONE && g->tasks[b.task].tgid == t->tgid)
		return s->wait == CT_W_WRITE;
	*ret_for = b.task;
	if (s->wait == CT_W_WRITE)
		return true;
	if (b.owed && (b.task == GRAPH_NONE || !may_have_no_news(g, &b, ts_ns, since_ns, ts_ns) ||
		       asks_for_client(g, task, b.obj, ts_ns)))
		return true;
	if (connects(g, s, b.obj, ts_ns) || is_unaccepted(g, s, &b))
		return true;
	return b.task != GRAPH_NONE &&
	       (graph_descends_from(g, b.task, t->tgid) ||
		(CT_OBJ_KIND(b.obj) == CT_OBJ_SOCK && owner_unread(g, graph_peer_object(g, b.obj), ts_ns)));
}

static bool is_asleep(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
	       g->intervals[i].wait == CT_W_SLEEP;
}

/* If `locks` is true, a task that sleeps is active too, because it may own the lock. */
static bool is_active(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t from_ns,
		      uint64_t to_ns, bool locks, uint32_t *ret_for)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t half_ns = (to_ns - from_ns) / ACTIVE_SHARE;

	*ret_for = GRAPH_NONE;
	if (t->exit_ns < to_ns || t->born_ns >= to_ns)
		return false;
	return owner_computed(g, task, from_ns, to_ns) ||
	       (locks && is_asleep(g, task, to_ns - 1) && is_asleep(g, task, to_ns - half_ns)) ||
	       (waits_outside(g, task, since_ns, to_ns - 1, ret_for) &&
		waits_outside(g, task, since_ns, to_ns - half_ns, ret_for));
}

/* What the threads of a process wait for, or do. */
struct debts {
	struct blame found;   /* a task for which blame_debt() looks, or GRAPH_NONE */
	bool found_shown;     /* it is in `shown` */
	struct enders shown;  /* records show that these waits began after the process got its request */
	struct enders others; /* these may have begun before */
};

/* Returns true if both tasks wait for the data of one file, or for one file lock. */
static bool await_same(const struct graph *g, uint32_t a, uint32_t b, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, a, ts_ns), k = graph_interval_at(g, b, ts_ns);
	const struct interval *x, *y;

	if (i == GRAPH_NONE || k == GRAPH_NONE)
		return false;
	x = &g->intervals[i];
	y = &g->intervals[k];
	if (x->state != INTERVAL_BLOCKED || y->state != INTERVAL_BLOCKED || x->wait != y->wait)
		return false;
	return x->obj && x->obj == y->obj &&
	       (x->wait == CT_W_READ || x->wait == CT_W_FILE || x->wait == CT_W_SYNC ||
		x->wait == CT_W_FLOCK);
}

/* Returns true if another thread of the same process is in the list, and both await_same(). */
static bool has_same(const struct graph *g, const struct enders *e, uint32_t thread, uint64_t ts_ns)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid == g->tasks[thread].tgid && await_same(g, e->v[i], thread, ts_ns))
			return true;
	return false;
}

/* `thread` has no debt. Adds what it does otherwise, because this may be work for the request. */
static void add_other_work(const struct graph *g, uint32_t thread, const struct interval *s,
			   const struct blame_request *request, struct debts *d)
{
	uint32_t outside, i = graph_interval_at(g, thread, s->to_ns - 1);
	struct enders *to;
	bool waits = i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED;

	if (thread == s->task ||
	    (waits && request->recorded && g->intervals[i].from_ns < request->since_ns) ||
	    !is_active(g, thread, request->since_ns, s->from_ns, s->to_ns, false, &outside))
		return;
	to = waits && request->recorded ? &d->shown : &d->others;
	if (outside != GRAPH_NONE)
		owner_add(g, to, outside);
	else if (to->n < ENDERS_MAX && !has_same(g, to, thread, s->to_ns - 1))
		to->v[to->n++] = thread; /* owner_add() would drop the second thread of the process */
}

/* Returns true if the child neither idles nor waits for its parent's process. */
static bool is_child_at_work(const struct graph *g, uint32_t child, uint32_t tgid, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, child, ts_ns);
	struct blame b;

	if (i == GRAPH_NONE || blame_idles(g, child, ts_ns))
		return false;
	if (g->intervals[i].state != INTERVAL_BLOCKED)
		return true;
	blame_lasting(g, i, &b);
	return b.task == GRAPH_NONE || g->tasks[b.task].tgid != tgid;
}

/* A process may await the end of a child in a poll: a signal or a pipe tells it. */
static void add_children(const struct graph *g, const struct interval *s, const struct blame_request *request,
			 struct debts *d)
{
	uint32_t tgid = g->tasks[s->task].tgid;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, tgid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct graph_task *c = &g->tasks[r[i].event];

		if (c->born_ns >= s->to_ns || c->exit_ns < s->to_ns ||
		    (request->recorded && c->born_ns < request->since_ns) ||
		    !is_child_at_work(g, r[i].event, tgid, s->to_ns - 1))
			continue;
		owner_add(g, request->recorded ? &d->shown : &d->others, r[i].event);
	}
}

/* Adds a task for each thread with a debt. Sets debt[i] for the first ACTIVE_THREADS threads. */
static void add_debts(const struct graph *g, const struct interval *s, const struct blame_request *request,
		      struct debts *d, bool *debt)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);
	struct blame b;
	bool shown;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		struct enders all = { 0 };
		bool found = debt_of(g, r[i].event, request, s->to_ns - 1, &b, &all, &shown);

		if (i < ACTIVE_THREADS)
			debt[i] = found;
		if (!found)
			continue;
		owner_add(g, shown ? &d->shown : &d->others, b.task);
		for (size_t k = 0; k < all.n; k++)
			owner_add(g, shown ? &d->shown : &d->others, all.v[k]);
		if (d->found.task == GRAPH_NONE || (shown && !d->found_shown)) {
			d->found = b;
			d->found_shown = shown;
		}
	}
}

/* Adds what else may be work for the request. Returns false if not all of it could be looked at. */
static bool add_rivals(const struct graph *g, const struct interval *s, const struct blame_request *request,
		       struct debts *d, const bool *debt)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);

	for (size_t i = 0; i < n && i < ACTIVE_THREADS && scan_step(g); i++)
		if (!debt[i])
			add_other_work(g, r[i].event, s, request, d);
	add_children(g, s, request, d);
	return n <= ACTIVE_THREADS && scan_left(g) && d->shown.n < ENDERS_MAX && d->others.n < ENDERS_MAX;
}

/* Sets *ret_all to the tasks that may keep back the answer to the request. Returns false if there may be
 * others. */
static bool find_debts(const struct graph *g, const struct interval *s, const struct blame_request *request,
		       struct debts *ret, struct enders *ret_all)
{
	bool debt[ACTIVE_THREADS] = { 0 }, all_seen;

	*ret = (struct debts){ .found.task = GRAPH_NONE };
	add_debts(g, s, request, ret, debt);
	all_seen = add_rivals(g, s, request, ret, debt);
	*ret_all = ret->shown.n ? ret->shown : ret->others;
	return all_seen;
}

/* No thread has a debt. If records show that a single other thread of the process began to wait for something
 * outside after the request, such as the disk, this thread is found. */
static void find_worker(const struct graph *g, const struct interval *s, const struct blame_request *request,
			const struct enders *all, struct debts *d)
{
	uint32_t other = GRAPH_NONE;

	if (d->found.task != GRAPH_NONE || d->shown.n != 1 || all->n != 1 ||
	    g->tasks[all->v[0]].tgid != g->tasks[s->task].tgid ||
	    !waits_outside(g, all->v[0], request->since_ns, s->to_ns - 1, &other))
		return;
	d->found = (struct blame){ .task = all->v[0],
				   .event = GRAPH_NONE,
				   .obj = s->obj,
				   .kind = resource_of_wait(g->w, s->wait, s->nr, s->obj),
				   .edge = EDGE_OWNER,
				   .strength = EDGE_WEAK,
				   .time = TIME_IPC };
	d->found_shown = true;
}

bool blame_debt(const struct graph *g, uint32_t interval, const struct blame_request *request,
		struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	struct debts d;
	struct enders all;
	bool all_seen = find_debts(g, s, request, &d, &all);

	if (all_seen)
		find_worker(g, s, request, &all, &d);
	if (d.found.task == GRAPH_NONE || all.n > 1 ||
	    (!d.found_shown && !(all_seen && all.n == 1 && all.v[0] == d.found.task))) {
		if (ret->task == GRAPH_NONE && !ret->rivals && all.n) {
			ret->rivals = (uint8_t)all.n;
			ret->request = *request;
		}
		return false;
	}
	*ret = d.found;
	if (!all_seen)
		ret->strength = EDGE_WEAK;
	ret->until_ns = s->to_ns;
	return true;
}

void blame_doubt(const struct graph *g, uint32_t interval, const struct blame_request *request,
		 struct blame *ret)
{
	struct debts d;
	struct enders all;
	bool all_seen = find_debts(g, &g->intervals[interval], request, &d, &all);
	bool alone = !all.n || (all.n == 1 && g->tasks[all.v[0]].tgid == g->tasks[ret->task].tgid);

	if (alone && (all_seen || d.found_shown)) {
		if (!all_seen)
			ret->strength = EDGE_WEAK;
		return;
	}
	ret->task = GRAPH_NONE;
	ret->rivals = (uint8_t)all.n;
	ret->request = *request;
}

void blame_debtors(const struct graph *g, uint32_t interval, const struct blame_request *request,
		   struct enders *ret)
{
	struct debts d;

	(void)find_debts(g, &g->intervals[interval], request, &d, ret);
}

static bool waits_for_child(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].wait == CT_W_CHILD;
}

/* An active thread, and the task of another process for which it waits, or GRAPH_NONE. */
struct active {
	uint32_t thread, for_task;
};

/* Returns true if the task waits for the end of a child, and no other child may end first. */
static bool waits_for_one_child(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	struct blame b;

	if (!waits_for_child(g, task, ts_ns))
		return false;
	blame_lasting(g, graph_interval_at(g, task, ts_ns - 1), &b);
	return !b.rivals;
}

/* Returns true if a waits for the end of one child, and b for this child or a descendant of it. */
static bool awaits_end_of(const struct graph *g, const struct active *a, const struct active *b,
			  uint64_t ts_ns)
{
	return waits_for_one_child(g, a->thread, ts_ns) &&
	       graph_descends_from(g, b->for_task, g->tasks[a->for_task].tgid);
}

/* Returns true if both wait for one file or for one process P, or if one of them waits for the end of P, and
 * the other one for a descendant of P. */
static bool is_one_work(const struct graph *g, const struct active *a, const struct active *b, uint64_t ts_ns)
{
	if (a->for_task == GRAPH_NONE || b->for_task == GRAPH_NONE)
		return await_same(g, a->thread, b->thread, ts_ns - 1);
	return g->tasks[a->for_task].tgid == g->tasks[b->for_task].tgid || awaits_end_of(g, a, b, ts_ns) ||
	       awaits_end_of(g, b, a, ts_ns);
}

/* Returns true if the task sleeps, or waits for a futex with a time limit. Such a task may own the lock
 * that the waiter needs. So if it is blamed already, blame_active() blames no other task instead. */
static bool sleeps(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return s && s->state == INTERVAL_BLOCKED &&
	       (s->wait == CT_W_SLEEP || (s->wait == CT_W_FUTEX && s->flags & CT_SF_TIMEOUT));
}

bool blame_active(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	uint64_t to_ns = ret->killed ? checked_sub(s->to_ns, KILLER_LATE_NS) : s->to_ns;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);
	struct active found = { GRAPH_NONE, GRAPH_NONE }, x;
	uint32_t other;
	bool locks = ret->kind == RESOURCE_LOCK;

	if (to_ns <= s->from_ns || n > ACTIVE_THREADS ||
	    (ret->task != GRAPH_NONE &&
	     (sleeps(g, ret->task, to_ns - 1) ||
	      is_active(g, ret->task, since_ns, s->from_ns, to_ns, false, &other))))
		return false;
	for (size_t i = 0; i < n && scan_step(g); i++) {
		x.thread = r[i].event;
		if (x.thread == s->task ||
		    !is_active(g, x.thread, since_ns, s->from_ns, to_ns, locks, &x.for_task))
			continue;
		/* Several threads that wait for the same process P count as one active thread. If P
		 * is a child, a thread that waits until P writes or reads is blamed rather than one that
		 * waits for the end of P: a runtime has such threads only to notice the end. */
		if (found.thread != GRAPH_NONE && !is_one_work(g, &found, &x, to_ns))
			return false;
		if (found.thread != GRAPH_NONE && waits_for_child(g, x.thread, to_ns))
			continue;
		found = x;
	}
	if (found.thread == GRAPH_NONE)
		return false;
	ret->task = found.thread;
	ret->event = GRAPH_NONE;
	ret->edge = EDGE_OWNER;
	ret->strength = EDGE_WEAK;
	ret->rivals = 0;
	return true;
}

bool blame_idle_process(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);
	uint32_t other;

	if (n > ACTIVE_THREADS || !(owner_has_no_work(g, s->task, s->to_ns - 1) ||
				    (n > 1 && owner_idles_in_loop(g, s->task, s->to_ns - 1))))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || is_active(g, r[i].event, 0, s->from_ns, s->to_ns, false, &other))
			return false;
	return true;
}

uint64_t blame_command_ns(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t tgid)
{
	uint32_t first = g->tasks[task].first_interval, i = graph_interval_at(g, task, ts_ns);

	for (unsigned looks = 0; i != GRAPH_NONE && i >= first && looks < COMMAND_LOOKS && scan_step(g);
	     i--, looks++) {
		const struct interval *s = &g->intervals[i];
		const struct ct_rec *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake].r;
		uint32_t writer;

		if (wake && s->state == INTERVAL_BLOCKED && s->wait == CT_W_READ && s->to_ns < ts_ns &&
		    (CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(s->obj) == CT_OBJ_FIFO)) {
			writer = ct_wake_by_task(wake) ? graph_task_at(g, ct_wake_waker(wake), wake->ts)
						       : GRAPH_NONE;
			return wake->obj == s->obj && writer != GRAPH_NONE && g->tasks[writer].tgid == tgid
				       ? wake->ts
				       : 0;
		}
		if (!i)
			break;
	}
	return 0;
}
