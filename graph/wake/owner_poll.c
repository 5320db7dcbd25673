// SPDX-License-Identifier: GPL-2.0-or-later
/* owner_poll.c - finds the object that explains a poll best, and the task that could end it. */
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/timeline/tables.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

/* How well an object explains a poll that does not return, from the worst to the best. */
enum poll_score {
	POLL_NONE,
	POLL_OWN,     /* the other end is in the task's own process, or is not known */
	POLL_QUIET,   /* a terminal, or a pipe that has never woken the task */
	POLL_FAR,     /* a connection to another host, or an eventfd that has woken the task */
	POLL_PEER,    /* a connection to another process of this host */
	POLL_WRITTEN, /* a pipe that has woken the task */
	POLL_UNREAD,  /* as POLL_PEER, and leaves_bytes() */
	POLL_OWED,    /* the task is owed an answer */
};

struct poll_member {
	enum poll_score score;
	uint32_t task;
	uint64_t since_ns; /* time of the last request or wake-up through this object; 0: none */
	struct enders all;
	bool inner;
	bool stopped;
	bool forked;
};

static bool has_answered(const struct graph *g, uint64_t peer, const struct graph_ref *sent, uint64_t ts_ns)
{
	const struct graph_ref *asked = graph_ref_before(g, &g->sends, peer, ts_ns);

	return sent && (!asked || asked->event < sent->event);
}

static bool is_unread(const struct graph *g, uint64_t peer, const struct graph_ref *sent,
		      const struct interval *s)
{
	const struct graph_ref *got = peer ? graph_ref_before(g, &g->recvs, peer, s->to_ns) : NULL;

	return sent && peer && (!got || got->event < sent->event);
}

/* Returns true if the poll s may last because of bytes that the process of `task`, at the other end of sock,
 * has not read. If this process has read a part of the last message, it mostly owes nothing: the rest only
 * matters if s is for room. */
static bool leaves_bytes(const struct graph *g, uint64_t sock, uint32_t task, const struct graph_ref *sent,
			 const struct interval *s)
{
	return is_unread(g, graph_peer_object(g, sock), sent, s) ||
	       (task != GRAPH_NONE && bytes_stay_unread(g, sock, task, s->from_ns, s->to_ns - 1) &&
		owner_polls_for_room(g, s, sock));
}

/* Returns when the process of the task was born. 0: before the window, or not known. */
static uint64_t process_born_ns(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t main = task == GRAPH_NONE ? GRAPH_NONE : graph_task_at(g, g->tasks[task].tgid, ts_ns);

	return main == GRAPH_NONE ? 0 : g->tasks[main].born_ns;
}

static bool has_messages(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	return graph_ref_before(g, &g->sends, sock, ts_ns) || graph_ref_before(g, &g->recvs, sock, ts_ns);
}

/* Returns true if an ancestor of the task has the other end of the socket pair, has never sent
 * anything, and has read all bytes. Then the task polls the socket pair only to notice the death of
 * the ancestor. */
static bool is_of_silent_ancestor(const struct graph *g, const struct interval *s,
				  const struct window_object *o, uint64_t peer, uint32_t task)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, o ? o->id : 0, s->to_ns);
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, peer, s->to_ns);

	return o && o->family == AF_UNIX && peer && task != GRAPH_NONE &&
	       graph_descends_from(g, s->task, g->tasks[task].tgid) &&
	       !graph_ref_before(g, &g->sends, peer, s->to_ns) &&
	       (!sent || (got && got->event > sent->event));
}

static bool has_forked(const struct graph *g, uint64_t obj, const struct interval *s)
{
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, obj, s->from_ns);
	struct enders all = { 0 };
	uint32_t child;

	if (!got)
		return false;
	child = owner_child(g, s, &all);
	return child != GRAPH_NONE && g->tasks[child].born_ns > owner_event(g, got)->r.ts;
}

static void poll_pipe(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, bool alone,
		      struct poll_member *m)
{
	m->score = POLL_WRITTEN;
	m->task = owner_past_waker(g, obj, ts_ns, me, &m->all, &m->since_ns);
	if (m->task != GRAPH_NONE || m->all.n)
		return;
	m->score = POLL_QUIET;
	m->task = owner_fd(g, obj, ts_ns, g->tasks[me].tgid, CT_FF_WRITE, &m->all);
	m->inner = m->task == GRAPH_NONE && !m->all.n;
	/* An ancestor has the other end of the pipe, and has never woken the task by a write. So
	 * the task polls the pipe only to notice the death of the ancestor. */
	if (!alone && m->task != GRAPH_NONE && graph_descends_from(g, me, g->tasks[m->task].tgid)) {
		m->score = POLL_NONE;
		m->task = GRAPH_NONE;
	}
}

static bool has_ender(const struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i] == task)
			return true;
	return false;
}

static bool are_own(const struct graph *g, const struct enders *e, uint32_t task)
{
	for (size_t i = 0; i < e->n; i++)
		if (g->tasks[e->v[i]].tgid != g->tasks[task].tgid)
			return false;
	return true;
}

/* Returns true if only the task's own process can make obj readable, for example to wake the task
 * up in the handler of a signal. obj is a signalfd, a timerfd, an eventfd or a pipe. For a pipe,
 * records must show that the process has both ends: otherwise, a process without a record may have
 * one end. */
static bool is_self_pipe(const struct graph *g, uint64_t obj, const struct interval *x)
{
	struct poll_member m = { .task = GRAPH_NONE };

	if (CT_OBJ_KIND(obj) == CT_OBJ_SIGNALFD || CT_OBJ_KIND(obj) == CT_OBJ_TIMERFD)
		return true;
	if (CT_OBJ_KIND(obj) == CT_OBJ_PIPE)
		poll_pipe(g, obj, x->to_ns - 1, x->task, false, &m);
	else if (CT_OBJ_KIND(obj) == CT_OBJ_EVENTFD)
		m.task = owner_past_waker(g, obj, x->to_ns - 1, x->task, &m.all, &m.since_ns);
	else
		return false;
	if (CT_OBJ_KIND(obj) == CT_OBJ_PIPE &&
	    owner_modes(g, obj, g->tasks[x->task].tgid) != (CT_FF_READ | CT_FF_WRITE))
		return false;
	return m.task == GRAPH_NONE ? are_own(g, &m.all, x->task)
				    : g->tasks[m.task].tgid == g->tasks[x->task].tgid;
}

/* Returns true if x waits for sock, and for no other process. A wait in an epoll does not count: mostly
 * a server waits there, which serves further clients. */
static bool waits_only_for(const struct graph *g, const struct interval *x, uint64_t sock)
{
	bool any = false;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->waitfds, g->tasks[x->task].tid,
						    checked_sub(x->from_ns, WAITFD_OLD_NS), &n);

	if (x->wait == CT_W_READ || (x->wait == CT_W_POLL && x->obj))
		return x->obj == sock;
	for (size_t i = 0; x->wait == CT_W_POLL && i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (e->r.ts > x->to_ns)
			break;
		if (e->r.obj != sock && !is_self_pipe(g, e->r.obj, x))
			return false;
		any |= e->r.obj == sock;
	}
	return any;
}

/* Returns true if the task surely did something else in s than wait for input on sock. */
static bool is_elsewhere(const struct graph *g, const struct interval *s, uint32_t task, uint64_t sock)
{
	uint32_t i = graph_interval_at(g, task, s->to_ns - 1);
	const struct interval *x = i == GRAPH_NONE ? NULL : &g->intervals[i];

	if (owner_awaits_input(g, task, sock, s->to_ns, s->to_ns - 1))
		return false;
	if (!x || x->state != INTERVAL_BLOCKED)
		return owner_computed(g, task, s->from_ns, s->to_ns);
	return x->obj != sock && (!ct_wait_is_poll(x->wait) || (x->wait == CT_W_POLL && x->obj));
}

/* No message of the connection is recorded up to the wait s: sock is the other end of it, of the task
 * `other`. Returns true if the last message may be from before the window, and may be an answer: `other` does
 * something else than wait for the next one (is_elsewhere()). Returns false if the process at one of the ends
 * was born in the window, and no messages may be missing since. So there was no message. */
static bool may_have_spoken(const struct graph *g, const struct interval *s, uint64_t sock, uint32_t other)
{
	uint64_t a = process_born_ns(g, s->task, s->from_ns), b = process_born_ns(g, other, s->from_ns);

	if (other == GRAPH_NONE || (MAX(a, b) && !graph_may_lack(g, CT_LACK_MESSAGES, MAX(a, b), s->from_ns)))
		return false;
	return is_elsewhere(g, s, other, sock);
}

bool owner_waits_for_more(const struct graph *g, uint64_t sock, uint32_t task, const struct interval *s)
{
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, s->from_ns);
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t i = peer && task != GRAPH_NONE ? graph_interval_at(g, task, s->to_ns - 1) : GRAPH_NONE;
	size_t n;

	if (i == GRAPH_NONE || g->intervals[i].state != INTERVAL_BLOCKED || is_unread(g, peer, sent, s))
		return false;
	graph_refs(&g->threads, g->tasks[task].tgid, &n);
	return n == 1 && waits_only_for(g, &g->intervals[i], peer);
}

static void poll_socket(const struct graph *g, uint64_t obj, const struct interval *s, bool alone,
			struct poll_member *m)
{
	const struct window_object *o = graph_object(g, obj);
	uint64_t peer = graph_peer_object(g, obj), ts_ns = s->from_ns;
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, obj, ts_ns);
	bool own, asked;

	/* A datagram that is never answered is no reason for a poll. */
	if (!alone && owner_has_dest(g, obj, s->to_ns - 1) && !owner_owed(g, obj, s->to_ns - 1)) {
		m->score = POLL_OWN;
		return;
	}
	m->task = owner_object(g, obj, s->to_ns - 1, s->task, CT_FF_WRITE, &m->all);
	own = m->task != GRAPH_NONE && g->tasks[m->task].tgid == g->tasks[s->task].tgid;
	m->score = POLL_OWN;
	asked = !own && peer && owner_owed(g, peer, ts_ns) && !has_answered(g, peer, sent, ts_ns) &&
		(has_messages(g, obj, ts_ns) || has_messages(g, peer, ts_ns) ||
		 !may_have_spoken(g, s, peer, m->task));
	m->forked = asked && has_forked(g, obj, s);
	if (m->forked) {
		/* The child does the work. The poll is there to notice a client that goes away. */
		m->task = GRAPH_NONE;
		m->all.n = 0;
		m->inner = true;
		return;
	}
	m->inner = own && o && o->family == AF_UNIX;
	if (!alone && !own && is_of_silent_ancestor(g, s, o, peer, m->task)) {
		m->score = POLL_NONE;
		m->task = GRAPH_NONE;
		m->all.n = 0;
		m->inner = true;
		return;
	}
	if (!alone && !own && owner_waits_for_more(g, obj, m->task, s)) {
		m->score = POLL_OWN;
		m->task = GRAPH_NONE;
		m->all.n = 0;
		return;
	}
	/* Looks at the end of the wait, because another thread may have sent the request, or
	 * received the answer, during the wait. */
	if (owner_owed(g, obj, s->to_ns - 1)) {
		/* Many datagrams need no answer, so a debt on a connection comes first. */
		m->score = own                                              ? POLL_OWN
			   : !alone && owner_has_dest(g, obj, s->to_ns - 1) ? POLL_PEER
									    : POLL_OWED;
		m->since_ns = sent ? owner_event(g, sent)->r.ts : 0;
	} else if (!alone && asked) {
		/* The task serves the client at the other end, and has not answered yet. If it
		 * waited for the rest of the request, it would poll obj alone. So it waits for
		 * another object. */
		m->score = POLL_NONE;
		m->task = GRAPH_NONE;
		m->all.n = 0;
	} else if (m->task == GRAPH_NONE && !m->all.n) {
		m->score = o && o->family != AF_UNIX && o->rport ? POLL_FAR : POLL_OWN;
	} else if (!own && leaves_bytes(g, obj, m->task, sent, s)) {
		m->score = POLL_UNREAD;
		m->since_ns = owner_event(g, sent)->r.ts;
	} else if (!own) {
		m->score = POLL_PEER;
	}
}

static void poll_member_fill(const struct graph *g, uint64_t obj, const struct interval *s, bool alone,
			     struct poll_member *m)
{
	uint64_t ts_ns = s->to_ns - 1;
	uint32_t me = s->task;

	*m = (struct poll_member){ .task = GRAPH_NONE };
	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		poll_socket(g, obj, s, alone, m);
		return;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		poll_pipe(g, obj, ts_ns, me, alone, m);
		return;
	case CT_OBJ_EVENTFD:
		m->task = owner_past_waker(g, obj, ts_ns, me, &m->all, &m->since_ns);
		m->inner = m->task == GRAPH_NONE && !m->all.n;
		m->score = m->inner ? POLL_NONE : POLL_FAR;
		return;
	case CT_OBJ_SIGNALFD:
		m->inner = true;
		return;
	case CT_OBJ_TTY:
		m->score = POLL_QUIET;
		return;
	default:
		return;
	}
}

static bool is_better(const struct poll_member *m, const struct poll_member *best)
{
	if (m->score == best->score && m->inner != best->inner)
		return best->inner;
	if (m->score == best->score && m->score <= POLL_WRITTEN && m->stopped != best->stopped)
		return m->stopped;
	return m->score != best->score ? m->score > best->score : m->since_ns > best->since_ns;
}

bool owner_has_record_within(const struct graph *g, const struct graph_ref *r, size_t n, uint64_t from_ns,
			     uint64_t to_ns)
{
	size_t at = BISECT(k, 0, n, owner_event(g, &r[k])->r.ts >= from_ns);

	return at < n && owner_event(g, &r[at])->r.ts <= to_ns;
}

static bool is_one_object(const struct graph *g, const struct graph_ref *r, size_t n)
{
	for (size_t i = 1; i < n && scan_step(g); i++)
		if (owner_event(g, &r[i])->r.obj != owner_event(g, &r[0])->r.obj)
			return false;
	return true;
}

/* Call this if no other process is known that can end the poll through a polled object. Then the
 * end of a child may end the poll: SIGCHLD interrupts the poll, or the handler of SIGCHLD writes to
 * a polled object. Blames a child. Returns false if there is no child, or if another thread started it, and
 * the task is not the main thread: such a thread mostly has another purpose. */
static bool poll_child(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	const struct graph_task *me = &g->tasks[s->task];
	struct enders before = *all;
	uint32_t child = owner_child(g, s, all), parent;

	if (child == GRAPH_NONE)
		return false;
	parent = g->tasks[child].parent;
	if (me->tid != me->tgid && parent != GRAPH_NONE && parent != s->task) {
		*all = before;
		return false;
	}
	b->task = child;
	b->edge = EDGE_EXIT;
	b->kind = RESOURCE_CHILD;
	return true;
}

/* What the members of a poll say together. */
struct poll_found {
	struct poll_member best;
	bool any, inner, forked;
	bool alone;        /* only one object is polled */
	bool others_inner; /* as `inner`, but eventfds of the own process (is_own_eventfd()) do not count */
	bool told;         /* the process tells itself of signals through a polled pipe or signalfd */
};

/* Returns true if obj is an eventfd through which only threads of the task's own process have woken it. */
static bool is_own_eventfd(const struct graph *g, const struct interval *s, uint64_t obj,
			   const struct poll_member *m)
{
	if (CT_OBJ_KIND(obj) != CT_OBJ_EVENTFD || m->inner)
		return false;
	return m->task == GRAPH_NONE ? are_own(g, &m->all, s->task)
				     : g->tasks[m->task].tgid == g->tasks[s->task].tgid;
}

static bool tells_of_signals(const struct poll_member *m, uint64_t obj)
{
	return m->inner && (CT_OBJ_KIND(obj) == CT_OBJ_PIPE || CT_OBJ_KIND(obj) == CT_OBJ_SIGNALFD);
}

/* Adds the task that may end the poll through obj. Any thread may have written to a pipe or an eventfd, so
 * the threads of one process count one by one. */
static void add_ender(const struct graph *g, const struct interval *s, uint64_t obj,
		      const struct poll_member *m, struct enders *all)
{
	bool own = m->task != GRAPH_NONE && g->tasks[m->task].tgid == g->tasks[s->task].tgid;

	if (m->task == GRAPH_NONE || (own && m->score != POLL_WRITTEN))
		return;
	if (m->score == POLL_WRITTEN || CT_OBJ_KIND(obj) == CT_OBJ_EVENTFD)
		owner_add_task(all, m->task);
	else
		owner_add(g, all, m->task);
}

/* limit: the best score that obj can get */
static void poll_add(const struct graph *g, const struct interval *s, uint64_t obj, uint32_t event,
		     bool alone, enum poll_score limit, struct poll_found *f, struct blame *b,
		     struct enders *all)
{
	struct poll_member m;

	poll_member_fill(g, obj, s, alone, &m);
	if (m.score > limit)
		m.score = limit;
	m.stopped = m.task != GRAPH_NONE && owner_is_stopped(g, m.task, s->to_ns);
	if (!f->any || m.score > f->best.score)
		*all = (struct enders){ 0 };
	if (!f->any || m.score >= f->best.score) {
		for (size_t k = 0; k < m.all.n; k++)
			owner_add_task(all, m.all.v[k]);
		add_ender(g, s, obj, &m, all);
	}
	if (!f->any || is_better(&m, &f->best)) {
		f->best = m;
		b->obj = obj;
		b->event = event;
	}
	f->inner &= m.inner;
	f->others_inner &= m.inner || is_own_eventfd(g, s, obj, &m);
	f->told |= tells_of_signals(&m, obj);
	f->forked |= m.forked;
	f->any = true;
}

/* Several tasks may end the poll through pipes or an eventfd. Blames the only likely one. r: the members of
 * the poll. */
static void poll_likely(const struct graph *g, const struct interval *s, const struct graph_ref *r, size_t n,
			struct blame *b, const struct enders *all)
{
	struct poll_member m;

	b->task = owner_only_likely(g, all, s->from_ns, s->to_ns);
	for (size_t i = 0; b->task != GRAPH_NONE && i < n && scan_step(g); i++) {
		poll_member_fill(g, owner_event(g, &r[i])->r.obj, s, false, &m);
		if (m.task != b->task && !has_ender(&m.all, b->task))
			continue;
		b->obj = owner_event(g, &r[i])->r.obj;
		b->event = r[i].event;
		return;
	}
}

/* The poll is for an eventfd through which threads of the task's own process have woken it: b->task, or those
 * in *all. Returns true if none of them has work, and no other process can end the poll through the other
 * polled objects. Then the task awaits a signal, such as the one for the end of a child. */
static bool only_signal_is_left(const struct graph *g, const struct interval *s, const struct poll_found *f,
				const struct blame *b, const struct enders *all)
{
	if (!f->others_inner || !f->told ||
	    (b->task != GRAPH_NONE && !owner_has_no_work(g, b->task, s->to_ns - 1)))
		return false;
	for (size_t i = 0; i < all->n; i++)
		if (!owner_has_no_work(g, all->v[i], s->to_ns - 1))
			return false;
	return owner_handed_to(g, s) == GRAPH_NONE;
}

/* Returns true if an inspection shows that the poll s, of one descriptor, asks neither for input nor for
 * room, and has a time limit. Then s is a sleep that also notices the end of the connection. */
static bool only_sleeps(const struct graph *g, const struct interval *s)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid, s->from_ns, &n);
	const struct ct_rec *e = n ? &owner_event(g, r)->r : NULL;

	return s->flags & CT_SF_TIMEOUT && e && e->ts <= s->to_ns && ct_waitfd_count(e) == 1 &&
	       e->obj == s->obj && !(ct_waitfd_events(e) & CT_POLL_DATA);
}

/* Returns true if only the process tgid can write to the pipe, besides the poller's own process. */
static bool is_written_by(const struct graph *g, const struct interval *s, uint64_t pipe, uint32_t tgid)
{
	struct enders all = { 0 };
	uint32_t task = owner_fd(g, pipe, s->to_ns - 1, g->tasks[s->task].tgid, CT_FF_WRITE, &all);

	return task != GRAPH_NONE && g->tasks[task].tgid == tgid && !all.n &&
	       owner_modes(g, pipe, tgid) & CT_FF_WRITE;
}

/* b is the blame for the poll s. Returns true if nothing but the process of b->task can end it: all polled
 * descriptors are pipes to which only this process writes, or through which the poller's process tells itself
 * of signals, such as the one for the end of that process. */
static bool is_sole(const struct graph *g, const struct interval *s, const struct graph_ref *r, size_t n,
		    const struct blame *b)
{
	uint32_t tgid = b->task == GRAPH_NONE ? 0 : g->tasks[b->task].tgid;
	bool any = false;

	if (!tgid || tgid == g->tasks[s->task].tgid || s->wait != CT_W_POLL || s->flags & CT_SF_TIMEOUT)
		return false;
	if (s->obj)
		return CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE && is_written_by(g, s, s->obj, tgid);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);
		bool pipe = CT_OBJ_KIND(e->r.obj) == CT_OBJ_PIPE;

		if (e->r.ts > s->to_ns || e->r.ts < s->from_ns)
			continue;
		if (ct_waitfd_count(&e->r) > CT_WAITFD_MAX)
			return false;
		if (pipe && is_written_by(g, s, e->r.obj, tgid))
			any = true;
		else if (!pipe || !is_self_pipe(g, e->r.obj, s))
			return false;
	}
	return any && scan_left(g);
}

/* Returns the records of the polled descriptors. */
static const struct graph_ref *poll_members(const struct graph *g, const struct interval *s, size_t *ret_n)
{
	return s->wait == CT_W_EPOLL ? table_members(g, s->obj, s->from_ns, s->to_ns, ret_n)
				     : graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid,
						       checked_sub(s->from_ns, WAITFD_OLD_NS), ret_n);
}

/* The part of owner_of_poll() that finds the objects. r: poll_members(). Returns false if *b is complete. */
static bool poll_find(const struct graph *g, const struct interval *s, const struct graph_ref *r, size_t n,
		      struct poll_found *f, struct blame *b, struct enders *all)
{
	bool epoll = s->wait == CT_W_EPOLL, cut = false, within;
	struct poll_member m;
	uint32_t event;
	uint64_t asked;

	*f = (struct poll_found){ .best = { .task = GRAPH_NONE },
				  .inner = true,
				  .others_inner = true,
				  .alone = is_one_object(g, r, n) };
	/* A record from before the wait may be of another poll (bpf/wait_fds.h). */
	within = !epoll && n && owner_has_record_within(g, r, n, s->from_ns, s->to_ns);
	if (!epoll && s->obj && only_sleeps(g, s)) {
		b->obj = 0;
		b->kind = RESOURCE_TIMER;
		b->edge = EDGE_TIMER;
		b->time = TIME_TIMER;
		return false;
	}
	if (!epoll && s->obj) {
		poll_member_fill(g, s->obj, s, true, &m);
		b->task = m.task;
		*all = m.all;
		if (m.inner && (!b->timed_out || m.forked))
			poll_child(g, s, b, all);
		else
			b->sole = is_sole(g, s, r, n, b);
		return false;
	}
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_event *e = owner_event(g, &r[i]);

		if (!epoll && (e->r.ts > s->to_ns || (within && e->r.ts < s->from_ns)))
			continue;
		poll_add(g, s, e->r.obj, r[i].event, f->alone, POLL_OWED, f, b, all);
		cut |= !epoll && ct_waitfd_count(&e->r) > CT_WAITFD_MAX;
	}
	asked = cut ? owner_asked_last(g, s, &event) : 0;
	if (asked)
		poll_add(g, s, asked, event, false, POLL_PEER, f, b, all);
	if (f->any && f->inner && (!b->timed_out || f->forked) && poll_child(g, s, b, all))
		return false;
	if (!f->any || (b->timed_out && f->best.score <= POLL_QUIET && CT_OBJ_KIND(b->obj) != CT_OBJ_TTY)) {
		all->n = 0;
		return false;
	}
	return true;
}

uint64_t owner_polled(const struct graph *g, const struct interval *s)
{
	struct blame b = { .task = GRAPH_NONE, .event = GRAPH_NONE, .obj = s->obj };
	struct enders all = { 0 };
	struct poll_found f;
	size_t n;
	const struct graph_ref *r = poll_members(g, s, &n);

	poll_find(g, s, r, n, &f, &b, &all);
	return b.obj;
}

void owner_of_poll(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all)
{
	size_t n;
	const struct graph_ref *r = poll_members(g, s, &n);
	struct enders children = { 0 };
	struct poll_found f;
	bool eventfd, own;

	if (!poll_find(g, s, r, n, &f, b, all))
		return;
	b->kind = resource_of_object(g->w, b->obj);
	eventfd = CT_OBJ_KIND(b->obj) == CT_OBJ_EVENTFD;
	if (f.best.score > POLL_WRITTEN || all->n < 2 ||
	    (f.best.stopped && owner_count_stopped(g, all, s->to_ns) == 1))
		b->task = f.best.task;
	else if (f.best.score == POLL_WRITTEN || eventfd)
		poll_likely(g, s, r, n, b, all);
	/* If the task waits for a thread of its own process, blames the thread that got work from the task
	 * last. owner_handed_to() leaves out threads that are back in their wait. */
	own = b->task != GRAPH_NONE ? g->tasks[b->task].tgid == g->tasks[s->task].tgid
				    : (eventfd && f.alone) || ((eventfd || f.best.score == POLL_WRITTEN) &&
							       all->n && are_own(g, all, s->task));
	if (own && !b->timed_out && only_signal_is_left(g, s, &f, b, all) && poll_child(g, s, b, &children)) {
		*all = children;
		return;
	}
	if (own) {
		uint32_t task = owner_handed_to(g, s);

		b->task = task == GRAPH_NONE ? b->task : task;
		if (b->task != GRAPH_NONE && eventfd && owner_idles_in_loop(g, b->task, s->to_ns - 1))
			b->task = GRAPH_NONE;
	}
	b->sole = is_sole(g, s, r, n, b);
}
