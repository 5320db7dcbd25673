// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/against_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/across.h"
#include "analysis/compare/against_words.h"
#include "analysis/compare/missing_wake_steps.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

struct walk {
	const struct graph *g, *good;
	const struct hops *h;
	struct missing_wake *m;
	struct against *a;
	bool steady; /* the waker of m->reference ended at least MISSING_GOOD_COUNT similar waits */
};

static bool is_on_path(const struct walk *w, uint32_t task)
{
	if (task == w->g->intervals[w->m->wait].task)
		return true;
	for (uint32_t i = 0; i < w->m->n_steps; i++)
		if (w->m->steps[i].task == task)
			return true;
	return false;
}

/* Returns true if `task` is related to `of` as the good trace says (`as`). In the good trace, the
 * parent of a process may be unknown. So if `as` is RELATION_OTHER, a task of any other process
 * matches. */
static bool is_related(const struct graph *g, uint32_t of, uint32_t task, enum relation as)
{
	enum relation relation = across_relation(g, of, task);

	return relation == as || (as == RELATION_OTHER && relation != RELATION_THREAD);
}

/* Finds the tasks of the examined trace that should wake the task `of`. In the good trace, task A (the task
 * of hop k) ended a wait of task B. So the tasks must have the role of A, and must be related to `of` as A
 * is to B (is_related()). Example: if A is a child of B, the tasks must be children of `of`. If no such task
 * lives in [from_ns, to_ns), finds the tasks that ended before. */
static void find_tasks(const struct walk *w, uint32_t k, uint32_t of, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t waker = w->h->v[k].blame.task, wakee = w->good->intervals[w->h->v[k].wait].task;
	enum relation relation = across_relation(w->good, wakee, waker);

	w->a->n_tasks = 0;
	for (int gone = 0; gone < 2 && !w->a->n_tasks; gone++)
		for (uint32_t i = 0; i < w->g->n_tasks; i++) {
			const struct graph_task *t = &w->g->tasks[i];

			if (!t->n_intervals || t->born_ns >= to_ns || (t->exit_ns <= from_ns) != gone ||
			    is_on_path(w, i) || !is_related(w->g, of, i, relation) ||
			    !across_role(w->g, i, w->good, waker))
				continue;
			if (w->a->n_tasks < AGAINST_TASKS)
				w->a->tasks[w->a->n_tasks] = i;
			w->a->n_tasks++;
		}
}

/* step->task is the task in the examined trace that has the role of the task of hop k in the good trace.
 * Counts the waits of step->task that are like the trigger of hop k (struct hop). A wait counts only if both
 * are true:
 * - The wait is at the same place as the trigger (across_same_place()).
 * - A task with the role of the task of hop k + 1 ended the wait. If hop k is the last hop: no task ended the
 *   wait, but for example a timer. */
static uint32_t count_triggers(const struct walk *w, uint32_t k, const struct missing_wake_step *step)
{
	const struct graph_task *t = &w->g->tasks[step->task];
	const struct interval *like = &w->good->intervals[w->h->v[k].trigger];
	uint32_t i = graph_interval_at(w->g, step->task, step->from_ns), n = 0, looked = 0;
	struct blame b;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && looked < SIMILAR_LOOKS; i++) {
		const struct interval *s = &w->g->intervals[i];

		if (s->to_ns >= step->to_ns)
			break;
		if (s->state != INTERVAL_BLOCKED || s->wake == GRAPH_NONE ||
		    !across_same_place(w->g, s, w->good, like))
			continue;
		looked++;
		blame_wait(w->g, i, s->to_ns, &b);
		if (k + 1 == w->h->n)
			n += b.ended && b.task == GRAPH_NONE;
		else
			n += b.ended && b.task != GRAPH_NONE &&
			     across_role(w->g, b.task, w->good, w->h->v[k + 1].blame.task);
	}
	return n;
}

static bool look_at(struct walk *w, uint32_t k)
{
	struct missing_wake *m = w->m;
	struct missing_wake_step *step = &m->steps[m->n_steps - 1];
	const struct graph_task *t = &w->g->tasks[step->task];
	struct doing none = { .interval = GRAPH_NONE }, d;
	uint32_t trigger = w->h->v[k].trigger;
	const struct interval *s;
	bool usual, most, driven;

	if (t->exit_ns < step->from_ns + (step->to_ns - step->from_ns) / 2) {
		/* If tasks of this role always live only briefly, the exit of this task is not the
		 * reason for the missing wake-up, so no task is named. Only for hop 0 it is known
		 * whether tasks of the role live longer (w->steady). */
		if (k || !w->steady)
			m->n_steps = 0;
		missing_wake_name(m, MISSING_ENDED, &none, t->exit_ns);
		return false;
	}
	d = missing_wake_doing(w->g, step->task, step->from_ns, step->to_ns);
	if (d.interval == GRAPH_NONE ||
	    missing_wake_woke_others(w->g, w->g->intervals[step->wait].obj, w->g->intervals[step->wait].task,
				     step->from_ns, step->to_ns)) {
		m->n_steps = 0;
		return false;
	}
	s = &w->g->intervals[d.interval];
	most = d.ns >= (step->to_ns - step->from_ns) / 2;
	usual = s->state == INTERVAL_BLOCKED && trigger != GRAPH_NONE &&
		across_same_place(w->g, s, w->good, &w->good->intervals[trigger]);
	driven = trigger != GRAPH_NONE && (k + 1 < w->h->n || w->h->timer);
	missing_wake_name(m, s->state == INTERVAL_BLOCKED ? MISSING_ELSEWHERE : MISSING_BUSY, &d, s->from_ns);
	if ((usual || !most) && driven)
		m->triggers = count_triggers(w, k, step);
	if (m->triggers)
		missing_wake_name(m, MISSING_SILENT, &d, step->from_ns);
	else if (usual && k + 1 < w->h->n)
		return true;
	else if (usual)
		m->how = MISSING_ASLEEP;
	return false;
}

static void walk(struct walk *w)
{
	struct missing_wake *m = w->m;
	struct missing_wake_step step = { .wait = m->wait,
					  .from_ns = m->wait_from_ns,
					  .to_ns = m->wait_to_ns };

	for (uint32_t k = 0; k < w->h->n; k++) {
		const struct hop *hop = &w->h->v[k];

		find_tasks(w, k, w->g->intervals[step.wait].task, step.from_ns, step.to_ns);
		if (w->a->n_tasks != 1) {
			m->how = MISSING_ASLEEP;
			break;
		}
		step.task = w->a->tasks[0];
		step.obj = hop->blame.obj;
		step.edge = hop->blame.edge;
		m->steps[m->n_steps++] = step;
		if (!look_at(w, k))
			break;
		step.wait = m->instead;
		step.from_ns = w->g->intervals[step.wait].from_ns;
		step.to_ns = MIN(w->g->intervals[step.wait].to_ns, step.to_ns);
	}
	m->own_accord = w->h->timer;
}

static enum against_result judge(const struct walk *w)
{
	const struct missing_wake *m = w->m;

	if (w->a->n_tasks != 1)
		return w->a->n_tasks ? AGAINST_SEVERAL : AGAINST_GONE;
	/* the last task waits as usual, and no timer drives it: there may be no work */
	if (!m->n_steps || (m->how == MISSING_ASLEEP && (w->h->asks || !m->own_accord)))
		return AGAINST_AS_USUAL;
	return AGAINST_NAMED;
}

static uint64_t longest(const struct graph *g, const struct similar_set *set)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < set->v.n; i++)
		ns = MAX(ns, missing_wake_length(g, set->v.v[i].interval));
	return ns;
}

static bool is_steady(const struct similar_set *set, uint32_t task)
{
	size_t n = 0;

	for (size_t i = 0; i < set->v.n; i++)
		n += set->v.v[i].blame.task == task;
	return n >= MISSING_GOOD_COUNT;
}

static bool is_habit(const struct missing_wake *m, bool blind)
{
	if (blind && m->others > m->occurrences / MISSING_SURE_OTHERS)
		return false;
	return missing_wake_is_good(m);
}

static int compare(struct walk *w, struct across_set *x)
{
	struct missing_wake *m = w->m;
	const struct similar *ref;
	struct hops h;

	m->refused = x->set.refused;
	similar_keep_commonest(w->good, &x->set, &m->others);
	w->a->result = x->mates ? AGAINST_NO_WAIT : AGAINST_NO_TASK;
	if (!x->set.v.n)
		return against_words(w->g, m, NULL, w->a);
	ref = similar_median(w->good, &x->set);
	m->good = w->good;
	m->reference = ref->interval;
	m->similarity = ref->score;
	m->occurrences = (uint32_t)x->set.v.n;
	m->usual_ns = missing_wake_length(w->good, ref->interval);
	if (!is_habit(m, x->blind))
		return against_words(w->g, m, NULL, w->a);
	missing_wake_hops(w->good, ref, &h);
	w->h = &h;
	m->ref_from_ns = MIN(w->good->intervals[ref->interval].from_ns, h.v[h.n - 1].blame.until_ns);
	if (m->wait_to_ns - m->wait_from_ns < MAX(MISSING_LONG * m->usual_ns, longest(w->good, &x->set))) {
		w->a->result = AGAINST_AS_LONG;
		return against_words(w->g, m, &h, w->a);
	}
	w->steady = is_steady(&x->set, ref->blame.task);
	walk(w);
	w->a->result = judge(w);
	w->a->own_accord = m->own_accord && h.n == 1 && m->occurrences >= MISSING_SURE_COUNT &&
			   across_relation(w->good, w->good->intervals[ref->interval].task,
					   ref->blame.task) == RELATION_THREAD;
	return against_words(w->g, m, &h, w->a);
}

int against_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct against *ret,
		 struct missing_wake **ret_missing)
{
	struct missing_wake *m = calloc(1, sizeof(*m));
	struct walk w = { .g = g, .good = ret->good, .m = m, .a = ret };
	struct across_set x;
	int r;

	*ret_missing = NULL;
	if (!m)
		return -ENOMEM;
	against_done(ret);
	missing_wake_whole(g, wait, to_ns, m);
	r = across_find(g, m->wait, ret->good, &x);
	if (!r)
		r = compare(&w, &x);
	similar_done(&x.set);
	if (!r && ret->result == AGAINST_NAMED) {
		m->text = strdup(ret->text);
		r = m->text ? 0 : -ENOMEM;
		if (!r)
			*ret_missing = TAKE_PTR(m);
	}
	missing_wake_free(m);
	return r;
}
