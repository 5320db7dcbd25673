// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *transaction_source_name(enum transaction_source source)
{
	static const char *const names[TRANSACTION_SOURCES] = { "mark", "process", "request", "job",
								"input" };

	return names[source];
}

void transaction_rules_done(struct transaction_rules *rules)
{
	for (size_t i = 0; i < rules->v.n; i++) {
		struct transaction_rule *r = &rules->v.v[i];

		free(r->name);
		free(r->mark);
		free(r->until);
		free(r->program);
		free(r->cmdline);
		free(r->service);
		free(r->address);
		free(r->queue);
		free(r->input);
	}
	VEC_FREE(&rules->v);
}

bool transaction_rule_fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}
