/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dumpline.h - one record as one line of text or JSON. */
#ifndef CTRACE_CLI_RENDER_DUMPLINE_H
#define CTRACE_CLI_RENDER_DUMPLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/format/window.h"

struct dumpline_options {
	bool json;
	bool wall; /* text: local wall clock instead of seconds since boot */
};

void dumpline_print(FILE *f, const struct dumpline_options *opt, const struct window *w,
		    const struct window_event *e);

/* The tasks that a record is about; returns how many (0..2). */
unsigned dumpline_tasks(const struct window_event *e, uint32_t ret[2]);

#endif
