/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs_search.h - finds the hangs in a trace. Up to 16 threads of ctrace search at the same time. Shows the
 * progress if stderr is a terminal. Ctrl-C ends the search early. */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_SEARCH_H
#define CTRACE_CLI_CMD_CMD_HANGS_SEARCH_H

#include "analysis/hangs/hangs.h"

struct analysis_input;

/*
 * Sets *ret to the same list as hangs_find(). Returns 0 or -errno.
 *
 * After Ctrl-C, the list has only the diagnosed rows. (*ret)->missing is the number of all other
 * rows. If it is not 0, threads may still read the graph: do not free the graph, and call _exit().
 */
int hangs_search(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
		 struct hangs **ret);
/* As hangs_search() over the window of `in`, for a list that must be complete: after Ctrl-C, ends the process.
 * Returns an exit code, and prints its errors itself. */
int hangs_search_all(const struct analysis_input *in, const struct hangs_filter *filter, struct hangs **ret);

#endif
