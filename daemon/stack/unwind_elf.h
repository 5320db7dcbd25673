/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_elf.h - what is remembered of one ELF file for unwinding and naming: where its segments are, its
 * call frame information, its functions.  Reading is elf/'s.
 *
 * The descriptor is only open while a task is looked at: one that was kept would keep a file system from
 * being unmounted.  One thread at a time.
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
	uint64_t serial; /* never reused: a key for caches */
	uint64_t used;   /* for the cache that holds it: when it was last used */
	struct elf_file file;
	/* without .eh_frame_hdr (most static programs): made from .eh_frame at first use; see unwind_cfi */
	int index_state; /* as elf_functions' */
	struct unwind_elf_fde {
		uint32_t begin, fde; /* virtual addresses less base */
	} * index;
	size_t n_index;
	struct elf_functions functions;
	/* a stripped file's symbols may be installed apart from it (/usr/lib/debug), by its build id */
	struct unwind_elf *debug; /* NULL: none, or not looked for */
	bool debug_looked;
};

struct unwind_elf_id unwind_elf_id(const struct stat *st);
/* Reads the headers of a file; on success fd is its own.  As elf_file_open(); -ENOMEM. */
int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret);
/* The same from memory, which must outlive it. */
int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret);
void unwind_elf_free(struct unwind_elf *e);
/* Closes its descriptors; what has been read stays. */
void unwind_elf_detach(struct unwind_elf *e);
/* Heap in use. */
size_t unwind_elf_bytes(const struct unwind_elf *e);

/* The function at vaddr, as elf_functions_find(): in the file, or in that with its symbols. */
int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[ELF_NAME_MAX], uint64_t *ret_start);

#endif
