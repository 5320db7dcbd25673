// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/variable.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/stack/symbols_demangle.h"
#include "daemon/stack/unwind_files.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "elf/elf_symbols.h"

#define FOUND_MAX   8
#define NEAR_MAX    3
#define NEAR_LEN    48
#define MODULES_MAX 512

struct module {
	const char *path;
	char name[VARIABLE_MODULE_MAX];
	const struct unwind_map *first;
	struct elf_file elf;
	uint64_t bias;
	bool program;
};

struct found {
	uint64_t addr, size;
	bool global;
	bool program;
	char module[VARIABLE_MODULE_MAX];
	char source[VARIABLE_MODULE_MAX];
};

struct search {
	/* prefix: the beginning of a module's name, or a source file; NULL: any module */
	const char *name, *prefix;
	size_t prefix_len;
	bool cxx;
	const struct module *m;
	char source[VARIABLE_MODULE_MAX];
	struct found v[FOUND_MAX];
	size_t n;
	bool function, tls;
	struct {
		char name[NEAR_LEN];
		unsigned far;
	} near[NEAR_MAX];
};

static void last_part(const char *path, char *buf, size_t size)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char raw[VARIABLE_MODULE_MAX];
	size_t n = strlen(base);

	if (n > strlen(deleted) && !strcmp(base + n - strlen(deleted), deleted))
		n -= strlen(deleted);
	snprintf(raw, sizeof(raw), "%.*s", (int)MIN(n, sizeof(raw) - 1), base);
	clean_text(raw, buf, size); /* the program may have chosen any bytes */
}

static bool same_file(const struct unwind_map *a, const struct unwind_map *b)
{
	return a->ino == b->ino && a->major == b->major && a->minor == b->minor;
}

/* A mapping begins at the start of a page, but a loaded segment of an ELF file may begin inside a
 * page. */
static int module_bias(struct module *m)
{
	const struct elf_file *e = &m->elf;
	const struct unwind_map *map = m->first;

	for (unsigned i = 0; i < e->n_loads; i++)
		if ((e->loads[i].off & ~0xfffULL) == map->off) {
			m->bias = map->start - (e->loads[i].vaddr & ~0xfffULL);
			return 0;
		}
	return -ENOENT;
}

static void module_close(struct module *m)
{
	close(m->elf.fd);
}

static int module_open(const struct variable_maps *maps, const struct unwind_map *map, struct module *ret)
{
	struct module m = { .first = map, .path = maps->names.v + map->path_off };
	char path[64];
	struct statx exe;
	struct stat st;
	int fd;

	if (!map->ino || map->avoid || m.path[0] != '/')
		return -ENOENT;
	fd = unwind_files_open(maps->pid, map, m.path, &st);
	if (fd < 0)
		return -ENOENT;
	if ((maps->file_max && (uint64_t)st.st_size > maps->file_max) ||
	    elf_file_open(fd, (uint64_t)st.st_size, &m.elf) || module_bias(&m)) {
		close(fd);
		return -ENOENT;
	}
	last_part(m.path, m.name, sizeof(m.name));
	snprintf(path, sizeof(path), "/proc/%u/exe", maps->pid);
	/* The file may be on a server. With AT_STATX_DONT_SYNC, statx() does not wait for the
	 * server. */
	m.program = !statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &exe) && exe.stx_ino == st.st_ino &&
		    makedev(exe.stx_dev_major, exe.stx_dev_minor) == st.st_dev;
	*ret = m;
	return 0;
}

/* Returns the edit distance, without regard to case. Long names give NEAR_LEN. */
static unsigned far_from(const char *a, const char *b)
{
	unsigned row[NEAR_LEN + 1];
	size_t n = strlen(b);

	if (n >= NEAR_LEN || strlen(a) >= NEAR_LEN)
		return NEAR_LEN;
	for (unsigned k = 0; k <= n; k++)
		row[k] = k;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned k = 1; k <= n; k++) {
			unsigned change = diagonal + (tolower(*a) != tolower(b[k - 1]));

			diagonal = row[k];
			row[k] = MIN(row[k], row[k - 1]) + 1;
			row[k] = MIN(row[k], change);
		}
	}
	return row[n];
}

static void search_near(struct search *s, const char *name)
{
	size_t n = strlen(s->name);
	unsigned far = strstr(name, s->name) && n > 2 ? 1 : far_from(s->name, name), i;

	if (far > MAX(n / 3, (size_t)1) || strlen(name) >= NEAR_LEN)
		return;
	for (i = 0; i < NEAR_MAX; i++)
		if (!strcmp(s->near[i].name, name))
			return;
	for (i = 0; i < NEAR_MAX && s->near[i].name[0] && s->near[i].far <= far; i++)
		;
	if (i == NEAR_MAX)
		return;
	memmove(&s->near[i + 1], &s->near[i], (NEAR_MAX - 1 - i) * sizeof(s->near[0]));
	clean_text(name, s->near[i].name, NEAR_LEN);
	s->near[i].far = far;
}

/* The name "flag" also matches "flag@@V1" (a version) and "flag.3" (static in a function). */
static bool search_same(const struct search *s, const char *symbol)
{
	size_t n = strlen(s->name);
	char plain[256];

	if (!strncmp(symbol, s->name, n))
		return !symbol[n] || symbol[n] == '@' ||
		       (symbol[n] == '.' && symbol[n + 1 + strspn(symbol + n + 1, "0123456789")] == 0);
	if (!s->cxx || strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) >= sizeof(plain))
		return false;
	strcpy(plain, symbol);
	symbols_demangle(plain, sizeof(plain));
	return !strcmp(plain, s->name);
}

static void search_add(struct search *s, const struct elf_symbol *sym)
{
	struct found f = { .addr = sym->vaddr + s->m->bias,
			   .size = sym->size,
			   .global = sym->bind != STB_LOCAL,
			   .program = s->m->program };

	snprintf(f.module, sizeof(f.module), "%s", s->m->name);
	if (!f.global)
		snprintf(f.source, sizeof(f.source), "%s", s->source);
	if (s->prefix && strncmp(f.module, s->prefix, s->prefix_len) != 0 &&
	    (strncmp(f.source, s->prefix, s->prefix_len) != 0 || f.source[s->prefix_len]))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].addr == f.addr)
			return;
	if (s->n < FOUND_MAX)
		s->v[s->n++] = f;
}

static int search_symbol(void *arg, const struct elf_symbol *sym)
{
	struct search *s = arg;

	if (sym->type == STT_FILE)
		last_part(sym->name, s->source, sizeof(s->source));
	if (sym->type != STT_OBJECT && sym->type != STT_COMMON && sym->type != STT_FUNC &&
	    sym->type != STT_TLS && sym->type != STT_NOTYPE)
		return 0;
	if (!search_same(s, sym->name)) {
		if (sym->type == STT_OBJECT)
			search_near(s, sym->name);
		return 0;
	}
	if (sym->type == STT_FUNC)
		s->function = true;
	else if (sym->type == STT_TLS)
		s->tls = true;
	else if (sym->vaddr)
		search_add(s, sym);
	return 0;
}

static void search_modules(const struct variable_maps *maps, struct search *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < maps->v.n && n < MODULES_MAX; i++) {
		const struct unwind_map *map = &maps->v.v[i];
		struct module m;
		bool seen = false;

		for (size_t k = i; k-- > 0 && !seen;)
			seen = same_file(&maps->v.v[k], map);
		if (seen || module_open(maps, map, &m))
			continue;
		n++;
		s->m = &m;
		s->source[0] = 0;
		elf_symbols_each(&m.elf, search_symbol, s);
		module_close(&m);
	}
}

/* As for the dynamic linker, a global symbol of the program takes precedence over the symbols of
 * libraries. */
static void search_interpose(struct search *s)
{
	size_t mine = 0, at = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].program && s->v[i].global) {
			mine++;
			at = i;
		}
	if (mine == 1) {
		s->v[0] = s->v[at];
		s->n = 1;
	}
}

static int search_none(const struct search *s, uint32_t pid, char err[VARIABLE_ERR_MAX])
{
	size_t n;

	if (s->tls || s->function) {
		snprintf(err, VARIABLE_ERR_MAX, "\"%.100s\" of process %u is %s", s->name, pid,
			 s->tls ? "thread-local; give the address of the variable of one thread."
				: "a function; name a variable.");
		return -EINVAL;
	}
	n = (size_t)snprintf(err, VARIABLE_ERR_MAX,
			     "Process %u has no variable \"%.100s\" in the symbols of %s%.*s", pid, s->name,
			     s->prefix ? "" : "what it has mapped",
			     s->prefix ? (int)MIN(s->prefix_len, 60UL) : 0, s->prefix ? s->prefix : "");
	if (!s->near[0].name[0])
		snprintf(err + n, VARIABLE_ERR_MAX - n, "; if it is stripped, give the address.");
	else
		snprintf(err + n, VARIABLE_ERR_MAX - n, "; it has %s%s%s%s%s.", s->near[0].name,
			 s->near[1].name[0] ? ", " : "", s->near[1].name, s->near[2].name[0] ? ", " : "",
			 s->near[2].name);
	return -ENOENT;
}

static int search_many(const struct search *s, char err[VARIABLE_ERR_MAX])
{
	size_t at = (size_t)snprintf(err, VARIABLE_ERR_MAX,
				     "There are several variables \"%.60s\"; name one of:", s->name);

	for (size_t i = 0; i < s->n && at < VARIABLE_ERR_MAX; i++)
		at += (size_t)snprintf(err + at, VARIABLE_ERR_MAX - at, "%s %s:%.60s (%s, 0x%" PRIx64 ")",
				       i ? "," : "", s->v[i].source[0] ? s->v[i].source : s->v[i].module,
				       s->name, s->v[i].module, s->v[i].addr);
	if (at < VARIABLE_ERR_MAX)
		snprintf(err + at, VARIABLE_ERR_MAX - at, ".");
	return -EEXIST;
}

/* "a::b" has no module: it is a C++ name. */
static int parse(char *spec, struct search *s, uint64_t *ret_off)
{
	char *colon = spec, *plus = strrchr(spec, '+'), *end;

	*ret_off = 0;
	if (plus && plus > spec) {
		*ret_off = strtoull(plus + 1, &end, 0);
		if (*end || end == plus + 1)
			return -EINVAL;
		*plus = 0;
	}
	while ((colon = strchr(colon, ':')) && colon[1] == ':')
		colon += 2;
	if (colon) {
		s->prefix = spec;
		s->prefix_len = (size_t)(colon - spec);
		spec = colon + 1;
	}
	s->name = spec;
	s->cxx = strstr(spec, "::") != NULL;
	return *spec ? 0 : -EINVAL;
}

static int find_address(const struct variable_maps *m, const char *spec, struct variable *ret,
			char err[VARIABLE_ERR_MAX])
{
	const struct unwind_map *map;
	uint64_t addr;
	char *end;

	errno = 0;
	addr = strtoull(spec, &end, 0);
	if (*end || errno) {
		snprintf(err, VARIABLE_ERR_MAX, "\"%.100s\" is not an address; write it as 0x7ffe1234.",
			 spec);
		return -EINVAL;
	}
	map = variable_maps_find(m, addr);
	if (map && map->avoid) {
		snprintf(
			err, VARIABLE_ERR_MAX,
			"At 0x%" PRIx64
			" there is a file on a file system that may wait for a server, so reading it might never end; watch another variable.",
			addr);
		return -EREMOTE;
	}
	if (!variable_at(m, addr, ret))
		return 0;
	snprintf(err, VARIABLE_ERR_MAX,
		 "Nothing is mapped at 0x%" PRIx64
		 " in process %u; its addresses change from run to run: see /proc/%u/maps.",
		 addr, m->pid, m->pid);
	return -EFAULT;
}

int variable_find(const struct variable_maps *m, const char *spec, struct variable *ret,
		  char err[VARIABLE_ERR_MAX])
{
	_cleanup_free_ struct search *s = calloc(1, sizeof(*s));
	_cleanup_free_ char *copy = strdup(spec);
	uint64_t off;

	if (!s || !copy) {
		snprintf(err, VARIABLE_ERR_MAX, "Out of memory.");
		return -ENOMEM;
	}
	if (isdigit((unsigned char)spec[0]))
		return find_address(m, spec, ret, err);
	if (parse(copy, s, &off)) {
		snprintf(
			err, VARIABLE_ERR_MAX,
			"\"%.100s\" is not a variable; write SYMBOL, SYMBOL+OFFSET, LIBRARY:SYMBOL or an address.",
			spec);
		return -EINVAL;
	}
	search_modules(m, s);
	if (s->n > 1)
		search_interpose(s);
	if (!s->n)
		return search_none(s, m->pid, err);
	if (s->n > 1)
		return search_many(s, err);
	*ret = (struct variable){ .addr = s->v[0].addr + off, .size = s->v[0].size, .off = off };
	snprintf(ret->name, sizeof(ret->name), "%s", s->name);
	snprintf(ret->module, sizeof(ret->module), "%s", s->v[0].module);
	return 0;
}

struct nearest {
	uint64_t vaddr;
	struct variable *v;
	bool hit;
};

static int nearest_symbol(void *arg, const struct elf_symbol *sym)
{
	struct nearest *n = arg;
	bool closer = !n->hit || sym->size < n->v->size;

	if (sym->type != STT_OBJECT || n->vaddr - sym->vaddr >= sym->size || !closer)
		return 0;
	n->hit = true;
	n->v->size = sym->size;
	n->v->off = n->vaddr - sym->vaddr;
	snprintf(n->v->name, sizeof(n->v->name), "%.*s", (int)strcspn(sym->name, "@"), sym->name);
	return 0;
}

/* Returns the first mapping of the file to which mapping i belongs. A mapping of zeroed data (.bss)
 * names no file. It begins where the last mapping of its file ends. NULL: there is no file. */
static const struct unwind_map *mapping_with_file(const struct variable_maps *maps, size_t i)
{
	const struct unwind_map *v = maps->v.v;

	while (i > 0 && !v[i].ino && !maps->names.v[v[i].path_off] && v[i].write &&
	       v[i - 1].end == v[i].start)
		i--;
	if (!v[i].ino)
		return NULL;
	for (size_t k = 0; k < i; k++)
		if (same_file(&v[k], &v[i]))
			return &v[k];
	return &v[i];
}

int variable_at(const struct variable_maps *maps, uint64_t addr, struct variable *ret)
{
	const struct unwind_map *map = variable_maps_find(maps, addr), *file;
	struct module m;
	const char *path;

	if (!map)
		return -ENOENT;
	*ret = (struct variable){ .addr = addr };
	path = maps->names.v + map->path_off;
	file = mapping_with_file(maps, (size_t)(map - maps->v.v));
	if (file && !module_open(maps, file, &m)) {
		struct nearest n = { .vaddr = addr - m.bias, .v = ret };

		elf_symbols_each(&m.elf, nearest_symbol, &n);
		snprintf(ret->module, sizeof(ret->module), "%s", m.name);
		module_close(&m);
		return 0;
	}
	if (path[0] == '[')
		snprintf(ret->module, sizeof(ret->module), "%.*s", (int)strcspn(path + 1, "]"), path + 1);
	else if (path[0])
		last_part(path, ret->module, sizeof(ret->module));
	else
		strcpy(ret->module, "anonymous");
	return 0;
}

void variable_text(const struct variable *v, char *buf, size_t size)
{
	char name[VARIABLE_NAME_MAX], raw[VARIABLE_NAME_MAX + VARIABLE_MODULE_MAX + 32];

	snprintf(name, sizeof(name), "%s", v->name);
	symbols_demangle(name, sizeof(name));
	if (!v->name[0])
		snprintf(raw, sizeof(raw), "0x%" PRIx64 " (%s)", v->addr, v->module);
	else if (v->off)
		snprintf(raw, sizeof(raw), "%s+0x%" PRIx64 " (%s)", name, v->off, v->module);
	else
		snprintf(raw, sizeof(raw), "%s (%s)", name, v->module);
	clean_text(raw, buf, size);
}

struct ct_object_blob *variable_object(uint64_t id, uint32_t tgid, const char *name, uint64_t ts_ns)
{
	size_t n = strnlen(name, CT_OBJ_NAME_MAX), size = sizeof(struct ct_object_blob) + (n + 7) / 8 * 8;
	struct ct_object_blob *b = calloc(1, size);

	if (!b)
		return NULL;
	b->h = (struct ct_blob){ .ts = ts_ns, .kind = CT_OBJECT, .size = (uint16_t)size, .tid = tgid };
	b->id = id;
	b->name_len = (uint16_t)n;
	memcpy(b->name, name, n);
	return b;
}
