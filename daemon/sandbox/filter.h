/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - makes a list of the system calls that a process may make, and enters
 * it: for good, for this thread and all that it starts.
 *
 * What is not allowed fails with EPERM, and the kernel's audit log says so; nothing is killed, for another
 * version of a library may try what this one did not, and do without.  Calls that are younger than clone3
 * fail with ENOSYS: libraries try those first and then the older ones.
 */
#ifndef CTRACE_DAEMON_SANDBOX_FILTER_H
#define CTRACE_DAEMON_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_MAX 512 /* instructions */

struct filter {
	struct sock_filter v[FILTER_MAX];
	size_t n; /* beyond FILTER_MAX: it was too long */
};

void filter_init(struct filter *f);
/* These calls, whatever their arguments are. */
void filter_allow(struct filter *f, const int *calls, size_t n);
/* This call, when the low 32 bits of an argument are one of values after masking. */
void filter_allow_values(struct filter *f, int call, unsigned arg, uint32_t mask, const uint32_t *values,
			 size_t n);
/* 0, -E2BIG, or -errno of the kernel; the thread must have no new privileges. */
int filter_enter(struct filter *f);

#endif
