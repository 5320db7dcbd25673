// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/path/newcomer.h"

#include "graph/thresholds.h"
#include "graph/wake/owner.h"
#include "lib/cleanup.h"

/* Returns true if a message of another process ended the wait s, and this process was born after ts_ns. */
static bool is_message_of(const struct graph *g, const struct interval *s, const struct blame *b,
			  uint64_t ts_ns)
{
	return b->ended && b->edge == EDGE_MESSAGE && b->task != GRAPH_NONE &&
	       g->tasks[b->task].tgid != g->tasks[s->task].tgid && g->tasks[b->task].born_ns > ts_ns;
}

bool newcomer_sent(const struct graph *g, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];

	return (ct_wait_is_poll(s->wait) || s->wait == CT_W_ACCEPT) && is_message_of(g, s, b, s->from_ns);
}

bool newcomer_is_post(const struct graph *g, const struct interval *s, const struct blame *b)
{
	return s->wait == CT_W_FUTEX && !graph_futex_owner(g, s) && b->kind != RESOURCE_LOCK && b->ended &&
	       b->edge == EDGE_POST && b->task != GRAPH_NONE && b->task != s->task &&
	       g->tasks[b->task].tgid == g->tasks[s->task].tgid;
}

/* Returns the last wait of the task before ts_ns, or GRAPH_NONE. */
static uint32_t wait_before(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	for (unsigned looks = 0; i != GRAPH_NONE && looks < NEWCOMER_LOOKS; looks++, i--) {
		if (g->intervals[i].state == INTERVAL_BLOCKED && g->intervals[i].to_ns <= ts_ns)
			return i;
		if (i == g->tasks[task].first_interval)
			break;
	}
	return GRAPH_NONE;
}

/* Returns true if a task of the process tgid ended the last wait of the task before ts_ns. If a thread of the
 * task's own process ended it, the last wait of this thread counts, and so on. */
static bool acts_for(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t tgid)
{
	struct blame by = { .task = task, .until_ns = ts_ns };

	for (unsigned steps = 0; steps < NEWCOMER_STEPS; steps++) {
		uint32_t wait = wait_before(g, by.task, by.until_ns);

		if (wait == GRAPH_NONE)
			return true; /* not known */
		blame_wait(g, wait, by.until_ns, &by);
		if (by.task == GRAPH_NONE || !by.ended)
			return false;
		if (g->tasks[by.task].tgid == tgid)
			return true;
		if (g->tasks[by.task].tgid != g->tasks[task].tgid)
			return false;
	}
	return false;
}

/* Returns true if the process tgid may have caused the birth of the task after since_ns: it is an ancestor,
 * or it ended the last wait of an ancestor before this ancestor started the next one. */
static bool may_have_started(const struct graph *g, uint32_t tgid, uint32_t task, uint64_t since_ns)
{
	for (unsigned steps = 0; steps < ANCESTORS_MAX; steps++) {
		const struct graph_task *t = &g->tasks[task];

		if (t->tgid == tgid)
			return true;
		if (t->born_ns <= since_ns)
			return false;
		if (t->parent == GRAPH_NONE || acts_for(g, t->parent, t->born_ns, tgid))
			return true;
		task = t->parent;
	}
	return true;
}

bool newcomer_unasked(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];
	uint64_t born_ns = g->tasks[b->task].born_ns;

	return (s->wait == CT_W_ACCEPT || graph_is_accepted(g, b->obj)) && b->until_ns > from_ns &&
	       born_ns > from_ns + (b->until_ns - from_ns) / 2 &&
	       !may_have_started(g, g->tasks[s->task].tgid, b->task, from_ns);
}

bool newcomer_read(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval], *read;
	struct blame by;
	uint32_t wait;

	from_ns = MAX(from_ns, s->from_ns);
	if (!newcomer_is_post(g, s, b) || b->until_ns <= from_ns || b->until_ns - from_ns <= OTHER_WAIT_NS)
		return false;
	wait = wait_before(g, b->task, b->until_ns);
	if (wait == GRAPH_NONE)
		return false;
	read = &g->intervals[wait];
	blame_wait(g, wait, b->until_ns, &by);
	return read->wait == CT_W_READ && read->from_ns <= from_ns + (b->until_ns - from_ns) / 2 &&
	       (by.edge == EDGE_PIPE || by.edge == EDGE_MESSAGE) && by.ended && !by.owed &&
	       by.task != GRAPH_NONE && g->tasks[by.task].tgid != g->tasks[s->task].tgid &&
	       !graph_descends_from(g, by.task, g->tasks[s->task].tgid) &&
	       owner_wakes_first(g, s->obj, s->task, b->task, s->from_ns);
}

bool newcomer_ordered(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b)
{
	const struct interval *s = &g->intervals[interval];
	struct blame by = *b;
	uint64_t middle_ns;

	from_ns = MAX(from_ns, s->from_ns);
	if (!newcomer_is_post(g, s, b) || b->until_ns <= from_ns || b->until_ns - from_ns <= OTHER_WAIT_NS)
		return false;
	middle_ns = from_ns + (b->until_ns - from_ns) / 2;
	if (!blame_idles(g, b->task, middle_ns))
		return false;
	for (unsigned steps = 0; steps < NEWCOMER_STEPS; steps++) {
		uint32_t wait = wait_before(g, by.task, by.until_ns);

		if (wait == GRAPH_NONE)
			return false;
		blame_wait(g, wait, by.until_ns, &by);
		if (is_message_of(g, &g->intervals[wait], &by, middle_ns))
			return true;
		if (!newcomer_is_post(g, &g->intervals[wait], &by))
			return false;
	}
	return false;
}
