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
	free(w->words);
	w->events = NULL;
	w->words = NULL;
	w->n_events = 0;
}

static inline void window_fill(struct window *w, const struct window_record *v, size_t n)
{
	window_empty(w);
	w->events = calloc(n + 1, sizeof(*w->events));
	w->words = calloc(n + 1, sizeof(*w->words));
	if (!w->events || !w->words)
		abort();
	for (size_t i = 0; i < n; i++) {
		w->events[i] = (struct window_event){ .r = v[i].r, .cpu = v[i].cpu };
		if (!v[i].x[0] && !v[i].x[1])
			continue;
		w->events[i].words = (uint32_t)i + 1;
		memcpy(w->words[i + 1].x, v[i].x, sizeof(v[i].x));
	}
	w->n_events = n;
}

#endif
