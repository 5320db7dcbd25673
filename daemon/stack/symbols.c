// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/stack/symbols_demangle.h"
#include "daemon/stack/symbols_jit.h"
#include "daemon/stack/symbols_kernel.h"
#include "daemon/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/map.h"
#include "lib/vec.h"

#define FUNCTION_MAX 160
#define MODULE_MAX   64

struct symbols {
	const char *kallsyms;
	const struct symbols_kernel *kernel;
	struct symbols_kernel *own;
	uint64_t kernel_ns; /* when the symbols of the kernel were read, or its modules looked at; 0: never */
	struct symbols_jit *jit;
	struct map known;
	VEC(char) texts;
};

int symbols_new(const char *kallsyms, const struct symbols_kernel *kernel, struct symbols **ret)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->kallsyms = kallsyms ?: SYMBOLS_KERNEL_FILE;
	s->kernel = kernel;
	s->kernel_ns = kernel ? clock_boot_ns() : 0;
	s->jit = symbols_jit_new();
	if (!s->jit) {
		free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	symbols_kernel_free(s->own);
	symbols_jit_free(s->jit);
	map_done(&s->known);
	VEC_FREE(&s->texts);
	free(s);
}

static void kernel_load(struct symbols *s)
{
	struct symbols_kernel *k = symbols_kernel_load(s->kallsyms);

	s->kernel_ns = clock_boot_ns();
	if (!k)
		return;
	symbols_kernel_free(s->own);
	s->kernel = s->own = k;
}

enum symbols_kernel_state symbols_kernel_state(struct symbols *s)
{
	if (!s->kernel_ns)
		kernel_load(s);
	return s->kernel ? symbols_kernel_loaded(s->kernel) : SYMBOLS_KERNEL_ABSENT;
}

/* The address of a BPF program is in no module, so it leads to no second reading. */
static bool kernel_is_old(struct symbols *s, uint64_t addr)
{
	uint64_t now_ns = clock_boot_ns();

	if (now_ns - s->kernel_ns <= SYMBOLS_RELOAD_NS)
		return false;
	s->kernel_ns = now_ns;
	return symbols_kernel_lacks(s->kernel, SYMBOLS_MODULES_FILE, addr);
}

void symbols_kernel(struct symbols *s, uint64_t addr, bool exact, char text[SYMBOLS_TEXT_MAX])
{
	enum symbols_kernel_state state = symbols_kernel_state(s);
	const char *name = NULL, *module;
	uint64_t start;

	if (state == SYMBOLS_KERNEL_OK) {
		name = symbols_kernel_find(s->kernel, addr - !exact, &start, &module);
		if (!name && kernel_is_old(s, addr)) {
			kernel_load(s);
			name = symbols_kernel_find(s->kernel, addr - !exact, &start, &module);
		}
	}
	if (!name)
		snprintf(text, SYMBOLS_TEXT_MAX, "k:? (%s)",
			 state == SYMBOLS_KERNEL_HIDDEN ? "kernel addresses are hidden" : "not in kallsyms");
	else if (*module)
		snprintf(text, SYMBOLS_TEXT_MAX, "k:%.*s+0x%llx (%.*s)", FUNCTION_MAX, name,
			 (unsigned long long)(addr - start), MODULE_MAX, module);
	else
		snprintf(text, SYMBOLS_TEXT_MAX, "k:%.*s+0x%llx", FUNCTION_MAX, name,
			 (unsigned long long)(addr - start));
}

size_t symbols_sampler(struct symbols *s, const uint64_t *ip, size_t n)
{
	return symbols_kernel_state(s) == SYMBOLS_KERNEL_OK ? symbols_kernel_sampler(s->kernel, ip, n) : 0;
}

/* A line: "[<0>] futex_wait_queue+0x60/0x90 [module]" */
size_t symbols_kernel_task(uint32_t tid, char text[][SYMBOLS_TEXT_MAX], size_t max)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0, n = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/stack", tid);
	f = fopen(path, "re");
	while (f && n < max && getline(&line, &cap, f) > 0) {
		char name[FUNCTION_MAX + 1], module[MODULE_MAX + 1] = "";
		unsigned long off;

		if (sscanf(line, "[<%*[^>]>] %160[^+]+0x%lx/%*s [%64[^]]]", name, &off, module) < 2)
			continue;
		if (*module)
			snprintf(text[n++], SYMBOLS_TEXT_MAX, "k:%s+0x%lx (%s)", name, off, module);
		else
			snprintf(text[n++], SYMBOLS_TEXT_MAX, "k:%s+0x%lx", name, off);
	}
	return n;
}

static void module_name(const char *path, char out[MODULE_MAX])
{
	static const char deleted[] = " (deleted)";
	const char *base = strrchr(path, '/');
	size_t n;

	base = base ? base + 1 : path;
	n = strlen(base);
	if (n > strlen(deleted) && !strcmp(base + n - strlen(deleted), deleted))
		n -= strlen(deleted);
	if (!n) {
		base = "anonymous";
		n = strlen(base);
	}
	snprintf(out, MODULE_MAX, "%.*s", (int)MIN(n, (size_t)MODULE_MAX - 1), base);
}

static void user_text(struct symbols *s, uint32_t pid, const struct unwind_frame *f,
		      char text[SYMBOLS_TEXT_MAX])
{
	char name[ELF_NAME_MAX], module[MODULE_MAX], raw[SYMBOLS_TEXT_MAX];
	uint64_t start, at = f->elf ? f->vaddr : f->ip;
	bool found = false;

	module_name(f->path, module);
	if (f->elf) {
		found = !unwind_elf_function(f->elf, f->vaddr - !f->exact, name, &start);
	} else {
		const char *jit = symbols_jit_find(s->jit, pid, f->ip - !f->exact, &start);

		found = jit != NULL;
		snprintf(name, sizeof(name), "%s", jit ?: "");
	}
	if (found) {
		symbols_demangle(name, FUNCTION_MAX + 1);
		snprintf(raw, sizeof(raw), "%.*s+0x%llx (%s)", FUNCTION_MAX, name,
			 (unsigned long long)(at - start), module);
	} else {
		snprintf(raw, sizeof(raw), "0x%llx (%s)", (unsigned long long)at, module);
	}
	/* programs may have chosen any bytes as names */
	clean_text(raw, text, SYMBOLS_TEXT_MAX);
}

static void remember(struct symbols *s, uint64_t key, const char *text)
{
	size_t n = strlen(text) + 1;

	if (s->known.n >= SYMBOLS_CACHE_MAX) {
		map_done(&s->known);
		s->texts.n = 0;
	}
	if (VEC_RESERVE(&s->texts, s->texts.n + n))
		return;
	memcpy(s->texts.v + s->texts.n, text, n);
	if (!map_set(&s->known, key, s->texts.n))
		s->texts.n += n;
}

void symbols_user(struct symbols *s, uint32_t pid, const struct unwind_frame *f, char text[SYMBOLS_TEXT_MAX])
{
	uint64_t key, at;

	if (!f->elf) {
		user_text(s, pid, f, text);
		return;
	}
	/* The serial number of a file is never reused, so frames of two files have different keys.
	 * Two addresses in one file share a key only if they are 2^39 bytes apart. */
	key = f->elf->serial << 40 | ((f->vaddr - f->elf->file.base) << 1 & ((1ULL << 40) - 1)) | f->exact;
	if (map_get(&s->known, key, &at)) {
		snprintf(text, SYMBOLS_TEXT_MAX, "%s", s->texts.v + at);
		return;
	}
	user_text(s, pid, f, text);
	remember(s, key, text);
}
