// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/path/newcomer.h"

#include "graph/thresholds.h"
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
