/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_elf.h - the data about one ELF file that is kept to unwind stacks and to name functions:
 * the segments of the file, its call frame information, its functions. The code in elf/ reads the
 * files.
 *
 * The descriptor is open only while a task is inspected, because an open descriptor would keep a
 * file system from being unmounted. Only one thread at a time may use an object.
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
	uint64_t used;   /* for the cache: when the file was last used */
	struct elf_file file;
	/* A file without .eh_frame_hdr (most static programs) gets an index, which is made from
	 * .eh_frame at first use; see unwind_cfi.c. index_state: 0: no index was made yet; 1: there
	 * is an index; below 0: no index can be made. */
	int index_state;
	struct unwind_elf_fde {
		uint32_t begin, fde; /* virtual addresses, minus file.base */
	} * index;
	size_t n_index;
	struct elf_functions functions;
	/* The symbols of a stripped file may be installed in a file of their own (in
	 * /usr/lib/debug), which is found by the build id. */
	struct unwind_elf *debug; /* NULL: there is none, or no search was made */
	bool debug_looked;        /* a search was made */
};

/* Returns the identity of a file: device, inode, size and times. */
struct unwind_elf_id unwind_elf_id(const struct stat *st);
/* Reads the headers of a file. On success the object owns fd. Returns 0, or -ENOMEM, or an error of
 * elf_file_open(). On failure the caller still has to close fd. */
int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret);
/* Does the same as unwind_elf_new(), for a file in memory. image is borrowed until
 * unwind_elf_free(). */
int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret);
void unwind_elf_free(struct unwind_elf *e);
/* Closes the descriptors. The object keeps the data that it has read. */
void unwind_elf_detach(struct unwind_elf *e);
/* Returns how many bytes of heap the object uses. */
size_t unwind_elf_bytes(const struct unwind_elf *e);

/* Finds the function at vaddr, in the file or in its debug file. Returns the result of
 * elf_functions_find(). */
int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[ELF_NAME_MAX], uint64_t *ret_start);

#endif
