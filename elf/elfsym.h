/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfsym.h - symbols by name, sections and addresses of one ELF file (64-bit,
 * little-endian).  The file may change or lie: it is read with pread into
 * memory of limited size, never mapped.  Addresses are those that the file was
 * linked for.  One thread.
 */
#ifndef CTRACE_ELF_ELFSYM_H
#define CTRACE_ELF_ELFSYM_H

#include <stddef.h>
#include <stdint.h>

#define ELFSYM_LOADS_MAX    64
#define ELFSYM_SECTIONS_MAX 8192
#define ELFSYM_SYMBOLS_MAX  (4u << 20)
#define ELFSYM_STRINGS_MAX  (256u << 20) /* of one string table */

struct elfsym;

struct elfsym_symbol {
	const char *name; /* valid during the call only */
	uint64_t vaddr, size;
	uint8_t type; /* STT_* */
	uint8_t bind; /* STB_* */
};

/* fd is borrowed until elfsym_close().  0; -EBADMSG: not such a file, or damaged; -ENOMEM; -errno. */
int elfsym_open(int fd, struct elfsym **ret);
/* Accepts NULL. */
void elfsym_close(struct elfsym *e);

uint16_t elfsym_machine(const struct elfsym *e); /* EM_* */

/*
 * Calls fn for every symbol that is defined in the file, those of .symtab and then those of .dynsym (so that
 * many come twice); a result of fn that is not 0 ends it and is returned.  0, -EFBIG: a table beyond the
 * limits, -EBADMSG, -ENOMEM, -errno.
 */
typedef int (*elfsym_fn)(void *arg, const struct elfsym_symbol *s);
int elfsym_each(struct elfsym *e, elfsym_fn fn, void *arg);

/* A whole section, malloc'd, at most max bytes.  -ENOENT: there is none; -EFBIG, -EBADMSG, -ENOMEM, -errno.
 */
int elfsym_section(struct elfsym *e, const char *name, size_t max, void **ret, size_t *ret_bytes);

/* From an address to the offset in the file.  -ENOENT: nothing is loaded there from the file. */
int elfsym_offset(const struct elfsym *e, uint64_t vaddr, uint64_t *ret_off);
/* Up to n bytes at an address: how many (to the end of its segment), or -errno. */
long elfsym_read(const struct elfsym *e, uint64_t vaddr, void *buf, size_t n);

#endif
