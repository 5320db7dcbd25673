/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_file.h - reads 64-bit little-endian ELF files: headers, segments, sections, notes.
 *
 * The files belong to traced programs, so they may be damaged, and may change at any time. So this
 * code copies parts with pread(2), up to the limits below, and maps no file. (Access to a mapping
 * kills the reader if the file was truncated.) Addresses are virtual addresses in the file. Only
 * one thread at a time may use a struct elf_file.
 */
#ifndef CTRACE_ELF_ELF_FILE_H
#define CTRACE_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"

#define ELF_PHDRS_MAX         128 /* program headers; a file with more is refused */
#define ELF_LOADS_MAX         64  /* segments of type PT_LOAD; further ones are left out */
#define ELF_SECTIONS_MAX      8192
#define ELF_SECTION_NAMES_MAX (1u << 20) /* bytes */
#define ELF_SYMBOLS_MAX       (4u << 20)
#define ELF_STRINGS_MAX       (256u << 20) /* bytes of one table */
#define ELF_NOTES_MAX         4096         /* bytes of a note segment; the rest is not read */
#define ELF_BUILD_ID_MAX      32

struct elf_load {
	uint64_t vaddr, off, filesz;
};

struct elf_file {
	int fd;            /* owned by the caller; -1: not open, or image is used */
	const void *image; /* bytes in memory instead of fd, or NULL */
	uint64_t size;
	uint16_t machine;
	uint16_t n_loads;
	struct elf_load loads[ELF_LOADS_MAX];
	uint64_t base;                             /* lowest virtual address */
	uint64_t eh_frame_hdr, eh_frame_hdr_bytes; /* virtual address and size; 0: none */
	uint64_t shoff;
	uint16_t shentsize, shnum, shstrndx;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_n;
};

/* size is st_size; no later read goes beyond it. Returns 0, an -errno of pread(2), or -EBADMSG: the
 * file is damaged, exceeds ELF_PHDRS_MAX, or is no 64-bit little-endian ELF program or library. */
int elf_file_open(int fd, uint64_t size, struct elf_file *ret);
/* Like elf_file_open(), for bytes in memory. The bytes must outlive *ret. */
int elf_file_open_image(const void *image, size_t size, struct elf_file *ret);

/* Returns the number of bytes read (below n only at the end of the file), or -errno. */
long elf_file_read(const struct elf_file *e, uint64_t off, void *buf, size_t n);
/* Like elf_file_read(), but at an address. Reads no further than the end of the segment. Returns 0
 * if no segment contains the address. */
long elf_file_read_vaddr(const struct elf_file *e, uint64_t vaddr, void *buf, size_t n);
/*
 * Reads a part of the file, and adds a 0 byte. The caller frees *ret. Returns 0 or:
 * - -EFBIG: the part has more than max bytes
 * - -EBADMSG: the part goes beyond the end of the file
 * - -ENOMEM, or an -errno of pread(2)
 */
int elf_file_load(const struct elf_file *e, uint64_t off, uint64_t bytes, uint64_t max, void **ret);

/* Convert a file offset into a virtual address, and back. Return 0, or -ENOENT if no segment loads
 * this byte. */
int elf_file_vaddr(const struct elf_file *e, uint64_t off, uint64_t *ret_vaddr);
int elf_file_offset(const struct elf_file *e, uint64_t vaddr, uint64_t *ret_off);

/* Returns the number of section headers, or -EBADMSG, -ENOMEM, or an -errno of pread(2). The caller
 * frees *ret. If the number is 0, *ret is unchanged. */
int elf_file_sections(const struct elf_file *e, Elf64_Shdr **ret);
/* Finds the first section with this name that has bytes in the file (is not SHT_NOBITS). Returns 0,
 * -ENOENT, -EBADMSG, -EFBIG, -ENOMEM, or an -errno of pread(2). */
int elf_file_section(const struct elf_file *e, const char *name, Elf64_Shdr *ret);

struct elf_note {
	uint32_t type;
	const char *owner; /* owner_bytes bytes, not always 0-terminated */
	uint32_t owner_bytes;
	const void *desc;
	uint32_t desc_bytes;
};

/* Returns false at the end, or if the next note is damaged. A damaged note makes c bad. */
bool elf_note_next(struct cursor *c, struct elf_note *ret);
bool elf_note_is(const struct elf_note *n, const char *owner, uint32_t type);

#endif
