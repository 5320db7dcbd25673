// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/inputs/inputs.h"

#include <errno.h>

#include "analysis/inputs/reach.h"
#include "lib/cleanup.h"

/* Returns the end of all work for the input. */
static uint64_t end_of(const struct reach *r, uint64_t taken_ns)
{
	uint64_t end_ns = MAX(r->shown_ns, taken_ns);

	for (size_t i = 0; i < r->v.n; i++)
		end_ns = MAX(end_ns, r->v.v[i].to_ns);
	return end_ns;
}

static int add_input(struct reach *r, const struct moment *x, input_list *ret)
{
	const struct graph *g = r->m->g;
	const struct window_event *e = &g->w->events[x->event];
	uint64_t server_ns = ct_input_ns(&e->r, (const ct_u64 *)window_words(g->w, e));
	struct input in = { .taken_ns = e->r.ts, .task = x->task, .what = (uint8_t)ct_input_what(&e->r) };
	int err = reach_follow(r, x->task, x->event);

	in.from_ns = server_ns && !moments_is_remote(r->m, x->task) ? server_ns : in.taken_ns;
	in.shown_ns = r->shown_ns;
	in.sender = r->sender;
	in.shared = r->shared;
	in.open = r->open ||
		  graph_may_lack(g, CT_LACK_MESSAGES | CT_LACK_SWITCHES, in.from_ns, end_of(r, in.taken_ns));
	return err ? err : VEC_PUSH(ret, in);
}

static int by_time(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->taken_ns != y->taken_ns)
		return x->taken_ns < y->taken_ns ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static bool is_wanted(const struct moments *m, const struct moment *x, uint32_t kinds)
{
	enum ct_input what = ct_input_what(&m->g->w->events[x->event].r);

	return x->kind == MOMENT_TAKE && what < CT_INPUT_DRAW && kinds >> what & 1;
}

static bool has_wanted(const struct moments *m, uint32_t kinds)
{
	for (size_t i = 0; i < m->v.n; i++)
		if (is_wanted(m, &m->v.v[i], kinds))
			return true;
	return false;
}

int inputs_find(const struct graph *g, uint32_t kinds, input_list *ret)
{
	struct moments m;
	struct reach r = { .m = &m };
	struct causal *c = NULL;
	int err = moments_find(&m, g);

	if (!err && has_wanted(&m, kinds))
		err = causal_build(g, NULL, &c);
	r.c = c;
	for (size_t i = 0; i < m.v.n && !err; i++)
		if (is_wanted(&m, &m.v.v[i], kinds))
			err = add_input(&r, &m.v.v[i], ret);
	VEC_SORT(ret, by_time);
	reach_done(&r);
	causal_free(c);
	moments_done(&m);
	return err;
}
