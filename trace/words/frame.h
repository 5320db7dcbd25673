/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - answers questions about a frame of a stack. In a trace, a frame is text:
 *
 *   "function+0x12 (file)"       a frame of a program
 *   "0x1234 (file)"              a frame of a program, for whose address no function was found
 *   "k:function+0x12 (module)"   a frame of a module of the kernel
 *   "k:function+0x12"            a frame of the kernel itself
 *   "k:? (reason)"               a frame of the kernel, for whose address no function was found
 *   "... (the rest was left out)"
 *
 * trace/format/blob.c writes the last text, and daemon/stack/symbols.c all others. A redacted frame
 * may have no "+0x12". Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_FRAME_H
#define CTRACE_TRACE_WORDS_FRAME_H

#include <stdbool.h>
#include <stddef.h>

bool frame_is_kernel(const char *frame);
/* True: the frame is of a program, and no function was found for its address. */
bool frame_is_address(const char *frame);
/* True: the text stands for all frames that were left out. */
bool frame_is_rest(const char *frame);
/* True: the frame is in one of the files GLIBC_FRAME_FILES (ctrace/glibc.h): the C library, its library of
 * threads, or the dynamic linker. */
bool frame_is_libc(const char *frame);
/* True: by its name, the function of the frame is one of glibc in which a task waits for a lock. */
bool frame_is_lock(const char *frame);
/* True: the frame is in the function of this name. "name" fits functions of programs and of the kernel;
 * "k:name" fits functions of the kernel only. */
bool frame_is_function(const char *frame, const char *function);
/* True: the parts that name the functions are the same (frame_function_len()). The offsets and files
 * behind these parts may differ. */
bool frame_is_same_function(const char *a, const char *b);
/* The length of the part that names the function. If the frame has no "+0x12", this is the whole
 * frame. */
size_t frame_function_len(const char *frame);

#endif
