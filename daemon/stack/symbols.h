/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - turns an address into the text of a frame:
 * - "function+0x12 (module)";
 * - "0x1234 (module)", if no function is known: the number is the address in the file, which is the
 *   same in every process;
 * - "0x7f.. (name)", if there is no readable file: name is the name of the mapping, or "anonymous".
 *
 * C++ and Rust names are demangled. Kernel frames begin with "k:". Only one thread at a time may
 * use one struct symbols.
 */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_H
#define CTRACE_DAEMON_STACK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/stack/symbols_kernel.h"
#include "daemon/stack/unwind.h"

#define SYMBOLS_TEXT_MAX  256
#define SYMBOLS_CACHE_MAX 16384 /* user frames whose text is remembered */

struct symbols;

/* kallsyms: the path of a file, borrowed; NULL: SYMBOLS_KERNEL_FILE. kernel: the symbols that were
 * read from this file, borrowed. If kernel is NULL, the file is read at first use. Returns 0 or
 * -ENOMEM. */
int symbols_new(const char *kallsyms, const struct symbols_kernel *kernel, struct symbols **ret);
/* Accepts NULL. */
void symbols_free(struct symbols *s);

/* Loads the kernel's symbols, unless they are loaded, and returns their state. */
enum symbols_kernel_state symbols_kernel_state(struct symbols *s);
/* Makes the text of a kernel frame: "k:function+0x12", or "k:function+0x12 (module)". exact: as in struct
 * unwind_frame. The text never has a kernel address, because the machine's owner may have chosen to hide
 * the addresses. */
void symbols_kernel(struct symbols *s, uint64_t addr, bool exact, char text[SYMBOLS_TEXT_MAX]);
/* Reads the kernel frames of a task from /proc/TID/stack, which has names even where kallsyms hides
 * addresses. Returns how many frames it has read, at most max. */
size_t symbols_kernel_task(uint32_t tid, char text[][SYMBOLS_TEXT_MAX], size_t max);
/* Makes the text of a user frame that unwind.h has found. The caller calls this function before
 * unwind_end(). pid: the process, for names that a JIT compiler has written to a file. */
void symbols_user(struct symbols *s, uint32_t pid, const struct unwind_frame *f, char text[SYMBOLS_TEXT_MAX]);

#endif
