/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_jit.h - functions that a compiler inside a process wrote to
 * /tmp/perf-PID.map ("start size name" in hex).  Anybody may write such a file:
 * only a regular file of the process's own user (or root), of limited size, is believed.
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
/* The function of process pid that holds addr (valid until the next call), or NULL. */
const char *symbols_jit_find(struct symbols_jit *j, uint32_t pid, uint64_t addr, uint64_t *ret_start);

#endif
