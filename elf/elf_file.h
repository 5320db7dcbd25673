/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_file.h - reads an ELF file (64-bit, little-endian): headers, segments, sections,
 * notes.  The only reader of ELF files.
 *
 * The files belong to other people's programs and may change or lie.  So they are read
 * with pread into memory of limited size and never mapped: a file that is truncated while
 * it is mapped would kill the reader.  The limits are those below.  Addresses are those that
 * the file was linked for.  One thread at a time for one file.
 */
#ifndef CTRACE_ELF_ELF_FILE_H
#define CTRACE_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"

#define ELF_PHDRS_MAX         128 /* a file with more is refused */
#define ELF_LOADS_MAX         64  /* segments; those beyond are left out */
#define ELF_SECTIONS_MAX      8192
#define ELF_SECTION_NAMES_MAX (1u << 20)   /* bytes */
#define ELF_SYMBOLS_MAX       (4u << 20)   /* of one table */
#define ELF_STRINGS_MAX       (256u << 20) /* bytes of one string table */
#define ELF_NOTES_MAX         4096         /* bytes of one segment of notes that are read */
#define ELF_BUILD_ID_MAX      32

struct elf_load {
	uint64_t vaddr, off, filesz;
};

/* Filled in by elf_file_open(); holds no memory of its own. */
struct elf_file {
	int fd;            /* borrowed; -1: nothing can be read now */
	const void *image; /* instead of a descriptor: the bytes in memory */
	uint64_t size;
	uint16_t machine; /* EM_* */
	uint16_t n_loads; /* never 0 */
	struct elf_load loads[ELF_LOADS_MAX];
	uint64_t base;                             /* lowest virtual address */
	uint64_t eh_frame_hdr, eh_frame_hdr_bytes; /* virtual address; 0: has none */
	uint64_t shoff;                            /* section headers */
	uint16_t shentsize, shnum, shstrndx;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_n; /* 0: has none */
};

/* Reads the headers of a file of size bytes (st_size); nothing beyond is read later.  0; -EBADMSG: not an ELF
 * file that can be used, or damaged; -errno. */
int elf_file_open(int fd, uint64_t size, struct elf_file *ret);
/* The same of bytes in memory, which must outlive it. */
int elf_file_open_image(const void *image, size_t size, struct elf_file *ret);

/* Copies up to n bytes at an offset; how many (less at the end of the file), or -errno. */
long elf_file_read(const struct elf_file *e, uint64_t off, void *buf, size_t n);
/* The same at an address; ends at the end of its segment. */
long elf_file_read_vaddr(const struct elf_file *e, uint64_t vaddr, void *buf, size_t n);
/* A part of the file, malloc'd, with a 0 behind it.  -EFBIG: more than max bytes; -EBADMSG: beyond the end of
 * the file; -ENOMEM; -errno. */
int elf_file_load(const struct elf_file *e, uint64_t off, uint64_t bytes, uint64_t max, void **ret);

/* From an offset to the address that it is loaded at, and back.  -ENOENT: it is not loaded from the file. */
int elf_file_vaddr(const struct elf_file *e, uint64_t off, uint64_t *ret_vaddr);
int elf_file_offset(const struct elf_file *e, uint64_t vaddr, uint64_t *ret_off);

/* The section headers, malloc'd: how many.  0: there are none; -EBADMSG, -ENOMEM, -errno. */
int elf_file_sections(const struct elf_file *e, Elf64_Shdr **ret);
/* The section of that name, which has bytes in the file.  -ENOENT: there is none; -EBADMSG, -ENOMEM, -errno.
 */
int elf_file_section(const struct elf_file *e, const char *name, Elf64_Shdr *ret);

struct elf_note {
	uint32_t type;     /* NT_* */
	const char *owner; /* owner_bytes bytes, the 0 at their end included */
	uint32_t owner_bytes;
	const void *desc;
	uint32_t desc_bytes;
};

/* The next note of a section or segment of notes.  False: there is none, or (then c is bad) it is damaged. */
bool elf_note_next(struct cursor *c, struct elf_note *ret);
bool elf_note_is(const struct elf_note *n, const char *owner, uint32_t type);

#endif
