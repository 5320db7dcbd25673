/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_path.h - finds the FUSE file system that a task waits for, if its system call takes a path.
 * Runs on the inspection thread. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_PATH_H
#define CTRACE_DAEMON_INSPECT_INSPECT_PATH_H

#include "daemon/inspect/inspect_result.h"
#include "daemon/stack/unwind.h"

/*
 * If the path of t's system call is on a FUSE file system, r->rec gets the root directory of this
 * file system as its object, and r->object describes this directory. May miss a file system behind
 * a symbolic link. Call it between unwind_begin() and unwind_end() for the task.
 */
void inspect_path(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r);

#endif
