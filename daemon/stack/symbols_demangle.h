/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_demangle.h - the original names of C++ and Rust symbols. Any thread may call it. */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H
#define CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* Replaces a mangled name by the demangled one, cut to cap - 1 bytes. cap is at most 256. */
void symbols_demangle(char *name, size_t cap);

#endif
