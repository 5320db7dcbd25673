/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_kernel.h - the function symbols of /proc/kallsyms, compact and sorted. */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_KERNEL_H
#define CTRACE_DAEMON_STACK_SYMBOLS_KERNEL_H

#include <stdint.h>

struct symbols_kernel;

enum symbols_kernel_state {
	SYMBOLS_KERNEL_OK = 0,
	SYMBOLS_KERNEL_HIDDEN = 1, /* kptr_restrict: all addresses are 0 */
	SYMBOLS_KERNEL_ABSENT = 2, /* no /proc/kallsyms, or nothing in it */
};

/* Reads it all.  Never fails: what could not be had shows in the state.  NULL: out of memory. */
struct symbols_kernel *symbols_kernel_load(const char *path);
void symbols_kernel_free(struct symbols_kernel *k);
enum symbols_kernel_state symbols_kernel_loaded(const struct symbols_kernel *k);
/* The function that holds addr, its start, and its module ("" for the core kernel); NULL: none. */
const char *symbols_kernel_find(const struct symbols_kernel *k, uint64_t addr, uint64_t *ret_start,
				const char **ret_module);

#endif
