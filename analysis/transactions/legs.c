// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/legs.h"

#include <errno.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"

static int add(leg_list *ret, struct transaction_leg leg)
{
	if (leg.from_ns >= leg.to_ns)
		return 0;
	return VEC_PUSH(ret, leg);
}

static struct transaction_leg plain(uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	return (struct transaction_leg){
		.from_ns = from_ns, .to_ns = to_ns, .task = task, .part = { .request = GRAPH_NONE }
	};
}

/* Adds the time as legs of `task`. The time before the birth of `task` goes to the task that forked it. */
static int add_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, leg_list *ret)
{
	struct transaction_leg back[TRANSACTION_FORKS];
	size_t n = 0;
	int r = 0;

	while (to_ns > from_ns) {
		bool known = task != GRAPH_NONE && n + 1 < ARRAY_SIZE(back);
		uint64_t born_ns = known ? g->tasks[task].born_ns : 0;
		uint64_t at = MAX(born_ns, from_ns);

		at = MIN(at, to_ns);
		back[n++] = plain(known ? task : GRAPH_NONE, at, to_ns);
		to_ns = at;
		task = known ? g->tasks[task].parent : GRAPH_NONE;
	}
	while (n-- > 0 && !r)
		r = add(ret, back[n]);
	return r;
}

static int add_request(const struct transactions *t, const struct transaction *x, leg_list *ret)
{
	part_list parts = { 0 };
	int r = parts_of(&t->services->parts, x->request, &parts);

	for (size_t i = 0; i < parts.n && !r; i++) {
		const struct part *p = &parts.v[i];

		r = add(ret, (struct transaction_leg){ .from_ns = p->from_ns,
						       .to_ns = p->to_ns,
						       .task = p->task,
						       .part = *p,
						       .queued = p->kind == PART_QUEUED,
						       .outside = p->kind == PART_OUTSIDE ||
								  p->kind == PART_DELIVERY ||
								  p->task == GRAPH_NONE });
	}
	VEC_FREE(&parts);
	return r;
}

static int add_job(const struct transaction *x, leg_list *ret)
{
	uint32_t owner = x->begin_task == GRAPH_NONE ? x->end_task : x->begin_task;
	struct transaction_leg queued = plain(owner, x->from_ns, x->start_ns);
	int r;

	queued.queued = true;
	r = add(ret, queued);
	return r ? r : add(ret, plain(x->end_task, MAX(x->start_ns, x->from_ns), x->to_ns));
}

int legs_of(const struct transactions *t, const struct transaction *x, leg_list *ret)
{
	switch ((enum transaction_source)x->source) {
	case TRANSACTION_REQUEST:
		return add_request(t, x, ret);
	case TRANSACTION_JOB:
		return add_job(x, ret);
	case TRANSACTION_MARK:
	case TRANSACTION_PROCESS:
	case TRANSACTION_INPUT:
	case TRANSACTION_TIMER:
	case TRANSACTION_SOURCES:
		break;
	}
	return add_task(t->g, x->end_task, x->from_ns, x->to_ns, ret);
}
