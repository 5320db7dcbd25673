/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - turns an address into the text of a frame:
 * - "function+0x12 (module)";
 * - "0x1234 (module)", if no function is known. The number is the virtual address in the file,
 *   which is the same in every process;
 * - "0x7f.. (name)", if there is neither a known function nor a readable file. The number is the
 *   address in the process. name is the name of the mapping, or "anonymous".
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
#define SYMBOLS_CACHE_MAX 16384 /* the text of at most this many user frames is remembered */

struct symbols;

/* kallsyms: the path of a file, borrowed; NULL: SYMBOLS_KERNEL_FILE. kernel: the symbols that were
 * read from this file, borrowed. If kernel is NULL, the file is read at first use. Returns 0 or
 * -ENOMEM. */
int symbols_new(const char *kallsyms, const struct symbols_kernel *kernel, struct symbols **ret);
/* Accepts NULL. */
void symbols_free(struct symbols *s);

/* Loads the kernel's symbols, unless they are loaded, and returns their state. */
enum symbols_kernel_state symbols_kernel_state(struct symbols *s);
/* Makes the text of a kernel frame: "k:function+0x12", or "k:function+0x12 (module)". If the
 * function is not known, the text is "k:? (reason)". exact: as in struct unwind_frame. The text
 * never has a kernel address, because the machine's owner may have chosen to hide the addresses. */
void symbols_kernel(struct symbols *s, uint64_t addr, bool exact, char text[SYMBOLS_TEXT_MAX]);
/* Reads the kernel frames of a task from /proc/TID/stack, which has names even where kallsyms hides
 * addresses. Returns the number of frames that were read, at most max. 0: also on failure. */
size_t symbols_kernel_task(uint32_t tid, char text[][SYMBOLS_TEXT_MAX], size_t max);
/* Makes the text of a user frame that unwind.h has found. The caller calls this function before
 * unwind_end(). pid: the process, for names that a JIT compiler has written to a file. */
void symbols_user(struct symbols *s, uint32_t pid, const struct unwind_frame *f, char text[SYMBOLS_TEXT_MAX]);

#endif
