/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_path.h - finds the FUSE file system for which a task waits in a call that takes a path. Runs on the
 * inspection thread. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_PATH_H
#define CTRACE_DAEMON_INSPECT_INSPECT_PATH_H

#include "daemon/inspect/inspect_result.h"
#include "daemon/stack/unwind.h"

/*
 * If the system call of task t takes a path, and this path is on a FUSE file system, makes the root
 * directory of this file system the object of the record r->rec, and describes this directory in
 * r->object. A path that goes through symbolic links may be missed. The caller calls this function
 * between unwind_begin() and unwind_end() for the task.
 */
void inspect_path(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r);

#endif
