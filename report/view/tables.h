/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.h - the requests and jobs of a trace, for the page of `ctrace view`. One thread. */
#ifndef CTRACE_REPORT_VIEW_TABLES_H
#define CTRACE_REPORT_VIEW_TABLES_H

#include <jansson.h>

#include "graph/timeline/graph.h"

#define VIEW_TABLE_ROWS 8

/* view_services() returns the first VIEW_TABLE_ROWS services that `ctrace requests` shows for the
 * window; its graph must not be lean. view_queues() returns the first VIEW_TABLE_ROWS queues that
 * `ctrace jobs` shows. Both return a new reference, and set *ret_more to the number of further
 * services or queues. NULL: out of memory, or too many requests. */
json_t *view_services(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more);
json_t *view_queues(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more);

#endif
