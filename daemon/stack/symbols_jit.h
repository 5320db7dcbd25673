/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_jit.h - finds functions that a JIT compiler in a process has listed in /tmp/perf-PID.map.
 * A line of this file is "start size name", with start and size in hex. /tmp is that of the
 * process, and PID is the number that the process has in its own pid namespace.
 *
 * Any user may create such a file. So the file is used only if it is a regular file of limited size
 * and belongs to the user of the process or to root. Only one thread at a time may use one struct
 * symbols_jit.
 */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_JIT_H
#define CTRACE_DAEMON_STACK_SYMBOLS_JIT_H

#include <stdint.h>

#define SYMBOLS_JIT_FILE_MAX (32u << 20) /* bytes; a larger file is not used */
#define SYMBOLS_JIT_KEPT     4           /* the files of at most this many processes are kept */

struct symbols_jit;

/* NULL: out of memory. */
struct symbols_jit *symbols_jit_new(void);
void symbols_jit_free(struct symbols_jit *j);
/* Finds the function of process pid that holds addr. Returns the name of the function, or NULL if
 * there is no such function. *ret_start: the address at which the function starts. The name is
 * valid until the next call. */
const char *symbols_jit_find(struct symbols_jit *j, uint32_t pid, uint64_t addr, uint64_t *ret_start);

#endif
