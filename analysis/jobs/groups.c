// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jobs/callers.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"
#include "trace/words/texts.h"

#define CALLER_MAX 100

typedef VEC(struct job_group) group_list;

struct job_times groups_times(const struct job *v, size_t n, uint64_t *buf)
{
	struct job_times t = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		t.count += v[i].start_ns != 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].queued_ns && v[i].start_ns)
			buf[k++] = job_queueing_ns(&v[i], 0);
	quantiles_sort(buf, k);
	t.queueing = quantiles_of(buf, k);
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].start_ns && v[i].end_ns)
			buf[k++] = job_execution_ns(&v[i]);
	quantiles_sort(buf, k);
	t.execution = quantiles_of(buf, k);
	return t;
}

static int kind_cmp(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	const struct job *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->enqueuer == y->enqueuer || x->enqueuer == GRAPH_NONE || y->enqueuer == GRAPH_NONE)
		return (x->enqueuer == GRAPH_NONE) - (y->enqueuer == GRAPH_NONE);
	return texts_order(graph_comm(g, x->enqueuer, x->queued_ns),
			   graph_comm(g, y->enqueuer, y->queued_ns));
}

static int most_time_cmp(const void *a, const void *b)
{
	const struct job_group *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void sum_so_far(struct job_group *x, const struct job *v, size_t n, uint64_t to_ns, uint64_t *buf)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].start_ns)
			continue;
		x->n_ended += v[i].end_ns != 0;
		x->so_far_ns += buf[k++] = job_so_far_ns(&v[i], to_ns);
	}
	quantiles_sort(buf, k);
	x->so_far_p50_ns = quantiles_of(buf, k).p50;
}

static struct job_group group_of(const struct job *v, size_t n, uint64_t to_ns, uint64_t *buf)
{
	struct job_group x = { .enqueuer = v[0].enqueuer, .function = v[0].function };

	for (size_t i = 0; i < n; i++) {
		x.total_ns += job_execution_ns(&v[i]);
		x.n_stacks += v[i].stack != 0;
	}
	x.times = groups_times(v, n, buf);
	sum_so_far(&x, v, n, to_ns, buf);
	return x;
}

/* A stack of the jobs of one kind. */
struct seen {
	uint64_t id;
	size_t jobs;
	uint32_t cluster;
};

struct stacks {
	struct map index; /* id of a stack -> index in `v` */
	VEC(struct seen) v;
};

static int count_stacks(const struct job *v, size_t n, struct stacks *k)
{
	uint64_t at;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		if (!v[i].stack)
			continue;
		if (!map_get(&k->index, v[i].stack, &at)) {
			at = k->v.n;
			r = VEC_PUSH(&k->v, (struct seen){ .id = v[i].stack }) ||
			    map_set(&k->index, v[i].stack, at);
		}
		if (!r)
			k->v.v[at].jobs++;
	}
	return r ? -ENOMEM : 0;
}

/* Returns the number of clusters, or -ENOMEM. */
static int64_t cluster_stacks(const struct graph *g, struct stacks *k)
{
	_cleanup_free_ uint64_t *ids = malloc((k->v.n + 1) * sizeof(*ids));
	_cleanup_free_ uint32_t *of = malloc((k->v.n + 1) * sizeof(*of));
	int64_t clusters;

	if (!ids || !of)
		return -ENOMEM;
	for (size_t i = 0; i < k->v.n; i++)
		ids[i] = k->v.v[i].id;
	clusters = callers_find(g->w, ids, k->v.n, of);
	for (size_t i = 0; i < k->v.n && clusters >= 0; i++)
		k->v.v[i].cluster = of[i];
	return clusters;
}

/* Of the stacks of a cluster, the one of most jobs is shown. */
static void choose_stack(struct job_group *x, const struct stacks *k, uint32_t cluster)
{
	size_t most = 0;

	for (size_t i = 0; i < k->v.n; i++) {
		const struct seen *s = &k->v.v[i];

		if (s->cluster != cluster)
			continue;
		x->n_alike++;
		if (s->jobs > most) {
			most = s->jobs;
			x->stack = s->id;
		}
	}
}

static int cluster_cmp(const void *a, const void *b, void *stacks)
{
	const struct stacks *k = stacks;
	const struct job *x = a, *y = b;
	uint64_t i = 0, j = 0;

	if (!x->stack || !y->stack)
		return (x->stack == 0) - (y->stack == 0);
	map_get(&k->index, x->stack, &i);
	map_get(&k->index, y->stack, &j);
	if (k->v.v[i].cluster != k->v.v[j].cluster)
		return k->v.v[i].cluster < k->v.v[j].cluster ? -1 : 1;
	return 0;
}

static uint64_t function_of(const char *frame)
{
	return hash_bytes(HASH_START, frame, frame_function_len(frame));
}

/* Adds 1 to the number of each function of the stack. The number says how many groups have the function. */
static int count_functions(const struct window_stack *s, uint64_t group, struct map *last, struct map *number)
{
	int r = 0;

	for (unsigned i = 1; i < s->n_frames && !r; i++) {
		uint64_t f = function_of(s->frames[i]), n = 0, in = UINT64_MAX;

		if (map_get(last, f, &in) && in == group)
			continue;
		map_get(number, f, &n);
		r = map_set(number, f, n + 1) ?: map_set(last, f, group);
	}
	return r;
}

/* Returns a function that not all groups have. Those of the program itself come first, then those that the
 * fewest groups have, then the innermost ones. If all groups have all functions: as if not all groups had
 * them. */
static const char *caller_of(const struct window_stack *s, const struct map *number, size_t groups)
{
	const char *best = NULL;
	uint64_t fewest = 0;
	int most = -1;

	for (unsigned i = 1; i < s->n_frames && !frame_is_rest(s->frames[i]); i++) {
		const char *frame = s->frames[i];
		uint64_t n = 0;
		int rank;

		map_get(number, function_of(frame), &n);
		rank = 4 * (n < groups) + 2 * frame_is_own_code(frame) + !frame_is_library(frame);
		if (rank < most || (rank == most && n >= fewest))
			continue;
		most = rank;
		fewest = n;
		best = frame;
	}
	return best;
}

/* v: the n groups of one kind, which differ in their callers. */
static int name_callers(const struct graph *g, struct job_group *v, size_t n)
{
	struct map last = { 0 }, number = { 0 };
	size_t stacks = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		if (!v[i].stack)
			continue;
		stacks++;
		r = count_functions(window_stack(g->w, v[i].stack), i, &last, &number);
	}
	for (size_t i = 0; i < n && !r; i++)
		if (v[i].stack)
			v[i].caller = caller_of(window_stack(g->w, v[i].stack), &number, stacks);
	map_done(&last);
	map_done(&number);
	return r;
}

/* v: the n jobs of one kind. If all their stacks are of one cluster, the kind is one group: the jobs without
 * a stack probably have the same caller. Otherwise each cluster is a group, and so are the jobs without a
 * stack. */
static int add_groups(const struct graph *g, struct job *v, size_t n, uint64_t to_ns, uint64_t *buf,
		      group_list *ret)
{
	struct stacks k = { 0 };
	size_t first = ret->n;
	int64_t clusters = count_stacks(v, n, &k);

	if (!clusters)
		clusters = cluster_stacks(g, &k);
	if (clusters > 1)
		qsort_r(v, n, sizeof(*v), cluster_cmp, &k);
	for (size_t lo = 0, hi; lo < n && clusters >= 0; lo = hi) {
		struct job_group x;
		uint64_t at = 0;

		for (hi = clusters > 1 ? lo : n; hi < n && !cluster_cmp(&v[lo], &v[hi], &k);)
			hi++;
		x = group_of(v + lo, hi - lo, to_ns, buf);
		if (map_get(&k.index, v[lo].stack, &at) || clusters == 1)
			choose_stack(&x, &k, clusters == 1 ? 0 : k.v.v[at].cluster);
		x.rest = clusters > 1 && !v[lo].stack;
		if (VEC_PUSH(ret, x))
			clusters = -ENOMEM;
	}
	if (clusters > 1 && name_callers(g, ret->v + first, ret->n - first))
		clusters = -ENOMEM;
	map_done(&k.index);
	VEC_FREE(&k.v);
	return clusters < 0 ? -ENOMEM : 0;
}

int groups_fill(const struct graph *g, struct queue *q, struct job *v, size_t n, uint64_t to_ns,
		uint64_t *buf)
{
	group_list kinds = { 0 }, groups = { 0 };
	int r = 0;

	qsort_r(v, n, sizeof(*v), kind_cmp, (void *)g);
	for (size_t lo = 0, hi; lo < n && !r; lo = hi) {
		for (hi = lo; hi < n && !kind_cmp(&v[lo], &v[hi], (void *)g); hi++)
			;
		r = VEC_PUSH(&kinds, group_of(v + lo, hi - lo, to_ns, buf)) ? -ENOMEM : 0;
		if (!r)
			r = add_groups(g, v + lo, hi - lo, to_ns, buf, &groups);
	}
	VEC_SORT(&kinds, most_time_cmp);
	VEC_SORT(&groups, most_time_cmp);
	q->kinds = kinds.v;
	q->n_kinds = kinds.n;
	q->groups = groups.v;
	q->n_groups = groups.n;
	return r;
}

static void add_caller(const struct job_group *x, char buf[QUEUE_NAME_MAX])
{
	char text[CALLER_MAX], clean[CALLER_MAX];
	size_t at = strlen(buf);

	if (x->rest)
		snprintf(buf + at, QUEUE_NAME_MAX - at, ", call stack not recorded");
	if (!x->caller)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)frame_function_len(x->caller), x->caller);
	describe_clean(text, clean, sizeof(clean));
	snprintf(buf + at, QUEUE_NAME_MAX - at, " in %s", clean);
}

const char *queue_group_name(const struct graph *g, const struct job_group *x, char buf[QUEUE_NAME_MAX])
{
	char comm[64] = "";

	if (x->enqueuer != GRAPH_NONE)
		describe_clean(graph_comm(g, x->enqueuer, g->w->to_ns), comm, sizeof(comm));
	if (x->function)
		snprintf(buf, QUEUE_NAME_MAX, "function 0x%" PRIx64 "%s%s", x->function,
			 comm[0] ? ", enqueued by " : "", comm);
	else
		snprintf(buf, QUEUE_NAME_MAX, "enqueued by %s",
			 comm[0] ? comm : "a thread that is not known");
	add_caller(x, buf);
	return buf;
}
