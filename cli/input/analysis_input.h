/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis_input.h - opens a trace, loads a window and some time around it, and builds the graph.
 * Functions that return int print their errors and return an exit code. Call analysis_close()
 * after failure too. One thread.
 */
#ifndef CTRACE_CLI_INPUT_ANALYSIS_INPUT_H
#define CTRACE_CLI_INPUT_ANALYSIS_INPUT_H

#include "cli/input/tracefile.h"
#include "graph/timeline/graph.h"

#define ANALYSIS_LISTER_MAX 600

struct analysis_input {
	const char *path;
	struct reader *reader;
	struct window *window;
	struct graph *graph;
	/* The requested window, in boot time. analysis_load_around() may set it beyond the trace. */
	uint64_t from_ns, to_ns;
	uint64_t least_ns; /* nothing before this time is loaded: see analysis_fit() */
	bool is_now;       /* the trace is a copy of the daemon's trace up to now */
	int fd;
	/* use graph_build_lean(), or graph_build_frugal(); set this before the file is opened */
	bool lean, frugal;
	/* call analysis_fit(); set this before the file is opened */
	bool fit;
};

/* boot: the argument of --boot; NULL: the newest boot. */
int analysis_open(struct analysis_input *in, const char *path, const char *boot);
void analysis_take_now(struct analysis_input *in, struct reader *trace, int fd);
const char *analysis_lister(const struct analysis_input *in, char buf[ANALYSIS_LISTER_MAX]);
/* Opens path, sets in->from_ns and in->to_ns, then loads as analysis_load(). */
int analysis_begin(struct analysis_input *in, const char *path, const struct windowarg *window);
/* As analysis_begin(), but reads the window with tracefile_moment(). */
int analysis_begin_moment(struct analysis_input *in, const char *path, const struct windowarg *window,
			  struct timearg_moment *ret_at);
/* If in->fit is set, the user has not chosen a window, and the trace may not fit into memory, moves
 * in->from_ns, so that the window is the newest part of the trace that fits, and warns. On one machine, it is
 * always the same part. For commands whose answer people read: a script may not see the warning. */
void analysis_fit(struct analysis_input *in, const struct windowarg *window);
/* Loads in->from_ns to in->to_ns and some time around it, and builds the graph. A trace of at most
 * LOAD_WHOLE_RECORDS records is loaded as a whole. */
int analysis_load(struct analysis_input *in);
/* As analysis_load(), but does not load a small trace as a whole. before_ns: the time to load before
 * in->from_ns. */
int analysis_load_part(struct analysis_input *in, uint64_t before_ns);
int analysis_load_around(struct analysis_input *in, uint64_t at_ns);
int analysis_load_range(struct analysis_input *in, uint64_t from_ns, uint64_t to_ns);
/* Also warns if the graph skipped records because of a limit. */
void analysis_close(struct analysis_input *in);
/* Finds the last task with this tid that lived in the window. */
int analysis_task(const struct analysis_input *in, uint32_t tid, uint32_t *ret_task);

#endif
