/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_cfi.h - call frame information (.eh_frame) of one ELF file: from a
 * program counter to the rules that give back the registers of the caller.
 *
 * LSB 5, "Exception Frames", and DWARF 5, 6.4.  Finds entries through the sorted table
 * of .eh_frame_hdr, or makes one from .eh_frame where it is not too large.  libdw's interpreter is not used
 * for it because it lets a file choose how much it allocates (register numbers, remembered states) and maps
 * the file; this one has fixed limits, needs no heap, and works on what is read.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_CFI_H
#define CTRACE_DAEMON_STACK_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/stack/unwind_elf.h"

/* DWARF numbers: x86-64 has 17 (16: return address), arm64 33 (30: link, 31: sp). */
#define UNWIND_CFI_REGS    33
#define UNWIND_CFI_CIE_MAX 1024
#define UNWIND_CFI_FDE_MAX 32768

enum unwind_cfi_how {
	UNWIND_CFI_SAME = 0,
	UNWIND_CFI_UNDEFINED,
	UNWIND_CFI_AT_CFA,   /* saved at CFA + off */
	UNWIND_CFI_CFA,      /* is CFA + off */
	UNWIND_CFI_REGISTER, /* is in register off */
	UNWIND_CFI_AT_EXPR,  /* saved at the address that the expression gives */
	UNWIND_CFI_EXPR,     /* is what the expression gives */
};

struct unwind_cfi_rule {
	uint8_t how; /* enum unwind_cfi_how */
	uint32_t expr_len;
	int64_t off;
	const uint8_t *expr; /* within the buffer */
};

struct unwind_cfi_row {
	uint8_t cfa_is_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	const uint8_t *cfa_expr;
	uint32_t cfa_expr_len;
	struct unwind_cfi_rule regs[UNWIND_CFI_REGS];
};

/* Where the bytes of the entry go that rows point into. */
struct unwind_cfi_buf {
	uint8_t cie[UNWIND_CFI_CIE_MAX];
	uint8_t fde[UNWIND_CFI_FDE_MAX];
};

struct unwind_cfi {
	struct unwind_cfi_row row;
	uint32_t ra_reg;
	bool signal_frame; /* the caller's program counter is not after a call */
};

/* The rules at vaddr.  -ENOENT: no entry covers it; -EBADMSG: the entry is broken or beyond the limits. */
int unwind_cfi_find(struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, struct unwind_cfi *ret);

/* What an expression may ask for. */
struct unwind_cfi_env {
	const uint64_t *regs; /* UNWIND_CFI_REGS of them */
	uint64_t known;       /* bit mask */
	uint64_t bias;        /* run-time address less virtual address */
	int (*read)(void *arg, uint64_t addr, uint64_t *ret);
	void *arg;
};

/* Evaluates a DWARF expression, with initial (unless NULL) on its stack.  -EBADMSG, -EFAULT. */
int unwind_cfi_eval(const uint8_t *expr, uint32_t len, const struct unwind_cfi_env *env,
		    const uint64_t *initial, uint64_t *ret);

#endif
