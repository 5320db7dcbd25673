/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_symbols.h - the symbols of an ELF file: all of them, by name, and its functions, by address.  One
 * thread at a time for one file. */
#ifndef CTRACE_ELF_ELF_SYMBOLS_H
#define CTRACE_ELF_ELF_SYMBOLS_H

#include "elf/elf_file.h"

#define ELF_FUNCTIONS_MAX (1u << 20) /* of one file; those beyond are left out */
#define ELF_NAME_MAX      1024       /* longer names of functions are cut */

struct elf_symbol {
	const char *name; /* valid during the call only */
	uint64_t vaddr, size;
	uint8_t type; /* STT_* */
	uint8_t bind; /* STB_* */
};

/*
 * Calls fn for every symbol that is defined in the file, those of .symtab and then those of .dynsym (so that
 * many come twice); a result of fn that is not 0 ends it and is returned.  0, -EFBIG: a table beyond the
 * limits, -EBADMSG, -ENOMEM, -errno.
 */
typedef int (*elf_symbol_fn)(void *arg, const struct elf_symbol *s);
int elf_symbols_each(const struct elf_file *e, elf_symbol_fn fn, void *arg);

/* Functions by address, read at first use.  Zeroed before. */
struct elf_functions {
	int state; /* 0: not read yet, 1: read, negative: why there are none */
	uint64_t names_off, names_bytes;
	struct elf_function {
		uint32_t addr; /* virtual address less base */
		uint32_t size; /* 0: not known */
		uint32_t name; /* offset in the string table */
	} * v;
	size_t n;
};

/* The function at vaddr: its name (0-terminated) and its start.  -ENOENT: none is known. */
int elf_functions_find(struct elf_functions *t, const struct elf_file *e, uint64_t vaddr,
		       char name[ELF_NAME_MAX], uint64_t *ret_start);
void elf_functions_done(struct elf_functions *t);

#endif
