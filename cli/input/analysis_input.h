/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis_input.h - the input of commands that analyse a trace: opens the file, loads the window and
 * some time around it, and builds the graph. A function that returns int returns an exit code and
 * prints its errors itself; analysis_close() has to be called after failure too. One thread.
 */
#ifndef CTRACE_CLI_INPUT_ANALYSIS_INPUT_H
#define CTRACE_CLI_INPUT_ANALYSIS_INPUT_H

#include "cli/input/tracefile.h"
#include "graph/timeline/graph.h"

#define ANALYSIS_LISTER_MAX 512

struct analysis_input {
	const char *path; /* "now" if is_now is set */
	struct reader *reader;
	struct window *window;
	struct graph *graph;
	uint64_t from_ns, to_ns; /* the requested window, clipped to the trace; boot time */
	bool is_now;             /* the trace is a copy of the daemon's trace up to now */
	int fd;                  /* is_now: the descriptor of the trace */
	bool lean; /* the graph is made by graph_build_lean(); to be set before the file is opened */
};

/* Opens path. boot: the argument of --boot, which chooses a boot of the machine; NULL: the newest. */
int analysis_open(struct analysis_input *in, const char *path, const char *boot);
/* Takes over a trace and a descriptor of now_open(). */
void analysis_take_now(struct analysis_input *in, struct reader *trace, int fd);
/* Returns a hint for an error message: the command that lists the tasks of this input. The hint may
 * be in buf. */
const char *analysis_lister(const struct analysis_input *in, char buf[ANALYSIS_LISTER_MAX]);
/* Opens path and loads the window given by the options --from and --to. NULL: the option is not given. */
int analysis_begin(struct analysis_input *in, const char *path, const char *boot, const char *from,
		   const char *to);
/* Loads the window and some time around it, and builds the graph. If the trace has at most
 * LOAD_WHOLE_RECORDS records, loads all of them. The caller has set in->from_ns and in->to_ns. */
int analysis_load(struct analysis_input *in);
/* As analysis_load(), but never loads more than the window and some time around it. */
int analysis_load_part(struct analysis_input *in);
/* As analysis_load(), but sets in->from_ns and in->to_ns itself: LOAD_AROUND_NS before and after at_ns. */
int analysis_load_around(struct analysis_input *in, uint64_t at_ns);
/* Loads [from_ns, to_ns) and builds the graph, in place of the records that were loaded before. */
int analysis_load_range(struct analysis_input *in, uint64_t from_ns, uint64_t to_ns);
/* Releases everything. Prints a warning if parts of the trace were not read because of a limit. */
void analysis_close(struct analysis_input *in);
/* Reads the id of a task or of a process from an option. */
int analysis_tid(const char *option, const char *arg, uint32_t *ret);
/* Finds the task with this tid that lived in the window. */
int analysis_task(const struct analysis_input *in, uint32_t tid, uint32_t *ret_task);

#endif
