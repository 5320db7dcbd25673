// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/inputs/moments.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/bisect.h"
#include "lib/hash.h"

/* The X server number N listens on the TCP port 6000 + N. ssh -X uses the numbers from 10 on. */
#define X_PORT_FIRST 6000
#define X_PORT_LAST  6063

enum display_end { END_OTHER, END_CLIENT, END_SERVER };

static bool is_display_name(const char *name)
{
	const char *base = strrchr(name, '/');

	return strstr(name, "/.X11-unix/X") || (base && !strncmp(base, "/wayland-", 9));
}

static bool is_x_port(uint16_t port)
{
	return port >= X_PORT_FIRST && port <= X_PORT_LAST;
}

static enum display_end find_end(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = CT_OBJ_KIND(sock) == CT_OBJ_SOCK ? graph_object(g, sock) : NULL;
	uint64_t peer = o ? graph_peer_object(g, sock) : 0;
	const struct window_object *other = peer ? graph_object(g, peer) : NULL;

	if (!o)
		return END_OTHER;
	if (o->family == AF_INET || o->family == AF_INET6)
		return !o->rport             ? END_OTHER
		       : is_x_port(o->rport) ? END_CLIENT
		       : is_x_port(o->lport) ? END_SERVER
					     : END_OTHER;
	/* An accepted unix socket has the name of the listening one. The client's end has none. */
	if (is_display_name(o->name))
		return END_SERVER;
	return other && is_display_name(other->name) ? END_CLIENT : END_OTHER;
}

static enum display_end end_of(const struct moments *m, uint64_t sock)
{
	uint64_t end = END_OTHER;

	map_get(&m->ends, sock, &end);
	return (enum display_end)end;
}

bool moments_is_display(const struct moments *m, uint64_t sock)
{
	return end_of(m, sock) == END_CLIENT;
}

/* A pid may be reused within the window, so a process is named by the task of its main thread. */
static uint32_t process_of(const struct moments *m, uint32_t task)
{
	const struct graph *g = m->g;
	uint32_t tgid = g->tasks[task].tgid, leader = graph_task_at(g, tgid, g->tasks[task].from_ns);
	const struct graph_ref *threads;
	size_t n;

	if (leader != GRAPH_NONE && g->tasks[leader].tgid == tgid)
		return leader;
	threads = graph_refs(&g->threads, tgid, &n);
	return n ? threads[0].event : task;
}

static bool has(const struct moments *m, const struct map *map, uint32_t task)
{
	return map_get(map, process_of(m, task), NULL);
}

bool moments_is_server(const struct moments *m, uint32_t task)
{
	return has(m, &m->servers, task);
}

bool moments_takes(const struct moments *m, uint32_t task)
{
	return map_get(&m->takers, task, NULL);
}

bool moments_draws(const struct moments *m, uint32_t task)
{
	return has(m, &m->drawing, task);
}

bool moments_is_remote(const struct moments *m, uint32_t task)
{
	return has(m, &m->remote, task);
}

static int add(struct moments *m, uint32_t task, uint32_t event, enum moment_kind kind, uint64_t job)
{
	struct moment x = { .task = task, .event = event, .kind = (uint8_t)kind, .job = job };
	int r = VEC_PUSH(&m->v, x);

	if (!r && kind == MOMENT_START)
		r = VEC_PUSH(&m->starts, x);
	if (!r && kind == MOMENT_ENQUEUE)
		r = VEC_PUSH(&m->enqueues, x);
	return r;
}

static int add_message(struct moments *m, uint32_t task, uint32_t event)
{
	const struct ct_rec *r = &m->g->w->events[event].r;
	const struct window_object *o;

	if (!map_get(&m->ends, r->obj, NULL) && map_set(&m->ends, r->obj, find_end(m->g, r->obj)))
		return -ENOMEM;
	switch (end_of(m, r->obj)) {
	case END_SERVER:
		return map_set(&m->servers, process_of(m, task), 1);
	case END_CLIENT:
		o = graph_object(m->g, r->obj);
		if (o->family != AF_UNIX && map_set(&m->remote, process_of(m, task), 1))
			return -ENOMEM;
		return r->kind == CT_SEND ? add(m, task, event, MOMENT_SEND, 0) : 0;
	case END_OTHER:
		break;
	}
	return 0;
}

static uint64_t writer_key(const struct moments *m, uint32_t task, uint64_t tty)
{
	return hash_add(hash_add(HASH_START, process_of(m, task)), tty);
}

bool moments_writes(const struct moments *m, uint32_t task, uint64_t tty)
{
	return map_get(&m->writers, writer_key(m, task, tty), NULL);
}

static int add_write(struct moments *m, uint32_t event)
{
	const struct ct_rec *r = &m->g->w->events[event].r;
	uint32_t waker;

	if (CT_OBJ_KIND(r->obj) != CT_OBJ_TTY || !ct_wake_by_task(r) || ct_wake_call(r) != CT_W_WRITE ||
	    !graph_peer_object(m->g, r->obj))
		return 0;
	waker = graph_task_at(m->g, ct_wake_waker(r), r->ts);
	if (waker == GRAPH_NONE)
		return 0;
	return add(m, waker, event, MOMENT_WRITE, 0) ||
	       map_set(&m->writers, writer_key(m, waker, r->obj), 1) ||
	       map_set(&m->writers, writer_key(m, waker, 0), 1);
}

static int add_job(struct moments *m, uint32_t task, uint32_t event)
{
	const struct window_event *e = &m->g->w->events[event];
	uint64_t job = hash_add(HASH_START, process_of(m, task));
	enum ct_job state = ct_job_state(&e->r);

	if (state != CT_JOB_ENQUEUE && state != CT_JOB_START)
		return 0;
	job = hash_add(hash_add(job, ct_job_framework(&e->r)), window_words(m->g->w, e)[0]);
	return add(m, task, event, state == CT_JOB_START ? MOMENT_START : MOMENT_ENQUEUE, job);
}

/* GTK and Qt report the events that they handle. If they take these from Xlib first, Xlib's report of them
 * does not count. */
static bool is_repeated(const struct moments *m, uint32_t task, const struct ct_rec *r)
{
	return moments_draws(m, task) && !(r->flags & CT_IF_DRAWS);
}

static int add_record(struct moments *m, uint32_t event)
{
	const struct ct_rec *r = &m->g->w->events[event].r;
	uint32_t task;

	if (r->kind == CT_WAKE)
		return add_write(m, event);
	if (r->kind != CT_INPUT && r->kind != CT_SEND && r->kind != CT_RECV && r->kind != CT_JOB)
		return 0;
	task = graph_task_at(m->g, r->tid, r->ts);
	if (task == GRAPH_NONE)
		return 0;
	if (r->kind == CT_JOB)
		return add_job(m, task, event);
	if (r->kind != CT_INPUT)
		return add_message(m, task, event);
	if (is_repeated(m, task, r))
		return 0;
	if (ct_input_what(r) == CT_INPUT_DRAW)
		return add(m, task, event, MOMENT_DRAW, 0);
	return add(m, task, event, MOMENT_TAKE, 0) || map_set(&m->takers, task, 1);
}

static int find_drawing(struct moments *m)
{
	const struct window *w = m->g->w;
	int r = 0;

	for (size_t i = window_next_words(w, 0); i < w->n_events && !r; i = window_next_words(w, i + 1)) {
		const struct ct_rec *rec = &w->events[i].r;
		uint32_t task;

		if (rec->kind != CT_INPUT || !(rec->flags & CT_IF_DRAWS))
			continue;
		task = graph_task_at(m->g, rec->tid, rec->ts);
		if (task != GRAPH_NONE)
			r = map_set(&m->drawing, process_of(m, task), 1);
	}
	return r;
}

static int by_task(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int by_job(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

int moments_find(struct moments *m, const struct graph *g)
{
	int r;

	*m = (struct moments){ .g = g };
	r = find_drawing(m);
	for (uint32_t i = 0; i < g->w->n_events && !r; i++)
		r = add_record(m, i);
	VEC_SORT(&m->v, by_task);
	VEC_SORT(&m->starts, by_job);
	VEC_SORT(&m->enqueues, by_job);
	return r ? -ENOMEM : 0;
}

void moments_done(struct moments *m)
{
	VEC_FREE(&m->v);
	VEC_FREE(&m->starts);
	VEC_FREE(&m->enqueues);
	map_done(&m->ends);
	map_done(&m->servers);
	map_done(&m->drawing);
	map_done(&m->takers);
	map_done(&m->writers);
	map_done(&m->remote);
}

size_t moments_after(const struct moments *m, uint32_t task, uint32_t event)
{
	return BISECT(i, (size_t)0, m->v.n,
		      m->v.v[i].task > task || (m->v.v[i].task == task && m->v.v[i].event > event));
}

size_t moments_from(const struct moments *m, uint32_t task, uint64_t ts_ns)
{
	return BISECT(i, (size_t)0, m->v.n,
		      m->v.v[i].task > task ||
			      (m->v.v[i].task == task && m->g->w->events[m->v.v[i].event].r.ts >= ts_ns));
}

const struct moment *moments_start(const struct moments *m, uint64_t job, uint32_t event)
{
	size_t at = BISECT(i, (size_t)0, m->starts.n,
			   m->starts.v[i].job > job ||
				   (m->starts.v[i].job == job && m->starts.v[i].event > event));

	return at < m->starts.n && m->starts.v[at].job == job ? &m->starts.v[at] : NULL;
}

bool moments_waited(const struct moments *m, uint64_t job, uint32_t start, uint32_t event)
{
	size_t at = BISECT(i, (size_t)0, m->enqueues.n,
			   m->enqueues.v[i].job > job ||
				   (m->enqueues.v[i].job == job && m->enqueues.v[i].event >= start));

	return at && m->enqueues.v[at - 1].job == job && m->enqueues.v[at - 1].event < event;
}
