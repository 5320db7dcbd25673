// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/hangs/victim.h"

#include <string.h>

#include "analysis/profile/profile.h"
#include "analysis/thresholds.h"
#include "cli/hangs/hangs_search.h"
#include "cli/input/taskarg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/thresholds.h"

static bool is_named(const struct hangs_filter *f)
{
	return selector_is_set(&f->who) || f->under;
}

/*
 * The list of hangs begins with the worst one (hangs_sort()), and `best` comes before x. Returns true if
 * ctrace should diagnose x instead of `best`. All of this has to be true:
 * - x is longer.
 * - If x is less bad, for example no alarm: x is more than DIAGNOSE_LONGER times as long, the chain of x has
 *   at least two tasks, and both tasks belong to one process. Several processes may have the wanted name, and
 *   most of them idle.
 * - Both verdicts are VERDICT_NORMAL, or neither is. Without this rule, the idle master of a server would
 *   take the place of its hung worker, because the master waits longer.
 */
static bool counts_more(const struct graph *g, const struct hang *x, const struct hang *best)
{
	bool alike = x->alarm == best->alarm && x->minor == best->minor;

	return (x->diagnosis->verdict == VERDICT_NORMAL) == (best->diagnosis->verdict == VERDICT_NORMAL) &&
	       (alike ||
		(x->diagnosis->n_chain > 1 && g->tasks[x->task].tgid == g->tasks[best->task].tgid)) &&
	       x->to_ns - x->from_ns > (best->to_ns - best->from_ns) * (alike ? 1 : DIAGNOSE_LONGER);
}

/* Takes a hang from the list as the victim. Narrows the window to the hang. */
static void take_hang(struct analysis_input *in, struct hang *x, struct victim *ret)
{
	ret->task = x->task;
	ret->diagnosis = TAKE_PTR(x->diagnosis);
	ret->alarm = x->alarm;
	in->from_ns = x->from_ns;
	in->to_ns = x->to_ns;
}

/* Returns true if tasks of several processes fit. */
static bool several_fit(const struct analysis_input *in, const struct selector *who)
{
	const struct graph *g = in->graph;
	uint32_t tgid = 0;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->exit_ns <= in->from_ns || t->born_ns >= in->to_ns || !t->n_intervals ||
		    !graph_fits(g, i, who, in->to_ns - 1))
			continue;
		if (tgid && tgid != t->tgid)
			return true;
		tgid = t->tgid;
	}
	return false;
}

/* Takes the first task that fits, and for which another task waits in x. */
static bool take_awaited(struct analysis_input *in, const struct hang *x, const struct selector *who,
			 struct victim *ret)
{
	const struct diagnosis *d = x->diagnosis;

	for (size_t i = 1; x->alarm && i < d->n_chain; i++) {
		if (!graph_fits(in->graph, d->chain[i].task, who, x->to_ns - 1))
			continue;
		*ret = (struct victim){ .task = d->chain[i].task };
		in->from_ns = x->from_ns;
		in->to_ns = x->to_ns;
		return true;
	}
	return false;
}

/* Tasks of several processes have the wanted name, and none of them hangs. Then the one counts for which
 * another task waits in the worst alarm: sets ret->task, and the window of *in to that alarm. */
static int find_awaited(struct analysis_input *in, const struct hangs_filter *f,
			const struct timearg_moment *at, struct victim *ret)
{
	const struct hangs_filter all = { .alive = f->alive,
					  .at_from_ns = at->from_ns,
					  .at_to_ns = at->to_ns };
	struct hangs *h;
	int r;

	if (f->who.pid || f->who.tid || f->under || !several_fit(in, &f->who))
		return CLI_OK;
	r = hangs_search_all(in, &all, &h);
	if (r)
		return r;
	for (size_t i = 0; i < h->n && !take_awaited(in, &h->v[i], &f->who, ret); i++)
		;
	hangs_free(h);
	return CLI_OK;
}

/* Finds the hang to diagnose: the worst one. But if the filter names tasks (is_named()), a longer hang may be
 * taken instead (counts_more(), find_awaited()). With --at, looks only at the hangs at that time. Narrows the
 * window to the hang. If there is no hang, ret->task is GRAPH_NONE. */
static int find_stall(struct analysis_input *in, const struct hangs_filter *f,
		      const struct timearg_moment *at, struct victim *ret)
{
	bool named = is_named(f);
	struct hangs_filter filter = *f;
	struct hang *best = NULL;
	struct hangs *h;
	int r;

	filter.worst = !named && !at->to_ns;
	filter.at_from_ns = at->from_ns;
	filter.at_to_ns = at->to_ns;
	r = hangs_search_all(in, &filter, &h);
	if (r)
		return r;
	ret->task = GRAPH_NONE;
	for (size_t i = 0; i < h->n; i++) {
		struct hang *x = &h->v[i];

		/* h->v begins with the worst hang. */
		if (!best || (named && counts_more(in->graph, x, best)))
			best = x;
	}
	if (named && !(best && best->alarm))
		r = find_awaited(in, f, at, ret);
	if (!r && best && ret->task == GRAPH_NONE)
		take_hang(in, best, ret);
	hangs_free(h);
	return r;
}

static uint32_t find_task(const struct analysis_input *in, const struct selector *who,
			  const struct timearg_moment *at)
{
	uint64_t from_ns = at->to_ns ? at->from_ns : in->from_ns;
	uint64_t to_ns = at->to_ns ? at->to_ns : in->to_ns;
	const struct graph *g = in->graph;
	uint32_t best = GRAPH_NONE;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->exit_ns <= from_ns || t->born_ns >= to_ns || !t->n_intervals ||
		    !graph_fits(g, i, who, MIN(to_ns, in->to_ns) - 1))
			continue;
		if (best == GRAPH_NONE || t->tid == t->tgid)
			best = i;
		if (t->tid == t->tgid)
			break;
	}
	return best;
}

static void clip_to_life(struct analysis_input *in, uint32_t task)
{
	const struct graph_task *t = &in->graph->tasks[task];

	if (t->born_ns < in->to_ns)
		in->from_ns = MAX(in->from_ns, t->born_ns);
	if (t->exit_ns > in->from_ns)
		in->to_ns = MIN(in->to_ns, t->exit_ns);
}

/* For a task without a hang. Narrows the window to the life of the task. With --at: if the task was in one
 * long wait at that time, narrows the window to this wait. */
static void clip_to_moment(struct analysis_input *in, uint32_t task, const struct timearg_moment *at)
{
	const struct graph *g = in->graph;
	uint32_t i = at->to_ns ? graph_interval_at(g, task, at->from_ns) : GRAPH_NONE;
	const struct interval *x = i == GRAPH_NONE ? NULL : &g->intervals[i];

	clip_to_life(in, task);
	if (!x || x->state != INTERVAL_BLOCKED || x->to_ns - x->from_ns < VICTIM_WAIT_NS)
		return;
	in->from_ns = MAX(in->from_ns, x->from_ns);
	in->to_ns = MIN(in->to_ns, x->to_ns);
}

/* If nothing is wrong with ret->task, takes a hung thread of the same process. The main thread of some
 * programs only waits for signals. */
static int prefer_alarm(struct analysis_input *in, const struct hangs_filter *f, struct victim *ret)
{
	const struct diagnose_options o = { .window_given = true };
	struct hangs *h;
	int r = diagnose(in->graph, ret->task, in->from_ns, in->to_ns, &o, &ret->diagnosis);

	if (r || ret->diagnosis->verdict != VERDICT_NORMAL)
		return CLI_OK;
	r = hangs_search_all(in, f, &h);
	if (r)
		return r;
	if (h->n && h->v[0].alarm) {
		diagnosis_free(ret->diagnosis);
		take_hang(in, &h->v[0], ret);
	}
	hangs_free(h);
	return CLI_OK;
}

/* Finds the victim that `f` names, or the worst hang. If there is none, ret->task is GRAPH_NONE. */
static int find_victim(struct analysis_input *in, const struct hangs_filter *f, bool window,
		       const struct timearg_moment *at, struct victim *ret)
{
	const struct selector *who = &f->who;
	int r;

	*ret = (struct victim){ .task = GRAPH_NONE };
	if (who->tid) {
		r = taskarg_in_window(in, who, &ret->task);
		if (r || window)
			return r;
	} else if (window && who->pid) {
		ret->task = find_task(in, who, at);
		return ret->task == GRAPH_NONE ? CLI_OK : prefer_alarm(in, f, ret);
	}
	r = find_stall(in, f, at, ret);
	if (r || ret->task != GRAPH_NONE || !is_named(f))
		return r;
	ret->task = who->tid && !at->to_ns ? graph_task_at(in->graph, who->tid, in->to_ns - 1)
					   : find_task(in, who, at);
	if (ret->task != GRAPH_NONE)
		clip_to_moment(in, ret->task, at);
	return CLI_OK;
}

/* If there is an alarm in the window of `whole`, takes the worst one: sets *v, and the window of *in. */
static int take_alarm(struct analysis_input *in, struct analysis_input whole, const struct hangs_filter *f,
		      const struct timearg_moment *at, enum victim_choice choice, struct victim *v)
{
	struct victim other = { .task = GRAPH_NONE };
	int r = find_stall(&whole, f, at, &other);

	if (r || !other.alarm) {
		diagnosis_free(other.diagnosis);
		return r;
	}
	diagnosis_free(v->diagnosis);
	*v = other;
	v->choice = choice;
	in->from_ns = whole.from_ns;
	in->to_ns = whole.to_ns;
	return CLI_OK;
}

/* A command such as `sleep 10` only says how long to record. */
static bool only_sleeps(const struct diagnosis *d)
{
	return d->cause == CAUSE_TIMER && d->n_chain == 1;
}

/*
 * Finds the victim in the process of the recorded command. Without a recorded command, ret->task is
 * GRAPH_NONE.
 *
 * If nothing is wrong with this victim, looks for alarms (doc/glossary.md): of all tasks if this victim only
 * slept, otherwise of the descendants of the command. If there are alarms, the task of the worst one becomes
 * the victim.
 */
static int find_recorded(struct analysis_input *in, bool window, const struct timearg_moment *at,
			 struct victim *ret)
{
	const struct diagnose_options o = { .window_given = window };
	const struct hangs_filter anyone = { 0 };
	const struct analysis_input whole = *in;
	uint64_t begin_ns, end_ns;
	uint32_t command = in->is_now ? GRAPH_NONE : profile_command(in->graph, &begin_ns, &end_ns);
	uint32_t pid = command == GRAPH_NONE ? 0 : in->graph->tasks[command].tgid;
	const struct hangs_filter process = { .who.pid = pid }, descendants = { .under = pid };
	int r;

	*ret = (struct victim){ .task = GRAPH_NONE };
	if (!pid)
		return CLI_OK;
	r = find_victim(in, &process, window, at, ret);
	if (r || ret->task == GRAPH_NONE)
		return r;
	ret->choice = VICTIM_COMMAND;
	r = ret->diagnosis ? 0 : diagnose(in->graph, ret->task, in->from_ns, in->to_ns, &o, &ret->diagnosis);
	if (r)
		return cli_error("%s: cannot diagnose: %s", in->path, strerror(-r));
	if (ret->diagnosis->verdict != VERDICT_NORMAL)
		return CLI_OK;
	if (only_sleeps(ret->diagnosis))
		return take_alarm(in, whole, &anyone, at, VICTIM_WORST, ret);
	return take_alarm(in, whole, &descendants, at, VICTIM_DESCENDANT, ret);
}

static int no_victim(const struct analysis_input *in, const struct victim_request *rq,
		     const struct timearg_moment *at)
{
	char wait[TEXT_NUMBER_MAX], cpu[TEXT_NUMBER_MAX], run[TEXT_NUMBER_MAX];

	if (selector_is_set(&rq->who))
		return at->to_ns && !in->is_now ? taskarg_say_none(in, &rq->who)
						: selectorarg_say_none(in, &rq->who);
	return cli_error(
		"%s: in this window no task waited for %s, or waited for a CPU for %s, or ran for %s; name a task with --tid, --pid or --comm",
		in->path, text_duration(HANGS_WAIT_NS, wait), text_duration(DIAGNOSE_STALL_NS, cpu),
		text_duration(HANGS_RUN_NS, run));
}

static int choose_numbered(struct analysis_input *in, const struct victim_request *rq,
			   const struct timearg_moment *at, struct victim *ret)
{
	struct hangs *h;
	struct hang *x;
	int r = rowarg_hang(in, rq->row.hang, &rq->who, &rq->window, at, &h, &x);

	if (r)
		return r;
	take_hang(in, x, ret);
	ret->choice = VICTIM_NUMBERED;
	/* the search for hang 1 may have ended early */
	if (rq->row.hang == 1 || selector_is_set(&rq->who)) {
		hangs_free(h);
		return CLI_OK;
	}
	x->diagnosis = ret->diagnosis;
	ret->hangs = h;
	ret->row = x;
	return CLI_OK;
}

void victim_drop_diagnosis(struct victim *v)
{
	if (!v->row || v->diagnosis != v->row->diagnosis)
		diagnosis_free(v->diagnosis);
	v->diagnosis = NULL;
}

void victim_done(struct victim *v)
{
	victim_drop_diagnosis(v);
	hangs_free(v->hangs);
}

int victim_choose(struct analysis_input *in, const struct victim_request *rq, const struct timearg_moment *at,
		  struct victim *ret)
{
	const struct hangs_filter f = { .who = rq->who, .alive = in->is_now };
	bool window = windowarg_is_set(&rq->window);
	int r = CLI_OK;

	ret->task = GRAPH_NONE;
	if (rq->row.hang)
		return choose_numbered(in, rq, at, ret);
	if (!is_named(&f))
		r = find_recorded(in, window, at, ret);
	if (!r && ret->task == GRAPH_NONE) {
		r = find_victim(in, &f, window, at, ret);
		ret->choice = is_named(&f) ? VICTIM_NAMED : VICTIM_WORST;
	}
	if (!r && ret->task == GRAPH_NONE)
		r = no_victim(in, rq, at);
	return r;
}

int victim_check(const struct cli_usage *usage, const struct victim_request *rq)
{
	return rowarg_check(usage, &rq->row);
}

int victim_use_request(struct victim_request *rq, const char *path, struct rowarg_texts *texts)
{
	const struct rowarg row = { .request = rq->row.request };

	return rowarg_use(&row, path, &rq->who, &rq->window, texts);
}

int victim_window(struct analysis_input *in, const struct victim_request *rq, struct timearg_moment *ret)
{
	int r = tracefile_moment(in->reader, in->path, &rq->window, &in->from_ns, &in->to_ns, ret);

	if (!r)
		analysis_fit(in, &rq->window);
	return r;
}
