/* SPDX-License-Identifier: GPL-2.0-or-later */
/* polled_code.h - private to polled.c: finds the memory that code may read. Pure. */
#ifndef CTRACE_DAEMON_INSPECT_POLLED_CODE_H
#define CTRACE_DAEMON_INSPECT_POLLED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLLED_NO_REG 0xff

struct polled_operand {
	size_t at;
	uint64_t addr;
	int32_t disp;
	uint8_t base;    /* register, in the machine's numbers; POLLED_NO_REG: none */
	uint8_t load_to; /* register that the instruction loads with 64 bits; POLLED_NO_REG: none */
	uint8_t len;
	bool writes; /* false for xchg and cmpxchg, because a loop may poll with them */
};

/* Decodes the operand whose ModRM byte is at offset `at`. start: address of code[0] in the process.
 * Returns false if no operand can be decoded. The caller tries every offset, and most are not the
 * offset of a ModRM byte. So a decoded operand is often not a real one. */
bool polled_operand(const uint8_t *code, size_t n, size_t at, uint64_t start, struct polled_operand *ret);
/* Finds the smallest loop that covers [lo, hi] and has more than larger_than bytes. *ret_end: offset
 * behind the jump back. Returns false if there is none. */
bool polled_loop(const uint8_t *code, size_t n, size_t lo, size_t hi, size_t larger_than, size_t *ret_begin,
		 size_t *ret_end);
/* Decodes a call, or a jump through a pointer, at offset `at`. If *ret_pointer is true, *ret_addr
 * is the address of a pointer to the function. Returns false if there is none. */
bool polled_call(const uint8_t *code, size_t n, size_t at, uint64_t start, uint64_t *ret_addr,
		 bool *ret_pointer);

#endif
