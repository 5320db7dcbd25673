/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_symbols.h - reads the symbols of an ELF file: lists all of them, and finds a function by
 * address. One thread at a time for each file. */
#ifndef CTRACE_ELF_ELF_SYMBOLS_H
#define CTRACE_ELF_ELF_SYMBOLS_H

#include "elf/elf_file.h"

#define ELF_FUNCTIONS_MAX (1u << 20) /* functions of one file; further ones are left out */
#define ELF_NAME_MAX      1024       /* longer names of functions are cut */

struct elf_symbol {
	const char *name; /* valid only while fn runs */
	uint64_t vaddr, size;
	uint8_t type; /* STT_* */
	uint8_t bind; /* STB_* */
};

/*
 * Calls fn for every symbol that the file defines and that has a name: first for those of .symtab,
 * then for those of .dynsym. Many symbols are in both tables. If fn returns a value other than 0,
 * the walk ends and returns this value. Otherwise returns 0 (also if the file has no symbols), or
 * -EFBIG if a table is larger than the limits, or -EBADMSG, -ENOMEM, or an -errno of pread(2).
 */
typedef int (*elf_symbol_fn)(void *arg, const struct elf_symbol *s);
int elf_symbols_each(const struct elf_file *e, elf_symbol_fn fn, void *arg);

/* The functions of a file, by address. The caller zeroes the structure; the first call of
 * elf_functions_find() fills the structure. */
struct elf_functions {
	int state; /* 0: not read yet; 1: read; -errno: reading failed, or there are none */
	uint64_t names_off, names_bytes;
	struct elf_function {
		uint32_t addr; /* virtual address minus elf_file.base */
		uint32_t size; /* 0: not known */
		uint32_t name; /* offset in the string table */
	} * v;
	size_t n;
};

/* Finds the function at vaddr: its name (0-terminated) and its start. Returns 0, or -ENOENT if no
 * function is known there. If the functions could not be read, t->state is the -errno. */
int elf_functions_find(struct elf_functions *t, const struct elf_file *e, uint64_t vaddr,
		       char name[ELF_NAME_MAX], uint64_t *ret_start);
void elf_functions_done(struct elf_functions *t);

#endif
