// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/title.h"

#include <string.h>

#include "graph/timeline/scan.h"

static const char *const title_start = "postgres: ";

/* Returns the title without its first word, or "" if the task is not of PostgreSQL. *ret_fresh: the
 * title is from this wait. (At each inspection, the daemon records the title if it has changed.) */
static const char *title_of(const struct graph *g, const struct interval *s, bool *ret_fresh)
{
	uint64_t since_ns;
	const char *text = window_cmdline_since(g->w, g->tasks[s->task].tid, s->to_ns - 1, &since_ns);

	*ret_fresh = since_ns >= s->from_ns || graph_visit(g, s) != GRAPH_NONE;
	return strncmp(text, title_start, strlen(title_start)) ? "" : text + strlen(title_start);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	while (n && text[n - 1] == ' ')
		n--;
	return n >= k && !memcmp(text + n - k, end, k);
}

/* Returns true for sessions ("shop shop [local] ...", "shop shop 10.0.0.1(4711) ...") and for
 * workers that clean up tables. */
static bool may_lock(const char *title)
{
	return strstr(title, " [local] ") || strstr(title, ") ") || !strncmp(title, "autovacuum worker", 17);
}

bool title_waits(const struct graph *g, const struct interval *s)
{
	bool fresh;
	const char *title = title_of(g, s, &fresh);

	return fresh && may_lock(title) && ends_with(title, " waiting");
}

static bool is_session(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint64_t since_ns;
	const char *text = window_cmdline_since(g->w, g->tasks[task].tid, ts_ns, &since_ns);

	return !strncmp(text, title_start, strlen(title_start)) && may_lock(text + strlen(title_start));
}

bool title_sessions(const struct graph *g, uint32_t task, uint32_t other, uint64_t ts_ns)
{
	return g->tasks[task].ptgid && g->tasks[task].ptgid == g->tasks[other].ptgid &&
	       is_session(g, task, ts_ns) && is_session(g, other, ts_ns);
}

uint32_t title_owner(const struct graph *g, const struct interval *s, struct enders *all)
{
	const struct graph_task *me = &g->tasks[s->task];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, me->ptgid, &n);
	uint32_t owner = GRAPH_NONE;

	for (size_t i = 0; me->ptgid && i < n && scan_step(g); i++) {
		uint32_t at = graph_interval_at(g, r[i].event, s->to_ns - 1);
		const struct interval *x = at == GRAPH_NONE ? NULL : &g->intervals[at];
		bool fresh = false, behind;
		const char *title = x ? title_of(g, x, &fresh) : "";

		if (!x || r[i].event == s->task || x->from_ns >= s->to_ns || !may_lock(title) ||
		    ends_with(title, " idle"))
			continue;
		behind = fresh && ends_with(title, " waiting") && x->from_ns > s->from_ns;
		if (behind)
			continue;
		if (all->n < ENDERS_MAX)
			all->v[all->n++] = r[i].event;
		owner = fresh ? r[i].event : GRAPH_NONE;
	}
	return all->n == 1 ? owner : GRAPH_NONE;
}
