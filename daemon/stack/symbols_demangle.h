/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_demangle.h - turns C++ and Rust symbols into the names that the programmer wrote. Any
 * thread may call the function. */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H
#define CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* Replaces a mangled name by the demangled one, cut to cap - 1 bytes. Other names stay as they are.
 * cap is at most 256. The array `name` has at least cap bytes. */
void symbols_demangle(char *name, size_t cap);

#endif
