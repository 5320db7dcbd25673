// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/attributes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/stats/levels.h"
#include "lib/cleanup.h"

/* The transactions of one type: t->v[lo .. hi). */
struct looking {
	struct transactions *t;
	size_t lo, hi;
	uint64_t *values; /* [ATTRIBUTES * (index in t->v - lo) + attribute] */
};

static uint64_t *value_of(const struct looking *k, size_t i, uint8_t what)
{
	return &k->values[(i - k->lo) * ATTRIBUTES + what];
}

static uint64_t cpu_of(const struct graph *g, const struct transaction *x)
{
	uint32_t first, i;

	if (x->end_task == GRAPH_NONE)
		return ATTRIBUTE_UNKNOWN;
	first = g->tasks[x->end_task].first_interval;
	i = graph_interval_at(g, x->end_task, x->to_ns - 1);
	for (; i != GRAPH_NONE && g->intervals[i].to_ns > x->from_ns; i--) {
		if (g->intervals[i].state == INTERVAL_RUNNING)
			return g->intervals[i].cpu;
		if (i == first)
			break;
	}
	return ATTRIBUTE_UNKNOWN;
}

static int get_cgroup(struct transactions *t, const struct transaction *x, uint64_t *ret)
{
	const char *cgroup = graph_place(t->g, x->end_task, x->to_ns - 1).cgroup;
	size_t at;

	*ret = ATTRIBUTE_UNKNOWN;
	if (!cgroup[0])
		return 0;
	if (texts_add(&t->cgroups, cgroup, &at))
		return -ENOMEM;
	*ret = at;
	return 0;
}

/* A wait for a page may be a wait for a disk too: the page of a file or of the swap space. */
static bool time_is_disk(uint8_t time)
{
	return time == TIME_DISK || time == TIME_FAULT;
}

static uint64_t waits_for_disk(const struct transactions *t, const struct transaction *x)
{
	for (size_t i = 0; i < x->n_parts; i++)
		if (time_is_disk(t->parts[x->first_part + i].time))
			return 1;
	return 0;
}

/* The transactions are sorted by their begin, so the first one of a process comes first. */
static int find_firsts(const struct looking *k)
{
	const struct graph *g = k->t->g;
	struct map seen = { 0 };
	int r = 0;

	for (size_t i = k->lo; i < k->hi && !r; i++) {
		const struct transaction *x = &k->t->v[i];
		uint32_t end = x->end_task, process = GRAPH_NONE;

		if (end != GRAPH_NONE)
			process = graph_task_at(g, g->tasks[end].tgid, x->from_ns);
		if (process == GRAPH_NONE || !g->tasks[process].born_ns || map_get(&seen, process, NULL))
			continue;
		*value_of(k, i, ATTRIBUTE_FIRST) = 1;
		r = map_set(&seen, process, 1);
	}
	map_done(&seen);
	return r;
}

static uint64_t power_of_two(uint64_t n)
{
	return n ? 1ULL << (63 - __builtin_clzll(n)) : 0;
}

/* A transaction without an end may be over, so it does not count as under way. */
static int count_others(const struct looking *k)
{
	_cleanup_free_ uint64_t *ends = malloc((k->hi - k->lo + 1) * sizeof(*ends));
	size_t n = 0, begun = 0, ended = 0;

	if (!ends)
		return -ENOMEM;
	for (size_t i = k->lo; i < k->hi; i++)
		if (k->t->v[i].to_ns)
			ends[n++] = k->t->v[i].to_ns;
	quantiles_sort(ends, n);
	for (size_t i = k->lo; i < k->hi; i++) {
		while (ended < n && ends[ended] <= k->t->v[i].from_ns)
			ended++;
		*value_of(k, i, ATTRIBUTE_OTHERS) = power_of_two(begun - ended);
		begun += k->t->v[i].to_ns != 0;
	}
	return 0;
}

static int look(const struct looking *k, const uint32_t *v, size_t n)
{
	int r = find_firsts(k);

	if (!r)
		r = count_others(k);
	for (size_t i = 0; i < n && !r; i++) {
		const struct transaction *x = &k->t->v[v[i]];

		*value_of(k, v[i], ATTRIBUTE_CPU) = cpu_of(k->t->g, x);
		*value_of(k, v[i], ATTRIBUTE_DISK) = waits_for_disk(k->t, x);
		r = get_cgroup(k->t, x, value_of(k, v[i], ATTRIBUTE_CGROUP));
	}
	return r;
}

/* Sets of[i] to the level of v[i], and the values and counts of the levels. */
static int fill_levels(const struct looking *k, const uint32_t *v, size_t n, uint32_t *of,
		       struct transaction_attribute *a)
{
	struct map at = { 0 };
	size_t cap = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		uint64_t value = *value_of(k, v[i], a->what), level = a->n_levels;

		if (!map_get(&at, value, &level)) {
			r = vec_grow((void **)&a->levels, &cap, a->n_levels + 1, sizeof(*a->levels));
			if (!r)
				a->levels[a->n_levels++] = (struct attribute_level){ .value = value };
			r = r ? r : map_set(&at, value, level);
		}
		of[i] = (uint32_t)level;
		if (!r)
			a->levels[level].count++;
	}
	map_done(&at);
	return r;
}

static int by_mean(const void *a, const void *b)
{
	const struct attribute_level *x = a, *y = b;

	if (x->mean_ns != y->mean_ns)
		return x->mean_ns > y->mean_ns ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int by_share(const void *a, const void *b)
{
	const struct transaction_attribute *x = a, *y = b;

	if (x->by_chance != y->by_chance)
		return x->by_chance ? 1 : -1;
	if (x->variance != y->variance)
		return x->variance > y->variance ? -1 : 1;
	return (int)x->what - (int)y->what;
}

/* of: [attribute * n + i] is the level of transaction v[i]. */
static int explain(const struct looking *k, const uint32_t *v, size_t n, const uint32_t *of,
		   struct transaction_type *ret)
{
	_cleanup_free_ double *ns = malloc((n + 1) * sizeof(*ns));
	struct levels_factor factors[ATTRIBUTES];
	int r;

	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ns[i] = (double)(k->t->v[v[i]].to_ns - k->t->v[v[i]].from_ns);
	for (size_t a = 0; a < ret->n_attributes; a++) {
		struct transaction_attribute *x = &ret->attributes[a];

		factors[a] = (struct levels_factor){ .of = of + x->what * n, .n_levels = x->n_levels };
		for (size_t i = 0; i < n; i++) {
			struct attribute_level *level = &x->levels[factors[a].of[i]];

			level->mean_ns += ns[i] / (double)level->count;
		}
	}
	r = levels_explain(ns, n, factors, ret->n_attributes);
	for (size_t a = 0; a < ret->n_attributes; a++) {
		struct transaction_attribute *x = &ret->attributes[a];

		x->variance = factors[a].share;
		x->by_chance = factors[a].by_chance;
		qsort(x->levels, x->n_levels, sizeof(*x->levels), by_mean);
	}
	if (ret->n_attributes)
		qsort(ret->attributes, ret->n_attributes, sizeof(*ret->attributes), by_share);
	return r;
}

static int compare(const struct looking *k, const uint32_t *v, size_t n, struct transaction_type *ret)
{
	_cleanup_free_ uint32_t *of = malloc((n * ATTRIBUTES + 1) * sizeof(*of));

	if (!of)
		return -ENOMEM;
	for (uint8_t what = 0; what < ATTRIBUTES; what++) {
		struct transaction_attribute a = { .what = what };
		int r = fill_levels(k, v, n, of + what * n, &a);

		if (!r && a.n_levels > 1 && a.n_levels <= n / 2)
			ret->attributes[ret->n_attributes++] = a;
		else
			free(a.levels);
		if (r)
			return r;
	}
	return explain(k, v, n, of, ret);
}

int attributes_fill(struct transactions *t, uint32_t type, const uint32_t *v, size_t n,
		    struct transaction_type *ret)
{
	struct looking k = { .t = t };
	int r = -ENOMEM;

	while (k.lo < t->n && t->v[k.lo].type != type)
		k.lo++;
	for (k.hi = k.lo; k.hi < t->n && t->v[k.hi].type == type; k.hi++)
		;
	k.values = calloc((k.hi - k.lo) * ATTRIBUTES + 1, sizeof(*k.values));
	ret->attributes = calloc(ATTRIBUTES, sizeof(*ret->attributes));
	if (k.values && ret->attributes)
		r = look(&k, v, n);
	if (!r)
		r = compare(&k, v, n, ret);
	free(k.values);
	return r;
}

void attributes_done(struct transaction_type *type)
{
	for (size_t i = 0; i < type->n_attributes; i++)
		free(type->attributes[i].levels);
	free(type->attributes);
}

const char *attribute_name(uint8_t what)
{
	static const char *const names[ATTRIBUTES] = { "cpu", "cgroup", "disk", "first", "others" };

	return names[what];
}

static void put_others(uint64_t least, char buf[ATTRIBUTE_WORDS_MAX])
{
	if (least > 1)
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "while %" PRIu64 " to %" PRIu64 " others were under way",
			 least, 2 * least - 1);
	else
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "while %s under way",
			 least ? "1 other was" : "no other was");
}

static void put_cpu(uint64_t cpu, char buf[ATTRIBUTE_WORDS_MAX])
{
	if (cpu == ATTRIBUTE_UNKNOWN)
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "on a CPU that is not known");
	else
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "on CPU %" PRIu64, cpu);
}

const char *attribute_words(const struct transactions *t, uint8_t what, uint64_t value,
			    char buf[ATTRIBUTE_WORDS_MAX])
{
	switch ((enum transaction_attribute_kind)what) {
	case ATTRIBUTE_CPU:
		put_cpu(value, buf);
		break;
	case ATTRIBUTE_CGROUP:
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "in %s",
			 value == ATTRIBUTE_UNKNOWN ? "a control group that is not known"
						    : t->cgroups.v.v[value]);
		break;
	case ATTRIBUTE_DISK:
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "%s a wait for a disk or a page",
			 value ? "with" : "without");
		break;
	case ATTRIBUTE_FIRST:
		snprintf(buf, ATTRIBUTE_WORDS_MAX, "for %s",
			 value ? "the first one of a process" : "later ones");
		break;
	case ATTRIBUTE_OTHERS:
		put_others(value, buf);
		break;
	case ATTRIBUTES:
		break;
	}
	return buf;
}
