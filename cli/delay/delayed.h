/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delayed.h - runs a command once, and delays each call of one function.
 *
 * The command and all processes that it starts are traced with ptrace(2). A breakpoint at the start
 * of the function stops the calling thread for the time of the delay. The other threads go on. A
 * stopped thread uses no CPU. One thread, and one run at a time. Only for x86-64.
 *
 * If the first instruction of the function is endbr64 or a push, or reserves stack, ctrace itself does what
 * the instruction does (probe_skip()), and the breakpoint stays. Otherwise ctrace removes the breakpoint
 * until the thread has executed the instruction. Calls of other threads in this time are neither delayed
 * nor counted.
 */
#ifndef CTRACE_CLI_DELAY_DELAYED_H
#define CTRACE_CLI_DELAY_DELAYED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DELAYED_TASKS_MAX 4096 /* threads at a time; if there are more, ctrace ends the run */

struct delayed_plan {
	char *const *argv;
	const char *function;
	uint64_t delay_ns;  /* of each call; 0: the thread stops, and goes on at once */
	uint64_t max_calls; /* after this many calls, the breakpoint is removed */
	bool show;          /* show the output of the command; else it is thrown away */
};

enum delayed_end {
	DELAYED_EXITED, /* the command ended by itself; see `status` */
	DELAYED_NO_START,
	DELAYED_NO_TRACE, /* ptrace(2) failed, or there are too many threads; the command was killed */
};

struct delayed_run {
	enum delayed_end end;
	int error;         /* errno of NO_START and NO_TRACE */
	int status;        /* as of waitpid(2) */
	uint64_t ns;       /* from the exec of the command to its exit */
	uint64_t calls;    /* calls that were held */
	uint64_t held_ns;  /* how long they were held in all */
	unsigned programs; /* executed programs that have the function */
	unsigned others;   /* executed programs that do not have it */
	bool removed;      /* the breakpoint was removed because of max_calls */
	unsigned n_left;   /* processes that the command left behind; they were killed */
};

void delayed_run(const struct delayed_plan *plan, struct delayed_run *ret);
bool delayed_supported(void);

#endif
