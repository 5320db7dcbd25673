/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege_calls.h - private to privilege.c: the system calls that the daemon makes while it captures. */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H

/* Allows the system calls that the daemon makes while it captures, and no others. This holds for
 * the calling thread, and for the threads that it creates later. Returns 0 or -errno. */
int privilege_calls_enter(void);

#endif
