// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/hands.h"

#include <errno.h>

#include "ctrace/glibc.h"

static void remember(uint32_t two[2], uint32_t task)
{
	if (two[0] == task)
		return;
	two[1] = two[0];
	two[0] = task;
}

static struct hands *hands_of(struct pass *p, uint64_t futex)
{
	uint64_t at;

	if (map_get(&p->futexes, futex, &at))
		return &p->hands.v[at];
	at = p->hands.n;
	if (VEC_PUSH(&p->hands, (struct hands){ 0 }) || map_set(&p->futexes, futex, at)) {
		p->err = -ENOMEM;
		return NULL;
	}
	return &p->hands.v[at];
}

static bool has_posted(const struct pass *p, uint32_t task, uint64_t futex)
{
	const struct hands *h;
	uint64_t at;

	if (!map_get(&p->futexes, futex, &at))
		return false;
	h = &p->hands.v[at];
	return h->posted_ns && (h->poster[0] == task || h->poster[1] == task);
}

/* pthread_cond_signal() of glibc may wait until tasks that were woken earlier have left
 * pthread_cond_wait(). For this, it waits on one futex of the condition variable. It posts on
 * another futex of the condition variable (ctrace/glibc.h). */
bool hands_inside_cond(const struct pass *p, uint32_t task, uint64_t futex)
{
	uint64_t signals = futex + GLIBC_COND_REFS_TO_SIGNALS;

	return has_posted(p, task, signals) || has_posted(p, task, signals ^ GLIBC_COND_OTHER_GROUP);
}

bool hands_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts)
{
	struct hands *h = hands_of(p, futex);

	if (!h)
		return false;
	if (!h->posted_ns || ts - h->posted_ns > POST_MANY_NS)
		*h = (struct hands){ .poster = { GRAPH_NONE, GRAPH_NONE },
				     .waiter = { GRAPH_NONE, GRAPH_NONE } };
	if (h->poster[0] != poster || ts - h->posted_ns > ONE_CALL_NS) {
		h->was_herd = h->n_herd;
		h->n_herd = 0;
	}
	if (h->n_herd < HANDS_HERD)
		h->herd[h->n_herd++] = waiter;
	h->posted_ns = ts;
	remember(h->poster, poster);
	remember(h->waiter, waiter);
	if (h->n_herd == 2 && p->work[h->herd[0]].wake_edge != GRAPH_NONE)
		p->edges.v[p->work[h->herd[0]].wake_edge].flags |= EDGE_TOGETHER;
	return h->n_herd > 1;
}

/* Returns false if fewer than two tasks post, or fewer than two wait. Otherwise:
 * - No task does both: returns true.
 * - A task does both, the wait has a time limit, and the last two calls woke one task each: returns true.
 *   Such a futex is a lock that the program built, as in Python.
 * - A task does both, in all other cases: returns false. The tasks mostly meet at a barrier, or pass things
 *   in turn. Then each post is meant for the task that it woke. */
bool hands_are_many(struct pass *p, const struct interval *s)
{
	const struct hands *h = hands_of(p, s->obj);
	bool mixed = false;

	if (!h || h->poster[1] == GRAPH_NONE || h->waiter[1] == GRAPH_NONE)
		return false;
	for (int i = 0; i < 2; i++)
		mixed |= h->poster[i] == h->waiter[0] || h->poster[i] == h->waiter[1];
	return !mixed || (s->flags & CT_SF_TIMEOUT && h->n_herd == 1 && h->was_herd == 1);
}

/* h->herd has the tasks that one call woke. If another of these tasks has gone on, it got the work, and
 * the wake-up of `task` was false. If none has gone on, returns false: perhaps each task needed its
 * wake-up, as at a barrier, and waits for the next one. */
bool hands_are_herd(struct pass *p, uint32_t task, uint64_t ts)
{
	const struct hands *h = hands_of(p, p->work[task].wait_obj);
	bool among = false, went_on = false;

	for (uint32_t i = 0; h && i < h->n_herd; i++) {
		const struct work *w = &p->work[h->herd[i]];

		among |= h->herd[i] == task;
		if (h->herd[i] != task)
			went_on |= w->acts || w->ran_ns + (w->in_ns ? ts - w->in_ns : 0) > FALSE_WAKE_NS;
	}
	return among && went_on;
}
