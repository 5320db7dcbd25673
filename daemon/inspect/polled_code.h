/* SPDX-License-Identifier: GPL-2.0-or-later */
/* polled_code.h - private to polled: what the bytes around an address may read.  Pure. */
#ifndef CTRACE_DAEMON_INSPECT_POLLED_CODE_H
#define CTRACE_DAEMON_INSPECT_POLLED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLLED_NO_REG 0xff

/* Memory that an instruction may read: base register and displacement, or an address. */
struct polled_operand {
	size_t at;       /* of the byte behind the operation */
	uint64_t addr;   /* base POLLED_NO_REG: the address itself */
	int32_t disp;    /* else to be added to the register */
	uint8_t base;    /* number of the register as the machine counts them */
	uint8_t load_to; /* a 64-bit load into this register, else POLLED_NO_REG */
	uint8_t len;     /* of what is read */
	bool writes;     /* it only writes */
};

/*
 * What may be an operand at offset at of the code that lies at address start: false when that is no operand
 * that is understood.  Called for every offset, so most hits are chance.
 */
bool polled_operand(const uint8_t *code, size_t n, size_t at, uint64_t start, struct polled_operand *ret);
/* The smallest loop around [lo, hi] of more than larger_than bytes: the offsets of its first byte and of the
 * end of its jump back.  False: none is seen. */
bool polled_loop(const uint8_t *code, size_t n, size_t lo, size_t hi, size_t larger_than, size_t *ret_begin,
		 size_t *ret_end);
/* A call at offset at, directly or through a pointer: the address that it goes to, or of that pointer. */
bool polled_call(const uint8_t *code, size_t n, size_t at, uint64_t start, uint64_t *ret_addr,
		 bool *ret_pointer);

#endif
