/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - where in a function's first instructions a probe costs least.
 *
 * A probe replaces an instruction by a breakpoint.  The kernel carries out some instructions by itself (since
 * 4.19 push, before that branches and nop: arch/x86/kernel/uprobes.c, push_setup_xol_ops() and
 * branch_setup_xol_ops()); all others are run from a copy, in single steps, which was measured to take ten
 * times as long.  Pure; any thread.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES 32 /* of code that are worth reading */

/*
 * The offset of the first instruction that the kernel carries out by itself, where the stack pointer and the
 * arguments (bit i of args: argument i) are still as at the start of the function; 0 when there is none.
 * x86-64 only, elsewhere 0.
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);

#endif
