// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/profile/part.h"

#include <stdlib.h>

#include "trace/words/texts.h"

static const char *const names[PART_CLASSES] = { "running", "cpu",     "lock",    "ipc",
						 "disk",    "network", "timer",   "queue",
						 "fault",   "short",   "unknown", "environment" };

const char *part_class_name(enum part_class c)
{
	return (unsigned)c < PART_CLASSES ? names[c] : "unknown";
}

enum part_class part_class_of(const char *word)
{
	return (enum part_class)texts_find(names, PART_CLASSES, word);
}

void part_done(struct profile_part *p)
{
	free(p->key);
	free(p->detail);
	free(p->text);
}

int part_name_order(const char *key, const char *detail, const char *other_key, const char *other_detail)
{
	int c = texts_order(key, other_key);

	return c ? c : texts_order(detail, other_detail);
}

int part_order(const struct profile_part *a, const struct profile_part *b)
{
	return part_name_order(a->key, a->detail, b->key, b->detail);
}
