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
/* Sets the window of the records that are printed next. dumpline keeps names from the window, so
 * the window must not change. */
void dumpline_window(struct dumpline *d, const struct window *w);
void dumpline_print(struct dumpline *d, const struct window_event *e);

/* Writes the tids of the tasks that a record is about. The first is the `task` of the line. Some
 * kinds have a second, such as the next task of a CT_SWITCH. Returns the number of tids (0 to
 * 2). */
unsigned dumpline_tasks(const struct window_event *e, uint32_t ret[2]);

#endif
