// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_address.h"

#include <stdbool.h>
#include <string.h>

#include "lib/cleanup.h"

#if defined(__x86_64__)
struct address_insn {
	const uint8_t *p;
	size_t left;
	uint8_t rex;
};

/* Returns true for the stack pointer, and for the register of a needed argument. reg: in the order
 * rax rcx rdx rbx rsp rbp rsi rdi r8 ... */
static bool address_is_kept(unsigned reg, unsigned args)
{
	static const uint8_t arg_regs[] = { 7, 6, 2, 1, 8, 9 };
	static const uint16_t go_regs = 1 << 0 | 1 << 3 | 1 << 1 | 1 << 7 | 1 << 14;

	if (args & JOBS_ADDRESS_GO && go_regs >> reg & 1)
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(arg_regs); i++)
		if (arg_regs[i] == reg)
			return args & 1u << i;
	return reg == 4;
}

static bool address_is_emulated(const struct address_insn *i)
{
	uint8_t op = i->p[0];

	if (op >= 0x50 && op <= 0x57)
		return true;
	if (i->rex)
		return false;
	return op == 0x90 || op == 0xe8 || op == 0xe9 || op == 0xeb || (op >= 0x70 && op <= 0x7f) ||
	       (op == 0x0f && i->left > 1 && i->p[1] >= 0x80 && i->p[1] <= 0x8f);
}

/* Returns the length of ModRM, SIB and displacement. 0: some of these bytes are not known. */
static size_t address_modrm(const struct address_insn *i)
{
	uint8_t m = i->left > 1 ? i->p[1] : 0;
	size_t n = 1;

	if (i->left < 2)
		return 0;
	if (m >> 6 != 3 && (m & 7) == 4) {
		if (i->left < 3)
			return 0;
		n++;
		if (m >> 6 == 0 && (i->p[2] & 7) == 5)
			n += 4;
	}
	if (m >> 6 == 1)
		n += 1;
	else if (m >> 6 == 2 || (m >> 6 == 0 && (m & 7) == 5))
		n += 4;
	return n < i->left ? n : 0;
}

/* Returns the length of an instruction without its REX prefix. 0: the instruction may change a
 * kept register, needed memory or the flow of control, or is not known. */
static size_t address_harmless(const struct address_insn *i, unsigned args)
{
	size_t n = address_modrm(i);
	uint8_t m = n ? i->p[1] : 0;
	unsigned reg = (m >> 3 & 7) | (i->rex & 4 ? 8 : 0), rm = (m & 7) | (i->rex & 1 ? 8 : 0);

	if ((i->p[0] & 0xf8) == 0xb8 && !(i->rex & 8)) /* mov of 32 bits to a register */
		return i->left > 5 && !address_is_kept((i->p[0] & 7u) | (i->rex & 1 ? 8 : 0), args) ? 5 : 0;
	if (!n)
		return 0;
	switch (i->p[0]) {
	case 0x84: /* test, cmp */
	case 0x85:
	case 0x38:
	case 0x39:
	case 0x3a:
	case 0x3b:
		return 1 + n;
	case 0x80: /* with a constant of one byte; only cmp, and add to a register */
	case 0x83:
		if ((m >> 3 & 7) != 7 && (i->p[0] == 0x80 || m >> 3 != 030 || address_is_kept(rm, args)))
			return 0;
		return n + 1 < i->left ? 2 + n : 0;
	case 0xf6: /* with a constant of one byte; only test */
		return (m >> 3 & 7) == 0 && n + 1 < i->left ? 2 + n : 0;
	case 0x31: /* xor to a register */
		return m >> 6 == 3 && !address_is_kept(rm, args) ? 1 + n : 0;
	case 0x89: /* mov to a register or to memory */
		if (m >> 6 != 3)
			return args & JOBS_ADDRESS_MEMORY ? 0 : 1 + n;
		return address_is_kept(rm, args) ? 0 : 1 + n;
	case 0x33: /* xor, mov, lea from memory or a register */
	case 0x8b:
	case 0x8d:
		return address_is_kept(reg, args) ? 0 : 1 + n;
	default:
		return 0;
	}
}

bool jobs_address_is_cheap(const uint8_t *code, size_t n)
{
	struct address_insn i = { .p = code, .left = n };

	if (n && (*code & 0xf0) == 0x40) {
		i.rex = *i.p++;
		i.left--;
	}
	return i.left && address_is_emulated(&i);
}

size_t jobs_address(const uint8_t *code, size_t n, unsigned args)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (n >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	while (at < n) {
		struct address_insn i = { .p = code + at, .left = n - at };
		size_t len;

		if ((*i.p & 0xf0) == 0x40) {
			i.rex = *i.p++;
			if (!--i.left)
				return 0;
		}
		if (address_is_emulated(&i))
			return at;
		len = address_harmless(&i, args);
		if (!len)
			return 0;
		at += len + (i.rex != 0);
	}
	return 0;
}
#else
bool jobs_address_is_cheap(const uint8_t *code, size_t n)
{
	return false;
}

size_t jobs_address(const uint8_t *code, size_t n, unsigned args)
{
	return 0;
}
#endif
