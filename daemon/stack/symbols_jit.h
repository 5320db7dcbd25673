/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_jit.h - finds the functions that a JIT compiler has listed in /tmp/perf-PID.map, with
 * lines "start size name" (start and size in hex). /tmp and PID are as the process sees them.
 *
 * Any user may create such a file. So it has to be a regular file of limited size that belongs to
 * root or the user of the process. Not thread-safe.
 */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_JIT_H
#define CTRACE_DAEMON_STACK_SYMBOLS_JIT_H

#include <stdint.h>

#define SYMBOLS_JIT_FILE_MAX (32u << 20) /* bytes; larger files are not used */
#define SYMBOLS_JIT_KEPT     4

struct symbols_jit;

struct symbols_jit *symbols_jit_new(void);
void symbols_jit_free(struct symbols_jit *j);
/* Returns the name of the function that holds addr, or NULL. Valid until the next call. */
const char *symbols_jit_find(struct symbols_jit *j, uint32_t pid, uint64_t addr, uint64_t *ret_start);

#endif
