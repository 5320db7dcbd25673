// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/title.h"

#include <string.h>

#include "graph/timeline/scan.h"

static const char *const title_start = "postgres: ";

/* The title of the session, if it is about the interval; otherwise "". The daemon reads the titles when it
 * inspects a wait. It records a title only if the title has changed. */
static const char *title_of(const struct graph *g, const struct interval *s)
{
	const struct graph_task *t = &g->tasks[s->task];
	uint64_t since_ns;
	const char *text = window_cmdline_since(g->w, t->tid, s->to_ns - 1, &since_ns);

	if (strncmp(text, title_start, strlen(title_start)) != 0 ||
	    (since_ns < s->from_ns && graph_visit(g, s) == GRAPH_NONE))
		return "";
	return text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	while (n && text[n - 1] == ' ')
		n--;
	return n >= k && !memcmp(text + n - k, end, k);
}

bool title_waits(const struct graph *g, const struct interval *s)
{
	return ends_with(title_of(g, s), " waiting");
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
		const char *title = x ? title_of(g, x) : "";
		bool idles = ends_with(title, " idle in transaction") ||
			     ends_with(title, " idle in transaction (aborted)");

		if (!x || r[i].event == s->task || x->from_ns >= s->to_ns)
			continue;
		if (!idles && (x->state == INTERVAL_BLOCKED || x->state == INTERVAL_UNKNOWN))
			continue;
		if (all->n < ENDERS_MAX)
			all->v[all->n++] = r[i].event;
		owner = r[i].event;
	}
	return all->n == 1 ? owner : GRAPH_NONE;
}
