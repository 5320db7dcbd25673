/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dumpline.h - prints one record as one line of text or JSON. One thread. */
#ifndef CTRACE_CLI_RENDER_DUMPLINE_H
#define CTRACE_CLI_RENDER_DUMPLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/format/window.h"

struct dumpline_options {
	bool json;
	bool wall; /* text: local wall clock instead of seconds since boot */
};

/* Prints one record of the window w as a line. */
void dumpline_print(FILE *f, const struct dumpline_options *opt, const struct window *w,
		    const struct window_event *e);

/* Writes the tids of the tasks that a record is about. Returns how many (0 to 2). */
unsigned dumpline_tasks(const struct window_event *e, uint32_t ret[2]);

#endif
