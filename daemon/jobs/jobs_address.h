/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - finds the place in a function's first instructions where a probe costs least. Pure; any
 * thread.
 *
 * A probe replaces an instruction by a breakpoint. The kernel emulates some instructions: branches and nop,
 * and since Linux 4.19 also push (arch/x86/kernel/uprobes.c, branch_setup_xol_ops() and
 * push_setup_xol_ops()). Of any other instruction it runs a copy in single steps; measured, this takes ten
 * times as long.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES 32 /* bytes of code that are worth reading */

/*
 * Looks for the first instruction that the kernel emulates. The stack pointer and the needed arguments must
 * still have their values from the start of the function there. Bit i of args: argument i is needed.
 * Returns the offset of the instruction. 0: there is no such instruction, or the machine is not x86-64.
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);

#endif
