// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/transactions/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/hash.h"

const char *transaction_source_name(enum transaction_source source)
{
	static const char *const names[TRANSACTION_SOURCES] = { "mark", "process", "request",
								"job",  "input",   "timer" };

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
		free(r->timer);
	}
	VEC_FREE(&rules->v);
}

/* Separates NULL, "" and any two texts in a row. */
static uint64_t add_text(uint64_t h, const char *text)
{
	return hash_add(text ? hash_text(hash_add(h, 1), text) : h, 0);
}

static uint64_t print_of(const struct transaction_rule *r)
{
	const char *const texts[] = { r->name,    r->mark,    r->until, r->program, r->cmdline,
				      r->service, r->address, r->queue, r->input };
	uint64_t h = hash_add(hash_add(HASH_START, r->source), r->tid);

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		h = add_text(h, texts[i]);
	/* the hashes in stored baselines are from before there were rules about timers */
	return r->timer ? add_text(h, r->timer) : h;
}

uint64_t transaction_rules_print(const struct transaction_rules *rules, const char *type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rules->v.n; i++)
		if (!rules->v.v[i].name || !strcmp(rules->v.v[i].name, type))
			sum += print_of(&rules->v.v[i]);
	return sum;
}

bool transaction_rule_fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}
