// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/path/origin.h"

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"

static const struct origin unknown = { .kind = ORIGIN_UNKNOWN, .task = GRAPH_NONE };

const char *origin_kind_name(enum origin_kind kind)
{
	static const char *const names[ORIGIN_KINDS] = {
		[ORIGIN_UNKNOWN] = "unknown", [ORIGIN_REQUEST] = "request", [ORIGIN_MESSAGE] = "message",
		[ORIGIN_INPUT] = "input",     [ORIGIN_JOB] = "job",         [ORIGIN_SIGNAL] = "signal",
		[ORIGIN_END] = "end",         [ORIGIN_START] = "start",     [ORIGIN_TIMER] = "timer",
	};

	return names[kind];
}

/* Returns true if the end of the wait may give the task new work. A wait for the answer to a question of its
 * own, for example, does not. */
static bool is_between_work(const struct graph *g, uint32_t task, const struct interval *s)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(s->obj);

	if (s->wait == CT_W_READ && (kind == CT_OBJ_PIPE || kind == CT_OBJ_FIFO))
		return true;
	return blame_idles(g, task, s->from_ns) ||
	       (s->wait == CT_W_READ && kind == CT_OBJ_SOCK && graph_is_accepted(g, s->obj));
}

/* Returns the last wait between two works of the task that ended at or before ns. GRAPH_NONE: there is none.
 * Sets *ret_known to false if the task did unknown things in between. */
static uint32_t last_wait(const struct graph *g, uint32_t task, uint64_t ns, bool *ret_known)
{
	uint32_t first = g->tasks[task].first_interval, i = graph_interval_at(g, task, ns);

	*ret_known = i != GRAPH_NONE;
	for (; i != GRAPH_NONE && scan_step(g); i = i > first ? i - 1 : GRAPH_NONE) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && s->to_ns <= ns && is_between_work(g, task, s))
			return i;
		if (s->state == INTERVAL_UNKNOWN || s->state == INTERVAL_FOLDED)
			*ret_known = false;
		if (!*ret_known)
			break;
	}
	return GRAPH_NONE;
}

static enum origin_kind kind_of(const struct graph *g, const struct blame *b)
{
	switch ((enum edge_kind)b->edge) {
	case EDGE_MESSAGE:
		return graph_is_accepted(g, b->obj) ? ORIGIN_REQUEST : ORIGIN_MESSAGE;
	case EDGE_PIPE:
		return ORIGIN_INPUT;
	case EDGE_SIGNAL:
		return ORIGIN_SIGNAL;
	case EDGE_EXIT:
		return ORIGIN_END;
	case EDGE_JOB:
	case EDGE_POST:
	case EDGE_WAKE:
	case EDGE_EVENTFD:
		return ORIGIN_JOB;
	case EDGE_LOCK:
	case EDGE_FORK:
	case EDGE_FILELOCK:
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
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		break;
	}
	return ORIGIN_UNKNOWN;
}

static struct origin start_of(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];

	if (!t->born_ns || t->parent == GRAPH_NONE)
		return unknown;
	return (struct origin){ .kind = ORIGIN_START, .task = t->parent, .ns = t->born_ns };
}

/* Returns true if another process or a timer gave the work, or if it is not known who did. Otherwise, *o has
 * the thread of the same process that gave it. */
static bool step(const struct graph *g, uint32_t task, uint64_t ns, struct origin *o)
{
	bool known;
	uint32_t i = last_wait(g, task, ns, &known);
	struct blame b;

	*o = unknown;
	if (i == GRAPH_NONE) {
		if (known)
			*o = start_of(g, task);
	} else {
		blame_wait(g, i, g->intervals[i].to_ns, &b);
		if (b.time == TIME_TIMER && b.task == GRAPH_NONE)
			*o = (struct origin){ ORIGIN_TIMER, GRAPH_NONE, g->intervals[i].to_ns };
		else if (b.ended && b.task != GRAPH_NONE && b.strength == EDGE_STRONG)
			*o = (struct origin){ kind_of(g, &b), b.task, b.until_ns };
	}
	if (o->kind == ORIGIN_UNKNOWN)
		*o = unknown;
	return o->task == GRAPH_NONE || g->tasks[o->task].tgid != g->tasks[task].tgid;
}

struct origin origin_find(const struct graph *g, uint32_t task, uint64_t ns)
{
	struct origin o = unknown;

	for (unsigned hop = 0; hop < ORIGIN_HOPS; hop++) {
		if (step(g, task, ns, &o))
			return o;
		task = o.task;
		ns = o.ns;
	}
	return unknown;
}
