// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/call.h"

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* The numbers are as in syscalls_x86_64.inc and syscalls_arm64.inc. To compare names would take much longer:
 * analyses ask millions of times. CT_NR_NONE: the machine has no such call. */
enum call call_of(enum machine machine, unsigned nr)
{
	static const struct {
		uint16_t x86_64, arm64;
	} numbers[CALLS] = {
		[CALL_CLOSE] = { 3, 57 },
		[CALL_EPOLL_PWAIT] = { 281, 22 },
		[CALL_EPOLL_WAIT] = { 232, CT_NR_NONE },
		[CALL_EXECVE] = { 59, 221 },
		[CALL_EXIT_GROUP] = { 231, 94 },
		[CALL_MQ_TIMEDRECEIVE] = { 243, 183 },
		[CALL_MQ_TIMEDSEND] = { 242, 182 },
		[CALL_MSGRCV] = { 70, 188 },
		[CALL_MSGSND] = { 69, 189 },
		[CALL_POLL] = { 7, CT_NR_NONE },
		[CALL_PPOLL] = { 271, 73 },
		[CALL_PSELECT6] = { 270, 72 },
		[CALL_SCHED_YIELD] = { 24, 124 },
		[CALL_SELECT] = { 23, CT_NR_NONE },
		[CALL_SEMOP] = { 65, 193 },
		[CALL_SEMTIMEDOP] = { 220, 192 },
		[CALL_SHUTDOWN] = { 48, 210 },
	};
	bool arm64;

	machine = machine_known(machine);
	if (nr == CT_NR_NONE || (machine != MACHINE_X86_64 && machine != MACHINE_ARM64))
		return CALL_OTHER;
	arm64 = machine == MACHINE_ARM64;
	for (unsigned call = CALL_OTHER + 1; call < CALLS; call++)
		if ((arm64 ? numbers[call].arm64 : numbers[call].x86_64) == nr)
			return (enum call)call;
	return CALL_OTHER;
}
