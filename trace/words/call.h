/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.h - names the system calls that some code must tell apart. Most code needs only the class of
 * a call (enum ct_wait). Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_CALL_H
#define CTRACE_TRACE_WORDS_CALL_H

#include "trace/format/machine.h"

enum call {
	CALL_OTHER = 0,
	CALL_CLOSE,
	CALL_EPOLL_PWAIT,
	CALL_EPOLL_WAIT,
	CALL_EXECVE,
	CALL_EXIT_GROUP,
	CALL_MQ_TIMEDRECEIVE,
	CALL_MQ_TIMEDSEND,
	CALL_MSGRCV,
	CALL_MSGSND,
	CALL_POLL,
	CALL_PPOLL,
	CALL_PSELECT6,
	CALL_SCHED_YIELD,
	CALL_SELECT,
	CALL_SEMOP,
	CALL_SEMTIMEDOP,
	CALL_SHUTDOWN,
	CALLS,
};

/* nr: the number of a system call, as in ct_rec.nr. machine: as in window.machine of the trace. */
enum call call_of(enum machine machine, unsigned nr);

#endif
