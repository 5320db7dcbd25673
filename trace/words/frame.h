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
/* Returns true if the frame is of a program, and no function was found for its address. */
bool frame_is_address(const char *frame);
/* Returns true if the text stands for all frames that were left out. */
bool frame_is_rest(const char *frame);
/* Returns true if the frame is in the C library, in its library of threads, or in the dynamic
 * linker (GLIBC_FRAME_FILES in ctrace/glibc.h). */
bool frame_is_libc(const char *frame);
/* Returns true if the function of the frame has the name of a glibc function in which a task waits
 * for a lock. */
bool frame_is_lock(const char *frame);
/* Returns true if the frame is in the function of this name. "name" fits functions of programs and
 * of the kernel. "k:name" fits functions of the kernel only. */
bool frame_is_function(const char *frame, const char *function);
/* Returns true if both frames have the same part that names the function (frame_function_len()).
 * The offsets and files behind this part may differ. */
bool frame_is_same_function(const char *a, const char *b);
/* Returns the length of the part that names the function. If the frame has no offset such as
 * "+0x12", this part is the whole frame. */
size_t frame_function_len(const char *frame);

#endif
