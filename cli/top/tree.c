// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/top/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/live/waitwords.h"
#include "cli/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"

#define NONE UINT32_MAX

/* A thread in the forest. next, child and sibling are indices in tables.tasks.threads. */
struct node {
	const struct waitlive_chain *chain;
	const struct waitlive_link *link;
	uint32_t next; /* the thread that this one waits for, or NONE */
	uint32_t child, sibling;
	bool circle;
	/* of a root: the waits of its tree */
	uint32_t waiters;
	uint64_t longest_ns;
};

struct forest {
	struct top *t;
	const struct waitlive *w;
	struct node *nodes;
	uint64_t now_ns;
	bool failed; /* out of memory */
};

static uint32_t index_of(const struct forest *f, const struct waitlive_link *l)
{
	return (uint32_t)(l->th - f->w->tables.tasks.threads.v);
}

static const struct top_age *age_of(const struct top *t, uint32_t tid)
{
	uint64_t i;

	return map_get(&t->age_of, tid, &i) ? &t->ages.v[i] : NULL;
}

/* Puts a wait that has ended into t->ended. Of each task, only the longest wait is kept. */
static int note_ended(struct top *t, const struct top_row *row, uint64_t now_ns)
{
	struct top_ended ended = {
		.tid = row->tid, .at_least = row->at_least, .ended_ns = now_ns, .wait_ns = row->wait_ns
	};

	for (size_t i = 0; i < t->ended.n; i++) {
		struct top_ended *e = &t->ended.v[i];

		if (e->tid != row->tid)
			continue;
		if (e->wait_ns > row->wait_ns)
			return 0;
		free(e->text);
		*e = t->ended.v[--t->ended.n];
		break;
	}
	ended.text = strdup(row->text);
	if (!ended.text || VEC_PUSH(&t->ended, ended)) {
		free(ended.text);
		return -ENOMEM;
	}
	return 0;
}

static int by_wait(const void *a, const void *b)
{
	const struct top_ended *x = a, *y = b;

	return x->wait_ns < y->wait_ns ? 1 : -(x->wait_ns > y->wait_ns);
}

/* Compares the rows of the last update with the present threads. */
static int find_ended(struct top *t, uint64_t now_ns)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < t->ended.n; i++) {
		if (t->ended.v[i].ended_ns + TOP_ENDED_KEEP_NS < now_ns)
			free(t->ended.v[i].text);
		else
			t->ended.v[n++] = t->ended.v[i];
	}
	t->ended.n = n;
	for (size_t i = 0; !r && i < t->rows.n; i++) {
		const struct top_row *row = &t->rows.v[i];
		const struct top_age *age = age_of(t, row->tid);

		if (row->waits && row->wait_ns >= TOP_ENDED_NS && (!age || age->since_ns != row->since_ns))
			r = note_ended(t, row, now_ns);
	}
	VEC_SORT(&t->ended, by_wait);
	return r;
}

/* A thread that has made no context switch since the last update still waits as before. */
static int find_ages(struct forest *f)
{
	const struct proctask *tasks = &f->w->tables.tasks;
	VEC(struct top_age) ages = { 0 };
	struct map age_of_tid = { 0 };
	struct top *t = f->t;
	int r = VEC_RESERVE(&ages, tasks->threads.n);

	for (size_t i = 0; !r && i < tasks->threads.n; i++) {
		const struct proctask_thread *th = &tasks->threads.v[i];
		struct top_age now = { .switches = th->switches,
				       .start_ticks = waitlive_proc(f->w, th)->start_ticks,
				       .since_ns = f->now_ns,
				       .at_least = !t->updated };
		const struct top_age *before = age_of(t, th->tid);
		bool same = before && before->start_ticks == now.start_ticks;

		if (same && before->switches == now.switches) {
			now.since_ns = before->since_ns;
			now.at_least = before->at_least;
		}
		now.cpu_ns = th->cpu_ns;
		now.queued_ns = th->queued_ns;
		if (t->updated) {
			now.new_cpu_ns = th->cpu_ns - (same ? MIN(before->cpu_ns, th->cpu_ns) : 0);
			now.new_queued_ns =
				th->queued_ns - (same ? MIN(before->queued_ns, th->queued_ns) : 0);
		}
		r = map_set(&age_of_tid, th->tid, i);
		ages.v[ages.n++] = now;
	}
	VEC_FREE(&t->ages);
	map_done(&t->age_of);
	t->ages.v = ages.v;
	t->ages.n = ages.n;
	t->ages.cap = ages.cap;
	t->age_of = age_of_tid;
	t->updated = true;
	return r;
}

static void count_states(struct top *t, const struct waitlive *w)
{
	t->threads = t->running = t->disk = 0;
	for (size_t i = 0; i < w->tables.tasks.threads.n; i++) {
		if (waitlive_proc(w, &w->tables.tasks.threads.v[i])->kthread)
			continue;
		t->threads++;
		t->running += w->waits[i].class == PROCWAIT_RUN;
		t->disk += w->waits[i].class == PROCWAIT_DISK;
	}
}

/* A thread may be in several chains. Only its link in the first of them is used, so it has only one parent.
 * In chains.v, the circles come before all other chains. So the threads of a circle use the links of the
 * circle. */
static void link_nodes(struct forest *f)
{
	for (size_t i = 0; i < f->w->chains.n; i++) {
		const struct waitlive_chain *c = &f->w->chains.v[i];

		for (size_t k = 0; c->told && !c->moving && k < c->links.n; k++) {
			bool last = k + 1 == c->links.n;
			struct node *n = &f->nodes[index_of(f, &c->links.v[k])];

			if (n->link)
				continue;
			n->chain = c;
			n->link = &c->links.v[k];
			n->circle = c->cycle;
			if (!last || c->cycle)
				n->next = index_of(f, &c->links.v[last ? 0 : k + 1]);
		}
	}
	for (uint32_t i = 0; i < f->w->tables.tasks.threads.n; i++) {
		struct node *n = &f->nodes[i];

		if (!n->link || n->next == NONE || n->circle)
			continue;
		n->sibling = f->nodes[n->next].child;
		f->nodes[n->next].child = i;
	}
}

static void put_row(struct forest *f, struct top_row row, const char *text)
{
	row.text = clean_dup(text);
	if (!row.text || VEC_PUSH(&f->t->rows, row)) {
		free(row.text);
		f->failed = true;
	}
}

static void put_text(const struct forest *f, const struct node *n, FILE *out)
{
	char task[WAITWORDS_MAX], wait[WAITWORDS_MAX], cmdline[CMDLINE_SHORT_MAX];

	waitwords_task(f->w, n->link->th, task);
	waitwords_cmdline(f->w, n->link->th, cmdline);
	if (n->next == NONE) {
		waitwords_root(n->link->wait, wait);
		fprintf(out, "%s%s %s", task, cmdline, wait);
		return;
	}
	waitwords_wait(n->link, wait);
	fprintf(out, "%s%s %s ", task, cmdline, wait);
	waitwords_task(f->w, f->nodes[n->next].link->th, task);
	fputs(task, out);
	if (n->link->one_of > 1)
		fprintf(out, " or %u other%s", n->link->one_of - 1, n->link->one_of == 2 ? "" : "s");
}

static void put_node(struct forest *f, const struct node *n, unsigned depth, const char *before)
{
	const struct top_age *age = age_of(f->t, n->link->th->tid);
	struct top_row row = { .tid = n->link->th->tid,
			       .depth = depth,
			       .waits = n->next != NONE || n->child == NONE,
			       .at_least = age->at_least,
			       .since_ns = age->since_ns,
			       .wait_ns = f->now_ns - age->since_ns };
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		f->failed = true;
		return;
	}
	fputs(before, out);
	put_text(f, n, out);
	if (fclose(out))
		f->failed = true;
	else
		put_row(f, row, text);
}

static int by_age(const void *a, const void *b, void *arg)
{
	const struct forest *f = arg;
	const struct top_age *x = age_of(f->t, f->nodes[*(const uint32_t *)a].link->th->tid);
	const struct top_age *y = age_of(f->t, f->nodes[*(const uint32_t *)b].link->th->tid);

	return x->since_ns < y->since_ns ? -1 : x->since_ns > y->since_ns;
}

static void put_children(struct forest *f, uint32_t at, unsigned depth);

static void put_subtree(struct forest *f, uint32_t at, unsigned depth, const char *before)
{
	put_node(f, &f->nodes[at], depth, before);
	if (depth < TOP_DEPTH)
		put_children(f, at, depth + 1);
	else if (f->nodes[at].child != NONE)
		put_row(f, (struct top_row){ .depth = depth }, "more tasks wait for it");
}

static void put_children(struct forest *f, uint32_t at, unsigned depth)
{
	VEC(uint32_t) children = { 0 };
	char text[64];

	for (uint32_t i = f->nodes[at].child; i != NONE && !f->failed; i = f->nodes[i].sibling)
		f->failed = VEC_PUSH(&children, i) != 0;
	if (children.n)
		qsort_r(children.v, children.n, sizeof(*children.v), by_age, f);
	for (size_t i = 0; i < children.n && i < TOP_SIBLINGS && !f->failed; i++)
		put_subtree(f, children.v[i], depth, "");
	if (children.n > TOP_SIBLINGS) {
		snprintf(text, sizeof(text), "%zu more tasks wait for it", children.n - TOP_SIBLINGS);
		put_row(f, (struct top_row){ .depth = depth }, text);
	}
	VEC_FREE(&children);
}

static uint32_t root_of(const struct forest *f, uint32_t i)
{
	while (f->nodes[i].next != NONE && !f->nodes[i].circle)
		i = f->nodes[i].next;
	return f->nodes[i].circle ? index_of(f, &f->nodes[i].chain->links.v[0]) : i;
}

static void sum_trees(struct forest *f)
{
	for (uint32_t i = 0; i < f->w->tables.tasks.threads.n; i++) {
		const struct node *n = &f->nodes[i];
		struct node *root;

		if (!n->link || (n->next == NONE && n->child != NONE))
			continue;
		root = &f->nodes[root_of(f, i)];
		root->waiters++;
		root->longest_ns =
			MAX(root->longest_ns, f->now_ns - age_of(f->t, n->link->th->tid)->since_ns);
	}
}

static void put_circle(struct forest *f, const struct waitlive_chain *c)
{
	char before[64];

	snprintf(before, sizeof(before), "%s: ", waitwords_cycle(c));
	put_subtree(f, index_of(f, &c->links.v[0]), 0, before);
	for (size_t k = 1; k < c->links.n; k++)
		put_subtree(f, index_of(f, &c->links.v[k]), 1, "");
}

static void put_tree(struct forest *f, uint32_t root)
{
	const struct node *n = &f->nodes[root];
	struct top_tree tree = { .first_row = f->t->rows.n,
				 .circle = n->circle,
				 .waiters = n->waiters,
				 .longest_ns = n->longest_ns };

	if (n->circle)
		put_circle(f, n->chain);
	else
		put_subtree(f, root, 0, "");
	tree.n_rows = f->t->rows.n - tree.first_row;
	if (VEC_PUSH(&f->t->trees, tree))
		f->failed = true;
}

static void clear_rows(struct top *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		free(t->rows.v[i].text);
	t->rows.n = t->trees.n = 0;
}

int top_update(struct top *t, const struct waitlive *w, uint64_t now_ns)
{
	size_t n = w->tables.tasks.threads.n;
	struct forest f = { .t = t, .w = w, .now_ns = now_ns, .nodes = calloc(n + 1, sizeof(*f.nodes)) };
	int r = f.nodes ? find_ages(&f) : -ENOMEM;

	if (!r)
		r = find_ended(t, now_ns);
	clear_rows(t);
	count_states(t, w);
	for (size_t i = 0; !r && i < n; i++)
		f.nodes[i].next = f.nodes[i].child = f.nodes[i].sibling = NONE;
	if (!r) {
		link_nodes(&f);
		sum_trees(&f);
	}
	for (uint32_t i = 0; !r && !f.failed && i < n; i++)
		if (f.nodes[i].link && (f.nodes[i].circle || f.nodes[i].next == NONE) && root_of(&f, i) == i)
			put_tree(&f, i);
	free(f.nodes);
	return f.failed ? -ENOMEM : r;
}

void top_done(struct top *t)
{
	clear_rows(t);
	VEC_FREE(&t->rows);
	VEC_FREE(&t->trees);
	for (size_t i = 0; i < t->ended.n; i++)
		free(t->ended.v[i].text);
	VEC_FREE(&t->ended);
	VEC_FREE(&t->ages);
	map_done(&t->age_of);
}

static bool matches(const struct top *t, const struct top_tree *tree, const char *filter)
{
	for (size_t i = 0; i < tree->n_rows; i++)
		if (strcasestr(t->rows.v[tree->first_row + i].text, filter))
			return true;
	return false;
}

struct order {
	const struct top *t;
	enum top_sort sort;
};

/* Trees with a circle come first: tasks that wait for each other usually wait for ever. */
static int in_order(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct top_tree *x = &o->t->trees.v[*(const size_t *)a];
	const struct top_tree *y = &o->t->trees.v[*(const size_t *)b];

	if (x->circle != y->circle)
		return x->circle ? -1 : 1;
	if (o->sort == TOP_WAITERS && x->waiters != y->waiters)
		return x->waiters > y->waiters ? -1 : 1;
	if (x->longest_ns != y->longest_ns)
		return x->longest_ns > y->longest_ns ? -1 : 1;
	return x->first_row < y->first_row ? -1 : 1;
}

int top_pick(const struct top *t, enum top_sort sort, const char *filter, struct top_pick *ret)
{
	struct order o = { t, sort };
	struct top_pick p = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < t->trees.n; i++)
		if (matches(t, &t->trees.v[i], filter))
			r = VEC_PUSH(&p.trees, i);
	for (size_t i = 0; !r && i < t->ended.n; i++)
		if (strcasestr(t->ended.v[i].text, filter))
			r = VEC_PUSH(&p.ended, i);
	if (p.trees.n)
		qsort_r(p.trees.v, p.trees.n, sizeof(*p.trees.v), in_order, &o);
	*ret = p;
	return r;
}

void top_pick_done(struct top_pick *p)
{
	VEC_FREE(&p->trees);
	VEC_FREE(&p->ended);
}
