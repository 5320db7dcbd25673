/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_jit.h - functions that a JIT compiler in a process has listed in /tmp/perf-PID.map ("start size
 * name"; start and size in hex). Any user may create such a file. So the file is used only if it is a regular
 * file of limited size and belongs to the user of the process or to root. One thread at a time for one struct
 * symbols_jit.
 */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_JIT_H
#define CTRACE_DAEMON_STACK_SYMBOLS_JIT_H

#include <stdint.h>

#define SYMBOLS_JIT_FILE_MAX (32u << 20)
#define SYMBOLS_JIT_KEPT     4 /* processes that are remembered */

struct symbols_jit;

/* NULL: out of memory. */
struct symbols_jit *symbols_jit_new(void);
void symbols_jit_free(struct symbols_jit *j);
/* Returns the name of the function of process pid that holds addr, and its start; or NULL. The name is valid
 * until the next call. */
const char *symbols_jit_find(struct symbols_jit *j, uint32_t pid, uint64_t addr, uint64_t *ret_start);

#endif
