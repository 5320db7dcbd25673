/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect_java.h - finds the owner of the lock for which a Java thread waits. The lock is a monitor (the
 * thread is at the begin of a `synchronized` block or method), or a ReentrantLock. Reads the memory of the
 * Java virtual machine, without a lock of its own. So it checks what it reads, and finds nothing if a check
 * fails. Runs on the inspection thread.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_JAVA_H
#define CTRACE_DAEMON_INSPECT_INSPECT_JAVA_H

#include "daemon/inspect/inspect_result.h"
#include "daemon/inspect/java_vm.h"

/* Returns true if f is in HotSpot. */
bool inspect_java_wants(const struct unwind_frame *f);
/*
 * Call it between unwind_begin() and unwind_end() for the task. f: a frame of the task for which
 * inspect_java_wants() is true. own_pidns: of the daemon. If the task waits for a lock, sets ct_visit_lock()
 * of r->rec, and also ct_visit_owner() if the owner is found. The task itself is the owner if it has the lock
 * to read, and waits to own it to write.
 */
void inspect_java(struct unwind *u, const struct ct_iter_task *t, const struct unwind_frame *f,
		  uint32_t own_pidns, struct java_layouts *layouts, struct inspect_result *r);

#endif
