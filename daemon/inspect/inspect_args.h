/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_args.h - what a task waits on, read from its memory: the word and owner of a futex, the descriptors
 * of a poll or select. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H
#define CTRACE_DAEMON_INSPECT_INSPECT_ARGS_H

#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* Fills r->futex; own_pidns: the daemon's pid namespace.  Between unwind_begin() and unwind_end(). */
void inspect_args_futex(struct unwind *u, const struct ct_iter_task *t, uint32_t own_pidns,
			struct inspect_result *r);
/* Fills r->fds. */
void inspect_args_fds(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r);

#endif
