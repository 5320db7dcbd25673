// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/own.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"

static void free_profile(struct profile **p)
{
	profile_free(*p);
}

static int add_part(struct profile *p, const struct profile_part *part)
{
	struct profile_part *to = &p->parts[p->n_parts++];

	*to = *part;
	to->key = strdup(part->key);
	to->detail = strdup(part->detail);
	to->text = strdup(part->text);
	p->total_ns += part->ns;
	return to->key && to->detail && to->text ? 0 : -ENOMEM;
}

static int add_run(const struct baseline *b, const struct profile *run, struct baseline *ret)
{
	_cleanup_(free_profile) struct profile *p = calloc(1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	p->truncated = run->truncated;
	p->parts = calloc(run->n_parts + 1, sizeof(*p->parts));
	if (!p->parts)
		return -ENOMEM;
	for (size_t i = 0; i < run->n_parts && !r; i++)
		if (run->parts[i].class != PART_CLASS_ENVIRONMENT)
			r = add_part(p, &run->parts[i]);
	r = r ? r : baseline_add(ret, p, &b->machine, b->command);
	if (!r)
		p = NULL;
	return r;
}

int own_runs(const struct baseline *b, struct baseline *ret)
{
	int r = 0;

	for (size_t i = 0; i < b->n_runs && !r; i++)
		r = add_run(b, b->runs[i], ret);
	return r;
}
