/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis_input.h - what hangs, path and diagnose share: a trace file opened,
 * loaded with enough around the window, and made a graph of.  Functions return
 * exit codes; what went wrong has been said.
 */
#ifndef CTRACE_CLI_INPUT_ANALYSIS_INPUT_H
#define CTRACE_CLI_INPUT_ANALYSIS_INPUT_H

#include "cli/input/tracefile.h"
#include "graph/timeline/graph.h"

struct analysis_input {
	const char *path;
	struct reader *reader;
	struct window *window;
	struct graph *graph;
	uint64_t from_ns, to_ns; /* the window asked for, clipped to the trace */
};

/* Opens path; boot: which boot of the machine is looked at (the argument of --boot), NULL: the newest. */
int analysis_open(struct analysis_input *in, const char *path, const char *boot);
/* Opens path and loads the window of the options --from and --to (NULL: not given). */
int analysis_begin(struct analysis_input *in, const char *path, const char *boot, const char *from,
		   const char *to);
/* Loads and builds, with in->from_ns and in->to_ns set. */
int analysis_load(struct analysis_input *in);
void analysis_close(struct analysis_input *in);
/* A task id from an option: 0 on success. */
int analysis_tid(const char *option, const char *arg, uint32_t *ret);
/* The task with this tid that was there in the window; says what is wrong when there is none. */
int analysis_task(const struct analysis_input *in, uint32_t tid, uint32_t *ret_task);

#endif
