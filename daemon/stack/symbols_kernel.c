// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/symbols_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

#define LINES_MAX 2000000
#define NAMES_MAX (64u << 20)

struct entry {
	uint64_t addr;
	uint32_t name;
	uint16_t module;
};

struct symbols_kernel {
	enum symbols_kernel_state state;
	VEC(struct entry) syms;
	VEC(char) names;
	VEC(uint32_t) modules; /* offsets in names; offset 0 is "" */
};

static int names_add(struct symbols_kernel *k, const char *s, uint32_t *ret)
{
	size_t n = strlen(s) + 1;

	if (k->names.n + n > NAMES_MAX || VEC_RESERVE(&k->names, k->names.n + n))
		return -ENOMEM;
	memcpy(k->names.v + k->names.n, s, n);
	*ret = (uint32_t)k->names.n;
	k->names.n += n;
	return 0;
}

/* Symbols of one module are side by side in the file, so only the last module is compared. */
static int module_index(struct symbols_kernel *k, const char *module, uint16_t *ret)
{
	uint32_t off;

	if (strcmp(k->names.v + k->modules.v[k->modules.n - 1], module) && k->modules.n < UINT16_MAX) {
		if (names_add(k, module, &off) || VEC_PUSH(&k->modules, off))
			return -ENOMEM;
	}
	*ret = (uint16_t)(k->modules.n - 1);
	return 0;
}

/* A line: "ffffffff81000000 T name\t[module]" */
static int line_add(struct symbols_kernel *k, char *line)
{
	char *name, *module, *end;
	struct entry e = { 0 };

	e.addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]))
		return 0;
	name = end + 3;
	module = name + strcspn(name, "\t\n");
	end = module + strcspn(module, "[\n");
	*module = 0;
	if (*end == '[') {
		module = end + 1;
		module[strcspn(module, "]\n")] = 0;
		if (module_index(k, module, &e.module))
			return -ENOMEM;
	}
	if (names_add(k, name, &e.name))
		return -ENOMEM;
	return VEC_PUSH(&k->syms, e);
}

/* Of several names at one address, the kernel prints the first one in the file. */
static int entry_cmp(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

struct symbols_kernel *symbols_kernel_load(const char *path)
{
	struct symbols_kernel *k = calloc(1, sizeof(*k));
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int r = 0;

	if (!k || VEC_PUSH(&k->names, 0) || VEC_PUSH(&k->modules, 0)) {
		symbols_kernel_free(k);
		return NULL;
	}
	for (unsigned n = 0; f && !r && n < LINES_MAX && getline(&line, &cap, f) > 0; n++)
		r = line_add(k, line);
	if (k->syms.n)
		qsort(k->syms.v, k->syms.n, sizeof(*k->syms.v), entry_cmp);
	if (!k->syms.n)
		k->state = SYMBOLS_KERNEL_ABSENT;
	else if (!k->syms.v[k->syms.n - 1].addr)
		k->state = SYMBOLS_KERNEL_HIDDEN;
	return k;
}

void symbols_kernel_free(struct symbols_kernel *k)
{
	if (!k)
		return;
	VEC_FREE(&k->syms);
	VEC_FREE(&k->names);
	VEC_FREE(&k->modules);
	free(k);
}

enum symbols_kernel_state symbols_kernel_loaded(const struct symbols_kernel *k)
{
	return k->state;
}

const char *symbols_kernel_find(const struct symbols_kernel *k, uint64_t addr, uint64_t *ret_start,
				const char **ret_module)
{
	const struct entry *e;
	size_t n;

	if (k->state != SYMBOLS_KERNEL_OK)
		return NULL;
	n = BISECT(i, 0, k->syms.n, k->syms.v[i].addr > addr);
	if (!n || addr - k->syms.v[n - 1].addr > SYMBOLS_REACH_MAX)
		return NULL;
	while (n > 1 && k->syms.v[n - 2].addr == k->syms.v[n - 1].addr)
		n--;
	e = &k->syms.v[n - 1];
	*ret_start = e->addr;
	*ret_module = k->names.v + k->modules.v[e->module];
	return k->names.v + e->name;
}

/* A line: "nf_tables 393216 3 nft_ct,nft_nat, Live 0xffffffffc0a00000". The functions of a module are at its
 * begin. */
static bool module_is_new(const struct symbols_kernel *k, const char *line, uint64_t addr)
{
	unsigned long long size, base;
	char name[64];
	size_t i;

	if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &base) != 3 || addr - base >= size)
		return false;
	i = BISECT(at, 0, k->syms.n, k->syms.v[at].addr >= base);
	return i == k->syms.n || k->syms.v[i].addr - base >= size ||
	       strcmp(k->names.v + k->modules.v[k->syms.v[i].module], name);
}

bool symbols_kernel_lacks(const struct symbols_kernel *k, const char *modules, uint64_t addr)
{
	_cleanup_fclose_ FILE *f = k->state == SYMBOLS_KERNEL_OK ? fopen(modules, "re") : NULL;
	_cleanup_free_ char *line = NULL;
	bool lacks = false;
	size_t cap = 0;

	while (f && !lacks && getline(&line, &cap, f) > 0)
		lacks = module_is_new(k, line, addr);
	return lacks;
}

static bool enters_interrupt(const char *function)
{
	static const char *const begins[] = { "asm_sysvec_", "asm_common_interrupt", "asm_exc_xen_hypervisor",
					      "asm_fred_entrypoint_kernel", "el1h_64_irq" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(function, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* A soft interrupt can run without an interrupt below it. */
size_t symbols_kernel_sampler(const struct symbols_kernel *k, const uint64_t *ip, size_t n)
{
	static const char dispatch[] = "bpf_trace_run";
	const char *name, *module;
	size_t dispatched = 0;
	uint64_t start;

	for (size_t i = 0; i < n; i++) {
		name = symbols_kernel_find(k, ip[i] - 1, &start, &module);
		if (name && !*module && enters_interrupt(name))
			return i + 1;
		if (name && !dispatched && !strncmp(name, dispatch, strlen(dispatch)))
			dispatched = i + 1;
	}
	return dispatched;
}

void symbols_kernel_each(const struct symbols_kernel *k,
			 void (*fn)(void *arg, const char *name, uint64_t addr), void *arg)
{
	for (size_t i = 0; k->state == SYMBOLS_KERNEL_OK && i < k->syms.n; i++)
		if (!k->syms.v[i].module)
			fn(arg, k->names.v + k->syms.v[i].name, k->syms.v[i].addr);
}
