/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_kernel.h - the functions in /proc/kallsyms, sorted. Any thread may use a loaded object. */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_KERNEL_H
#define CTRACE_DAEMON_STACK_SYMBOLS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_kernel;

enum symbols_kernel_state {
	SYMBOLS_KERNEL_OK = 0,
	SYMBOLS_KERNEL_HIDDEN = 1, /* kptr_restrict: all addresses are 0 */
	SYMBOLS_KERNEL_ABSENT = 2, /* no /proc/kallsyms, or nothing in it */
};

#define SYMBOLS_KERNEL_FILE  "/proc/kallsyms"
#define SYMBOLS_MODULES_FILE "/proc/modules"

/* Reads the whole file, which takes about 60 ms. A file that cannot be read gives the state
 * SYMBOLS_KERNEL_ABSENT. NULL: out of memory. */
struct symbols_kernel *symbols_kernel_load(const char *path);
void symbols_kernel_free(struct symbols_kernel *k);
enum symbols_kernel_state symbols_kernel_loaded(const struct symbols_kernel *k);
/* Returns the name of the function that holds addr, or NULL. *ret_module: "" for the core kernel.
 * The texts belong to k. */
const char *symbols_kernel_find(const struct symbols_kernel *k, uint64_t addr, uint64_t *ret_start,
				const char **ret_module);
/* Returns true if addr lies in a module that was loaded after k: the file `modules` (as /proc/modules)
 * has the module, and k has no function of it. False if the state is not SYMBOLS_KERNEL_OK. */
bool symbols_kernel_lacks(const struct symbols_kernel *k, const char *modules, uint64_t addr);
/* The n frames ip are the kernel stack of a sample. The BPF program that takes the sample runs in a timer
 * interrupt. Returns the number of frames that belong to the program and to this interrupt. The frame
 * after them is the instruction of the task at which the interrupt came. If no frame enters an interrupt,
 * only the program and the dispatch of it count. 0: neither was found. */
size_t symbols_kernel_sampler(const struct symbols_kernel *k, const uint64_t *ip, size_t n);
/* Calls fn for each function of the core kernel, by address. Does nothing if the state is not
 * SYMBOLS_KERNEL_OK. */
void symbols_kernel_each(const struct symbols_kernel *k,
			 void (*fn)(void *arg, const char *name, uint64_t addr), void *arg);

#endif
