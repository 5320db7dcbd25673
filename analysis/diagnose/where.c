// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/where.h"

static struct cgroup_name where(const struct graph *g, const struct link *k)
{
	return graph_place(g, k->task, k->to_ns);
}

/* Tasks without a unit or container, such as kernel threads, do not count. */
static bool differ(const struct graph *g, const struct link *chain, size_t n)
{
	struct cgroup_name first = { .cgroup = "" };

	for (size_t i = 0; i < n; i++) {
		struct cgroup_name p = where(g, &chain[i]);

		if (!p.unit[0] && !p.container[0])
			continue;
		if (first.cgroup[0] && !cgroup_name_is_same(&p, &first))
			return true;
		first = p;
	}
	return false;
}

const char *where_words(const struct graph *g, const struct link *chain, size_t n, size_t i,
			const struct link *before, char buf[CGROUP_NAME_WORDS_MAX])
{
	struct cgroup_name p = where(g, &chain[i]), last;

	if (before)
		last = where(g, before);
	return cgroup_name_words(&p, before ? &last : NULL, differ(g, chain, n), buf);
}
