/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_elf.h - what unwinding and naming need from one ELF file: where its
 * segments are, its .eh_frame_hdr, its function symbols.
 *
 * The files belong to the programs visited and may change or lie, so they are read
 * with pread into buffers of limited size and never mapped (a file that is truncated
 * while it is mapped would kill the reader).  The descriptor is only open while
 * a task is looked at: one that was kept would keep a file system from being unmounted.
 * 64-bit little-endian only.  One thread at a time.
 */
#ifndef CTRACE_ELF_UNWIND_ELF_H
#define CTRACE_ELF_UNWIND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define UNWIND_ELF_LOADS_MAX   32
#define UNWIND_ELF_FILE_MAX    (1ULL << 30) /* larger files are not read */
#define UNWIND_ELF_SYMBOLS_MAX (1u << 20)   /* of one file; those beyond are left out */
#define UNWIND_ELF_NAME_MAX    1024         /* longer names are cut */

#define UNWIND_ELF_BUILD_ID_MAX 32

struct unwind_elf_id {
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
};

struct unwind_elf_symbol {
	uint32_t addr; /* virtual address of the file, less base */
	uint32_t size; /* 0: not known */
	uint32_t name; /* offset in the string table */
};

struct unwind_elf {
	struct unwind_elf_id id;
	uint64_t serial;   /* never reused: a key for caches */
	uint64_t used;     /* for the cache that holds it: when it was last used */
	int fd;            /* borrowed; -1: not attached */
	const void *image; /* instead of a file: bytes in memory (the vdso) */
	uint64_t shoff;    /* section headers */
	uint16_t shnum, shstrndx;
	uint16_t machine; /* EM_* */
	uint16_t n_loads;
	uint64_t base;      /* lowest virtual address */
	uint64_t hdr_vaddr; /* .eh_frame_hdr; 0: has none */
	uint64_t hdr_size;
	/* without .eh_frame_hdr (most static programs): made from .eh_frame at first use; see unwind_cfi */
	int index_state; /* as symbols_state */
	struct unwind_elf_fde {
		uint32_t begin, fde; /* virtual addresses less base */
	} * index;
	size_t n_index;
	struct unwind_elf_load {
		uint64_t vaddr, off, filesz;
	} loads[UNWIND_ELF_LOADS_MAX];
	/* a stripped file's symbols may be installed apart from it (/usr/lib/debug), by its build id */
	struct unwind_elf *debug; /* NULL: none, or not looked for */
	bool debug_looked;
	uint8_t build_id[UNWIND_ELF_BUILD_ID_MAX];
	uint8_t build_id_n;
	/* function symbols by address, loaded at first use */
	int symbols_state; /* 0: not loaded yet, 1: loaded, negative: why there are none */
	uint64_t strtab_off, strtab_size;
	struct unwind_elf_symbol *symbols;
	size_t n_symbols;
};

struct unwind_elf_id unwind_elf_id(const struct stat *st);
/* Reads the headers of a file; on success fd is its own.  -EBADMSG: not an ELF file that can be used; -EFBIG;
 * -EIO; -ENOMEM. */
int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret);
/* The same from memory, which must outlive it. */
int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret);
void unwind_elf_free(struct unwind_elf *e);
/* Closes its descriptors; what has been read stays. */
void unwind_elf_detach(struct unwind_elf *e);
/* Heap in use. */
size_t unwind_elf_bytes(const struct unwind_elf *e);

/* Copies up to n bytes at a file offset; how many (less at the end of the file), or -errno. */
long unwind_elf_read(const struct unwind_elf *e, uint64_t off, void *buf, size_t n);
/* The same at a virtual address; ends at the end of its segment. */
long unwind_elf_read_vaddr(const struct unwind_elf *e, uint64_t vaddr, void *buf, size_t n);
/* Virtual address of a file offset; -ENOENT. */
int unwind_elf_vaddr(const struct unwind_elf *e, uint64_t off, uint64_t *ret_vaddr);

/* Address and size of a loaded section.  -ENOENT. */
int unwind_elf_section(const struct unwind_elf *e, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size);
/* The function at vaddr: its name (0-terminated) and its start.  -ENOENT: none is known. */
int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[UNWIND_ELF_NAME_MAX],
			uint64_t *ret_start);

#endif
