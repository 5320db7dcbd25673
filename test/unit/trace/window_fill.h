/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_fill.h - fills a window with given records, and empties it. */
#ifndef CTRACE_TEST_WINDOW_FILL_H
#define CTRACE_TEST_WINDOW_FILL_H

#include <stdlib.h>
#include <string.h>

#include "trace/format/window.h"

static inline void window_empty(struct window *w)
{
	free(w->events);
	free(w->cpus);
	free(w->words);
	free(w->with_words);
	w->events = NULL;
	w->cpus = NULL;
	w->words = NULL;
	w->with_words = NULL;
	w->n_events = w->n_words = 0;
}

static inline void window_fill(struct window *w, const struct window_record *v, size_t n)
{
	window_empty(w);
	w->events = calloc(n + 1, sizeof(*w->events));
	w->cpus = calloc(n + 1, sizeof(*w->cpus));
	w->words = calloc(n + 1, sizeof(*w->words));
	if (!w->events || !w->cpus || !w->words)
		abort();
	for (size_t i = 0; i < n; i++) {
		w->events[i].r = v[i].r;
		w->cpus[i] = v[i].cpu;
		if (CT_KIND_WORDS(v[i].r.kind))
			memcpy(w->words[w->n_words++].x, v[i].x, sizeof(v[i].x));
	}
	w->n_events = n;
	if (window_index(w))
		abort();
}

#endif
