// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/divide.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/profile/role.h"
#include "analysis/thresholds.h"
#include "analysis/transactions/legs.h"
#include "graph/path/path.h"
#include "lib/cleanup.h"

struct dividing {
	struct transactions *t;
	/* Pieces of the path. Neighbours with the same role and kind of time are one step. */
	VEC(struct transaction_part) steps;
	bool truncated;
};

static int add_step(struct dividing *k, const char *name, enum time_kind time, uint64_t ns)
{
	struct transaction_part *last = k->steps.n ? &k->steps.v[k->steps.n - 1] : NULL;
	size_t role;

	if (!ns)
		return 0;
	if (texts_add(&k->t->roles, name, &role))
		return -ENOMEM;
	if (last && last->role == role && last->time == time) {
		last->ns += ns;
		return 0;
	}
	return VEC_PUSH(&k->steps,
			(struct transaction_part){ .ns = ns, .role = (uint32_t)role, .time = (uint8_t)time });
}

static const char *lock_word(enum resource_kind kind)
{
	switch ((unsigned)kind) {
	case RESOURCE_FILE_LOCK:
		return "file lock";
	case RESOURCE_KERNEL_LOCK:
		return "kernel lock";
	case RESOURCE_DATABASE_LOCK:
		return "database lock";
	default:
		return "lock";
	}
}

/* Writes the name of the task of a piece. If the piece is part of a wait for a lock, writes "LOCK of OWNER:
 * TASK". Example: in "file lock /srv/l of job: sleep", the task job has the lock and waits for the task
 * sleep. If the task is the owner, leaves out " of OWNER". The name of some locks is found only by an
 * inspection, and ctrace inspects only long waits. Leaves such a name out, so that long and short waits for
 * one lock get the same text. */
static void role_of(const struct graph *g, const struct path *p, const struct path_piece *x,
		    char buf[DESCRIBE_MAX])
{
	uint32_t task = p->frames[x->frame].task;
	const char *name = graph_comm(g, task, x->from_ns);
	const struct path_frame *lock = path_lock(p, x);
	char object[DESCRIBE_MAX / 2];
	bool late = false;

	if (!lock) {
		snprintf(buf, DESCRIBE_MAX, "%s", name);
		return;
	}
	role_object(g, lock->blame.obj, object, sizeof(object), &late);
	if (late)
		object[0] = '\0';
	snprintf(buf, DESCRIBE_MAX, "%s%s%s%s%s: %s", lock_word(lock->blame.kind), object[0] ? " " : "",
		 object, task == lock->task ? "" : " of ",
		 task == lock->task ? "" : graph_comm(g, lock->task, x->from_ns), name);
}

static int add_path(struct dividing *k, const struct path *p)
{
	const struct graph *g = k->t->g;
	int r = 0;

	for (size_t i = 0; i < p->n_pieces && !r; i++) {
		const struct path_piece *x = &p->pieces[i];
		uint64_t parts[TIME_KINDS];
		char name[DESCRIBE_MAX];

		role_of(g, p, x, name);
		path_parts(g, x, parts);
		for (int time = 0; time < TIME_KINDS && !r; time++)
			r = add_step(k, name, (enum time_kind)time, parts[time]);
	}
	return r;
}

static int add_leg(struct dividing *k, const struct transaction_leg *leg)
{
	const struct graph *g = k->t->g;
	uint64_t ns = leg->to_ns - leg->from_ns;
	const char *name = leg->task == GRAPH_NONE ? "?" : graph_comm(g, leg->task, leg->from_ns);
	struct path *path = NULL;
	int r;

	if (leg->queued)
		return add_step(k, name, TIME_QUEUE, ns);
	if (leg->outside)
		return add_step(k, leg->task == GRAPH_NONE ? "network" : name, TIME_NETWORK, ns);
	r = path_walk(g, leg->task, leg->from_ns, leg->to_ns, &path);
	if (!r) {
		k->truncated |= path->truncated;
		r = add_path(k, path);
	}
	path_free(path);
	return r == -EINVAL ? add_step(k, name, TIME_UNKNOWN, ns) : r;
}

static int part_cmp(const void *a, const void *b)
{
	const struct transaction_part *x = a, *y = b;

	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	return (int)x->time - (int)y->time;
}

static int sum_steps(const struct dividing *k, transaction_parts *ret)
{
	if (k->steps.n && VEC_RESERVE(ret, k->steps.n))
		return -ENOMEM;
	for (size_t i = 0; i < k->steps.n; i++)
		ret->v[ret->n++] = k->steps.v[i];
	VEC_SORT(ret, part_cmp);
	for (size_t i = 0, n = 0; i < k->steps.n; i++) {
		if (n && !part_cmp(&ret->v[n - 1], &ret->v[i]))
			ret->v[n - 1].ns += ret->v[i].ns;
		else
			ret->v[n++] = ret->v[i];
		ret->n = n;
	}
	return 0;
}

static bool is_small(const transaction_parts *sums, const struct transaction_part *step, uint64_t total_ns)
{
	for (size_t i = 0; i < sums->n; i++)
		if (!part_cmp(&sums->v[i], step))
			return sums->v[i].ns < total_ns / TRANSACTION_SHAPE_SHARE;
	return true;
}

/* If the last steps (TRANSACTION_CYCLE at most) repeat the steps before them, returns n without this
 * repeat. Otherwise returns n. */
static size_t collapse(const struct transaction_part *v, size_t n)
{
	for (size_t len = 1; len <= TRANSACTION_CYCLE && 2 * len <= n; len++) {
		size_t same = 0;

		while (same < len && !part_cmp(&v[n - 1 - same], &v[n - 1 - same - len]))
			same++;
		if (same == len)
			return n - len;
	}
	return n;
}

static void put_shape(const struct transactions *t, const struct transaction_part *v, size_t n, char *buf,
		      size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n && i < TRANSACTION_SHAPE_STEPS && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s %s", i ? " > " : "",
				       t->roles.v.v[v[i].role], time_kind_name(v[i].time));
	if (n > TRANSACTION_SHAPE_STEPS && at < size)
		snprintf(buf + at, size - at, " > ...");
}

#define SHAPE_MAX 2048

static int find_shape(struct dividing *k, const transaction_parts *sums, struct transaction *x)
{
	struct transaction_part *v = k->steps.v;
	char text[SHAPE_MAX];
	size_t n = 0, at;

	for (size_t i = 0; i < k->steps.n; i++)
		if (!is_small(sums, &v[i], x->to_ns - x->from_ns)) {
			v[n] = v[i];
			n = collapse(v, n + 1);
		}
	put_shape(k->t, v, n, text, sizeof(text));
	if (texts_add(&k->t->shapes, text, &at))
		return -ENOMEM;
	x->shape = (uint32_t)at;
	return 0;
}

int divide(struct transactions *t, struct transaction *x, transaction_parts *parts)
{
	struct dividing k = { .t = t };
	transaction_parts sums = { 0 };
	leg_list legs = { 0 };
	int r = legs_of(t, x, &legs);

	for (size_t i = 0; i < legs.n && !r; i++)
		r = add_leg(&k, &legs.v[i]);
	if (!r)
		r = sum_steps(&k, &sums);
	if (!r)
		r = find_shape(&k, &sums, x);
	if (!r && sums.n)
		r = VEC_RESERVE(parts, parts->n + sums.n);
	if (!r) {
		x->first_part = (uint32_t)parts->n;
		x->n_parts = (uint32_t)sums.n;
		x->truncated = k.truncated;
		for (size_t i = 0; i < sums.n; i++)
			parts->v[parts->n++] = sums.v[i];
	}
	VEC_FREE(&k.steps);
	VEC_FREE(&sums);
	VEC_FREE(&legs);
	return r;
}

static int add_reason(const struct transactions *t, const struct transaction *x,
		      const struct transaction_leg *leg, enum reason_group group, struct reasons *k)
{
	uint64_t ns = leg->to_ns - leg->from_ns;
	int r;

	if (leg->part.request != GRAPH_NONE)
		return reasons_add(k, t->services, t->services->of[x->request], &leg->part, group);
	if (leg->queued)
		return reasons_add_text(k, "waiting in the queue", time_kind_name(TIME_QUEUE), ns, group);
	r = reasons_add_path(k, t->g, "", leg->task, leg->from_ns, leg->to_ns, group);
	return r == -EINVAL ? reasons_add_text(k, "not known", time_kind_name(TIME_UNKNOWN), ns, group) : r;
}

int divide_reasons(const struct transactions *t, const struct transaction *x, enum reason_group group,
		   struct reasons *k)
{
	leg_list legs = { 0 };
	int r = legs_of(t, x, &legs);

	for (size_t i = 0; i < legs.n && !r; i++)
		r = add_reason(t, x, &legs.v[i], group, k);
	VEC_FREE(&legs);
	return r;
}
