/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * texts.h - gives each distinct text a number, from 0 on, in the order in
 * which the texts are added. So a caller can keep an array with one element for each text.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_TEXTS_H
#define CTRACE_ANALYSIS_REQUESTS_TEXTS_H

#include "lib/map.h"
#include "lib/vec.h"

/* A zeroed structure is an empty table. */
struct texts {
	VEC(char *) v;
	struct map by_text; /* hash of the text -> its number */
};

void texts_done(struct texts *t);
/* Sets *ret to the number of the text, and adds a copy of a text that is not there yet. Returns 0 or
 * -ENOMEM. */
int texts_add(struct texts *t, const char *text, size_t *ret);
/* Compares two texts for their order in a list when nothing else decides the order. Returns a number
 * below 0, 0 (the texts are equal), or a number above 0. */
int texts_order(const char *a, const char *b);

#endif
