// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/call.h"

#include "trace/words/describe.h"
#include "trace/words/texts.h"

enum call call_of(enum machine machine, unsigned nr)
{
	static const char *const names[CALLS] = {
		[CALL_CLOSE] = "close",
		[CALL_EPOLL_PWAIT] = "epoll_pwait",
		[CALL_EPOLL_WAIT] = "epoll_wait",
		[CALL_EXECVE] = "execve",
		[CALL_EXIT_GROUP] = "exit_group",
		[CALL_MQ_TIMEDRECEIVE] = "mq_timedreceive",
		[CALL_MSGRCV] = "msgrcv",
		[CALL_POLL] = "poll",
		[CALL_PPOLL] = "ppoll",
		[CALL_PSELECT6] = "pselect6",
		[CALL_SCHED_YIELD] = "sched_yield",
		[CALL_SELECT] = "select",
		[CALL_SHUTDOWN] = "shutdown",
	};
	const char *name = describe_syscall(machine, nr);

	size_t i = name ? texts_find(names, CALLS, name) : CALLS;

	return i < CALLS ? (enum call)i : CALL_OTHER;
}
