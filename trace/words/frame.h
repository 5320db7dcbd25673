/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - answers questions about a frame of a stack. In a trace, a frame is text:
 *
 *   "function+0x12 (file)"       of a program
 *   "0x1234 (file)"              of a program, function unknown
 *   "k:function+0x12 (module)"   of a module of the kernel
 *   "k:function+0x12"            of the kernel itself
 *   "k:? (reason)"               of the kernel, function unknown
 *   "... (the rest was left out)"
 *
 * A redacted frame may lack "+0x12". Pure; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_FRAME_H
#define CTRACE_TRACE_WORDS_FRAME_H

#include <stdbool.h>
#include <stddef.h>

bool frame_is_kernel(const char *frame);
bool frame_is_address(const char *frame);
bool frame_is_rest(const char *frame);
/* Returns true if the frame is in one of GLIBC_FRAME_FILES: the C library, its library of threads,
 * and the dynamic linker. */
bool frame_is_libc(const char *frame);
/* Returns true if the file of the frame is a shared library: its name has ".so" at its end or before a
 * version, as in "libcurl.so.4". Also true for "[vdso]". */
bool frame_is_library(const char *frame);
/* Returns true if the frame is of a function of the program itself, and this function is not only its entry:
 * main() or _start(). */
bool frame_is_own_code(const char *frame);
/* Returns true if the name of the function is in the list of functions in which glibc, HotSpot,
 * Rust or MariaDB waits for a lock. Only for MariaDB, the file of the frame has to be right too.
 * Some names in the list are prefixes, so functions such as pthread_rwlock_unlock() count too. */
bool frame_is_lock(const char *frame);
/* Returns true if the frame is in the runtime of Go, or in its package sync. */
bool frame_is_go_runtime(const char *frame);
/* As frame_is_lock(), but only for the read-write locks of glibc and Rust. */
bool frame_is_rwlock(const char *frame);
/* Returns true if the frame is in a function of MariaDB or MySQL that waits for a lock of metadata
 * (frame_is_innodb_lock(): for a lock of InnoDB). */
bool frame_is_metadata_lock(const char *frame);
bool frame_is_innodb_lock(const char *frame);
/* Returns true if a thread of HotSpot waits in the frame `inner`, which `frame` has called, until another
 * thread has initialized a class. */
bool frame_waits_for_class(const char *inner, const char *frame);
/* Returns true if the frame is of a thread of HotSpot that initializes a class. */
bool frame_initializes_class(const char *frame);
/* Returns true if a thread of HotSpot waits in the frame for the monitor of an object
 * (frame_is_java_sleep(): sleeps in Thread.sleep()). */
bool frame_is_java_monitor(const char *frame);
bool frame_is_java_sleep(const char *frame);
/* Returns true if the frame is in the function of the kernel in which a task waits because its control
 * group has no memory left, and may not kill a process to get some (memory.oom_control of version 1). */
bool frame_is_out_of_memory(const char *frame);
/* inner: the frame that `frame` has called. Returns true if the task waits in `inner` until its file system,
 * which is frozen, is thawed. */
bool frame_waits_for_thaw(const char *inner, const char *frame);
/* Returns true if the frame is in a function of the kernel that locks a directory. If it is the innermost
 * one, the task waits for this lock; otherwise the task owns it. */
bool frame_locks_directory(const char *frame);
/* Returns true if the frame is in a function of Rust that sends to a channel of limited size. A thread that
 * waits below it waits for a thread that receives, and not for work. */
bool frame_sends_to_channel(const char *frame);
/* Returns true if the frames are of a shell that sleeps because fork() has failed, and then tries again:
 * `frame` has called `inner`. */
bool frame_retries_fork(const char *inner, const char *frame);
/* Returns true if the frame is in the function. "name" stands for a function of a program or of the
 * kernel, "k:name" only for a function of the kernel. */
bool frame_is_function(const char *frame, const char *function);
bool frame_is_same_function(const char *a, const char *b);
/* Returns the length of the frame up to an offset such as "+0x12". Without an offset, it is the
 * length of the whole frame. */
size_t frame_function_len(const char *frame);

#endif
