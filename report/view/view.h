/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - the things of which the page of `ctrace view` is made. One thread. */
#ifndef CTRACE_REPORT_VIEW_VIEW_H
#define CTRACE_REPORT_VIEW_VIEW_H

#include <stdbool.h>

#include "analysis/hangs/hangs.h"
#include "analysis/picture/picture.h"

struct view {
	const struct graph *g;
	const struct diagnosis *diagnosis;
	const struct path *path;
	const struct picture *picture;
	const struct hangs *hangs; /* all hangs of the trace, or of the time that the user gave */
	const char *chosen;        /* a sentence: why the page is about this victim */
	const char *options;       /* the options that choose the victim, each after a blank */
	bool window_given;         /* the options give the window of the diagnosis */
	/* `hangs` is the list of `ctrace hangs` without options, so --hang chooses one of them */
	bool whole;
	/* words that say where the hangs are, such as "in the whole trace"; or why no other hang was found */
	const char *where;
	const char *trace; /* the name of the file */
	const char *boot;  /* the argument of --boot, or NULL */
	/* The page has tables of requests and jobs. Then g must come from graph_build(), not from
	 * graph_build_lean(). */
	bool tables;
};

#endif
