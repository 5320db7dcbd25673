// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/account/account.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"

struct tally {
	VEC(struct account_row) rows;
	struct map by_key;
	uint32_t last;
};

struct books {
	const struct graph *g;
	const struct path *p;
	struct tally groups[ACCOUNT_GROUPS];
	/* The frames of a path are a tree. Its root is frame 0, which belongs to the victim. top[f] is the
	 * child of frame 0 that is an ancestor of frame f, or is frame f itself. top[0] is GRAPH_NONE. */
	uint32_t *top;
	struct map remotes;
	int err;
};

const char *account_group_name(enum account_group group)
{
	static const char *const names[ACCOUNT_GROUPS] = { "wait", "resource", "task", "process", "object" };

	return names[group];
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

static bool same_row(enum account_group group, const struct account_row *a, const struct account_row *b)
{
	if (group == ACCOUNT_OBJECT)
		return a->obj == b->obj;
	return a->task == b->task && a->obj == b->obj && a->time == b->time && a->edge == b->edge &&
	       a->kind == b->kind;
}

static uint64_t row_hash(enum account_group group, const struct account_row *r)
{
	if (group == ACCOUNT_OBJECT)
		return mix(1, r->obj);
	return mix(mix(mix(mix(mix(1, r->task), r->obj), r->time), r->edge), r->kind);
}

static struct account_row *row_of(struct books *k, enum account_group group, const struct account_row *key)
{
	struct tally *t = &k->groups[group];
	uint64_t at, h = row_hash(group, key);

	for (; map_get(&t->by_key, h, &at); h++)
		if (same_row(group, &t->rows.v[at], key))
			return &t->rows.v[at];
	if (VEC_PUSH(&t->rows, *key) || map_set(&t->by_key, h, t->rows.n - 1)) {
		k->err = -ENOMEM;
		return NULL;
	}
	return &t->rows.v[t->rows.n - 1];
}

static void add(struct books *k, enum account_group group, const struct account_row *key, uint64_t ns)
{
	struct account_row *r = row_of(k, group, key);

	if (!r)
		return;
	r->ns += ns;
	if (group != ACCOUNT_OBJECT)
		r->within_ns += ns;
	if (group != ACCOUNT_WAIT)
		r->count++;
}

static const struct blame *leaf_of(const struct path *p, const struct path_piece *x)
{
	return x->blame == GRAPH_NONE ? NULL : &p->leaf_blames[x->blame];
}

static uint64_t interval_ns(const struct graph *g, uint32_t interval)
{
	return interval == GRAPH_NONE ? 0 : g->intervals[interval].to_ns - g->intervals[interval].from_ns;
}

static void add_folded_wait(struct books *k, const struct path_piece *x)
{
	static const enum time_kind kinds[] = { TIME_RUNNING, TIME_RUNNABLE, TIME_SHORT };
	uint64_t parts[TIME_KINDS];

	path_parts(k->g, x, parts);
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !k->err; i++) {
		struct account_row key = { .task = GRAPH_NONE, .interval = GRAPH_NONE, .time = kinds[i] }, *r;

		if (!parts[kinds[i]])
			continue;
		add(k, ACCOUNT_WAIT, &key, parts[kinds[i]]);
		r = k->err ? NULL : row_of(k, ACCOUNT_WAIT, &key);
		if (!r)
			return;
		r->count++;
		if (r->interval == GRAPH_NONE)
			r->interval = x->interval;
	}
}

static void add_wait(struct books *k, const struct path_piece *x)
{
	struct tally *t = &k->groups[ACCOUNT_WAIT];
	uint32_t top = k->top[x->frame];
	const struct path_frame *f = top == GRAPH_NONE ? NULL : &k->p->frames[top];
	const struct blame *b = f ? &f->blame : leaf_of(k->p, x);
	uint32_t interval = f ? f->interval : x->interval;
	struct account_row *r, key = { .task = GRAPH_NONE, .interval = GRAPH_NONE, .time = x->time };

	if (!b && x->time == TIME_SHORT) {
		add_folded_wait(k, x);
		return;
	}
	if (b) {
		key.task = b->task;
		key.obj = b->obj;
		key.kind = b->kind;
		key.time = b->time;
		key.edge = b->edge;
	}
	add(k, ACCOUNT_WAIT, &key, x->to_ns - x->from_ns);
	r = k->err ? NULL : row_of(k, ACCOUNT_WAIT, &key);
	if (!r || (interval == t->last && r->count))
		return;
	t->last = interval;
	r->count++;
	if (r->interval == GRAPH_NONE || interval_ns(k->g, interval) > interval_ns(k->g, r->interval))
		r->interval = interval;
}

static void add_runnable(struct books *k, const struct path_piece *x)
{
	struct account_row key = { .kind = RESOURCE_CPU, .time = TIME_RUNNABLE };
	uint32_t cpu = path_cpu_wanted(k->g, x->interval);
	uint64_t at = x->from_ns;

	for (size_t i = path_first_run(k->g, cpu, at); cpu < k->g->n_cpus && i < k->g->n_runs[cpu]; i++) {
		const struct interval *run = graph_run(k->g, cpu, i);
		uint64_t from = MAX(run->from_ns, at), to = MIN(run->to_ns, x->to_ns);

		if (run->from_ns >= x->to_ns)
			break;
		if (from >= to)
			continue;
		key.task = GRAPH_NONE;
		if (from > at)
			add(k, ACCOUNT_RESOURCE, &key, from - at);
		key.task = run->task;
		add(k, ACCOUNT_RESOURCE, &key, to - from);
		at = to;
	}
	key.task = GRAPH_NONE;
	if (at < x->to_ns)
		add(k, ACCOUNT_RESOURCE, &key, x->to_ns - at);
}

static void add_folded(struct books *k, const struct path_piece *x)
{
	struct account_row run = { .task = GRAPH_NONE, .time = TIME_RUNNING };
	struct account_row queue = { .task = GRAPH_NONE, .time = TIME_RUNNABLE, .kind = RESOURCE_CPU };
	struct account_row wait = { .task = GRAPH_NONE, .time = TIME_SHORT };
	uint64_t parts[TIME_KINDS];

	path_parts(k->g, x, parts);
	if (parts[TIME_RUNNING])
		add(k, ACCOUNT_RESOURCE, &run, parts[TIME_RUNNING]);
	if (parts[TIME_RUNNABLE])
		add(k, ACCOUNT_RESOURCE, &queue, parts[TIME_RUNNABLE]);
	if (parts[TIME_SHORT])
		add(k, ACCOUNT_RESOURCE, &wait, parts[TIME_SHORT]);
}

static uint64_t device_of(const struct graph *g, uint64_t obj)
{
	const struct window_object *o = graph_object(g, obj);

	if (CT_OBJ_KIND(obj) == CT_OBJ_BLOCKDEV)
		return obj;
	return o && o->dev ? CT_OBJ_ID(CT_OBJ_BLOCKDEV, o->dev) : 0;
}

static uint64_t remote_of(struct books *k, uint64_t obj)
{
	const struct window_object *o = graph_object(k->g, obj);
	uint64_t first, h = o ? mix(mix(2, o->rport), o->family) : 0;

	if (!o || !o->rport)
		return obj;
	for (size_t i = 0; i < sizeof(o->raddr); i++)
		h = mix(h, o->raddr[i]);
	if (map_get(&k->remotes, h, &first))
		return first;
	if (map_set(&k->remotes, h, obj))
		k->err = -ENOMEM;
	return obj;
}

static void add_resource(struct books *k, const struct path_piece *x)
{
	const struct blame *b = leaf_of(k->p, x);
	struct account_row key = { .task = GRAPH_NONE, .time = x->time };

	switch ((enum time_kind)x->time) {
	case TIME_RUNNABLE:
		add_runnable(k, x);
		return;
	case TIME_SHORT:
		add_folded(k, x);
		return;
	case TIME_LOCK:
	case TIME_QUEUE:
		key.kind = b ? b->kind : RESOURCE_NONE;
		key.obj = b ? b->obj : 0;
		break;
	case TIME_IPC:
		key.kind = b ? b->kind : RESOURCE_NONE;
		break;
	case TIME_NETWORK:
		key.obj = b ? remote_of(k, b->obj) : 0;
		break;
	case TIME_DISK:
		key.obj = b ? device_of(k->g, b->obj) : 0;
		break;
	case TIME_RUNNING:
	case TIME_TIMER:
	case TIME_FAULT:
	case TIME_UNKNOWN:
	case TIME_KINDS:
		break;
	}
	add(k, ACCOUNT_RESOURCE, &key, x->to_ns - x->from_ns);
}

static void add_process(struct books *k, const struct path_piece *x)
{
	uint32_t task = k->p->frames[x->frame].task, tgid = k->g->tasks[task].tgid;
	uint32_t leader = graph_task_at(k->g, tgid, x->from_ns);
	struct account_row key = { .task = leader };
	size_t n;

	if (leader == GRAPH_NONE)
		key.task = graph_refs(&k->g->threads, tgid, &n)->event;
	add(k, ACCOUNT_PROCESS, &key, x->to_ns - x->from_ns);
}

static size_t objects_of(const struct books *k, const struct path_piece *x,
			 struct account_row found[PATH_MAX_DEPTH + 1])
{
	const struct blame *b = leaf_of(k->p, x);
	uint32_t f = x->frame;
	size_t n = 0;

	for (;;) {
		bool seen = !b || !b->obj;

		for (size_t i = 0; i < n && !seen; i++)
			seen = found[i].obj == b->obj;
		if (!seen && n <= PATH_MAX_DEPTH)
			found[n++] =
				(struct account_row){ .task = GRAPH_NONE, .obj = b->obj, .kind = b->kind };
		if (!k->p->frames[f].depth)
			return n;
		b = &k->p->frames[f].blame;
		f = k->p->frames[f].parent;
	}
}

static void add_object(struct books *k, const struct path_piece *x)
{
	struct account_row found[PATH_MAX_DEPTH + 1] = { { .task = GRAPH_NONE } };
	size_t n = objects_of(k, x, found);

	add(k, ACCOUNT_OBJECT, &found[0], x->to_ns - x->from_ns);
	for (size_t i = 0; i < MAX(n, (size_t)1) && !k->err; i++) {
		struct account_row *r = row_of(k, ACCOUNT_OBJECT, &found[i]);

		if (r)
			r->within_ns += x->to_ns - x->from_ns;
	}
}

static int row_cmp(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->within_ns != y->within_ns)
		return x->within_ns > y->within_ns ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->obj != y->obj)
		return x->obj < y->obj ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

/* One pass is enough, because a frame comes after its parent. */
static void find_tops(struct books *k)
{
	for (size_t i = 0; i < k->p->n_frames; i++) {
		const struct path_frame *f = &k->p->frames[i];

		k->top[i] = f->depth == 0 ? GRAPH_NONE : f->depth == 1 ? (uint32_t)i : k->top[f->parent];
	}
}

static void add_piece(struct books *k, const struct path_piece *x)
{
	struct account_row task = { .task = k->p->frames[x->frame].task };

	add_wait(k, x);
	add_resource(k, x);
	add(k, ACCOUNT_TASK, &task, x->to_ns - x->from_ns);
	add_process(k, x);
	add_object(k, x);
}

static void close_books(struct books *k, struct account *a)
{
	for (int i = 0; i < ACCOUNT_GROUPS; i++) {
		struct tally *t = &k->groups[i];

		map_done(&t->by_key);
		if (t->rows.n)
			VEC_SORT(&t->rows, row_cmp);
		a->rows[i] = t->rows.v;
		a->n_rows[i] = t->rows.n;
	}
	map_done(&k->remotes);
	free(k->top);
}

int account_new(const struct graph *g, const struct path *p, struct account **ret)
{
	struct books k = { .g = g, .p = p };
	struct account *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->total_ns = p->frames[0].to_ns - p->frames[0].from_ns;
	k.groups[ACCOUNT_WAIT].last = GRAPH_NONE;
	k.top = calloc(p->n_frames, sizeof(*k.top));
	if (k.top)
		find_tops(&k);
	else
		k.err = -ENOMEM;
	for (size_t i = 0; i < p->n_pieces && !k.err; i++)
		add_piece(&k, &p->pieces[i]);
	close_books(&k, a);
	if (k.err) {
		account_free(a);
		return k.err;
	}
	*ret = a;
	return 0;
}

void account_free(struct account *a)
{
	for (int i = 0; a && i < ACCOUNT_GROUPS; i++)
		free(a->rows[i]);
	free(a);
}
