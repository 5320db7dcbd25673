/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * texts.h - numbers the distinct texts, from 0 on, in the order in which they are added.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_TEXTS_H
#define CTRACE_ANALYSIS_REQUESTS_TEXTS_H

#include "lib/map.h"
#include "lib/vec.h"

struct texts {
	VEC(char *) v;
	struct map by_text;
};

void texts_done(struct texts *t);
/* Sets *ret to the number of the text. Copies a new text. Returns 0 or -ENOMEM. */
int texts_add(struct texts *t, const char *text, size_t *ret);
int texts_order(const char *a, const char *b);

#endif
