/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege_calls.h - private to privilege.c: the system calls of the running daemon. */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H

/* From now on, the calling thread and threads that it creates may make only the system calls that
 * privilege_calls.c lists. Returns 0 or -errno. */
int privilege_calls_enter(void);

#endif
