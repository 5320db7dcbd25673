// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/polled_code.h"

#include <string.h>

struct operation {
	uint8_t len;
	uint8_t imm; /* size in bytes of a constant that follows the address */
	bool writes, load;
};

/* op: an opcode of one byte, with an operand in memory. reg: bits 3 to 5 of the ModRM byte. wide: size
 * of the operand in bytes; opcodes for a fixed size ignore it. */
static bool one_byte(uint8_t op, uint8_t reg, uint8_t wide, struct operation *ret)
{
	switch (op) {
	case 0x8a: /* mov, cmp, test, xchg of a byte */
	case 0x38:
	case 0x3a:
	case 0x84:
	case 0x86:
		*ret = (struct operation){ .len = 1 };
		return true;
	case 0x8b: /* mov, cmp, test, xchg, and, or */
	case 0x39:
	case 0x3b:
	case 0x85:
	case 0x87:
	case 0x23:
	case 0x0b:
		*ret = (struct operation){ .len = wide, .load = op == 0x8b && wide == 8 };
		return true;
	case 0x63: /* movsxd */
		*ret = (struct operation){ .len = 4 };
		return true;
	case 0x80: /* with a constant; reg 7 is cmp, the only one that does not write */
		*ret = (struct operation){ .len = 1, .imm = 1, .writes = reg != 7 };
		return true;
	case 0x83:
		*ret = (struct operation){ .len = wide, .imm = 1, .writes = reg != 7 };
		return true;
	case 0x81:
		*ret = (struct operation){ .len = wide, .imm = wide == 2 ? 2 : 4, .writes = reg != 7 };
		return true;
	case 0xf6: /* reg 0, 1: test with a constant; 2: not; 3: neg; 4 to 7: mul, div */
		*ret = (struct operation){ .len = 1, .imm = reg < 2, .writes = reg == 2 || reg == 3 };
		return true;
	case 0xf7:
		*ret = (struct operation){ .len = wide,
					   .imm = reg > 1     ? 0
						  : wide == 2 ? 2
							      : 4,
					   .writes = reg == 2 || reg == 3 };
		return true;
	case 0x88:
		*ret = (struct operation){ .len = 1, .writes = true };
		return true;
	case 0x89:
		*ret = (struct operation){ .len = wide, .writes = true };
		return true;
	case 0xc6:
		*ret = (struct operation){ .len = 1, .imm = 1, .writes = true };
		return reg == 0;
	case 0xc7:
		*ret = (struct operation){ .len = wide, .imm = wide == 2 ? 2 : 4, .writes = true };
		return reg == 0;
	default:
		return false;
	}
}

static bool two_bytes(uint8_t op, uint8_t wide, struct operation *ret)
{
	switch (op) {
	case 0xb6:
	case 0xbe:
	case 0xb0:
		*ret = (struct operation){ .len = 1 };
		return true;
	case 0xb7:
	case 0xbf:
		*ret = (struct operation){ .len = 2 };
		return true;
	case 0xb1:
		*ret = (struct operation){ .len = wide };
		return true;
	default:
		return false;
	}
}

static bool is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

static bool operation_before(const uint8_t *code, size_t at, struct operation *ret, uint8_t *ret_rex)
{
	uint8_t reg = code[at] >> 3 & 7, wide;
	size_t first = at >= 2 && code[at - 2] == 0x0f ? at - 2 : at - 1;

	*ret_rex = first && is_rex(code[first - 1]) ? code[first - 1] : 0;
	wide = *ret_rex & 8                                                           ? 8
	       : first > (*ret_rex != 0) && code[first - 1 - (*ret_rex != 0)] == 0x66 ? 2
										      : 4;
	if (first + 2 == at)
		return two_bytes(code[at - 1], wide, ret);
	return one_byte(code[at - 1], reg, wide, ret);
}

bool polled_operand(const uint8_t *code, size_t n, size_t at, uint64_t start, struct polled_operand *ret)
{
	struct operation op;
	uint8_t rex, mod, rm;
	size_t tail = at + 1;
	int32_t disp = 0;

	if (!at || at + 6 > n || !operation_before(code, at, &op, &rex))
		return false;
	mod = code[at] >> 6;
	rm = code[at] & 7;
	if (mod == 3)
		return false;
	if (rm == 4) { /* SIB byte: accepted only for r12 without an index */
		if (code[tail++] != 0x24 || !(rex & 1))
			return false;
	}
	if (mod == 1)
		disp = (int8_t)code[tail];
	else if (mod == 2 || rm == 5)
		memcpy(&disp, code + tail, sizeof(disp));
	*ret = (struct polled_operand){ .at = at,
					.disp = disp,
					.base = (uint8_t)(rm | (rex & 1) << 3),
					.load_to = op.load ? (uint8_t)((code[at] >> 3 & 7) | (rex & 4) << 1)
							   : POLLED_NO_REG,
					.len = op.len,
					.writes = op.writes };
	if (mod == 0 && rm == 5) { /* relative to the address of the next instruction */
		ret->base = POLLED_NO_REG;
		ret->addr = start + tail + 4 + op.imm + (uint64_t)(int64_t)disp;
	}
	return true;
}

static bool jump_at(const uint8_t *code, size_t n, size_t at, int64_t *ret_to, size_t *ret_end)
{
	int32_t rel;

	if ((code[at] & 0xf0) == 0x70 || code[at] == 0xeb) {
		*ret_end = at + 2;
		if (*ret_end > n)
			return false;
		*ret_to = (int64_t)*ret_end + (int8_t)code[at + 1];
		return true;
	}
	if (code[at] == 0xe9)
		*ret_end = at + 5;
	else if (code[at] == 0x0f && at + 1 < n && (code[at + 1] & 0xf0) == 0x80)
		*ret_end = at + 6;
	else
		return false;
	if (*ret_end > n)
		return false;
	memcpy(&rel, code + *ret_end - 4, sizeof(rel));
	*ret_to = (int64_t)*ret_end + rel;
	return true;
}

bool polled_loop(const uint8_t *code, size_t n, size_t lo, size_t hi, size_t larger_than, size_t *ret_begin,
		 size_t *ret_end)
{
	size_t best = SIZE_MAX;

	for (size_t at = lo; at < n; at++) {
		size_t end;
		int64_t to;

		if (!jump_at(code, n, at, &to, &end) || end < hi || to < 0 || to > (int64_t)lo ||
		    end - (size_t)to >= best || end - (size_t)to <= larger_than)
			continue;
		best = end - (size_t)to;
		*ret_begin = (size_t)to;
		*ret_end = end;
	}
	return best != SIZE_MAX;
}

bool polled_call(const uint8_t *code, size_t n, size_t at, uint64_t start, uint64_t *ret_addr,
		 bool *ret_pointer)
{
	size_t end = at + (code[at] == 0xe8 ? 5 : 6);
	int32_t rel;

	*ret_pointer = code[at] == 0xff;
	if (end > n ||
	    (code[at] != 0xe8 && (code[at] != 0xff || (code[at + 1] != 0x15 && code[at + 1] != 0x25))))
		return false;
	memcpy(&rel, code + end - 4, sizeof(rel));
	*ret_addr = start + end + (uint64_t)(int64_t)rel;
	return true;
}
