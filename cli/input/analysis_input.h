/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis_input.h - the input of commands that analyse a trace: opens the file, loads the window and
 * some time around it, and builds the graph. A function that returns int returns an exit code of
 * ctrace, and prints its errors itself; analysis_close() has to be called after failure too. One
 * thread.
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
	/* the requested window, in boot time; analysis_load_around() does not clip it to the
	 * trace */
	uint64_t from_ns, to_ns;
	bool is_now; /* the trace is a copy of the daemon's trace up to now */
	int fd;      /* is_now: the descriptor of the trace */
	/* the graph is made by graph_build_lean(); to be set before the file is opened */
	bool lean;
};

/* Opens path. boot: the argument of --boot, which chooses a boot of the machine; NULL: the newest
 * boot. */
int analysis_open(struct analysis_input *in, const char *path, const char *boot);
/* Takes over the trace and the descriptor that now_open() has returned. */
void analysis_take_now(struct analysis_input *in, struct reader *trace, int fd);
/* Returns a hint for an error message: the command that lists the tasks that wait, or waited,
 * in this input. The hint may be in buf. */
const char *analysis_lister(const struct analysis_input *in, char buf[ANALYSIS_LISTER_MAX]);
/* Opens path, and loads the window from --from to --to as analysis_load() does. A NULL stands for
 * an option that is not given. */
int analysis_begin(struct analysis_input *in, const char *path, const char *boot, const char *from,
		   const char *to);
/* Loads the time from LOAD_BEFORE_NS before the window to LOAD_AFTER_NS after it. If the trace has
 * at most LOAD_WHOLE_RECORDS records, loads the whole trace. Then builds the graph. The caller has
 * set the window: in->from_ns and in->to_ns. */
int analysis_load(struct analysis_input *in);
/* As analysis_load(), but never loads the whole trace. */
int analysis_load_part(struct analysis_input *in);
/* As analysis_load(), but sets the window itself: from LOAD_AROUND_NS before at_ns to
 * LOAD_AROUND_NS after at_ns. */
int analysis_load_around(struct analysis_input *in, uint64_t at_ns);
/* Loads [from_ns, to_ns) and builds the graph, in place of the records that were loaded before. */
int analysis_load_range(struct analysis_input *in, uint64_t from_ns, uint64_t to_ns);
/* Releases everything. Prints a warning if the graph, because of a limit, did not look at all
 * records of a task or object. */
void analysis_close(struct analysis_input *in);
/* Reads arg, the argument of option, as the id of a task or of a process. */
int analysis_tid(const char *option, const char *arg, uint32_t *ret);
/* Finds the task with this tid that lived in the window. If there were several, finds the last
 * one. */
int analysis_task(const struct analysis_input *in, uint32_t tid, uint32_t *ret_task);

#endif
