/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h - system calls that other code has to tell apart one by one. For most code, the class of a
 * call (enum ct_wait) is enough.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_CALL_H
#define CTRACE_TRACE_WORDS_CALL_H

#include "trace/format/machine.h"

enum call {
	CALL_OTHER = 0, /* any other call, or no call */
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

/* Returns the system call that has the number nr on that machine. nr comes from a record, and
 * machine is window.machine of its trace. */
enum call call_of(enum machine machine, unsigned nr);

#endif
