/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_address.h - finds the cheapest place for a probe at the start of a function. Pure.
 *
 * Under a probe, the kernel emulates branches, nop and push (arch/x86/kernel/uprobes.c,
 * branch_setup_xol_ops() and push_setup_xol_ops()). It single-steps other instructions, which takes
 * more than ten times as long (doc/frameworks.md).
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H
#define CTRACE_DAEMON_JOBS_JOBS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOBS_ADDRESS_BYTES  32 /* at most this many bytes of a function are searched */
#define JOBS_ADDRESS_MEMORY 0x100
#define JOBS_ADDRESS_GO     0x200

/*
 * Returns the offset of the first instruction that the kernel emulates. Before it, the code changes
 * neither the stack pointer nor a needed argument. 0: none, or the machine is not x86-64.
 * - code: the first n bytes of the function
 * - args: bit i: argument i is needed. JOBS_ADDRESS_MEMORY: memory is needed, so the code before the
 *   instruction does not write to memory. JOBS_ADDRESS_GO: the first four arguments of a Go function, and the
 *   address of the goroutine, are needed
 */
size_t jobs_address(const uint8_t *code, size_t n, unsigned args);
/* Returns true if the kernel emulates the first instruction of code[0..n). False: it does not, or it is
 * not known. */
bool jobs_address_is_cheap(const uint8_t *code, size_t n);

#endif
