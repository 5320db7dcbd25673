/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h - the system calls that matter by name, and not only by their class (enum ct_wait).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_CALL_H
#define CTRACE_TRACE_WORDS_CALL_H

#include "trace/format/machine.h"

enum call {
	CALL_OTHER = 0, /* any other one, or none */
	CALL_CLOSE,
	CALL_EPOLL_PWAIT,
	CALL_EPOLL_WAIT,
	CALL_EXECVE,
	CALL_EXIT_GROUP,
	CALL_MQ_TIMEDRECEIVE,
	CALL_MSGRCV,
	CALL_POLL,
	CALL_PPOLL,
	CALL_PSELECT6,
	CALL_SCHED_YIELD,
	CALL_SELECT,
	CALL_SHUTDOWN,
	CALLS,
};

/* nr is a number as in the records of a trace; machine is that of the trace (struct window). */
enum call call_of(enum machine machine, unsigned nr);

#endif
