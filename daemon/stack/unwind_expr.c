// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind_expr.c - evaluates the DWARF expressions in call frame information. */
#include <dwarf.h>
#include <errno.h>

#include "daemon/stack/unwind_cfi.h"
#include "lib/cursor.h"

#define STACK_MAX 32
#define STEPS_MAX 512 /* an expression may jump backwards, so its steps have a limit */

struct expr {
	struct cursor c;
	const uint8_t *start;
	uint32_t len;
	const struct unwind_cfi_env *env;
	uint64_t stack[STACK_MAX];
	unsigned n;
	int error;
};

static void push(struct expr *x, uint64_t v)
{
	if (x->n == STACK_MAX)
		x->error = -EBADMSG;
	else
		x->stack[x->n++] = v;
}

static uint64_t pop(struct expr *x)
{
	if (!x->n) {
		x->error = -EBADMSG;
		return 0;
	}
	return x->stack[--x->n];
}

static uint64_t pick(struct expr *x, unsigned depth)
{
	if (depth >= x->n) {
		x->error = -EBADMSG;
		return 0;
	}
	return x->stack[x->n - 1 - depth];
}

static int64_t operand_s(struct expr *x, unsigned n)
{
	uint64_t v = 0;

	cursor_read(&x->c, &v, n);
	return n == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n);
}

static uint64_t operand_u(struct expr *x, unsigned n)
{
	uint64_t v = 0;

	cursor_read(&x->c, &v, n);
	return v;
}

static void push_reg(struct expr *x, uint64_t reg, int64_t off)
{
	if (reg >= UNWIND_CFI_REGS || !(x->env->known >> reg & 1))
		x->error = -EBADMSG;
	else
		push(x, x->env->regs[reg] + (uint64_t)off);
}

static void deref(struct expr *x, unsigned n)
{
	uint64_t v, addr = pop(x);

	if (x->error)
		return;
	if (!n || n > 8)
		x->error = -EBADMSG;
	else if (x->env->read(x->env->arg, addr, &v))
		x->error = -EFAULT;
	else
		push(x, n == 8 ? v : v & ((1ULL << (8 * n)) - 1));
}

static void jump(struct expr *x, int64_t by)
{
	int64_t at = (int64_t)(x->c.p - x->start) + by;

	if (at < 0 || at > (int64_t)x->len)
		x->error = -EBADMSG;
	else
		x->c = cursor_init(x->start + at, x->len - (size_t)at);
}

static void binary(struct expr *x, uint8_t op)
{
	uint64_t b = pop(x), a = pop(x);

	switch (op) {
	case DW_OP_and:
		return push(x, a & b);
	case DW_OP_or:
		return push(x, a | b);
	case DW_OP_xor:
		return push(x, a ^ b);
	case DW_OP_plus:
		return push(x, a + b);
	case DW_OP_minus:
		return push(x, a - b);
	case DW_OP_mul:
		return push(x, a * b);
	case DW_OP_shl:
		return push(x, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(x, b < 64 ? a >> b : 0);
	case DW_OP_shra:
		return push(x, (uint64_t)((int64_t)a >> (b < 64 ? b : 63)));
	case DW_OP_eq:
		return push(x, a == b);
	case DW_OP_ne:
		return push(x, a != b);
	case DW_OP_ge:
		return push(x, (int64_t)a >= (int64_t)b);
	case DW_OP_gt:
		return push(x, (int64_t)a > (int64_t)b);
	case DW_OP_le:
		return push(x, (int64_t)a <= (int64_t)b);
	case DW_OP_lt:
		return push(x, (int64_t)a < (int64_t)b);
	default:
		x->error = -EBADMSG;
	}
}

static void stack_op(struct expr *x, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup:
		return push(x, pick(x, 0));
	case DW_OP_over:
		return push(x, pick(x, 1));
	case DW_OP_pick:
		return push(x, pick(x, (unsigned)operand_u(x, 1)));
	case DW_OP_drop:
		pop(x);
		return;
	case DW_OP_swap:
		a = pop(x);
		b = pop(x);
		push(x, a);
		return push(x, b);
	case DW_OP_rot:
		a = pop(x);
		b = pop(x);
		c = pop(x);
		push(x, a);
		push(x, c);
		return push(x, b);
	case DW_OP_neg:
		return push(x, -pop(x));
	case DW_OP_not:
		return push(x, ~pop(x));
	case DW_OP_plus_uconst:
		a = cursor_varint(&x->c);
		return push(x, pop(x) + a);
	default:
		binary(x, op);
	}
}

static void step(struct expr *x)
{
	uint8_t op = (uint8_t)operand_u(x, 1);
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push(x, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_reg(x, op - DW_OP_breg0, cursor_sleb(&x->c));
	switch (op) {
	case DW_OP_nop:
		return;
	case DW_OP_addr:
		return push(x, operand_u(x, 8) + x->env->bias);
	case DW_OP_const1u:
		return push(x, operand_u(x, 1));
	case DW_OP_const1s:
		return push(x, (uint64_t)operand_s(x, 1));
	case DW_OP_const2u:
		return push(x, operand_u(x, 2));
	case DW_OP_const2s:
		return push(x, (uint64_t)operand_s(x, 2));
	case DW_OP_const4u:
		return push(x, operand_u(x, 4));
	case DW_OP_const4s:
		return push(x, (uint64_t)operand_s(x, 4));
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push(x, operand_u(x, 8));
	case DW_OP_constu:
		return push(x, cursor_varint(&x->c));
	case DW_OP_consts:
		return push(x, (uint64_t)cursor_sleb(&x->c));
	case DW_OP_bregx:
		reg = cursor_varint(&x->c);
		return push_reg(x, reg, cursor_sleb(&x->c));
	case DW_OP_deref:
		return deref(x, 8);
	case DW_OP_deref_size:
		return deref(x, (unsigned)operand_u(x, 1));
	case DW_OP_skip:
		return jump(x, operand_s(x, 2));
	case DW_OP_bra: {
		int64_t by = operand_s(x, 2);

		if (pop(x))
			jump(x, by);
		return;
	}
	default:
		stack_op(x, op);
	}
}

int unwind_cfi_eval(const uint8_t *expr, uint32_t len, const struct unwind_cfi_env *env,
		    const uint64_t *initial, uint64_t *ret)
{
	struct expr x = { .c = cursor_init(expr, len), .start = expr, .len = len, .env = env };

	if (initial)
		push(&x, *initial);
	for (unsigned steps = 0; x.c.left; steps++) {
		if (steps == STEPS_MAX)
			return -EBADMSG;
		step(&x);
		if (x.error)
			return x.error;
		if (x.c.bad)
			return -EBADMSG;
	}
	if (!x.n)
		return -EBADMSG;
	*ret = x.stack[x.n - 1];
	return 0;
}
