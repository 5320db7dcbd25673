/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orphans.h - the processes that a command leaves behind. They become children of ctrace, which is a
 * subreaper (prctl(2)). One thread: a thread finds only its own children.
 *
 * Without CONFIG_PROC_CHILDREN the kernel does not list children, so no orphan is found.
 */
#ifndef CTRACE_CLI_CHECK_ORPHANS_H
#define CTRACE_CLI_CHECK_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/vec.h"

#define ORPHANS_MAX 4096 /* further children are not looked at */

struct orphans {
	VEC(pid_t) pids;
};

/* Lists the present children. If memory runs out, the list is incomplete. */
void orphans_find(struct orphans *ret);
void orphans_done(struct orphans *o);
/* Counts the children that are not in `before` and are still alive after CHECK_ORPHAN_MS. */
size_t orphans_count(const struct orphans *before);
/* Kills the children that are not in `before`, and their descendants. */
void orphans_kill(const struct orphans *before);

#endif
