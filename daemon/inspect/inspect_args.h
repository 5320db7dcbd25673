/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_args.h - for a task that waits in futex, poll or select, reads the memory that the
 * call's arguments point to. Runs on the inspection thread, between unwind_begin() and unwind_end()
 * for the task. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H
#define CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H

#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* Fills r->futex if t waits for a futex. own_pidns: inode number of the daemon's pid namespace. */
void inspect_args_futex(struct unwind *u, const struct ct_iter_task *t, uint32_t own_pidns,
			struct inspect_result *r);
void inspect_args_fds(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r);

#endif
