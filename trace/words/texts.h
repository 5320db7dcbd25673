/* SPDX-License-Identifier: GPL-2.0-or-later */
/* texts.h - compares texts, finds them in a list, and gives them numbers. One thread at a time for
 * each struct texts. */
#ifndef CTRACE_TRACE_WORDS_TEXTS_H
#define CTRACE_TRACE_WORDS_TEXTS_H

#include "lib/map.h"
#include "lib/vec.h"

/* Gives each distinct text a number, from 0 on, in the order in which the texts are added. */
struct texts {
	VEC(char *) v;
	struct map by_text;
};

void texts_done(struct texts *t);
/* Sets *ret to the number of the text. Copies a new text. Returns 0 or -ENOMEM. */
int texts_add(struct texts *t, const char *text, size_t *ret);
/* As strcmp(). */
int texts_order(const char *a, const char *b);
/* Returns the index of the text in the list, or n if it is not there. The list may contain NULL. */
size_t texts_find(const char *const *list, size_t n, const char *text);

#endif
