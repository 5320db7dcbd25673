/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - turns an address into the text of a frame:
 * - "function+0x12 (module)"
 * - "0x1234 (module)": no function is known; the number is the virtual address in the file
 * - "0x7f.. (name)": there is no readable file; the number is the address in the process
 *
 * C++ names and most Rust names are demangled. Kernel frames begin with "k:". Not thread-safe.
 */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_H
#define CTRACE_DAEMON_STACK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/stack/symbols_kernel.h"
#include "daemon/stack/unwind.h"

#define SYMBOLS_TEXT_MAX  256
#define SYMBOLS_CACHE_MAX 16384

struct symbols;

/* kallsyms: a path; NULL: SYMBOLS_KERNEL_FILE. kernel: the symbols of the kernel; NULL: they are
 * read from kallsyms at first use. Both are borrowed. Returns 0 or -ENOMEM. */
int symbols_new(const char *kallsyms, const struct symbols_kernel *kernel, struct symbols **ret);
void symbols_free(struct symbols *s);

enum symbols_kernel_state symbols_kernel_state(struct symbols *s);
/* Makes the text of a kernel frame: "k:function+0x12", in a module "k:function+0x12 (module)", or
 * without a known function "k:? (reason)". exact: as in struct unwind_frame. The text never has a
 * kernel address, which the machine's owner may hide. */
void symbols_kernel(struct symbols *s, uint64_t addr, bool exact, char text[SYMBOLS_TEXT_MAX]);
/* As symbols_kernel_sampler(): the number of frames that say nothing about the sampled task. */
size_t symbols_sampler(struct symbols *s, const uint64_t *ip, size_t n);
/* Reads the kernel frames of a task from /proc/TID/stack, which has names even where kallsyms hides
 * addresses. Returns the number of frames, 0 on failure. */
size_t symbols_kernel_task(uint32_t tid, char text[][SYMBOLS_TEXT_MAX], size_t max);
/* Makes the text of a user frame. Call it before unwind_end(). pid: for names from a JIT map file. */
void symbols_user(struct symbols *s, uint32_t pid, const struct unwind_frame *f, char text[SYMBOLS_TEXT_MAX]);

#endif
