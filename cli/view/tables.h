/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.h - the requests and jobs of a trace, for the page. One thread. */
#ifndef CTRACE_CLI_VIEW_TABLES_H
#define CTRACE_CLI_VIEW_TABLES_H

#include <jansson.h>

#include "graph/timeline/graph.h"

#define VIEW_TABLE_ROWS 8

/* Return the first VIEW_TABLE_ROWS services of `ctrace requests`, or queues of `ctrace jobs`, for
 * the window, as a new reference. *ret_more: how many more there are. NULL: out of memory, or too
 * many requests. The graph must not be lean for view_services(). */
json_t *view_services(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more);
json_t *view_queues(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more);

#endif
