// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

long elf_file_read(const struct elf_file *e, uint64_t off, void *buf, size_t n)
{
	size_t got = 0;

	if (off >= e->size)
		return 0;
	n = MIN(n, e->size - off);
	if (e->image) {
		memcpy(buf, (const char *)e->image + off, n);
		return (long)n;
	}
	while (got < n) {
		ssize_t r = pread(e->fd, (char *)buf + got, n - got, (off_t)(off + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (long)got;
}

static int read_all(const struct elf_file *e, uint64_t off, void *buf, size_t n)
{
	long got = elf_file_read(e, off, buf, n);

	if (got < 0)
		return (int)got;
	return (size_t)got == n ? 0 : -EBADMSG;
}

int elf_file_load(const struct elf_file *e, uint64_t off, uint64_t bytes, uint64_t max, void **ret)
{
	_cleanup_free_ char *p = NULL;
	int r;

	if (bytes > max)
		return -EFBIG;
	/* Check first: a damaged size must not cost memory. */
	if (off > e->size || bytes > e->size - off)
		return -EBADMSG;
	p = malloc(bytes + 1);
	if (!p)
		return -ENOMEM;
	r = read_all(e, off, p, bytes);
	if (r)
		return r;
	p[bytes] = 0;
	*ret = TAKE_PTR(p);
	return 0;
}

long elf_file_read_vaddr(const struct elf_file *e, uint64_t vaddr, void *buf, size_t n)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const struct elf_load *l = &e->loads[i];

		if (vaddr - l->vaddr < l->filesz)
			return elf_file_read(e, l->off + (vaddr - l->vaddr), buf,
					     MIN(n, l->filesz - (vaddr - l->vaddr)));
	}
	return 0;
}

int elf_file_vaddr(const struct elf_file *e, uint64_t off, uint64_t *ret_vaddr)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const struct elf_load *l = &e->loads[i];

		if (off - l->off < l->filesz) {
			*ret_vaddr = l->vaddr + (off - l->off);
			return 0;
		}
	}
	return -ENOENT;
}

int elf_file_offset(const struct elf_file *e, uint64_t vaddr, uint64_t *ret_off)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const struct elf_load *l = &e->loads[i];

		if (vaddr - l->vaddr < l->filesz) {
			*ret_off = l->off + (vaddr - l->vaddr);
			return 0;
		}
	}
	return -ENOENT;
}

bool elf_note_next(struct cursor *c, struct elf_note *ret)
{
	Elf64_Nhdr h;

	if (!c->left || !cursor_read(c, &h, sizeof(h)))
		return false;
	*ret = (struct elf_note){ .type = h.n_type, .owner_bytes = h.n_namesz, .desc_bytes = h.n_descsz };
	ret->owner = cursor_take(c, ((size_t)h.n_namesz + 3) & ~3UL);
	ret->desc = cursor_take(c, h.n_descsz);
	if (!ret->desc)
		return false;
	cursor_take(c, MIN(c->left, (size_t)(-h.n_descsz & 3))); /* the last note may have no padding */
	return true;
}

bool elf_note_is(const struct elf_note *n, const char *owner, uint32_t type)
{
	return n->type == type && n->owner_bytes == strlen(owner) + 1 &&
	       !memcmp(n->owner, owner, n->owner_bytes);
}

static void build_id_read(struct elf_file *e, const Elf64_Phdr *ph)
{
	uint8_t buf[ELF_NOTES_MAX];
	long got = elf_file_read(e, ph->p_offset, buf, MIN(ph->p_filesz, (uint64_t)sizeof(buf)));
	struct cursor c = cursor_init(buf, got > 0 ? (size_t)got : 0);
	struct elf_note n;

	while (elf_note_next(&c, &n)) {
		if (!elf_note_is(&n, "GNU", NT_GNU_BUILD_ID) || n.desc_bytes < 2 ||
		    n.desc_bytes > sizeof(e->build_id))
			continue;
		memcpy(e->build_id, n.desc, n.desc_bytes);
		e->build_id_n = (uint8_t)n.desc_bytes;
	}
}

static int segments_read(struct elf_file *e, const Elf64_Ehdr *eh)
{
	Elf64_Phdr ph[ELF_PHDRS_MAX];
	int r;

	if (eh->e_phentsize != sizeof(ph[0]) || eh->e_phnum > ELF_PHDRS_MAX)
		return -EBADMSG;
	r = read_all(e, eh->e_phoff, ph, eh->e_phnum * sizeof(ph[0]));
	if (r)
		return r;
	e->base = UINT64_MAX;
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && e->n_loads < ELF_LOADS_MAX) {
			if (ph[i].p_vaddr + ph[i].p_filesz < ph[i].p_vaddr ||
			    ph[i].p_offset + ph[i].p_filesz < ph[i].p_offset)
				return -EBADMSG;
			e->loads[e->n_loads++] = (struct elf_load){ .vaddr = ph[i].p_vaddr,
								    .off = ph[i].p_offset,
								    .filesz = ph[i].p_filesz };
			e->base = MIN(e->base, ph[i].p_vaddr);
		} else if (ph[i].p_type == PT_GNU_EH_FRAME) {
			e->eh_frame_hdr = ph[i].p_vaddr;
			e->eh_frame_hdr_bytes = ph[i].p_filesz;
		} else if (ph[i].p_type == PT_NOTE) {
			build_id_read(e, &ph[i]);
		}
	}
	return e->n_loads ? 0 : -EBADMSG;
}

static int headers_read(struct elf_file *e)
{
	Elf64_Ehdr eh;
	int r = read_all(e, 0, &eh, sizeof(eh));

	if (r)
		return r;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB || (eh.e_type != ET_EXEC && eh.e_type != ET_DYN))
		return -EBADMSG;
	e->machine = eh.e_machine;
	e->shoff = eh.e_shoff;
	e->shentsize = eh.e_shentsize;
	e->shnum = eh.e_shnum;
	e->shstrndx = eh.e_shstrndx;
	return segments_read(e, &eh);
}

static int file_open(struct elf_file e, struct elf_file *ret)
{
	int r = headers_read(&e);

	if (!r)
		*ret = e;
	return r;
}

int elf_file_open(int fd, uint64_t size, struct elf_file *ret)
{
	return file_open((struct elf_file){ .fd = fd, .size = MIN(size, (uint64_t)INT64_MAX) }, ret);
}

int elf_file_open_image(const void *image, size_t size, struct elf_file *ret)
{
	return file_open((struct elf_file){ .fd = -1, .image = image, .size = size }, ret);
}

int elf_file_sections(const struct elf_file *e, Elf64_Shdr **ret)
{
	void *p;
	int r;

	if (!e->shoff || !e->shnum)
		return 0;
	if (e->shentsize != sizeof(**ret) || e->shnum > ELF_SECTIONS_MAX)
		return -EBADMSG;
	r = elf_file_load(e, e->shoff, e->shnum * sizeof(**ret), UINT64_MAX, &p);
	if (r)
		return r;
	*ret = p;
	return e->shnum;
}

int elf_file_section(const struct elf_file *e, const char *name, Elf64_Shdr *ret)
{
	_cleanup_free_ Elf64_Shdr *sh = NULL;
	_cleanup_free_ void *names = NULL;
	int r, n = elf_file_sections(e, &sh);

	if (n <= 0)
		return n ?: -ENOENT;
	if (e->shstrndx >= n)
		return -EBADMSG;
	r = elf_file_load(e, sh[e->shstrndx].sh_offset, sh[e->shstrndx].sh_size, ELF_SECTION_NAMES_MAX,
			  &names);
	if (r)
		return r;
	for (int i = 0; i < n; i++)
		if (sh[i].sh_type != SHT_NOBITS && sh[i].sh_name < sh[e->shstrndx].sh_size &&
		    !strcmp((char *)names + sh[i].sh_name, name)) {
			*ret = sh[i];
			return 0;
		}
	return -ENOENT;
}
