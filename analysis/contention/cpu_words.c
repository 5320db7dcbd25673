// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/cpu_words.h"

#include <stdio.h>

#include "analysis/thresholds.h"
#include "lib/cleanup.h"

struct part {
	uint64_t ns;
	const char *text;
};

static void add_parts(struct words *t, const struct contention *c, const struct part *v, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (v[i].ns <= c->total_ns / BRANCH_SHARE)
			continue;
		words_add(t, "%s%s", any ? ", " : " (", v[i].text);
		words_duration(t, v[i].ns);
		any = true;
	}
	words_add(t, any ? ")" : "");
}

uint64_t cpu_words_unknown_ns(const struct contention *c)
{
	return c->sampled ? c->total_ns - MIN(c->ns, c->total_ns) : c->lost_ns;
}

void cpu_words_rest(struct words *t, const struct contention *c)
{
	const struct part parts[] = {
		{ contention_others_ns(c), "other tasks had it for " },
		{ c->sampled ? 0 : c->idle_ns, "no task had it for " },
		{ cpu_words_unknown_ns(c), "it is not known who had it for " },
	};

	add_parts(t, c, parts, ARRAY_SIZE(parts));
}

void cpu_words_all(struct words *t, const struct graph *g, const struct contention *c, uint64_t at_ns)
{
	bool named = c->ns > c->total_ns / BRANCH_SHARE;
	uint64_t others_ns = contention_others_ns(c) + (named ? 0 : c->ns);
	char name[64] = "";
	const struct part parts[] = {
		{ named ? c->ns : 0, name },
		{ c->own_ns, "other threads of its process had it for " },
		{ others_ns - MIN(c->own_ns, others_ns), "other tasks had it for " },
		{ c->idle_ns, "no task had it for " },
		{ c->lost_ns, "it is not known who had it for " },
	};

	if (named)
		snprintf(name, sizeof(name), "%s[%u] had it for ", graph_comm(g, c->task, at_ns),
			 g->tasks[c->task].tid);
	add_parts(t, c, parts, ARRAY_SIZE(parts));
}
