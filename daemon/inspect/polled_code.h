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
/* Finds the smallest loop that covers [lo, hi] and has more than larger_than bytes. *ret_end:
 * offset after the jump that leads back to the beginning of the loop. Returns false if there is no
 * such loop. */
bool polled_loop(const uint8_t *code, size_t n, size_t lo, size_t hi, size_t larger_than, size_t *ret_begin,
		 size_t *ret_end);
/* Decodes the instruction at offset `at`: a call of an address, or a call or jump through a
 * pointer. *ret_addr: the address of the function, or, if *ret_pointer is true, the address of the
 * pointer to it. Returns false for any other instruction. */
bool polled_call(const uint8_t *code, size_t n, size_t at, uint64_t start, uint64_t *ret_addr,
		 bool *ret_pointer);

#endif
