/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege_calls.h - private to privilege.c: the system calls of the running daemon. */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_CALLS_H

/* Allows only these calls to the calling thread, and to threads that it creates later. Returns 0 or
 * -errno. */
int privilege_calls_enter(void);

#endif
