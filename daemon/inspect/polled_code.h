/* SPDX-License-Identifier: GPL-2.0-or-later */
/* polled_code.h - private to polled.c: finds out which memory the code around an address may read. The
 * functions look only at the bytes of the code. Pure. */
#ifndef CTRACE_DAEMON_INSPECT_POLLED_CODE_H
#define CTRACE_DAEMON_INSPECT_POLLED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLLED_NO_REG 0xff

/* Memory that an instruction may read. Its address is a register plus a displacement, or a
 * number. */
struct polled_operand {
	size_t at;       /* offset of the byte that says how the address is formed (ModRM) */
	uint64_t addr;   /* the address, if base is POLLED_NO_REG */
	int32_t disp;    /* to be added to the register, if base is a register */
	uint8_t base;    /* number of the register, as the machine counts registers; POLLED_NO_REG: none */
	uint8_t load_to; /* register into which the instruction loads 64 bits; POLLED_NO_REG: none */
	uint8_t len;     /* bytes that are read */
	bool writes;     /* the instruction writes the memory; false for xchg and cmpxchg */
};

/*
 * Decodes the operand whose ModRM byte is at offset `at` of the code. The code has n bytes, and
 * lies at address start in the process. False: there is no operand that this function understands.
 * The caller tries every offset, so most of the operands that are found are there by chance.
 */
bool polled_operand(const uint8_t *code, size_t n, size_t at, uint64_t start, struct polled_operand *ret);
/* Finds the smallest loop around [lo, hi] that is larger than larger_than bytes. *ret_begin: offset
 * of its first byte; *ret_end: offset behind the jump that goes back. False: there is no such
 * loop. */
bool polled_loop(const uint8_t *code, size_t n, size_t lo, size_t hi, size_t larger_than, size_t *ret_begin,
		 size_t *ret_end);
/* Decodes a call, or a jump through a pointer, at offset `at`. *ret_addr: the address of the function, or, if
 * *ret_pointer is true, the address of a pointer to the function. False: there is no such instruction. */
bool polled_call(const uint8_t *code, size_t n, size_t at, uint64_t start, uint64_t *ret_addr,
		 bool *ret_pointer);

#endif
