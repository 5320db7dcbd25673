/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - finds the place among a function's first instructions where a probe costs least.
 * Pure. Any thread may call the function below.
 *
 * A probe replaces an instruction by a breakpoint. The kernel emulates some instructions: branches,
 * nop and push (arch/x86/kernel/uprobes.c, branch_setup_xol_ops() and push_setup_xol_ops()). Of any
 * other instruction, the kernel runs a copy in single-step mode. With a single step, a probe costs
 * more than ten times as much as with the emulation (measured: see doc/frameworks.md).
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES 32 /* the search looks at this many bytes of a function at most */

/*
 * Looks for the first instruction that the kernel emulates. code: the first n bytes of the
 * function. Before this instruction, the function must not have changed the stack pointer or a
 * needed argument. Bit i of args: argument i is needed. Returns the offset of this instruction in
 * the function. If there is no such instruction, or if the machine is not x86-64, returns 0: the
 * start of the function.
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);

#endif
