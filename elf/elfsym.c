// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elfsym.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define ELFSYM_CHUNK 2048 /* symbols read at a time */

struct elfsym {
	int fd;
	uint16_t machine;
	unsigned n_loads, n_sections;
	struct {
		uint64_t vaddr, off, size;
	} loads[ELFSYM_LOADS_MAX];
	Elf64_Shdr *sections;
	char *names; /* of the sections, 0-terminated */
	size_t names_bytes;
};

/* All n bytes, or -EBADMSG when the file ends before. */
static int elfsym_pread(int fd, void *buf, size_t n, uint64_t off)
{
	for (size_t got = 0; got < n;) {
		ssize_t r =
			off + got > INT64_MAX ? 0 : pread(fd, (char *)buf + got, n - got, (off_t)(off + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			return -EBADMSG;
		got += (size_t)r;
	}
	return 0;
}

/* A part of the file, with a 0 behind it. */
static int elfsym_load(int fd, uint64_t off, uint64_t bytes, uint64_t max, void **ret)
{
	_cleanup_free_ char *p = NULL;
	off_t end;
	int r;

	if (bytes > max)
		return -EFBIG;
	/* before memory is asked for */
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return -errno;
	if (off > (uint64_t)end || bytes > (uint64_t)end - off)
		return -EBADMSG;
	p = malloc(bytes + 1);
	if (!p)
		return -ENOMEM;
	r = elfsym_pread(fd, p, bytes, off);
	if (r)
		return r;
	p[bytes] = 0;
	*ret = TAKE_PTR(p);
	return 0;
}

static int elfsym_segments(struct elfsym *e, const Elf64_Ehdr *h)
{
	for (unsigned i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr p;
		int r = elfsym_pread(e->fd, &p, sizeof(p), h->e_phoff + i * sizeof(p));

		if (r)
			return r;
		if (p.p_type != PT_LOAD)
			continue;
		if (e->n_loads == ELFSYM_LOADS_MAX || p.p_vaddr + p.p_filesz < p.p_vaddr ||
		    p.p_offset + p.p_filesz < p.p_offset)
			return -EBADMSG;
		e->loads[e->n_loads].vaddr = p.p_vaddr;
		e->loads[e->n_loads].off = p.p_offset;
		e->loads[e->n_loads++].size = p.p_filesz;
	}
	return 0;
}

/* A file without section headers has no symbols, and that is all that is wrong with it. */
static int elfsym_sections(struct elfsym *e, const Elf64_Ehdr *h)
{
	const Elf64_Shdr *names;
	void *p;
	int r;

	if (!h->e_shoff || !h->e_shnum)
		return 0;
	if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum > ELFSYM_SECTIONS_MAX ||
	    h->e_shstrndx >= h->e_shnum)
		return -EBADMSG;
	r = elfsym_load(e->fd, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr), SIZE_MAX, &p);
	if (r)
		return r;
	e->sections = p;
	names = &e->sections[h->e_shstrndx];
	r = elfsym_load(e->fd, names->sh_offset, names->sh_size, 1u << 20, &p);
	if (r)
		return r;
	e->names = p;
	e->names_bytes = names->sh_size;
	e->n_sections = h->e_shnum;
	return 0;
}

int elfsym_open(int fd, struct elfsym **ret)
{
	struct elfsym *e;
	Elf64_Ehdr h;
	int r = elfsym_pread(fd, &h, sizeof(h), 0);

	if (r)
		return r;
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || (h.e_type != ET_EXEC && h.e_type != ET_DYN) ||
	    (h.e_phnum && h.e_phentsize != sizeof(Elf64_Phdr)))
		return -EBADMSG;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->fd = fd;
	e->machine = h.e_machine;
	r = elfsym_segments(e, &h);
	if (!r)
		r = elfsym_sections(e, &h);
	if (r) {
		elfsym_close(e);
		return r;
	}
	*ret = e;
	return 0;
}

void elfsym_close(struct elfsym *e)
{
	if (!e)
		return;
	free(e->sections);
	free(e->names);
	free(e);
}

uint16_t elfsym_machine(const struct elfsym *e)
{
	return e->machine;
}

static int elfsym_chunk(const Elf64_Sym *syms, size_t n, const char *strings, size_t strings_bytes,
			elfsym_fn fn, void *arg)
{
	for (size_t i = 0; i < n; i++) {
		struct elfsym_symbol s = { .vaddr = syms[i].st_value,
					   .size = syms[i].st_size,
					   .type = ELF64_ST_TYPE(syms[i].st_info),
					   .bind = ELF64_ST_BIND(syms[i].st_info) };
		int r;

		if (syms[i].st_shndx == SHN_UNDEF || !syms[i].st_name || syms[i].st_name >= strings_bytes)
			continue;
		s.name = strings + syms[i].st_name;
		r = fn(arg, &s);
		if (r)
			return r;
	}
	return 0;
}

static int elfsym_table(struct elfsym *e, const Elf64_Shdr *s, elfsym_fn fn, void *arg)
{
	uint64_t n = s->sh_size / sizeof(Elf64_Sym);
	_cleanup_free_ Elf64_Sym *syms = NULL;
	_cleanup_free_ void *strings = NULL;
	const Elf64_Shdr *t;
	int r = 0;

	if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_link >= e->n_sections)
		return -EBADMSG;
	if (n > ELFSYM_SYMBOLS_MAX)
		return -EFBIG;
	t = &e->sections[s->sh_link];
	r = elfsym_load(e->fd, t->sh_offset, t->sh_size, ELFSYM_STRINGS_MAX, &strings);
	if (r)
		return r;
	syms = calloc(ELFSYM_CHUNK, sizeof(*syms));
	if (!syms)
		return -ENOMEM;
	for (uint64_t i = 0; !r && i < n; i += ELFSYM_CHUNK) {
		size_t k = MIN(n - i, (uint64_t)ELFSYM_CHUNK);

		r = elfsym_pread(e->fd, syms, k * sizeof(*syms), s->sh_offset + i * sizeof(*syms));
		if (!r)
			r = elfsym_chunk(syms, k, strings, t->sh_size, fn, arg);
	}
	return r;
}

/* A file has at most one table of a type; one with thousands wants to keep its reader busy. */
static int elfsym_table_of(struct elfsym *e, uint32_t type, elfsym_fn fn, void *arg)
{
	for (unsigned i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_type == type)
			return elfsym_table(e, &e->sections[i], fn, arg);
	return 0;
}

int elfsym_each(struct elfsym *e, elfsym_fn fn, void *arg)
{
	int r = elfsym_table_of(e, SHT_SYMTAB, fn, arg);

	return r ? r : elfsym_table_of(e, SHT_DYNSYM, fn, arg);
}

static const Elf64_Shdr *elfsym_section_find(const struct elfsym *e, const char *name)
{
	for (unsigned i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_name < e->names_bytes &&
		    !strcmp(e->names + e->sections[i].sh_name, name))
			return &e->sections[i];
	return NULL;
}

int elfsym_section(struct elfsym *e, const char *name, size_t max, void **ret, size_t *ret_bytes)
{
	const Elf64_Shdr *s = elfsym_section_find(e, name);
	int r;

	if (!s || s->sh_type == SHT_NOBITS)
		return -ENOENT;
	r = elfsym_load(e->fd, s->sh_offset, s->sh_size, max, ret);
	if (!r)
		*ret_bytes = s->sh_size;
	return r;
}

int elfsym_offset(const struct elfsym *e, uint64_t vaddr, uint64_t *ret_off)
{
	for (unsigned i = 0; i < e->n_loads; i++)
		if (vaddr - e->loads[i].vaddr < e->loads[i].size) {
			*ret_off = vaddr - e->loads[i].vaddr + e->loads[i].off;
			return 0;
		}
	return -ENOENT;
}

long elfsym_read(const struct elfsym *e, uint64_t vaddr, void *buf, size_t n)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		uint64_t at = vaddr - e->loads[i].vaddr;
		int r;

		if (at >= e->loads[i].size)
			continue;
		n = MIN((uint64_t)n, e->loads[i].size - at);
		r = elfsym_pread(e->fd, buf, n, e->loads[i].off + at);
		return r ? r : (long)n;
	}
	return -ENOENT;
}
