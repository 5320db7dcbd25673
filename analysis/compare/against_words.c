// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/against_words.h"

#include <errno.h>

#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/words.h"

static void add_comm(const struct graph *g, struct words *t, uint32_t task)
{
	char comm[64];

	describe_clean(graph_last_comm(g, task), comm, sizeof(comm));
	words_add(t, "%s", comm);
}

static void add_task(const struct graph *g, struct words *t, uint32_t task)
{
	add_comm(g, t, task);
	words_add(t, "[%u]", g->tasks[task].tid);
}

static void add_name(struct words *t, const struct against *a)
{
	char name[DESCRIBE_MAX];

	describe_clean(a->name, name, sizeof(name));
	words_add(t, "%s", name);
}

static const char *relation_words(enum relation relation)
{
	switch (relation) {
	case RELATION_THREAD:
		return "of the same process";
	case RELATION_CHILD:
		return "of a child process";
	case RELATION_PARENT:
		return "of the parent process";
	case RELATION_OTHER:
		return "of another process";
	}
	return "";
}

/* Adds words such as "feeder (of another process) ended such a wait after 30 ms, through
 * pipe:[77]". */
static void add_waker(struct words *t, const struct missing_wake *m, const struct hops *h)
{
	const struct hop *hop = &h->v[0];
	uint32_t waiter = m->good->intervals[m->reference].task;
	char obj[DESCRIBE_MAX];

	add_comm(m->good, t, hop->blame.task);
	words_add(t, " (%s) ended such a wait after ",
		  relation_words(across_relation(m->good, waiter, hop->blame.task)));
	words_duration(t, m->usual_ns);
	describe_object(m->good->w, hop->blame.obj, obj, sizeof(obj));
	if (hop->blame.edge == EDGE_EXIT)
		words_add(t, ", when it ended");
	else if (hop->blame.edge == EDGE_SIGNAL)
		words_add(t, ", by a signal");
	else if (obj[0])
		words_add(t, ", through %s", obj);
}

static void add_wait(const struct graph *g, struct words *t, const struct missing_wake *m)
{
	const struct interval *s = &g->intervals[m->instead];
	char obj[DESCRIBE_MAX];

	describe_object(g->w, s->obj, obj, sizeof(obj));
	if (s->wait == CT_W_SLEEP || s->wait == CT_W_STOPPED)
		words_add(t, s->wait == CT_W_SLEEP ? " was sleeping" : " was stopped");
	else
		words_add(t, " was waiting in %s", describe_wait((enum ct_wait)s->wait));
	words_add(t, "%s%s", obj[0] ? " on " : "", obj);
}

static void add_how(const struct graph *g, struct words *t, const struct missing_wake *m)
{
	uint64_t begin = m->wait_from_ns;

	switch (m->how) {
	case MISSING_ENDED:
		words_add(t, " has ended, ");
		words_duration(t, MAX(begin, m->since_ns) - MIN(begin, m->since_ns));
		words_add(t, m->since_ns < begin ? " before this wait began" : " into this wait");
		return;
	case MISSING_SILENT:
		words_add(t, " went on as there, %u times in this wait, without it", m->triggers);
		return;
	case MISSING_BUSY:
		words_add(t, g->intervals[m->instead].state == INTERVAL_RUNNING ? " was running"
										: " wanted the CPU");
		break;
	case MISSING_ASLEEP:
	case MISSING_ELSEWHERE:
		add_wait(g, t, m);
		words_add(t, m->how == MISSING_ASLEEP ? " as there, but longer" : " instead");
		break;
	}
	words_add(t, ", for ");
	words_duration(t, m->instead_ns);
}

static void add_named(const struct graph *g, struct words *t, const struct missing_wake *m)
{
	for (uint32_t i = 0; i + 1 < m->n_steps; i++) {
		add_task(g, t, m->steps[i].task);
		words_add(t, " was waiting as there for ");
		add_task(g, t, m->steps[i + 1].task);
		words_add(t, "; ");
	}
	add_task(g, t, missing_wake_named(m)->task);
	add_how(g, t, m);
}

static void add_several(const struct graph *g, struct words *t, const struct against *a)
{
	words_add(t, "one of these %u tasks should have acted: ", a->n_tasks);
	for (uint32_t i = 0; i < a->n_tasks && i < AGAINST_TASKS; i++) {
		words_add(t, i ? ", " : "");
		add_task(g, t, a->tasks[i]);
	}
	words_add(t, a->n_tasks > AGAINST_TASKS ? ", ..." : "");
}

static void add_so_far(const struct graph *g, struct words *t, const struct missing_wake *m)
{
	if (!m->n_steps)
		return;
	add_task(g, t, m->steps[m->n_steps - 1].task);
	words_add(t, " was waiting as there, and ");
}

static void add_here(const struct graph *g, const struct missing_wake *m, const struct hops *h,
		     struct words *t, const struct against *a)
{
	words_add(t, "; here, ");
	switch (a->result) {
	case AGAINST_GONE:
		add_so_far(g, t, m);
		words_add(t, "there is no task like ");
		add_comm(m->good, t, h->v[m->n_steps].blame.task);
		return;
	case AGAINST_SEVERAL:
		add_so_far(g, t, m);
		add_several(g, t, a);
		return;
	case AGAINST_AS_USUAL:
		words_add(t, "no task stands out: perhaps there was no work");
		return;
	case AGAINST_NAMED:
		add_named(g, t, m);
		return;
	case AGAINST_NOT_NEEDED:
	case AGAINST_NO_TASK:
	case AGAINST_NO_WAIT:
	case AGAINST_AS_LONG:
		return;
	}
}

static void add_text(const struct graph *g, const struct missing_wake *m, const struct hops *h, bool brief,
		     struct words *t, const struct against *a)
{
	if (a->result == AGAINST_NO_TASK || a->result == AGAINST_NO_WAIT) {
		add_name(t, a);
		words_add(t, a->result == AGAINST_NO_TASK ? " has no task like "
							  : " has no wait like this one of ");
		add_task(g, t, g->intervals[m->wait].task);
		if (a->result == AGAINST_NO_TASK)
			words_add(t, ": give a trace of the same program");
		return;
	}
	words_add(t, "in ");
	add_name(t, a);
	words_add(t, ", ");
	if (a->result == AGAINST_AS_LONG) {
		words_add(t, "such waits are as long");
		return;
	}
	add_waker(t, m, h);
	/* the sentence of the diagnosis says what the named task did */
	if (a->result != AGAINST_NAMED || !brief)
		add_here(g, m, h, t, a);
}

int against_words(const struct graph *g, const struct missing_wake *m, const struct hops *h,
		  struct against *a)
{
	struct words t = { 0 };

	add_text(g, m, h, false, &t, a);
	a->text = words_take(&t);
	add_text(g, m, h, true, &t, a);
	words_add(&t, ".");
	a->brief = words_take(&t);
	if (!a->text || !a->brief)
		return -ENOMEM;
	/* with h, the text begins with "in"; without h, it begins with a file name */
	if (h)
		a->brief[0] = 'I';
	return 0;
}
