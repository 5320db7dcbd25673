/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.h - the requests and jobs of a trace, for the page of `ctrace view`. One thread. */
#ifndef CTRACE_REPORT_VIEW_TABLES_H
#define CTRACE_REPORT_VIEW_TABLES_H

#include <jansson.h>

#include "report/view/view.h"

#define VIEW_TABLE_ROWS 8

/* view_services() returns the first VIEW_TABLE_ROWS services that `ctrace requests` shows for the
 * window of the diagnosis; the graph must not be lean. view_queues() returns the first VIEW_TABLE_ROWS
 * queues that `ctrace jobs` shows. Each row says which tasks with a lane have a part in it. Both return a
 * new reference, and set *ret_more to the number of further services or queues. NULL: out of memory, or too
 * many requests. */
json_t *view_services(const struct view *v, size_t *ret_more);
json_t *view_queues(const struct view *v, size_t *ret_more);

#endif
