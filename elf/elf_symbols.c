// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/glibc.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

#define CHUNK       2048   /* symbols read at a time */
#define UNSIZED_MAX 0x1000 /* bytes; assumed length of a function without a size */
#define ALIASES_MAX 8

struct table {
	uint64_t off, n, names_off, names_bytes;
};

/* Takes only the first table of this type: a hostile file could have thousands. */
static int table_find(const Elf64_Shdr *sh, int n, uint32_t type, struct table *ret)
{
	for (int i = 0; i < n; i++) {
		if (sh[i].sh_type != type)
			continue;
		if (sh[i].sh_entsize != sizeof(Elf64_Sym) || sh[i].sh_link >= n)
			return -EBADMSG;
		*ret = (struct table){ .off = sh[i].sh_offset,
				       .n = sh[i].sh_size / sizeof(Elf64_Sym),
				       .names_off = sh[sh[i].sh_link].sh_offset,
				       .names_bytes = sh[sh[i].sh_link].sh_size };
		return 0;
	}
	return -ENOENT;
}

static long table_read(const struct elf_file *e, const struct table *t, uint64_t at, Elf64_Sym *chunk)
{
	size_t n = MIN(t->n - at, (uint64_t)CHUNK);
	long got = elf_file_read(e, t->off + at * sizeof(*chunk), chunk, n * sizeof(*chunk));

	return got < 0 ? got : got / (long)sizeof(*chunk);
}

static bool is_defined(const struct table *t, const Elf64_Sym *s)
{
	return s->st_shndx != SHN_UNDEF && s->st_name && s->st_name < t->names_bytes;
}

static int chunk_each(const struct table *t, const Elf64_Sym *chunk, long n, const char *names,
		      elf_symbol_fn fn, void *arg)
{
	for (long i = 0; i < n; i++) {
		const Elf64_Sym *s = &chunk[i];
		struct elf_symbol out = { .vaddr = s->st_value,
					  .size = s->st_size,
					  .type = ELF64_ST_TYPE(s->st_info),
					  .bind = ELF64_ST_BIND(s->st_info) };
		int r;

		if (!is_defined(t, s))
			continue;
		out.name = names + s->st_name;
		r = fn(arg, &out);
		if (r)
			return r;
	}
	return 0;
}

static int table_each(const struct elf_file *e, const struct table *t, elf_symbol_fn fn, void *arg)
{
	_cleanup_free_ Elf64_Sym *chunk = NULL;
	_cleanup_free_ void *names = NULL;
	int r;

	if (t->n > ELF_SYMBOLS_MAX)
		return -EFBIG;
	r = elf_file_load(e, t->names_off, t->names_bytes, ELF_STRINGS_MAX, &names);
	if (r)
		return r;
	chunk = malloc(CHUNK * sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	for (uint64_t at = 0; !r && at < t->n; at += CHUNK) {
		long n = table_read(e, t, at, chunk);

		if (n < (long)MIN(t->n - at, (uint64_t)CHUNK))
			return n < 0 ? (int)n : -EBADMSG;
		r = chunk_each(t, chunk, n, names, fn, arg);
	}
	return r;
}

int elf_symbols_each(const struct elf_file *e, elf_symbol_fn fn, void *arg)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	_cleanup_free_ Elf64_Shdr *sh = NULL;
	int n = elf_file_sections(e, &sh), r = MIN(n, 0);

	for (size_t i = 0; i < ARRAY_SIZE(types) && !r; i++) {
		struct table t;

		r = table_find(sh, n, types[i], &t);
		r = r == -ENOENT ? 0 : r ?: table_each(e, &t, fn, arg);
	}
	return r;
}

static int function_cmp(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static bool is_function(const struct elf_file *e, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_value < e->base || s->st_value - e->base > UINT32_MAX || s->st_size > UINT32_MAX)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* If the table cannot be read to its end, keeps the functions that were read. */
static int functions_from(struct elf_functions *f, const struct elf_file *e, const struct table *t)
{
	_cleanup_free_ Elf64_Sym *chunk = malloc(CHUNK * sizeof(*chunk));
	uint64_t end = MIN(t->n, (uint64_t)ELF_SYMBOLS_MAX);
	size_t cap = 0;
	long n = 1;

	if (!chunk)
		return -ENOMEM;
	for (uint64_t at = 0; n > 0 && at < end && f->n < ELF_FUNCTIONS_MAX; at += (uint64_t)n) {
		n = table_read(e, t, at, chunk);
		if (n > 0 && f->n + (size_t)n > cap) {
			struct elf_function *p;

			cap = MAX(cap * 2, (size_t)CHUNK);
			p = realloc(f->v, cap * sizeof(*p));
			if (!p)
				return -ENOMEM;
			f->v = p;
		}
		for (long i = 0; i < n; i++)
			if (is_defined(t, &chunk[i]) && is_function(e, &chunk[i]))
				f->v[f->n++] = (struct elf_function){
					.addr = (uint32_t)(chunk[i].st_value - e->base),
					.size = (uint32_t)chunk[i].st_size,
					.name = chunk[i].st_name,
				};
	}
	return 0;
}

/* Returns the new f->state. */
static int functions_read(struct elf_functions *f, const struct elf_file *e)
{
	_cleanup_free_ Elf64_Shdr *sh = NULL;
	int n = elf_file_sections(e, &sh), r;
	struct elf_function *p;
	struct table t;

	if (n <= 0)
		return n ?: -ENOENT;
	/* .symtab has all functions of .dynsym. */
	r = table_find(sh, n, SHT_SYMTAB, &t);
	if (r)
		r = table_find(sh, n, SHT_DYNSYM, &t);
	if (r)
		return r;
	f->names_off = t.names_off;
	f->names_bytes = t.names_bytes;
	r = functions_from(f, e, &t);
	if (r || !f->n) {
		elf_functions_done(f);
		return r ?: -ENOENT;
	}
	p = realloc(f->v, f->n * sizeof(*p));
	if (p)
		f->v = p;
	qsort(f->v, f->n, sizeof(*f->v), function_cmp);
	return 1;
}

static int function_name(const struct elf_functions *t, const struct elf_file *e,
			 const struct elf_function *f, char name[ELF_NAME_MAX])
{
	size_t n = MIN(t->names_bytes - f->name, (uint64_t)ELF_NAME_MAX - 1);
	long got = elf_file_read(e, t->names_off + f->name, name, n);

	if (got <= 0)
		return -ENOENT;
	name[got] = 0;
	return name[0] ? 0 : -ENOENT;
}

static bool name_better(const char *a, const char *than)
{
	size_t hidden = strlen(GLIBC_HIDDEN_PREFIX);

	return strspn(a, "_") < strspn(than, "_") ||
	       (strncmp(than, GLIBC_HIDDEN_PREFIX, hidden) == 0 && strncmp(a, GLIBC_HIDDEN_PREFIX, hidden));
}

int elf_functions_find(struct elf_functions *t, const struct elf_file *e, uint64_t vaddr,
		       char name[ELF_NAME_MAX], uint64_t *ret_start)
{
	const struct elf_function *f;
	char other[ELF_NAME_MAX];
	size_t at, n = 0;

	if (!t->state)
		t->state = functions_read(t, e);
	if (t->state < 0 || vaddr < e->base || vaddr - e->base > UINT32_MAX)
		return -ENOENT;
	vaddr -= e->base;
	at = BISECT(i, 0, t->n, t->v[i].addr > vaddr);
	if (!at)
		return -ENOENT;
	f = &t->v[at - 1];
	if (vaddr - f->addr >= (f->size ? f->size : UNSIZED_MAX) || function_name(t, e, f, name))
		return -ENOENT;
	for (size_t i = at - 1; i-- > 0 && t->v[i].addr == f->addr && n++ < ALIASES_MAX;)
		if (!function_name(t, e, &t->v[i], other) && name_better(other, name))
			strcpy(name, other);
	*ret_start = e->base + f->addr;
	return 0;
}

void elf_functions_done(struct elf_functions *t)
{
	free(TAKE_PTR(t->v));
	t->n = 0;
}
