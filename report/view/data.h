/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.h - the content of the page of `ctrace view` as a JSON document (ctrace.view/1, doc/json.md).
 * One thread. */
#ifndef CTRACE_REPORT_VIEW_DATA_H
#define CTRACE_REPORT_VIEW_DATA_H

#include <jansson.h>

#include "report/view/view.h"

/* texts about intervals, at most. A text has about 250 bytes, so more texts could make the page larger
 * than 5 MB. The page also has some texts that this limit does not count: those of the pieces of the
 * path, and one for each state of a task. */
#define VIEW_REASONS 6000

/* Returns a new reference. NULL: out of memory. */
json_t *view_data(const struct view *v);

#endif
