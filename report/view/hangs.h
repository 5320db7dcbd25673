/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.h - for the page of `ctrace view`: the other hangs of the trace, and commands that tell
 * more. One thread. */
#ifndef CTRACE_REPORT_VIEW_HANGS_H
#define CTRACE_REPORT_VIEW_HANGS_H

#include <jansson.h>

#include "report/view/view.h"
#include "trace/words/words.h"

#define VIEW_HANGS   10
#define VIEW_WAITERS 8 /* tasks named for each hang */

/* Returns a new reference. NULL: out of memory. */
json_t *view_hangs(const struct view *v);
/* Returns a list of commands, each with the reason to run it. NULL: out of memory. */
json_t *view_next(const struct view *v);

#endif
