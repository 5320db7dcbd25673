// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/slice/ask.h"

int ask_keep(struct rules *rules, const struct graph *g, const struct rule_facts *facts, size_t n, int answer)
{
	size_t chosen = answer >= 0 && (size_t)answer < n ? (size_t)answer : n;
	int r = 0;

	if (!rules || (answer != ASK_NONE && chosen == n))
		return 0;
	for (size_t i = 0; i < chosen && !r; i++)
		if (facts[i].edge)
			r = rules_add(rules, g, &facts[i], RULE_NOT_CAUSE);
	/* last: if a rejected option has made the same rule, this verdict replaces the other */
	if (!r && chosen < n && facts[chosen].edge)
		r = rules_add(rules, g, &facts[chosen], RULE_CAUSE);
	return r;
}
