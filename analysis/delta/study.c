// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/delta/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "trace/words/texts.h"

static size_t find_groups(const struct study_run *runs, size_t n, size_t *first)
{
	size_t n_groups = 0;

	for (int known = 1; known >= 0; known--)
		for (size_t i = 0; i < n; i++) {
			size_t g = 0;

			if (runs[i].known != known)
				continue;
			while (g < n_groups && texts_order(runs[first[g]].label, runs[i].label))
				g++;
			if (g == n_groups)
				first[n_groups++] = i;
		}
	return n_groups;
}

static size_t take_group(const struct study_run *runs, size_t n, const char *label,
			 const struct profile **ret)
{
	size_t n_taken = 0;

	for (size_t i = 0; i < n; i++)
		if (!texts_order(runs[i].label, label))
			ret[n_taken++] = runs[i].profile;
	return n_taken;
}

static uint64_t distance(const struct study_group *g)
{
	return (uint64_t)llabs(g->delta->difference_ns);
}

static int build(struct study *s, const struct study_run *runs, size_t n, enum delta_metric metric)
{
	_cleanup_free_ const struct profile **base = calloc(n, sizeof(*base)), **of = calloc(n, sizeof(*of));
	_cleanup_free_ size_t *first = calloc(n, sizeof(*first));
	size_t n_groups, n_base, n_of;

	if (!base || !of || !first)
		return -ENOMEM;
	n_groups = find_groups(runs, n, first);
	s->groups = calloc(n_groups, sizeof(*s->groups));
	if (!s->groups)
		return -ENOMEM;
	n_base = take_group(runs, n, runs[first[0]].label, base);
	for (size_t i = 0; i < n_groups; i++) {
		struct study_group *g = &s->groups[i];
		int r;

		g->first = first[i];
		n_of = take_group(runs, n, runs[first[i]].label, of);
		r = delta_new(base, n_base, of, n_of, metric, &g->delta);
		if (r)
			return r;
		s->n_groups++;
		for (size_t k = 0; k < g->delta->n_rows; k++)
			g->class_ns[g->delta->rows[k].class] += g->delta->rows[k].new_ns;
		if (distance(g) > distance(&s->groups[s->furthest]))
			s->furthest = i;
	}
	return 0;
}

int study_new(const struct study_run *runs, size_t n, enum delta_metric metric, struct study **ret)
{
	struct study *s = calloc(1, sizeof(*s));
	int r = s ? build(s, runs, n, metric) : -ENOMEM;

	if (r) {
		study_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void study_free(struct study *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_groups; i++)
		delta_free(s->groups[i].delta);
	free(s->groups);
	free(s);
}

const struct delta_row *study_reason(const struct study_group *g)
{
	const struct delta *d = g->delta;

	for (size_t i = 0; i < d->n_rows && d->difference_ns; i++)
		if (d->rows[i].difference_ns && (d->rows[i].difference_ns > 0) == (d->difference_ns > 0))
			return &d->rows[i];
	return NULL;
}
