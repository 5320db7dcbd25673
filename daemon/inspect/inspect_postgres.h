/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect_postgres.h - finds the owner of the lock for which a session of PostgreSQL waits. Reads
 * the data of PostgreSQL's lock manager in the memory of the session, but takes none of
 * PostgreSQL's locks. So the data may change during the search. Each step of the search is checked;
 * if a check fails, no owner is found. Runs on the inspection thread.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_POSTGRES_H
#define CTRACE_DAEMON_INSPECT_INSPECT_POSTGRES_H

#include "daemon/inspect/inspect_result.h"
#include "daemon/stack/unwind.h"
#include "lib/map.h"

/*
 * Call it between unwind_begin() and unwind_end() for the task, at most once, because it may read
 * all symbols of a file. f: a frame on the stack of the task, in POSTGRES_LOCK_FUNCTION and with a
 * file (f->elf). own_pidns: inode number of the daemon's pid namespace. procs keeps, for each file,
 * the address of the variable POSTGRES_OWN_PROC in the file (key: unwind_elf.serial; value 0: the
 * file has no such variable).
 *
 * Sets ct_visit_lock() and ct_visit_owner() of r->rec. Two modes of a lock may conflict. If several
 * sessions own the lock in modes that conflict with the wanted mode of this session, the owner
 * stays unknown. If no session owns the lock in such a mode, the owner is the first session in the
 * queue in front of this one that wants such a mode.
 */
void inspect_postgres(struct unwind *u, const struct ct_iter_task *t, const struct unwind_frame *f,
		      uint32_t own_pidns, struct map *procs, struct inspect_result *r);

#endif
