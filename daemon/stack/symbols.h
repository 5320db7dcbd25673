/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - addresses to the text of a frame: "function+0x12 (module)"; without
 * a function "0x1234 (module)", where the number is the address in the file, which is the
 * same in every process; without a file "0x7f.. (anonymous)".  C++ and Rust names are
 * demangled.  Kernel frames begin with "k:".
 *
 * One thread at a time per object.
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

/* kallsyms: its path, NULL for the kernel's; read when it is first needed.  0 or -ENOMEM. */
int symbols_new(const char *kallsyms, struct symbols **ret);
/* Accepts NULL. */
void symbols_free(struct symbols *s);

/* Loads the kernel's symbols if that was not done yet. */
enum symbols_kernel_state symbols_kernel_state(struct symbols *s);
/* "k:function+0x12", with " (module)" behind it outside the core kernel; exact as in struct
 * unwind_frame.  A kernel address is never written
 * out: it would tell what the machine's owner may have chosen to hide. */
void symbols_kernel(struct symbols *s, uint64_t addr, bool exact, char text[SYMBOLS_TEXT_MAX]);
/* Kernel frames of a task by /proc/TID/stack, which has names even where kallsyms hides addresses: how many.
 */
size_t symbols_kernel_task(uint32_t tid, char text[][SYMBOLS_TEXT_MAX], size_t max);
/* A frame from unwind.h; must come before unwind_end().  pid: for names that a JIT compiler wrote down. */
void symbols_user(struct symbols *s, uint32_t pid, const struct unwind_frame *f, char text[SYMBOLS_TEXT_MAX]);

#endif
