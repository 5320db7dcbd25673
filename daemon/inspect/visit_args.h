/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visit_args.h - what a task waits on, read from its memory: the word and owner of a futex, the descriptors
 * of a poll or select. */
#ifndef CTRACE_DAEMON_INSPECT_VISIT_ARGS_H
#define CTRACE_DAEMON_INSPECT_VISIT_ARGS_H

#include "daemon/stack/unwind.h"
#include "daemon/inspect/visit_result.h"

/* Fills r->futex; own_pidns: the daemon's pid namespace.  Between unwind_begin() and unwind_end(). */
void visit_args_futex(struct unwind *u, const struct ct_iter_task *t, uint32_t own_pidns,
		      struct visit_result *r);
/* Fills r->fds. */
void visit_args_fds(struct unwind *u, const struct ct_iter_task *t, struct visit_result *r);

#endif
