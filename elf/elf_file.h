/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_file.h - reads an ELF file (64-bit, little-endian): headers, segments, sections, notes. All
 * of ctrace reads ELF files with these functions, except cli/live/dwarf_member.c, which uses libdw.
 *
 * The files belong to the traced programs, and they may change or have wrong content. So the reader copies
 * parts with pread(2) into memory of limited size and never maps a file: if a mapped file is truncated, an
 * access to it kills the reader. The limits are below. Addresses are virtual addresses as they stand in the
 * file. One thread at a time for each file.
 */
#ifndef CTRACE_ELF_ELF_FILE_H
#define CTRACE_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"

#define ELF_PHDRS_MAX         128 /* program headers; a file with more is refused */
#define ELF_LOADS_MAX         64  /* loaded segments; further ones are left out */
#define ELF_SECTIONS_MAX      8192
#define ELF_SECTION_NAMES_MAX (1u << 20)   /* bytes */
#define ELF_SYMBOLS_MAX       (4u << 20)   /* symbols of one table */
#define ELF_STRINGS_MAX       (256u << 20) /* bytes of one string table */
#define ELF_NOTES_MAX         4096         /* bytes that are read of one segment of notes */
#define ELF_BUILD_ID_MAX      32

struct elf_load {
	uint64_t vaddr, off, filesz;
};

/* elf_file_open() fills in the structure. The structure owns no memory and no descriptor, so there
 * is nothing to release. */
struct elf_file {
	int fd;            /* belongs to the caller, who keeps it open; -1: not open, or image is used */
	const void *image; /* the bytes in memory, in place of fd; NULL: use fd */
	uint64_t size;
	uint16_t machine; /* EM_* */
	uint16_t n_loads; /* never 0 */
	struct elf_load loads[ELF_LOADS_MAX];
	uint64_t base;                             /* lowest virtual address in `loads` */
	uint64_t eh_frame_hdr, eh_frame_hdr_bytes; /* virtual address and size of the table that
						      finds the unwind rules; both 0: the file has
						      none */
	uint64_t shoff;                            /* offset of the section headers */
	uint16_t shentsize, shnum, shstrndx;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_n; /* 0: the file has none */
};

/* Reads the headers of a file. size: the size of the file (st_size); no later read goes beyond this
 * size. Returns 0, or -EBADMSG if the file is damaged or is no 64-bit little-endian ELF program or
 * library, or an -errno of pread(2). */
int elf_file_open(int fd, uint64_t size, struct elf_file *ret);
/* As elf_file_open(), for size bytes in memory, which must outlive *ret. */
int elf_file_open_image(const void *image, size_t size, struct elf_file *ret);

/* Copies up to n bytes at an offset of the file. Returns the number of bytes (fewer at the end of
 * the file), or -errno. */
long elf_file_read(const struct elf_file *e, uint64_t off, void *buf, size_t n);
/* As elf_file_read(), but at an address. Does not read beyond the end of the segment. Returns 0 if no
 * segment of the file is at this address. */
long elf_file_read_vaddr(const struct elf_file *e, uint64_t vaddr, void *buf, size_t n);
/* Reads a part of the file into new memory, and adds a 0 behind the part. The caller frees *ret.
 * Returns 0, or -EFBIG if the part has more than max bytes, or -EBADMSG if the part goes beyond the
 * end of the file, or -ENOMEM, or an -errno of pread(2). */
int elf_file_load(const struct elf_file *e, uint64_t off, uint64_t bytes, uint64_t max, void **ret);

/* elf_file_vaddr() turns an offset in the file into the address at which this byte is loaded;
 * elf_file_offset() does the reverse. Both return 0, or -ENOENT if no segment loads this byte from
 * the file. */
int elf_file_vaddr(const struct elf_file *e, uint64_t off, uint64_t *ret_vaddr);
int elf_file_offset(const struct elf_file *e, uint64_t vaddr, uint64_t *ret_off);

/* Reads the section headers. The caller frees *ret. Returns the number of section headers, or
 * -EBADMSG, -ENOMEM, or an -errno of pread(2). If the file has no section headers, returns 0 and
 * leaves *ret unchanged. */
int elf_file_sections(const struct elf_file *e, Elf64_Shdr **ret);
/* Finds the section of that name. Sections without bytes in the file (SHT_NOBITS) do not count.
 * Returns 0, or -ENOENT if there is no such section, or -EBADMSG, -EFBIG, -ENOMEM, or an -errno of
 * pread(2). */
int elf_file_section(const struct elf_file *e, const char *name, Elf64_Shdr *ret);

struct elf_note {
	uint32_t type;     /* NT_* */
	const char *owner; /* owner_bytes bytes, of which the last one is normally a 0; in the
			      memory of the cursor */
	uint32_t owner_bytes;
	const void *desc;
	uint32_t desc_bytes;
};

/* Takes the next note of a section or segment of notes. False: there is no further note, or the
 * next note is damaged. If it is damaged, c is bad. */
bool elf_note_next(struct cursor *c, struct elf_note *ret);
bool elf_note_is(const struct elf_note *n, const char *owner, uint32_t type);

#endif
