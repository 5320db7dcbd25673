// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "analysis/transactions/find.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

struct pairing {
	struct finding *k;
	const struct transaction_rule *rule;
	VEC(struct transaction) begun;
	struct map open; /* key_of() -> the last transaction without an end: its index in `begun` */
};

static const char *mark_name(const struct graph *g, const struct ct_rec *r)
{
	const struct window_object *o = graph_object(g, r->obj);

	return o && o->name[0] ? o->name : "mark";
}

static uint32_t mark_task(const struct graph *g, const struct ct_rec *r)
{
	uint32_t task = graph_task_at(g, r->tid, r->ts), parent;

	if (task == GRAPH_NONE || !(r->flags & CT_MF_PARENT))
		return task;
	parent = g->tasks[task].parent;
	if (parent == GRAPH_NONE && g->tasks[task].ptgid)
		parent = graph_task_at(g, g->tasks[task].ptgid, r->ts);
	return parent;
}

/* Returns a key that is the same for the two marks of a transaction. If the marks have no id, both
 * have to be about one task (mark_task()). If the rule has `until`, the names of the two marks
 * differ, so the key has no name. */
static uint64_t key_of(const struct pairing *p, const struct ct_rec *r, uint64_t id, uint32_t task)
{
	uint64_t h = hash_add(HASH_START, p->rule->until ? 0 : r->obj);

	h = hash_add(h, id ? 1 + (r->flags & CT_MF_HASHED) : 0);
	return hash_add(hash_add(h, id), id ? 0 : task);
}

static void begin(struct pairing *p, const struct ct_rec *r, const struct transaction *x, uint64_t key)
{
	struct transaction new = *x;

	new.type = find_type(p->k, p->rule, mark_name(p->k->t->g, r));
	if (new.type == GRAPH_NONE)
		return;
	if (VEC_PUSH(&p->begun, new) || map_set(&p->open, key, p->begun.n - 1))
		p->k->err = -ENOMEM;
}

static void end(struct pairing *p, const struct ct_rec *r, const struct transaction *x, uint64_t key)
{
	struct transaction *open;
	uint64_t at;
	uint32_t type;

	if (map_get(&p->open, key, &at)) {
		open = &p->begun.v[at];
		open->to_ns = x->from_ns;
		open->end_task = x->end_task;
		map_del(&p->open, key);
		return;
	}
	if (!find_fits(p->k, x->begin_task, x->end_task))
		return;
	if (p->rule->until && !p->rule->name)
		return; /* the begin mark, which is not known, would name the type */
	type = find_type(p->k, p->rule, mark_name(p->k->t->g, r));
	if (type != GRAPH_NONE)
		p->k->types.v[type].n_cut++;
}

static void read_mark(struct pairing *p, const struct window_event *e)
{
	const struct graph *g = p->k->t->g;
	const struct ct_rec *r = &e->r;
	const uint64_t *words = window_words(g->w, e);
	const char *name = mark_name(g, r);
	uint32_t task = mark_task(g, r);
	struct transaction x = { .source = TRANSACTION_MARK,
				 .from_ns = ct_mark_ns(r, (const ct_u64 *)words),
				 .id = words[0],
				 .hashed = r->flags & CT_MF_HASHED,
				 .begin_task = task,
				 .end_task = task,
				 .request = GRAPH_NONE };
	uint64_t key = key_of(p, r, x.id, task);
	enum ct_mark what = ct_mark_what(r);

	/* If the rule has `until`, a point may begin or end a transaction too. */
	if (p->rule->until && what != CT_MARK_BEGIN && transaction_rule_fits(p->rule->until, name))
		end(p, r, &x, key);
	else if (!transaction_rule_fits(p->rule->mark, name))
		return;
	else if (what == CT_MARK_BEGIN || (p->rule->until && what == CT_MARK_POINT))
		begin(p, r, &x, key);
	else if (what == CT_MARK_END && !p->rule->until)
		end(p, r, &x, key);
}

void find_marks(struct finding *k, const struct transaction_rule *rule)
{
	struct pairing p = { .k = k, .rule = rule };
	const struct window *w = k->t->g->w;

	for (size_t i = window_next_words(w, 0); i < w->n_events && !k->err; i = window_next_words(w, i + 1))
		if (w->events[i].r.kind == CT_MARK)
			read_mark(&p, &w->events[i]);
	for (size_t i = 0; i < p.begun.n; i++)
		find_add(k, &p.begun.v[i]);
	VEC_FREE(&p.begun);
	map_done(&p.open);
}
