/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_cfi.h - the call frame information (.eh_frame) of an ELF file: rules that give the
 * registers of the caller. See LSB 5, "Exception Frames", and DWARF 5, section 6.4.
 * - FDE: the rules for one function
 * - CIE: data that several FDEs share
 * - CFA (canonical frame address): a fixed address in the frame of a function
 *
 * Does not use libdw, which maps the file and takes as much memory as the file says. Only one thread
 * at a time may work on one file.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_CFI_H
#define CTRACE_DAEMON_STACK_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/stack/unwind_elf.h"

/* DWARF numbers of registers. x86-64: 0 to 16 (16: return address). arm64: 0 to 32 (30: link
 * register, 31: stack pointer). */
#define UNWIND_CFI_REGS    33
#define UNWIND_CFI_CIE_MAX 1024
#define UNWIND_CFI_FDE_MAX 32768

enum unwind_cfi_how {
	UNWIND_CFI_SAME = 0,
	UNWIND_CFI_UNDEFINED,
	UNWIND_CFI_AT_CFA,   /* saved at CFA + off */
	UNWIND_CFI_CFA,      /* CFA + off itself */
	UNWIND_CFI_REGISTER, /* in the register with the number `off` */
	UNWIND_CFI_AT_EXPR,  /* saved at the result of expr */
	UNWIND_CFI_EXPR,     /* the result of expr */
};

struct unwind_cfi_rule {
	uint8_t how;
	uint32_t expr_len;
	int64_t off;
	const uint8_t *expr;
};

struct unwind_cfi_row {
	uint8_t cfa_is_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	const uint8_t *cfa_expr;
	uint32_t cfa_expr_len;
	struct unwind_cfi_rule regs[UNWIND_CFI_REGS];
};

/* A struct unwind_cfi points into this buffer. */
struct unwind_cfi_buf {
	uint8_t cie[UNWIND_CFI_CIE_MAX];
	uint8_t fde[UNWIND_CFI_FDE_MAX];
};

struct unwind_cfi {
	struct unwind_cfi_row row;
	uint32_t ra_reg;
	/* a signal interrupted the caller, so the caller's program counter is no return address */
	bool signal_frame;
};

/* Finds the rules at vaddr. Returns 0, -ENOENT (there are none), or -EBADMSG: the table or entry is
 * broken or exceeds a limit. *ret points into buf. */
int unwind_cfi_find(struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, struct unwind_cfi *ret);

/* read() reads 8 bytes of memory, and returns 0 or -errno. */
struct unwind_cfi_env {
	const uint64_t *regs;
	uint64_t known; /* bit i: register i is known */
	uint64_t bias;  /* address in memory minus virtual address in the file */
	int (*read)(void *arg, uint64_t addr, uint64_t *ret);
	void *arg;
};

/*
 * Evaluates a DWARF expression, which works on a stack. initial: the first value on the stack; NULL:
 * the stack is empty. Returns 0 or:
 * - -EBADMSG: the expression is wrong, exceeds a limit, or uses an unknown register
 * - -EFAULT: read() failed
 */
int unwind_cfi_eval(const uint8_t *expr, uint32_t len, const struct unwind_cfi_env *env,
		    const uint64_t *initial, uint64_t *ret);

#endif
