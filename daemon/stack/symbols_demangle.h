/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_demangle.h - C++ and Rust names as the programmer wrote them. */
#ifndef CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H
#define CTRACE_DAEMON_STACK_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* Replaces a mangled name, cut to cap - 1 bytes (cap at most 256; the array may be longer); others stay. */
void symbols_demangle(char *name, size_t cap);

#endif
