/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - finds the place in a function's first instructions where a probe costs least.
 *
 * A probe replaces an instruction by a breakpoint. The kernel emulates some instructions: push since 4.19,
 * branches and nop before that (arch/x86/kernel/uprobes.c, push_setup_xol_ops() and branch_setup_xol_ops()).
 * It runs a copy of any other instruction in single steps; measured, this takes ten times as long. Pure; any
 * thread.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES 32 /* bytes of code that are worth reading */

/*
 * Returns the offset of the first instruction that the kernel emulates, if the stack pointer and the
 * needed arguments still have at this place the values that they had at the start of the function. Bit
 * i of args: argument i is needed. Returns 0 if there is no such instruction. x86-64 only; 0 on other
 * machines.
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);

#endif
