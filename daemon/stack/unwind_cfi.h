/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_cfi.h - call frame information (.eh_frame) of one ELF file. For a program counter, finds
 * the rules that give the registers of the caller. The code follows LSB 5, "Exception Frames", and
 * section 6.4 of DWARF 5. Only one thread at a time may work on one file.
 *
 * .eh_frame has two kinds of entries. An FDE has the rules for one function. A CIE has the data
 * that several FDEs share. The rules use the CFA (canonical frame address), a fixed address in the
 * frame of a function.
 *
 * Entries are found through the sorted table of .eh_frame_hdr. If the file has no .eh_frame_hdr, an
 * index is made from .eh_frame, unless .eh_frame is larger than INDEX_MAX (unwind_cfi.c).
 *
 * The interpreter of libdw is not used, for two reasons: it maps the file, and the contents of the
 * file (register numbers, remembered states) decide how much memory libdw allocates. This
 * interpreter has fixed limits, needs no heap, and works on bytes that were read.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_CFI_H
#define CTRACE_DAEMON_STACK_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/stack/unwind_elf.h"

/* Registers have their DWARF numbers. x86-64: 0 to 16, of which 16 is the return address. arm64: 0
 * to 32, of which 30 is the link register and 31 the stack pointer. */
#define UNWIND_CFI_REGS    33
#define UNWIND_CFI_CIE_MAX 1024  /* bytes; a larger CIE is refused */
#define UNWIND_CFI_FDE_MAX 32768 /* bytes; a larger FDE is refused */

enum unwind_cfi_how {
	UNWIND_CFI_SAME = 0,
	UNWIND_CFI_UNDEFINED,
	UNWIND_CFI_AT_CFA,   /* the caller's value is saved at CFA + off */
	UNWIND_CFI_CFA,      /* the caller's value is CFA + off */
	UNWIND_CFI_REGISTER, /* the caller's value is in register off */
	UNWIND_CFI_AT_EXPR,  /* the caller's value is saved at the address that the expression gives */
	UNWIND_CFI_EXPR,     /* the caller's value is the result of the expression */
};

struct unwind_cfi_rule {
	uint8_t how; /* enum unwind_cfi_how */
	uint32_t expr_len;
	int64_t off;
	const uint8_t *expr; /* points into the struct unwind_cfi_buf */
};

struct unwind_cfi_row {
	uint8_t cfa_is_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	const uint8_t *cfa_expr;
	uint32_t cfa_expr_len;
	struct unwind_cfi_rule regs[UNWIND_CFI_REGS];
};

/* Room for the bytes of one CIE and one FDE. The expressions of a struct unwind_cfi lie in this
 * buffer. */
struct unwind_cfi_buf {
	uint8_t cie[UNWIND_CFI_CIE_MAX];
	uint8_t fde[UNWIND_CFI_FDE_MAX];
};

struct unwind_cfi {
	struct unwind_cfi_row row;
	uint32_t ra_reg;
	/* the caller was interrupted, so its program counter is no return address */
	bool signal_frame;
};

/* Finds the rules at vaddr. The pointers in *ret point into buf. Returns 0, or -ENOENT if no entry
 * covers vaddr, or -EBADMSG if the entry is broken or exceeds a limit. */
int unwind_cfi_find(struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi_buf *buf, struct unwind_cfi *ret);

/* The data that an expression may read. read() reads 8 bytes of memory, and returns 0 or -errno. */
struct unwind_cfi_env {
	const uint64_t *regs; /* UNWIND_CFI_REGS registers */
	uint64_t known;       /* bit i: register i is known */
	uint64_t bias;        /* run-time address minus virtual address */
	int (*read)(void *arg, uint64_t addr, uint64_t *ret);
	void *arg;
};

/*
 * Evaluates a DWARF expression. If initial is not NULL, *initial is on the stack of the expression
 * at the start. Returns 0. Errors:
 * - -EBADMSG: the expression is wrong, exceeds a limit, or uses a register that is not known
 * - -EFAULT: memory that the expression reads cannot be read
 */
int unwind_cfi_eval(const uint8_t *expr, uint32_t len, const struct unwind_cfi_env *env,
		    const uint64_t *initial, uint64_t *ret);

#endif
