/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - enforces a list of allowed system calls, for the calling thread and all threads that
 * it creates later.
 * - Any other call except clone3 fails, and the kernel's audit log says so. A call newer than
 *   clone3 fails with ENOSYS, so that libraries try an older call. An older call fails with EPERM.
 * - clone3 fails with ENOSYS, without a log.
 * - Only a call of another architecture (32-bit) kills the process.
 */
#ifndef CTRACE_DAEMON_SANDBOX_FILTER_H
#define CTRACE_DAEMON_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_MAX 512

struct filter {
	struct sock_filter v[FILTER_MAX];
	size_t n;
};

void filter_init(struct filter *f);
void filter_allow(struct filter *f, const int *calls, size_t n);
/* Allows a call if (argument & mask) is one of n values; otherwise the call fails with EPERM. arg: which
 * argument, from 0. Ignores the high 32 bits of the argument. */
void filter_allow_values(struct filter *f, int call, unsigned arg, uint32_t mask, const uint32_t *values,
			 size_t n);
/* The thread must have set no_new_privs. Returns 0, -E2BIG if the list needs more than FILTER_MAX
 * instructions, or another -errno. */
int filter_enter(struct filter *f);

#endif
