/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_args.h - for a task that waits in futex, poll, select or a call of System V, reads what
 * the call's arguments stand for. Runs on the inspection thread, between unwind_begin() and unwind_end()
 * for the task. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H
#define CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H

#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* Fills r->futex if t waits for a futex. own_pidns: inode number of the daemon's pid namespace. */
void inspect_args_futex(struct unwind *u, const struct ct_iter_task *t, uint32_t own_pidns,
			struct inspect_result *r);
/* Returns the last number in the line `name`, such as "NSpid:", of /proc/TID/status. 0: no such task or line.
 */
uint32_t inspect_args_status(uint32_t tid, const char *name);
/* Returns the tid of t in its innermost pid namespace, or 0. */
uint32_t inspect_args_inner(const struct ct_iter_task *t, uint32_t own_pidns);
/* Returns the tid of the thread of t's process that has the number `inner` in the innermost pid namespace of
 * t. 0: there is no such thread. */
uint32_t inspect_args_thread(const struct ct_iter_task *t, uint32_t inner, uint32_t own_pidns);
/* If t waits for a semaphore or a message queue of System V, sets ct_visit_lock() and ct_visit_owner() of
 * r->rec if a process is found that has to act first: see CT_VL_SYSV. own_ipcns: inode number of the daemon's
 * IPC namespace. The queues of other IPC namespaces are not known. */
void inspect_args_sysv(struct unwind *u, const struct ct_iter_task *t, uint32_t own_ipcns,
		       struct inspect_result *r);
void inspect_args_fds(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r);

#endif
