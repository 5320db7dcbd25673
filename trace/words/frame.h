/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - questions about a frame of a stack, which is text in a trace.
 *
 *   "function+0x12 (file)"       a program; one without a symbol is "0x1234 (file)"
 *   "k:function+0x12 (module)"   the kernel; without "(module)" in the kernel itself
 *   "... (the rest was left out)"
 *
 * daemon/stack/symbols.c writes them.  A redacted frame may have no "+0x12".  Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_FRAME_H
#define CTRACE_TRACE_WORDS_FRAME_H

#include <stdbool.h>
#include <stddef.h>

bool frame_is_kernel(const char *frame);
/* A frame of a program for which no function was found. */
bool frame_is_address(const char *frame);
/* It stands for all that was left out. */
bool frame_is_rest(const char *frame);
/* In a library of glibc. */
bool frame_is_libc(const char *frame);
/* In a function of glibc that takes a lock. */
bool frame_is_lock(const char *frame);
/* In the function of this name; "k:name" fits functions of the kernel only. */
bool frame_is_function(const char *frame, const char *function);
/* Both frames are in the same function, or at the same address. */
bool frame_is_same_function(const char *a, const char *b);
/* Length of the part that names the function; without "+0x12" all of the frame. */
size_t frame_function_len(const char *frame);

#endif
