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
	/* A rejected option may have made the same rule. This call comes last, so that the rule ends up with
	 * RULE_CAUSE. */
	if (!r && chosen < n && facts[chosen].edge)
		r = rules_add(rules, g, &facts[chosen], RULE_CAUSE);
	return r;
}
