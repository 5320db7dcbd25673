/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crashes.h - finds the processes that ended badly, and the path that led to each crash. The path
 * leads across tasks, back to the request, the input or the timer that started the work.
 * (The "exception path" of AppInsight, Ravindranath et al., OSDI 2012.)
 *
 * A process has crashed if it ended by a signal whose default action is to dump core. An exception
 * that a runtime (Python, Java) catches at the top is no such signal: it ends in an exit status. It is
 * known only if a framework reports it (CT_CALL_*).
 *
 * Pure; any thread. The graph and its window must live as long as the result.
 */
#ifndef CTRACE_ANALYSIS_CRASHES_CRASHES_H
#define CTRACE_ANALYSIS_CRASHES_CRASHES_H

#include <stdbool.h>

#include "analysis/slice/slice.h"
#include "graph/causal/causal.h"

#define CRASHES_MAX      256 /* of each enum crash_how; the rest counts in crashes.refused */
#define CRASH_STEPS_MAX  32  /* steps of one path */
#define CRASH_STATUS_ANY 0xff

enum crash_how {
	CRASH_SIGNAL, /* crashed */
	CRASH_KILLED, /* ended by another signal, such as KILL or TERM */
	CRASH_STATUS, /* ended with an exit status other than 0 */
	/* as CRASH_STATUS, and a framework had reported before that the process ends */
	CRASH_EXCEPTION,
	/* A thread ended after it had reported an uncaught exception. The process did not end with it. */
	CRASH_THREAD,
	CRASH_HOWS,
};

struct crash {
	enum crash_how how;
	/* If task_known is set, the task that got the signal or reported the exception. Otherwise, the last
	 * task of the process. */
	uint32_t task;
	bool task_known;
	bool confirmed; /* the record of the process's end has the signal or the status */
	bool dumped;    /* the kernel wrote a core dump */
	bool is_error;  /* with CRASH_EXCEPTION: it is no exception, but another error of the runtime */
	uint8_t signal; /* 0: none */
	uint8_t status; /* of exit(2) */
	/* si_code of a signal that the kernel sent because of what the task did; 0: not known, or
	 * the signal was sent in another way */
	int32_t code;
	uint64_t at_ns; /* when the signal was delivered, or the exception reported, or else the process ended
			 */
	uint64_t end_ns; /* when the process (CRASH_THREAD: the thread) ended; UINT64_MAX: not recorded */
	uint32_t sent;   /* the CT_SIGNAL event; GRAPH_NONE: not known */
	uint32_t sender; /* the task that sent the signal; GRAPH_NONE: the kernel, or not known */
	uint64_t stack;  /* id of the stack at the signal; 0: not known */
	/* Goes from the crash back in time. SLICE_END_STOPPED: earlier steps were cut off, because they
	 * only tell why a process of the path was started. NULL: the task or its work is not known, or
	 * crash_has_path() is false. */
	struct slice *path;
	char *text; /* one sentence, safe to print */
};

struct crashes {
	const struct graph *g;
	struct causal *c; /* NULL: there is no crash */
	struct crash *v;  /* in order of time */
	size_t n;
	size_t count[CRASH_HOWS];
	size_t refused;
	bool lossy; /* records are missing in the range, so crashes may be missing too */
};

/* Finds the processes that ended in [from_ns, to_ns). Tasks of ctrace do not count. The caller
 * frees *ret with crashes_free(). Returns 0, -ENOMEM, or -E2BIG if the causal graph is too large. */
int crashes_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct crashes **ret);
/* Removes the crashes of tasks that are not set in tasks[]. */
void crashes_keep(struct crashes *cs, const bool *tasks);
void crashes_free(struct crashes *cs);
const char *crash_how_name(enum crash_how how);
/* Returns true for a crash by a signal and for an exception. */
bool crash_has_path(enum crash_how how);
/* Returns true if all of these are true:
 * - There is a path, and all its edges are strong.
 * - The path did not end at a limit or a rule (SLICE_END_LIMIT, SLICE_END_REFUSED).
 * - The path has more than one step, or it ends at SLICE_END_OUTSIDE.
 * - No task of the path got a later message that may be a request, because the trace does not show which end
 * of its connection was accepted.
 * - In the time of the path, no records are missing that the path may need. */
bool crash_path_certain(const struct crashes *cs, const struct crash *c);
/* Returns words such as "no memory is mapped at the address", or NULL. */
const char *crash_code_words(const struct crash *c);
/* Returns the innermost frame that is not in the C library, or else the innermost frame. NULL: the
 * stack is not known. */
const char *crash_frame(const struct crashes *cs, const struct crash *c);

#endif
