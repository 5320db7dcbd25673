/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - finds the place in a function's first instructions where a probe costs least.
 * Pure. Any thread may call it.
 *
 * A probe replaces an instruction by a breakpoint. The kernel emulates some instructions: branches,
 * nop and push (arch/x86/kernel/uprobes.c, branch_setup_xol_ops() and push_setup_xol_ops()). Of any
 * other instruction, the kernel runs a copy in single-step mode. A single step takes ten times as
 * long as the emulation, as measured.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES 32 /* bytes of a function that the search looks at */

/*
 * Looks for the first instruction that the kernel emulates. Before this instruction, the function
 * must not have changed the stack pointer or the needed arguments. Bit i of args: argument i is
 * needed. Returns the offset of this instruction in the function. If there is no such instruction,
 * or if the machine is not x86-64, returns 0: the start of the function.
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);

#endif
