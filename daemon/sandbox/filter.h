/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - makes a list of the system calls that a process may make, and enforces the list for
 * good: for the calling thread, and for all threads and processes that it creates later.
 *
 * A call that is not on the list fails, and the kernel's audit log says so. The errno of the call
 * is EPERM. If the call is newer than clone3, its errno is ENOSYS instead, because a library tries
 * the newest call first, and after ENOSYS an older one. clone3 always fails with ENOSYS, and this
 * is not logged.
 *
 * A call that fails does not kill the process, because another version of a library may try further
 * calls and do without them. Only a call of another architecture (such as a 32-bit call) kills the
 * process.
 */
#ifndef CTRACE_DAEMON_SANDBOX_FILTER_H
#define CTRACE_DAEMON_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_MAX 512 /* the most instructions of a filter */

struct filter {
	struct sock_filter v[FILTER_MAX];
	size_t n; /* larger than FILTER_MAX: the list is too long */
};

void filter_init(struct filter *f);
/* Allows these calls, whatever their arguments are. */
void filter_allow(struct filter *f, const int *calls, size_t n);
/* Allows a call if one argument has one of n values; otherwise the call fails with EPERM. arg: the
 * number of the argument, from 0. Only the low 32 bits of the argument are compared, and of these
 * only the bits that are set in mask. */
void filter_allow_values(struct filter *f, int call, unsigned arg, uint32_t mask, const uint32_t *values,
			 size_t n);
/* Enforces the list. The thread must have set no_new_privs. Returns 0, or -E2BIG if the list needs
 * more than FILTER_MAX instructions, or another -errno. */
int filter_enter(struct filter *f);

#endif
