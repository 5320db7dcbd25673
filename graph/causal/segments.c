// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/segments.h"

#include <sys/socket.h>

#include "graph/causal/exchange.h"
#include "graph/causal/hands.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

const char *cut_rule_name(enum cut_rule rule)
{
	static const char *const names[CUT_RULES] = {
		"first", "idle", "job", "batch", "peers", "exec", "wake"
	};

	return (unsigned)rule < CUT_RULES ? names[rule] : "unknown";
}

bool segments_cut(struct pass *p, uint32_t task, uint64_t ts_ns, uint32_t event, enum cut_rule rule)
{
	struct work *w = &p->work[task];

	if (!(p->cuts & CUT_BIT(rule)) || pass_segment(p, task, ts_ns) == GRAPH_NONE)
		return false;
	if (p->segments.n >= GRAPH_NONE - 1 || p->segment_tasks.n >= GRAPH_NONE / SEGMENT_BLOCK) {
		p->err = -E2BIG;
		return false;
	}
	if (pass_add_segment(p, task,
			     &(struct open_segment){ .from_ns = MAX(ts_ns, pass_open(p, task)->from_ns),
						     .task = task,
						     .event = event,
						     .behalf = GRAPH_NONE,
						     .cut = (uint8_t)rule })) {
		p->err = -ENOMEM;
		return false;
	}
	w->client = 0;
	w->guest = 0;
	w->asked = 0;
	return true;
}

void segments_undo(struct pass *p, uint32_t task)
{
	struct work *w = &p->work[task];
	struct open_segment *s = pass_open(p, task);

	s->gone = true;
	s->part_of = w->before;
	w->now = w->was;
	w->segment = w->before;
	w->before = GRAPH_NONE;
}

static bool waits_for_answer(const struct work *w)
{
	if (!w->asked || w->n_set > ANSWER_SET_MAX)
		return false;
	for (int i = 0; i < w->n_set; i++)
		if (w->set[i] == w->asked)
			return true;
	return false;
}

static bool from_child(const struct pass *p, uint32_t task, const struct window_event *wake)
{
	return wake && ct_wake_waker(&wake->r) && ct_wake_context(&wake->r) != CT_CTX_IRQ &&
	       graph_descends_from(p->g, graph_task_at(p->g, ct_wake_waker(&wake->r), wake->r.ts),
				   p->g->tasks[task].tgid);
}

/* Returns true if the process is the server on the socket. If the role of the process is not known,
 * no message was sent or received on the socket yet. Then returns true, because the process waits
 * for a first message, which counts as a request. Exception: if the process is older than the
 * trace, earlier messages may be missing. Then returns false. */
static bool serves(struct pass *p, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	enum flow_role role = pass_role(p, sock);
	const struct window_object *o;
	uint32_t process;

	if (role != ROLE_UNKNOWN)
		return role == ROLE_SERVES;
	o = graph_object(p->g, sock);
	if (!o || (o->family != AF_UNIX && o->family != AF_INET && o->family != AF_INET6))
		return false; /* the messages on other sockets are not recorded */
	process = pass_task(p, p->g->tasks[task].tgid, ts_ns);
	return process != GRAPH_NONE && p->g->tasks[process].born_ns;
}

/* A wait at the head of an event loop is for the next request, even if the task still owes
 * answers. */
static bool is_loop_head(struct pass *p, uint32_t task, const struct interval *s)
{
	switch ((enum ct_wait)s->wait) {
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_URING:
		return true;
	case CT_W_POLL:
		if (!s->obj)
			return !waits_for_answer(&p->work[task]);
		break;
	case CT_W_READ:
		break;
	case CT_W_NONE:
	case CT_W_FUTEX:
	case CT_W_WRITE:
	case CT_W_CONNECT:
	case CT_W_SLEEP:
	case CT_W_CHILD:
	case CT_W_VFORK:
	case CT_W_SIGNAL:
	case CT_W_FLOCK:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_SYSVIPC:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
	default:
		return false;
	}
	return CT_OBJ_KIND(s->obj) == CT_OBJ_FUSEDEV ||
	       (CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK && serves(p, task, s->obj, s->to_ns));
}

static bool is_request_channel(struct pass *p, uint32_t task, const struct interval *s,
			       const struct window_event *wake)
{
	const struct window_object *o;

	switch ((unsigned)CT_OBJ_KIND(s->obj)) {
	case CT_OBJ_SOCK:
		/* a socket without a remote address listens, or is open to all clients */
		o = graph_object(p->g, s->obj);
		return s->wait == CT_W_POLL && o && (o->family == AF_INET || o->family == AF_INET6) &&
		       !o->rport;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		return !from_child(p, task, wake);
	case CT_OBJ_EVENTFD:
	case CT_OBJ_SIGNALFD:
	case CT_OBJ_TIMERFD:
	case CT_OBJ_INOTIFY:
	case CT_OBJ_TTY:
	case CT_OBJ_CHARDEV:
		return true;
	default:
		return false;
	}
}

static bool is_queue_call(const struct window *w, const struct interval *s)
{
	enum call call = call_of(w->machine, s->nr);

	return call == CALL_MSGRCV || call == CALL_MQ_TIMEDRECEIVE;
}

static bool is_idle_wait(struct pass *p, uint32_t task, const struct interval *s,
			 const struct window_event *wake)
{
	bool exiting = wake && wake->r.flags & CT_WF_EXITING;

	if (s->flags & CT_SF_KTHREAD)
		return true;
	switch ((enum ct_wait)s->wait) {
	case CT_W_FUTEX:
		/* An exiting waker is a thread that the waiter joined. */
		return !exiting && !edge_is_lock(p->g, s) && !hands_inside_cond(p, task, s->obj);
	case CT_W_READ:
	case CT_W_POLL:
		return is_request_channel(p, task, s, wake);
	case CT_W_SIGNAL:
		return !(exiting && from_child(p, task, wake));
	case CT_W_SLEEP:
		return p->work[task].sleeps >= SLEEPS_PERIODIC;
	case CT_W_SYSVIPC:
		return is_queue_call(p->g->w, s);
	case CT_W_NONE:
	case CT_W_WRITE:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_CHILD:
	case CT_W_VFORK:
	case CT_W_FLOCK:
	case CT_W_SYNC:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_FAULT:
	case CT_W_STOPPED:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_URING:
	case CT_W_OTHER:
	case CT_W_YIELD:
	case CT_W_MEMORY:
		break;
	}
	return false;
}

static bool owes_answer(const struct pass *p, const struct work *w, uint64_t ts_ns)
{
	uint32_t client = w->taken && w->client ? pass_client(p, w->client) : GRAPH_NONE;

	return w->taken && !(client != GRAPH_NONE && p->g->tasks[client].exit_ns < ts_ns);
}

bool segments_idle(struct pass *p, uint32_t task, const struct interval *s, const struct window_event *wake)
{
	const struct work *w = &p->work[task];

	if (w->jobs || s->wait == CT_W_STOPPED)
		return false;
	if (is_loop_head(p, task, s))
		return true;
	return !owes_answer(p, w, s->to_ns) && is_idle_wait(p, task, s, wake);
}

static void count_sleep(struct work *w, const struct interval *s)
{
	uint64_t len = s->to_ns - s->from_ns;
	uint64_t apart = len > w->sleep_ns ? len - w->sleep_ns : w->sleep_ns - len;

	w->sleeps = apart <= len / SLEEPS_ALIKE_SHARE ? w->sleeps + 1 : 1;
	w->sleep_ns = len;
}

void segments_wait(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t event)
{
	struct work *w = &p->work[task];
	const struct window_event *wake = p->e[event].r.kind == CT_WAKE ? &p->e[event] : NULL;
	uint32_t was = pass_segment(p, task, ts_ns);

	if (s->wait == CT_W_SLEEP)
		count_sleep(w, s);
	if (segments_cut(p, task, ts_ns, event, CUT_WAKE))
		return;
	if (segments_idle(p, task, s, wake)) {
		w->idles++;
		/* The task may never answer a request. Then owes_answer() would stay true, and most later
		 * waits would not count as idle. So forgets the requests without an answer. */
		w->taken = 0;
		segments_cut(p, task, ts_ns, event, CUT_IDLE);
	} else if (w->visit_stack && was != GRAPH_NONE &&
		   VEC_PUSH(&p->stacks, (struct stack_seen){ .segment = was, .stack = w->visit_stack })) {
		p->err = -ENOMEM;
	}
	w->visit_stack = 0;
}

bool segments_batch(const struct work *w, const struct flow *f, uint64_t client)
{
	if (w->client != client)
		return false;
	return f->answered == w->segment ? f->sent_last : f->taker == w->segment && f->pipelines;
}

static bool is_for_another(const struct pass *p, const struct work *w, uint64_t client)
{
	uint32_t task = !w->client && w->guest ? pass_client(p, client) : GRAPH_NONE;

	return task != GRAPH_NONE && !pass_same_process(p, w->guest - 1, task);
}

void segments_request(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event)
{
	if (is_for_another(p, &p->work[task], client))
		segments_cut(p, task, ts_ns, event, CUT_PEERS);
	segments_client(p, task, client, ts_ns, event);
}

void segments_client(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event)
{
	struct work *w = &p->work[task];
	uint32_t seg = pass_segment(p, task, ts_ns);

	if (seg == GRAPH_NONE || !client || w->client == client)
		return;
	if (w->client && !segments_cut(p, task, ts_ns, event, CUT_PEERS))
		return; /* the rule is off, so the segment keeps its first client */
	w->client = client;
	if (p->wants_edges)
		pass_open(p, task)->behalf = pass_client(p, client);
	exchange_works(p, task, event);
}

void segments_inherit(struct pass *p, uint32_t task, uint32_t from_task, uint32_t event)
{
	struct work *w = &p->work[task];
	uint64_t client = p->work[from_task].client;

	if (w->client || !client || w->segment == GRAPH_NONE || !pass_same_process(p, task, from_task))
		return;
	w->client = client;
	if (p->wants_edges)
		pass_open(p, task)->behalf = pass_client(p, client);
	exchange_works(p, task, event);
}

static uint64_t open_key(uint32_t task, uint16_t framework)
{
	return (uint64_t)task << 16 | framework;
}

/* Changes the number of open jobs of the framework by `by`, but not below 0. */
static void count_jobs(struct pass *p, uint32_t task, uint16_t framework, int by, uint32_t event)
{
	struct work *w = &p->work[task];
	uint64_t key = open_key(task, framework), open;

	if (!map_get(&p->jobs_open, key, &open) || (uint32_t)(open >> 32) < w->jobs_from)
		open = (uint64_t)event << 32;
	if (by < 0 && !(uint32_t)open)
		return;
	w->jobs += (uint32_t)by;
	if (by < 0 && (uint32_t)open == 1)
		map_del(&p->jobs_open, key);
	else if (map_set(&p->jobs_open, key, open + (uint64_t)(int64_t)by))
		p->err = -ENOMEM;
}

void segments_forget_jobs(struct pass *p, uint16_t framework)
{
	for (uint32_t task = 0; p->jobs_open.n && task < p->g->n_tasks; task++) {
		struct work *w = &p->work[task];
		uint64_t open;

		if (!w->jobs || !map_get(&p->jobs_open, open_key(task, framework), &open))
			continue;
		map_del(&p->jobs_open, open_key(task, framework));
		if ((uint32_t)(open >> 32) >= w->jobs_from)
			w->jobs -= (uint32_t)open;
	}
}

void segments_job(struct pass *p, uint32_t task, const struct window_event *e, uint32_t event)
{
	if (ct_job_state(&e->r) == CT_JOB_START) {
		segments_cut(p, task, e->r.ts, event, CUT_JOB);
		count_jobs(p, task, ct_job_framework(&e->r), 1, event);
	} else if (ct_job_state(&e->r) == CT_JOB_END) {
		if (!(e->r.flags & CT_JF_LOOSE))
			segments_cut(p, task, e->r.ts, event, CUT_JOB);
		count_jobs(p, task, ct_job_framework(&e->r), -1, event);
	}
}
