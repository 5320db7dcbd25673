/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dumpline.h - prints one record as one line of text or JSON. One thread. */
#ifndef CTRACE_CLI_RENDER_DUMPLINE_H
#define CTRACE_CLI_RENDER_DUMPLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/format/window.h"

struct dumpline_options {
	bool json;
	bool wall; /* in text: local wall clock instead of seconds since boot */
};

struct dumpline;

struct dumpline *dumpline_new(FILE *f, const struct dumpline_options *options);
void dumpline_free(struct dumpline *d);
/* Sets the window of the next records. The window must not change, because dumpline keeps names
 * from it. */
void dumpline_window(struct dumpline *d, const struct window *w);
void dumpline_print(struct dumpline *d, const struct window_event *e);

/* Writes the tids of the tasks that a record is about, and returns their number (0 to 2). The first
 * is the `task` of the line; the second is, for example, the next task of a CT_SWITCH. */
unsigned dumpline_tasks(const struct window_event *e, uint32_t ret[2]);

#endif
