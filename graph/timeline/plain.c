// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/plain.h"

#include <stdlib.h>

#include "graph/timeline/tids.h"
#include "lib/cleanup.h"

/* A process is known by the index of its first task. Processes that exchange messages form a tree. */
struct processes {
	const struct graph *g;
	uint32_t *of; /* [task]: its process */
	uint32_t *up; /* [process]: the process above it in the tree, or itself */
	bool *full;   /* [process]: it is not plain */
};

static uint32_t top_of(struct processes *k, uint32_t process)
{
	while (k->up[process] != process)
		process = k->up[process] = k->up[k->up[process]];
	return process;
}

static void join(struct processes *k, uint32_t task, uint32_t other)
{
	k->up[top_of(k, k->of[task])] = top_of(k, k->of[other]);
}

static int number_processes(struct processes *k)
{
	const struct graph *g = k->g;
	struct tids *first = calloc(1, sizeof(*first));
	int r = first ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < g->n_tasks && !r; i++) {
		uint32_t tgid = g->tasks[i].tgid, known = tids_get(first, tgid);

		/* Only a damaged file has larger tgids. They count as one process, which is not plain. */
		if (tgid >= TIDS_MAX)
			known = tids_get(first, 0);
		if (known == TIDS_NONE)
			r = tids_set(first, tgid < TIDS_MAX ? tgid : 0, i);
		k->up[i] = i;
		k->of[i] = known == TIDS_NONE ? i : known;
		k->full[k->of[i]] |= tgid >= TIDS_MAX;
	}
	tids_free(first);
	return r;
}

static void add_tasks(struct processes *k)
{
	const struct graph *g = k->g;
	bool any = tids_get(g->sharers, 0) != TIDS_NONE;

	for (size_t i = 0; i < g->n_tasks; i++) {
		uint32_t tid = g->tasks[i].tid;

		/* the process of a task may not be known */
		if (any || tids_get(g->sharers, tid) != TIDS_NONE || map_get(&g->locktries.at, tid, NULL) ||
		    !window_task_at(g->w, tid, g->w->to_ns))
			k->full[k->of[i]] = true;
	}
}

/* The tasks that send on one socket, or that receive on it. */
struct users {
	uint32_t first, last; /* the tasks of the first and of the last record; GRAPH_NONE: not known */
	bool any;
	bool several;
};

static struct users users_of(const struct processes *k, const struct graph_index *way, uint64_t sock)
{
	const struct window_event *e = k->g->w->events;
	struct users u = { GRAPH_NONE, GRAPH_NONE, false, false };
	size_t n;
	const struct graph_ref *r = graph_refs(way, sock, &n);
	uint64_t at;

	if (!n || !map_get(&way->at, sock, &at))
		return u;
	u.any = true;
	u.first = graph_task_at(k->g, e[r->event].r.tid, e[r->event].r.ts);
	u.last = graph_task_at(k->g, e[r[n - 1].event].r.tid, e[r[n - 1].event].r.ts);
	u.several = !way->only[at] || u.first != u.last;
	return u;
}

/* If the users have several tids, add_tasks() has found all of them. If not, `first` to `last` are the tasks
 * that have had their tid. */
static void not_plain(struct processes *k, const struct users *u)
{
	const struct graph_task *t = k->g->tasks;

	if (u->first == GRAPH_NONE || u->last == GRAPH_NONE || t[u->first].tid != t[u->last].tid)
		return;
	for (uint32_t i = u->first; i <= u->last; i++)
		k->full[k->of[i]] = true;
}

/* A connection: both ways of a socket, and both ways of its other end. If one task has each end, joins their
 * processes. If not, none of the processes is plain. */
static void add_connection(struct processes *k, uint64_t sock)
{
	const struct graph *g = k->g;
	uint64_t peer = graph_peer_object(g, sock);
	struct users u[] = { users_of(k, &g->sends, sock), users_of(k, &g->recvs, sock),
			     users_of(k, &g->sends, peer), users_of(k, &g->recvs, peer) };
	bool several = u[0].any && u[1].any && u[0].first != u[1].first;

	for (size_t i = 0; i < ARRAY_SIZE(u); i++)
		several |= u[i].several;
	for (size_t i = 0; i < ARRAY_SIZE(u); i++)
		if (several)
			not_plain(k, &u[i]);
	for (size_t i = 1; i < ARRAY_SIZE(u) && !several; i++)
		for (size_t j = 0; j < i; j++)
			if (u[i].first != GRAPH_NONE && u[j].first != GRAPH_NONE)
				join(k, u[i].first, u[j].first);
}

static void add_connections(struct processes *k, const struct graph_index *way)
{
	for (size_t i = 0; i < way->n_keys; i++)
		add_connection(k, way->keys[i]);
}

static void find_plain(struct processes *k, uint8_t *ret)
{
	const struct graph *g = k->g;

	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (k->full[i])
			k->full[top_of(k, i)] = true;
	for (size_t i = 0; i < g->n_tasks; i++)
		ret[i] = k->full[top_of(k, k->of[i])] ? PLAIN_NOT : PLAIN_FULLY;
	for (size_t i = 0; i < g->signals.n; i++) {
		const struct ct_rec *r = &g->w->events[g->signals.v[i].event].r;
		uint32_t task = graph_task_at(g, ct_signal_target(r), r->ts);

		if (task != GRAPH_NONE && ret[task] == PLAIN_FULLY)
			ret[task] = PLAIN_SIGNALLED;
	}
}

uint8_t *plain_find(const struct graph *g)
{
	_cleanup_free_ uint32_t *of = malloc((g->n_tasks + 1) * sizeof(*of));
	_cleanup_free_ uint32_t *up = malloc((g->n_tasks + 1) * sizeof(*up));
	_cleanup_free_ bool *full = calloc(g->n_tasks + 1, sizeof(*full));
	_cleanup_free_ uint8_t *plain = malloc(g->n_tasks + 1);
	struct processes k = { .g = g, .of = of, .up = up, .full = full };

	if (!of || !up || !full || !plain || number_processes(&k))
		return NULL;
	add_tasks(&k);
	add_connections(&k, &g->sends);
	add_connections(&k, &g->recvs);
	find_plain(&k, plain);
	return TAKE_PTR(plain);
}
