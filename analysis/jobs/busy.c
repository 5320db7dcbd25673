// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/busy.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/account/quantiles.h"
#include "lib/cleanup.h"

static int start_cmp(const void *a, const void *b)
{
	const struct job *x = *(struct job *const *)a, *y = *(struct job *const *)b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static uint64_t until_ns(const struct job *j)
{
	return j->end_ns ? MAX(j->end_ns, j->start_ns) : UINT64_MAX;
}

int busy_find(struct job *v, size_t n, busy_list *ret)
{
	_cleanup_free_ struct job **jobs = malloc((n + 1) * sizeof(*jobs));
	struct job *longest = NULL; /* of the jobs in the last element of ret, the one that ends last */
	size_t k = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (v[i].start_ns)
			jobs[k++] = &v[i];
	qsort(jobs, k, sizeof(*jobs), start_cmp);
	for (size_t i = 0; i < k; i++) {
		struct job *j = jobs[i];
		struct busy one = { j->worker, j->start_ns, until_ns(j) };

		if (!longest || longest->worker != j->worker || until_ns(longest) <= j->start_ns) {
			if (VEC_PUSH(ret, one))
				return -ENOMEM;
			longest = j;
			continue;
		}
		longest->outer = true;
		jobs[i - 1]->outer |= until_ns(jobs[i - 1]) > j->start_ns;
		if (one.to_ns > until_ns(longest)) {
			longest = j;
			ret->v[ret->n - 1].to_ns = one.to_ns;
		}
	}
	return 0;
}

int busy_all(const busy_list *v, uint32_t threads, uint64_t from_ns, uint64_t to_ns, uint64_t *ret)
{
	_cleanup_free_ uint64_t *begins = malloc((v->n + 1) * sizeof(*begins)),
				*ends = malloc((v->n + 1) * sizeof(*ends));
	uint64_t since_ns = 0, sum_ns = 0;
	size_t begun = 0;

	if (!begins || !ends)
		return -ENOMEM;
	for (size_t i = 0; i < v->n; i++) {
		begins[i] = v->v[i].from_ns;
		ends[i] = v->v[i].to_ns;
	}
	quantiles_sort(begins, v->n);
	quantiles_sort(ends, v->n);
	for (size_t ended = 0; ended < v->n;) {
		bool begin = begun < v->n && begins[begun] < ends[ended];
		uint64_t now_ns = MIN(begin ? begins[begun] : ends[ended], to_ns);

		if (begun - ended >= threads && now_ns > MAX(since_ns, from_ns))
			sum_ns += now_ns - MAX(since_ns, from_ns);
		since_ns = now_ns;
		begun += begin;
		ended += !begin;
	}
	*ret = sum_ns;
	return 0;
}
