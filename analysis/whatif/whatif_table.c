// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "analysis/whatif/replay.h"
#include "analysis/whatif/whatif.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

struct table {
	struct whatif *x;
	const struct account *a;
	VEC(struct whatif_row) rows;
	int err;
};

const char *whatif_kind_name(enum whatif_kind kind)
{
	static const char *const names[] = { "wait", "waits", "resource", "task", "process", "object" };

	return names[kind];
}

/* frames[f]: the questions that take away a wait on the way from the frame f to the victim. */
static void take_frames(const struct taken *t, const struct path *p, uint32_t *frames)
{
	for (size_t i = 1; i < p->n_frames; i++) {
		const struct path_frame *f = &p->frames[i];

		frames[i] = frames[f->parent] | (f->interval == GRAPH_NONE ? 0 : taken_wait(t, f->interval));
	}
}

static void add_piece(const struct taken *t, const struct path *p, const struct path_piece *piece,
		      const uint32_t *frames, size_t *near, int64_t *ns)
{
	uint32_t set = t->tasks[p->frames[piece->frame].task] | t->times[piece->time] | frames[piece->frame];

	if (piece->blame != GRAPH_NONE)
		set |= taken_wait(t, piece->interval);
	taken_add(set, (int64_t)(piece->to_ns - piece->from_ns), ns);
	if (piece->time == TIME_RUNNABLE && t->any_tasks & ~set)
		taken_rivals(t, t->any_tasks & ~set, piece->interval, piece->from_ns, piece->to_ns, near, ns);
}

static int on_path(struct whatif *x, const struct path *p, const struct question *v, size_t n,
		   int64_t *ret_ns)
{
	_cleanup_free_ uint32_t *frames = calloc(p->n_frames, sizeof(*frames));
	_cleanup_free_ size_t *near = calloc((size_t)x->g->n_cpus + 1, sizeof(*near));
	_cleanup_(taken_done) struct taken t = { 0 };

	if (!frames || !near || taken_init(&t, x, v, n))
		return -ENOMEM;
	take_frames(&t, p, frames);
	for (size_t i = 0; i < p->n_pieces; i++)
		add_piece(&t, p, &p->pieces[i], frames, near, ret_ns);
	return 0;
}

int whatif_on_path(struct whatif *x, const struct path *p, const struct whatif_without *v, size_t n,
		   uint64_t *ret_ns)
{
	int64_t ns = 0;
	int r = on_path(x, p, &(struct question){ v, n }, 1, &ns);

	if (!r)
		*ret_ns = (uint64_t)ns;
	return r;
}

bool whatif_same(const struct whatif_without *a, const struct whatif_without *b)
{
	return a->kind == b->kind && a->obj == b->obj && a->interval == b->interval && a->task == b->task &&
	       a->time == b->time;
}

static void ask(struct table *t, const struct whatif_without *v)
{
	struct whatif_row row = { .without = *v };

	for (size_t i = 0; i < t->rows.n; i++)
		if (whatif_same(&t->rows.v[i].without, v))
			return;
	t->err = VEC_PUSH(&t->rows, row);
}

struct whatif_without whatif_waits_of(const struct account_row *row)
{
	return (struct whatif_without){ .interval = row->interval,
					.task = GRAPH_NONE,
					.kind = row->count > 1 ? WHATIF_WAITS : WHATIF_WAIT };
}

static void ask_waits(struct table *t)
{
	size_t asked = 0;

	for (size_t i = 0; i < t->a->n_rows[ACCOUNT_WAIT] && asked < WHATIF_PER_GROUP && !t->err; i++) {
		const struct account_row *r = &t->a->rows[ACCOUNT_WAIT][i];
		struct whatif_without v = whatif_waits_of(r);

		if (r->kind == RESOURCE_NONE)
			continue;
		ask(t, &v);
		asked++;
	}
}

/* waits, rivals, tasks, processes, objects: at most WHATIF_PER_GROUP questions each */
#define OTHER_GROUPS 5

/* Adds questions such as: how much is saved without all waiting for disks? There is no such question about
 * locks, because ask_tasks() asks about the tasks that hold them. */
static void ask_resources(struct table *t)
{
	static const enum time_kind times[] = { TIME_RUNNABLE, TIME_DISK, TIME_NETWORK, TIME_TIMER,
						TIME_FAULT };
	_Static_assert(OTHER_GROUPS * WHATIF_PER_GROUP + ARRAY_SIZE(times) <= TAKEN_MAX, "rows of a table");

	for (size_t k = 0; k < ARRAY_SIZE(times); k++)
		for (size_t i = 0; i < t->a->n_rows[ACCOUNT_RESOURCE] && !t->err; i++)
			if (t->a->rows[ACCOUNT_RESOURCE][i].time == times[k]) {
				ask(t, &(struct whatif_without){ .kind = WHATIF_RESOURCE,
								 .time = times[k],
								 .interval = GRAPH_NONE,
								 .task = GRAPH_NONE });
				break;
			}
}

static void ask_rivals(struct table *t)
{
	size_t asked = 0;

	for (size_t i = 0; i < t->a->n_rows[ACCOUNT_RESOURCE] && asked < WHATIF_PER_GROUP && !t->err; i++) {
		const struct account_row *r = &t->a->rows[ACCOUNT_RESOURCE][i];
		uint32_t leader;

		if (r->time != TIME_RUNNABLE || r->task == GRAPH_NONE ||
		    r->ns < t->a->total_ns / WHATIF_RIVAL_SHARE)
			continue;
		leader = graph_task_at(t->x->g, t->x->g->tasks[r->task].tgid, t->x->to_ns);
		ask(t, &(struct whatif_without){ .kind = WHATIF_PROCESS,
						 .interval = GRAPH_NONE,
						 .task = leader == GRAPH_NONE ? r->task : leader });
		asked++;
	}
}

/* Returns true if another task of the process is on the path. Otherwise a question about the task is
 * the same as one about the process. */
static bool has_company(const struct table *t, uint32_t task)
{
	const struct graph *g = t->x->g;

	for (size_t i = 0; i < t->a->n_rows[ACCOUNT_TASK]; i++) {
		uint32_t other = t->a->rows[ACCOUNT_TASK][i].task;

		if (other != task && g->tasks[other].tgid == g->tasks[task].tgid)
			return true;
	}
	return false;
}

static void ask_tasks(struct table *t, enum account_group group)
{
	for (size_t i = 0; i < MIN(t->a->n_rows[group], (size_t)WHATIF_PER_GROUP) && !t->err; i++) {
		const struct account_row *r = &t->a->rows[group][i];

		if (group == ACCOUNT_PROCESS || has_company(t, r->task))
			ask(t, &(struct whatif_without){ .kind = group == ACCOUNT_PROCESS ? WHATIF_PROCESS
											  : WHATIF_TASK,
							 .interval = GRAPH_NONE,
							 .task = r->task });
	}
}

static int within_cmp(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;

	if (x->within_ns != y->within_ns)
		return x->within_ns > y->within_ns ? -1 : 1;
	return x->obj < y->obj ? -1 : x->obj > y->obj;
}

/* Returns true if one row has all waits for the object. Then a question about the object is the same
 * as the question about that row. */
static bool told_already(const struct table *t, const struct account_row *r)
{
	for (size_t i = 0; i < t->a->n_rows[ACCOUNT_WAIT]; i++)
		if (t->a->rows[ACCOUNT_WAIT][i].obj == r->obj &&
		    t->a->rows[ACCOUNT_WAIT][i].ns == r->within_ns)
			return true;
	return false;
}

static void ask_objects(struct table *t)
{
	size_t n = t->a->n_rows[ACCOUNT_OBJECT], asked = 0;
	_cleanup_free_ struct account_row *rows = calloc(n + 1, sizeof(*rows));

	if (!rows) {
		t->err = -ENOMEM;
		return;
	}
	if (n) {
		memcpy(rows, t->a->rows[ACCOUNT_OBJECT], n * sizeof(*rows));
		qsort(rows, n, sizeof(*rows), within_cmp);
	}
	for (size_t i = 0; i < n && asked < WHATIF_PER_GROUP && !t->err; i++) {
		if (!rows[i].obj || told_already(t, &rows[i]))
			continue;
		ask(t, &(struct whatif_without){ .kind = WHATIF_OBJECT,
						 .obj = rows[i].obj,
						 .interval = GRAPH_NONE,
						 .task = GRAPH_NONE });
		asked++;
	}
}

static int saved_cmp(const void *a, const void *b)
{
	const struct whatif_row *x = a, *y = b;

	if (x->saved_ns != y->saved_ns)
		return x->saved_ns > y->saved_ns ? -1 : 1;
	if (x->path_ns != y->path_ns)
		return x->path_ns > y->path_ns ? -1 : 1;
	if (x->without.kind != y->without.kind)
		return x->without.kind < y->without.kind ? -1 : 1;
	if (x->without.task != y->without.task)
		return x->without.task < y->without.task ? -1 : 1;
	if (x->without.interval != y->without.interval)
		return x->without.interval < y->without.interval ? -1 : 1;
	if (x->without.time != y->without.time)
		return x->without.time < y->without.time ? -1 : 1;
	return x->without.obj < y->without.obj ? -1 : x->without.obj > y->without.obj;
}

static int ask_all(struct table *t)
{
	ask_waits(t);
	ask_resources(t);
	ask_rivals(t);
	ask_tasks(t, ACCOUNT_TASK);
	ask_tasks(t, ACCOUNT_PROCESS);
	ask_objects(t);
	return t->err;
}

/* The answers to the questions of a table. */
struct answers {
	struct whatif *x;
	const struct path *p;
	struct question v[TAKEN_MAX];
	size_t n;
	uint64_t saved_ns[TAKEN_MAX];
	int64_t path_ns[TAKEN_MAX];
	int saved_err, path_err;
};

static void answer_saved(void *arg)
{
	struct answers *k = arg;

	k->saved_err = replay_saved(k->x, k->v, k->n, k->saved_ns);
}

static void answer_path(void *arg)
{
	struct answers *k = arg;

	k->path_err = on_path(k->x, k->p, k->v, k->n, k->path_ns);
}

static int answer_all(struct whatif *x, const struct path *p, graph_both_fn both, struct whatif_row *rows,
		      size_t n)
{
	struct answers k = { .x = x, .p = p, .n = n };

	for (size_t i = 0; i < n; i++)
		k.v[i] = (struct question){ &rows[i].without, 1 };
	if (both) {
		both(answer_saved, answer_path, &k);
	} else {
		answer_saved(&k);
		answer_path(&k);
	}
	for (size_t i = 0; i < n; i++) {
		rows[i].saved_ns = k.saved_ns[i];
		rows[i].path_ns = (uint64_t)k.path_ns[i];
	}
	return k.saved_err ? k.saved_err : k.path_err;
}

int whatif_table(struct whatif *x, const struct path *p, const struct account *a, graph_both_fn both,
		 struct whatif_row **ret_rows, size_t *ret_n)
{
	struct table t = { .x = x, .a = a };
	int r = ask_all(&t);

	if (!r && t.rows.n)
		r = answer_all(x, p, both, t.rows.v, t.rows.n);
	if (r) {
		VEC_FREE(&t.rows);
		return r;
	}
	VEC_SORT(&t.rows, saved_cmp);
	*ret_rows = t.rows.v;
	*ret_n = t.rows.n;
	return 0;
}

static void wait_words(struct whatif *x, const struct whatif_without *v, char *buf, size_t size)
{
	struct cause c = whatif_cause(x, v->interval);
	struct account_row row;

	row = (struct account_row){
		.task = c.task, .obj = c.obj, .kind = c.kind, .time = c.time, .edge = c.edge
	};
	account_words(x->g, ACCOUNT_WAIT, &row, buf, size);
}

static const char *resource_words(enum time_kind time)
{
	switch (time) {
	case TIME_RUNNABLE:
		return "all waiting for a CPU";
	case TIME_LOCK:
		return "all waiting for locks";
	case TIME_IPC:
		return "all waiting for local communication";
	case TIME_DISK:
		return "all waiting for disks";
	case TIME_NETWORK:
		return "all waiting for the network";
	case TIME_TIMER:
		return "all sleeping";
	case TIME_QUEUE:
		return "all waiting in queues";
	case TIME_FAULT:
		return "all page faults";
	case TIME_RUNNING:
	case TIME_UNKNOWN:
	case TIME_SHORT:
	case TIME_KINDS:
		break;
	}
	return "?";
}

void whatif_words(struct whatif *x, const struct whatif_without *v, char *buf, size_t size)
{
	struct account_row row = { .task = v->task };
	char what[ACCOUNT_WORDS_MAX];

	switch (v->kind) {
	case WHATIF_WAIT:
	case WHATIF_WAITS:
		wait_words(x, v, buf, size);
		return;
	case WHATIF_RESOURCE:
		snprintf(buf, size, "%s", resource_words(v->time));
		return;
	case WHATIF_TASK:
	case WHATIF_PROCESS:
		account_words(x->g, v->kind == WHATIF_TASK ? ACCOUNT_TASK : ACCOUNT_PROCESS, &row, what,
			      sizeof(what));
		snprintf(buf, size, v->kind == WHATIF_TASK ? "all that %s did" : "all that process %s did",
			 what);
		return;
	case WHATIF_OBJECT:
		describe_object(x->g->w, v->obj, what, sizeof(what));
		snprintf(buf, size, "all waiting for %s", what);
		return;
	}
}
