/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symbols.h - lists the symbols of an ELF file, and finds a function by address. Only one
 * thread at a time may use a struct elf_functions.
 */
#ifndef CTRACE_ELF_ELF_SYMBOLS_H
#define CTRACE_ELF_ELF_SYMBOLS_H

#include "elf/elf_file.h"

#define ELF_FUNCTIONS_MAX (1u << 20) /* of one file; further functions are left out */
#define ELF_NAME_MAX      1024       /* longer names are cut */

struct elf_symbol {
	const char *name; /* valid only while fn runs */
	uint64_t vaddr, size;
	uint8_t type;
	uint8_t bind;
};

/*
 * Calls fn for every defined symbol that has a name: first for those of .symtab, then for those of
 * .dynsym. So fn gets a symbol twice if it is in both. If fn does not return 0, the walk ends.
 * Returns:
 * - the last value of fn; 0 if there are no symbols
 * - -EFBIG: a table is larger than the limits
 * - -EBADMSG, -ENOMEM, or an -errno of pread(2)
 */
typedef int (*elf_symbol_fn)(void *arg, const struct elf_symbol *s);
int elf_symbols_each(const struct elf_file *e, elf_symbol_fn fn, void *arg);

/* All zero at the start; the first elf_functions_find() fills it. */
struct elf_functions {
	int state; /* 0: not read yet; 1: read; -errno: reading failed, or there are no functions */
	uint64_t names_off, names_bytes;
	struct elf_function {
		uint32_t addr; /* virtual address minus elf_file.base */
		uint32_t size; /* 0: not known */
		uint32_t name;
	} * v;
	size_t n;
};

/* Finds the function that contains vaddr. Returns 0 or -ENOENT. If the functions cannot be read,
 * returns -ENOENT and sets t->state to the -errno. */
int elf_functions_find(struct elf_functions *t, const struct elf_file *e, uint64_t vaddr,
		       char name[ELF_NAME_MAX], uint64_t *ret_start);
void elf_functions_done(struct elf_functions *t);

#endif
