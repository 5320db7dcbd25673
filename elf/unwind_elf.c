// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/unwind_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/cursor.h"

#define PHDRS_MAX      128
#define SHDRS_MAX      4096
#define SYMBOL_CHUNK   1024                         /* symbols read at a time */
#define SYMBOLS_LOOKED (2 * UNWIND_ELF_SYMBOLS_MAX) /* of one table, wanted or not */
#define UNSIZED_MAX    0x1000                       /* how far a symbol without a size may reach */
#define NOTES_MAX      4096                         /* bytes of one segment of notes */
#define ALIASES_MAX    8                            /* names of one address that are compared */

struct unwind_elf_id unwind_elf_id(const struct stat *st)
{
	return (struct unwind_elf_id){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec,
		.ctime_ns = st->st_ctim.tv_sec * 1000000000LL + st->st_ctim.tv_nsec,
	};
}

long unwind_elf_read(const struct unwind_elf *e, uint64_t off, void *buf, size_t n)
{
	ssize_t got;

	if (off >= e->id.size)
		return 0;
	n = MIN(n, e->id.size - off);
	if (e->image) {
		memcpy(buf, (const char *)e->image + off, n);
		return (long)n;
	}
	got = pread(e->fd, buf, n, (off_t)off);
	return got < 0 ? -errno : got;
}

long unwind_elf_read_vaddr(const struct unwind_elf *e, uint64_t vaddr, void *buf, size_t n)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const struct unwind_elf_load *l = &e->loads[i];

		if (vaddr - l->vaddr < l->filesz)
			return unwind_elf_read(e, l->off + (vaddr - l->vaddr), buf,
					       MIN(n, l->filesz - (vaddr - l->vaddr)));
	}
	return 0;
}

int unwind_elf_vaddr(const struct unwind_elf *e, uint64_t off, uint64_t *ret_vaddr)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const struct unwind_elf_load *l = &e->loads[i];

		if (off - l->off < l->filesz) {
			*ret_vaddr = l->vaddr + (off - l->off);
			return 0;
		}
	}
	return -ENOENT;
}

static void build_id_read(struct unwind_elf *e, const Elf64_Phdr *ph)
{
	uint8_t buf[NOTES_MAX];
	long got = unwind_elf_read(e, ph->p_offset, buf, MIN(ph->p_filesz, (uint64_t)sizeof(buf)));
	struct cursor c = cursor_init(buf, got > 0 ? (size_t)got : 0);
	Elf64_Nhdr nh;

	while (cursor_read(&c, &nh, sizeof(nh))) {
		const void *name = cursor_take(&c, ((size_t)nh.n_namesz + 3) & ~3UL);
		const void *desc = cursor_take(&c, ((size_t)nh.n_descsz + 3) & ~3UL);

		if (!name || !desc || nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 ||
		    memcmp(name, "GNU", 4) || nh.n_descsz < 2 || nh.n_descsz > sizeof(e->build_id))
			continue;
		memcpy(e->build_id, desc, nh.n_descsz);
		e->build_id_n = (uint8_t)nh.n_descsz;
	}
}

static int elf_headers(struct unwind_elf *e)
{
	Elf64_Phdr ph[PHDRS_MAX];
	Elf64_Ehdr eh;
	unsigned n;

	if (unwind_elf_read(e, 0, &eh, sizeof(eh)) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return -EBADMSG;
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return -EBADMSG;
	if (eh.e_phentsize != sizeof(ph[0]) || !eh.e_phnum || eh.e_phnum > PHDRS_MAX)
		return -EBADMSG;
	n = eh.e_phnum;
	if (unwind_elf_read(e, eh.e_phoff, ph, n * sizeof(ph[0])) != (long)(n * sizeof(ph[0])))
		return -EBADMSG;
	e->machine = eh.e_machine;
	if (eh.e_shentsize == sizeof(Elf64_Shdr) && eh.e_shnum <= SHDRS_MAX) {
		e->shoff = eh.e_shoff;
		e->shnum = eh.e_shnum;
		e->shstrndx = eh.e_shstrndx;
	}
	e->base = UINT64_MAX;
	for (unsigned i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && e->n_loads < UNWIND_ELF_LOADS_MAX) {
			e->loads[e->n_loads++] = (struct unwind_elf_load){ .vaddr = ph[i].p_vaddr,
									   .off = ph[i].p_offset,
									   .filesz = ph[i].p_filesz };
			e->base = MIN(e->base, ph[i].p_vaddr);
		} else if (ph[i].p_type == PT_GNU_EH_FRAME) {
			e->hdr_vaddr = ph[i].p_vaddr;
			e->hdr_size = ph[i].p_filesz;
		} else if (ph[i].p_type == PT_NOTE) {
			build_id_read(e, &ph[i]);
		}
	}
	return e->n_loads ? 0 : -EBADMSG;
}

static int elf_new(struct unwind_elf from, struct unwind_elf **ret)
{
	static uint64_t serial;
	struct unwind_elf *e;
	int r;

	if (from.id.size > UNWIND_ELF_FILE_MAX)
		return -EFBIG;
	r = elf_headers(&from);
	if (r)
		return r;
	e = malloc(sizeof(*e));
	if (!e)
		return -ENOMEM;
	*e = from;
	e->serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	*ret = e;
	return 0;
}

int unwind_elf_new(int fd, const struct stat *st, struct unwind_elf **ret)
{
	return elf_new((struct unwind_elf){ .id = unwind_elf_id(st), .fd = fd }, ret);
}

int unwind_elf_new_image(const void *image, size_t size, struct unwind_elf **ret)
{
	return elf_new((struct unwind_elf){ .id = { .size = size }, .fd = -1, .image = image }, ret);
}

void unwind_elf_free(struct unwind_elf *e)
{
	if (!e)
		return;
	unwind_elf_detach(e);
	unwind_elf_free(e->debug);
	free(e->symbols);
	free(e->index);
	free(e);
}

void unwind_elf_detach(struct unwind_elf *e)
{
	if (e->debug)
		unwind_elf_detach(e->debug);
	if (e->fd >= 0)
		close(e->fd);
	e->fd = -1;
}

size_t unwind_elf_bytes(const struct unwind_elf *e)
{
	return (e->debug ? unwind_elf_bytes(e->debug) : 0) + sizeof(*e) +
	       e->n_symbols * sizeof(e->symbols[0]) + e->n_index * sizeof(e->index[0]);
}

static int symbol_cmp(const void *a, const void *b)
{
	const struct unwind_elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static bool symbol_wanted(const struct unwind_elf *e, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || !s->st_name || s->st_name >= e->strtab_size)
		return false;
	if (s->st_value < e->base || s->st_value - e->base > UINT32_MAX || s->st_size > UINT32_MAX)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Fills e->symbols from the table that sh describes. */
static int symbols_from(struct unwind_elf *e, const Elf64_Shdr *sh)
{
	_cleanup_free_ Elf64_Sym *chunk = malloc(SYMBOL_CHUNK * sizeof(*chunk));
	size_t left = MIN(sh->sh_size / sizeof(*chunk), (uint64_t)SYMBOLS_LOOKED), cap = 0;
	uint64_t off = sh->sh_offset;

	if (!chunk)
		return -ENOMEM;
	while (left && e->n_symbols < UNWIND_ELF_SYMBOLS_MAX) {
		size_t want = MIN(left, (size_t)SYMBOL_CHUNK);
		long got = unwind_elf_read(e, off, chunk, want * sizeof(*chunk));
		size_t n;

		if (got < (long)sizeof(*chunk))
			break;
		n = (size_t)got / sizeof(*chunk);
		if (e->n_symbols + n > cap) {
			struct unwind_elf_symbol *p;

			cap = MAX(cap * 2, (size_t)SYMBOL_CHUNK);
			p = realloc(e->symbols, cap * sizeof(*p));
			if (!p)
				return -ENOMEM;
			e->symbols = p;
		}
		for (size_t i = 0; i < n; i++)
			if (symbol_wanted(e, &chunk[i]))
				e->symbols[e->n_symbols++] = (struct unwind_elf_symbol){
					.addr = (uint32_t)(chunk[i].st_value - e->base),
					.size = (uint32_t)chunk[i].st_size,
					.name = chunk[i].st_name,
				};
		off += n * sizeof(*chunk);
		left -= n;
	}
	return 0;
}

static int sections_read(const struct unwind_elf *e, Elf64_Shdr **ret)
{
	_cleanup_free_ Elf64_Shdr *sh = NULL;

	if (!e->shnum)
		return -ENOENT;
	sh = malloc(e->shnum * sizeof(*sh));
	if (!sh)
		return -ENOMEM;
	if (unwind_elf_read(e, e->shoff, sh, e->shnum * sizeof(*sh)) != (long)(e->shnum * sizeof(*sh)))
		return -EBADMSG;
	*ret = TAKE_PTR(sh);
	return 0;
}

int unwind_elf_section(const struct unwind_elf *e, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	_cleanup_free_ Elf64_Shdr *sh = NULL;
	size_t n = strlen(name) + 1;
	char at[64];
	int r = sections_read(e, &sh);

	if (r || e->shstrndx >= e->shnum || n > sizeof(at))
		return r ?: -ENOENT;
	for (unsigned i = 0; i < e->shnum; i++) {
		if (!(sh[i].sh_flags & SHF_ALLOC) || sh[i].sh_type == SHT_NOBITS ||
		    unwind_elf_read(e, sh[e->shstrndx].sh_offset + sh[i].sh_name, at, n) != (long)n ||
		    memcmp(at, name, n))
			continue;
		*ret_vaddr = sh[i].sh_addr;
		*ret_size = sh[i].sh_size;
		return 0;
	}
	return -ENOENT;
}

static int symbols_load(struct unwind_elf *e)
{
	_cleanup_free_ Elf64_Shdr *sh = NULL;
	const Elf64_Shdr *best = NULL;
	struct unwind_elf_symbol *p;
	int r = sections_read(e, &sh);

	if (r)
		return r;
	for (unsigned i = 0; i < e->shnum; i++) {
		if (sh[i].sh_entsize != sizeof(Elf64_Sym) || sh[i].sh_link >= e->shnum)
			continue;
		/* the full table has all that the dynamic one has */
		if (sh[i].sh_type == SHT_SYMTAB || (sh[i].sh_type == SHT_DYNSYM && !best))
			best = &sh[i];
	}
	if (!best)
		return -ENOENT;
	e->strtab_off = sh[best->sh_link].sh_offset;
	e->strtab_size = sh[best->sh_link].sh_size;
	r = symbols_from(e, best);
	if (r || !e->n_symbols) {
		free(TAKE_PTR(e->symbols));
		e->n_symbols = 0;
		return r ?: -ENOENT;
	}
	p = realloc(e->symbols, e->n_symbols * sizeof(*p));
	if (p)
		e->symbols = p;
	qsort(e->symbols, e->n_symbols, sizeof(*e->symbols), symbol_cmp);
	return 1;
}

static int symbol_name(const struct unwind_elf *e, const struct unwind_elf_symbol *s,
		       char name[UNWIND_ELF_NAME_MAX])
{
	size_t n = MIN(e->strtab_size - s->name, (uint64_t)UNWIND_ELF_NAME_MAX - 1);
	long got = unwind_elf_read(e, e->strtab_off + s->name, name, n);

	if (got <= 0)
		return -ENOENT;
	name[got] = 0;
	return name[0] ? 0 : -ENOENT;
}

/* Of two names of one function the one that people use: fewer leading underscores. */
static bool name_better(const char *a, const char *than)
{
	return strspn(a, "_") < strspn(than, "_") ||
	       (strncmp(than, "__GI_", 5) == 0 && strncmp(a, "__GI_", 5));
}

static int function_in(struct unwind_elf *e, uint64_t vaddr, char name[UNWIND_ELF_NAME_MAX],
		       uint64_t *ret_start)
{
	size_t lo = 0, hi, n = 0;
	char other[UNWIND_ELF_NAME_MAX];
	const struct unwind_elf_symbol *s;

	if (!e->symbols_state)
		e->symbols_state = symbols_load(e);
	if (e->symbols_state < 0 || vaddr < e->base || vaddr - e->base > UINT32_MAX)
		return -ENOENT;
	vaddr -= e->base;
	for (hi = e->n_symbols; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->symbols[mid].addr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return -ENOENT;
	s = &e->symbols[lo - 1];
	if (vaddr - s->addr >= (s->size ? s->size : UNSIZED_MAX) || symbol_name(e, s, name))
		return -ENOENT;
	for (size_t i = lo - 1; i-- > 0 && e->symbols[i].addr == s->addr && n++ < ALIASES_MAX;)
		if (!symbol_name(e, &e->symbols[i], other) && name_better(other, name))
			strcpy(name, other);
	*ret_start = e->base + s->addr;
	return 0;
}

/* Opens the file with the symbols of this one, if it is installed; again after a detach. */
static struct unwind_elf *debug_get(struct unwind_elf *e)
{
	char path[64 + 2 * UNWIND_ELF_BUILD_ID_MAX] = "/usr/lib/debug/.build-id/";
	size_t n = strlen(path);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (e->debug_looked && (!e->debug || e->debug->fd >= 0))
		return e->debug;
	for (unsigned i = 0; i < e->build_id_n; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, i ? "%02x" : "%02x/", e->build_id[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	if (e->build_id_n)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		struct unwind_elf_id id = unwind_elf_id(&st);

		if (!e->debug_looked) {
			if (!unwind_elf_new(fd, &st, &e->debug))
				TAKE_FD(fd);
		} else if (!memcmp(&id, &e->debug->id, sizeof(id))) {
			e->debug->fd = TAKE_FD(fd);
		}
	}
	e->debug_looked = true;
	return e->debug && e->debug->fd >= 0 ? e->debug : NULL;
}

int unwind_elf_function(struct unwind_elf *e, uint64_t vaddr, char name[UNWIND_ELF_NAME_MAX],
			uint64_t *ret_start)
{
	struct unwind_elf *debug;
	int r;

	r = function_in(e, vaddr, name, ret_start);
	debug = r == -ENOENT ? debug_get(e) : NULL;
	return debug ? function_in(debug, vaddr, name, ret_start) : r;
}
