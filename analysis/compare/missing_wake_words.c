// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/missing_wake_words.h"

#include "trace/words/words.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static void add_task(const struct graph *g, struct words *t, uint32_t task, uint64_t at_ns)
{
	char comm[64];

	describe_clean(graph_comm(g, task, MIN(at_ns, g->tasks[task].exit_ns - 1)), comm, sizeof(comm));
	words_add(t, "%s[%u]", comm, g->tasks[task].tid);
}

static void add_wake(const struct graph *g, struct words *t, const struct missing_wake_step *step)
{
	char obj[DESCRIBE_MAX];
	const char *what = "a wake-up";

	switch (step->edge) {
	case EDGE_POST:
		what = "a signal on ";
		break;
	case EDGE_MESSAGE:
		what = "a message on ";
		break;
	case EDGE_PIPE:
	case EDGE_EVENTFD:
		what = g->intervals[step->wait].wait == CT_W_WRITE ? "a read from " : "a write to ";
		break;
	case EDGE_LOCK:
	case EDGE_FILELOCK:
		what = "the unlock of ";
		break;
	case EDGE_EXIT:
		words_add(t, "the end");
		return;
	case EDGE_SIGNAL:
		words_add(t, "a signal");
		return;
	case EDGE_WAKE:
	case EDGE_FORK:
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_FUSE:
	case EDGE_KERNEL_LOCK:
	case EDGE_VFORK:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_FLAG:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		words_add(t, "%s", what);
		return;
	}
	describe_object(g->w, step->obj, obj, sizeof(obj));
	words_add(t, "%s%s", what, obj[0] ? obj : "something");
}

static void add_how(const struct graph *g, struct words *t, const struct missing_wake *m)
{
	const struct interval *s = m->instead == GRAPH_NONE ? NULL : &g->intervals[m->instead];
	uint64_t begin = m->wait_from_ns;
	char obj[DESCRIBE_MAX];

	switch (m->how) {
	case MISSING_ENDED:
		words_add(t, "has ended, ");
		words_duration(t, MAX(begin, m->since_ns) - MIN(begin, m->since_ns));
		words_add(t, m->since_ns < begin ? " before this wait began" : " into this wait");
		return;
	case MISSING_SILENT:
		words_add(t, "went on as before, %u times in this wait, without it", m->triggers);
		return;
	case MISSING_BUSY:
		words_add(t, s->state == INTERVAL_RUNNING ? "was running" : "wanted the CPU");
		break;
	case MISSING_ASLEEP:
	case MISSING_ELSEWHERE:
		describe_object(g->w, s->obj, obj, sizeof(obj));
		if (s->wait == CT_W_SLEEP || s->wait == CT_W_STOPPED)
			words_add(t, s->wait == CT_W_SLEEP ? "was sleeping" : "was stopped");
		else
			words_add(t, "was waiting in %s", describe_wait((enum ct_wait)s->wait));
		words_add(t, "%s%s", obj[0] ? " on " : "", obj);
		if (m->how == MISSING_ASLEEP)
			words_add(t, " as before each, but longer");
		else
			words_add(t, " instead");
		break;
	}
	words_add(t, ", for ");
	words_duration(t, m->instead_ns);
}

char *missing_wake_words(const struct graph *g, const struct missing_wake *m)
{
	struct words t = { 0 };

	for (uint32_t i = 0; i < m->n_steps; i++) {
		const struct missing_wake_step *step = &m->steps[i];
		uint32_t waiter = g->intervals[step->wait].task;

		if (i) {
			words_add(&t, "; ");
			add_task(g, &t, waiter, m->wait_from_ns);
			words_add(&t, " itself waited for ");
		}
		add_wake(g, &t, step);
		words_add(&t, i ? " from " : m->late ? " came late from " : " is missing from ");
		add_task(g, &t, step->task, m->wait_from_ns);
		if (step->count)
			words_add(&t, ", which had done so %u times%s before", step->count,
				  step->more ? " or more" : "");
		if (step->last_ns && step->last_ns < m->wait_from_ns) {
			words_add(&t, ", last ");
			words_duration(&t, m->wait_from_ns - step->last_ns);
			words_add(&t, " before this wait");
		}
	}
	words_add(&t, "; ");
	add_task(g, &t, missing_wake_named(m)->task, m->wait_from_ns);
	words_add(&t, " ");
	add_how(g, &t, m);
	return words_take(&t);
}
