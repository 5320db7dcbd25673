/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.h - the content of the page of `ctrace view` as a JSON document (ctrace.view/1, doc/json.md).
 * One thread. */
#ifndef CTRACE_CLI_VIEW_DATA_H
#define CTRACE_CLI_VIEW_DATA_H

#include <jansson.h>
#include <stdbool.h>

#include "analysis/hangs/hangs.h"
#include "analysis/picture/picture.h"

/* texts: A text has about 250 bytes, so more texts could make the page larger than 5 MB. The pieces
 * of the path, and spans without a text of their own, have a few more texts. */
#define VIEW_REASONS 6000

struct view {
	const struct graph *g;
	const struct diagnosis *diagnosis;
	const struct path *path;
	const struct picture *picture;
	const struct hangs *hangs; /* all hangs of the trace, or of the time that the user gave */
	const char *chosen;        /* a sentence: why the page is about this victim */
	const char *options;       /* that choose the victim, each with a blank before it */
	bool window_given;         /* they have --from or --to */
	const char *where;         /* the place of the hangs, such as "in this trace" */
	const char *trace;         /* the name of the file */
	const char *boot;          /* the argument of --boot, or NULL */
	bool tables;               /* the page has tables of requests and jobs; g must not be lean */
};

/* Returns a new reference. NULL: out of memory. */
json_t *view_data(const struct view *v);

#endif
