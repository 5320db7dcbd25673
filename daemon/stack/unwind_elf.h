/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_elf.h - what the daemon remembers of an ELF file, to unwind stacks and to name functions.
 *
 * The file is open only while a task is inspected: an open file would keep its file system from
 * being unmounted. Only one thread at a time may use one struct unwind_elf.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_ELF_H
#define CTRACE_DAEMON_STACK_UNWIND_ELF_H

#include <sys/stat.h>

#include "elf/elf_symbols.h"

struct unwind_elf_id {
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
};

struct unwind_elf {
	struct unwind_elf_id id;
	uint64_t serial; /* never reused */
	uint64_t used;
	struct elf_file file;
	/* index: the FDEs of a file without .eh_frame_hdr (unwind_cfi.c). index_state 0: not made
	 * yet; 1: made; below 0: cannot be made. */
	int index_state;
	struct unwind_elf_fde {
		uint32_t begin, fde; /* virtual addresses, minus file.base */
	} * index;
	size_t n_index;
	struct elf_functions functions;
	/* the file with the same build id in /usr/lib/debug, or NULL */
	struct unwind_elf *debug;
	bool debug_looked;
};

struct unwind_elf_id unwind_elf_id(const struct stat *st);
/* Returns 0, -ENOMEM, or an error of elf_file_open(). After success, *ret owns fd. */
int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret);
/* As unwind_elf_new(), for a file in memory. Borrows image until unwind_elf_free(). */
int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret);
void unwind_elf_free(struct unwind_elf *e);
void unwind_elf_detach(struct unwind_elf *e);
size_t unwind_elf_bytes(const struct unwind_elf *e);

/* Finds the function at vaddr, in the file or in its debug file. Returns the same as
 * elf_functions_find(). */
int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[ELF_NAME_MAX], uint64_t *ret_start);

#endif
