// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/unprobed.h"

#include <errno.h>

#include "analysis/thresholds.h"
#include "ctrace/fields.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/map.h"

static int unprobed_cmp(const void *a, const void *b)
{
	const struct unprobed *x = a, *y = b;

	if (x->framework != y->framework)
		return x->framework < y->framework ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Returns when a time ends whose end has no record. */
static uint64_t lapse_ns(const struct unprobed *u)
{
	return u->told_ns + UNPROBED_TOLD_NS;
}

/* open: framework -> index in v of its time that has not ended */
static int read_record(const struct window *w, const struct window_event *e, struct map *open,
		       unprobed_list *v)
{
	uint16_t framework = ct_job_framework(&e->r);
	uint64_t since_ns = MIN(window_words(w, e)[0], e->r.ts), at;
	struct unprobed *last = map_get(open, framework, &at) ? &v->v[at] : NULL;
	struct unprobed one = { .framework = framework,
				.obj = e->r.obj,
				.from_ns = since_ns,
				.to_ns = UINT64_MAX,
				.told_ns = e->r.ts };

	if (last && last->from_ns != since_ns) {
		last->to_ns = MIN(lapse_ns(last), since_ns);
		map_del(open, framework);
		last = NULL;
	}
	if (ct_job_state(&e->r) == CT_JOB_ON) {
		one.to_ns = e->r.ts;
		if (last)
			last->to_ns = e->r.ts;
		map_del(open, framework);
		/* The window may begin while the probes are detached. At its start, the daemon writes a
		 * record whose time has no length. */
		return last || since_ns == e->r.ts ? 0 : VEC_PUSH(v, one);
	}
	if (last) {
		last->told_ns = e->r.ts;
		return 0;
	}
	return VEC_PUSH(v, one) ?: map_set(open, framework, v->n - 1);
}

int unprobed_find(const struct window *w, unprobed_list *ret)
{
	struct map open = { 0 };
	int r = 0;

	for (size_t i = window_next_words(w, 0); i < w->n_events && !r; i = window_next_words(w, i + 1))
		if (w->events[i].r.kind == CT_JOB && ct_job_state(&w->events[i].r) > CT_JOB_END)
			r = read_record(w, &w->events[i], &open, ret);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].to_ns == UINT64_MAX && lapse_ns(&ret->v[i]) < w->events[w->n_events - 1].r.ts)
			ret->v[i].to_ns = lapse_ns(&ret->v[i]);
	map_done(&open);
	VEC_SORT(ret, unprobed_cmp);
	return r ? -ENOMEM : 0;
}

const struct unprobed *unprobed_after(const unprobed_list *v, uint16_t framework, uint64_t ts_ns)
{
	size_t i = BISECT(k, 0, v->n,
			  v->v[k].framework > framework ||
				  (v->v[k].framework == framework && v->v[k].to_ns > ts_ns));

	return i < v->n && v->v[i].framework == framework ? &v->v[i] : NULL;
}

void unprobed_keep(unprobed_list *v, uint64_t from_ns, uint64_t to_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].from_ns < to_ns && v->v[i].to_ns > from_ns)
			v->v[n++] = v->v[i];
	v->n = n;
}
