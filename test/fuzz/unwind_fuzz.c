// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives hostile bytes to the readers of files of traced programs. The first byte chooses the
 * reader. */
#include <stdlib.h>
#include <string.h>

#include "daemon/inspect/polled_code.h"
#include "daemon/stack/symbols_demangle.h"
#include "daemon/stack/unwind.h"
#include "daemon/stack/unwind_cfi.h"
#include "daemon/stack/unwind_files.h"
#include "lib/utf8.h"
#include "trace/words/describe.h"

#include "daemon/stack/symbols_jit.c"
#include "daemon/stack/unwind_maps.c"

static int word(void *arg, uint64_t addr, uint64_t *ret)
{
	*ret = addr * 0x9e3779b97f4a7c15ULL;
	return addr & 1 ? -EFAULT : 0;
}

static void expression(const uint8_t *expr, size_t n)
{
	static const uint64_t regs[UNWIND_CFI_REGS] = { 1, 2, 3, [7] = 0x7ffd1000, [16] = 0x401000 };
	const struct unwind_cfi_env env = { .regs = regs, .known = 0x100ff, .bias = 0x1000, .read = word };
	uint64_t initial = 16, v;

	unwind_cfi_eval(expr, (uint32_t)n, &env, NULL, &v);
	unwind_cfi_eval(expr, (uint32_t)n, &env, &initial, &v);
}

static void rules(struct unwind_elf *e, uint64_t vaddr)
{
	static struct unwind_cfi_buf buf;
	struct unwind_cfi cfi;
	char name[ELF_NAME_MAX];
	uint64_t start;

	if (!unwind_elf_function(e, vaddr, name, &start)) {
		if (!memchr(name, 0, sizeof(name)) || start > vaddr)
			abort();
		symbols_demangle(name, 161);
	}
	if (unwind_cfi_find(e, vaddr, &buf, &cfi))
		return;
	if (cfi.row.cfa_is_expr)
		expression(cfi.row.cfa_expr, cfi.row.cfa_expr_len);
	for (unsigned i = 0; i < UNWIND_CFI_REGS; i++) {
		const struct unwind_cfi_rule *r = &cfi.row.regs[i];

		if (r->how == UNWIND_CFI_AT_EXPR || r->how == UNWIND_CFI_EXPR)
			expression(r->expr, r->expr_len);
		else if (r->how > UNWIND_CFI_EXPR)
			abort();
	}
}

static void elf(const uint8_t *data, size_t n)
{
	uint64_t at, vaddr;
	struct unwind_elf *e;

	if (n < sizeof(at))
		return;
	memcpy(&at, data, sizeof(at));
	if (unwind_elf_new_image(data + sizeof(at), n - sizeof(at), &e))
		return;
	rules(e, at);
	for (unsigned i = 0; i < e->file.n_loads; i++)
		for (unsigned k = 0; k < 8; k++)
			rules(e, e->file.loads[i].vaddr + (at >> (8 * k) & 0xff) * 0x10);
	for (size_t i = 0; i < MIN(e->functions.n, (size_t)16); i++)
		rules(e, e->file.base + e->functions.v[i].addr);
	for (size_t i = 0; i < MIN(e->n_index, (size_t)16); i++)
		rules(e, e->file.base + e->index[i].begin);
	elf_file_vaddr(&e->file, at, &vaddr);
	elf_file_offset(&e->file, at, &vaddr);
	if (unwind_elf_bytes(e) > UNWIND_BYTES_MAX)
		abort();
	unwind_elf_free(e);
}

/* The daemon reads at most 1024 bytes of code at a time (CODE_MAX in polled.c). */
static void code(const uint8_t *data, size_t n)
{
	struct polled_operand op;
	uint64_t addr;
	size_t begin, end;
	bool pointer;

	n = MIN(n, (size_t)1024);
	for (size_t at = 0; at < n; at++) {
		if (polled_operand(data, n, at, 0x401000, &op) && op.at > n)
			abort();
		polled_call(data, n, at, 0x401000, &addr, &pointer);
		if (polled_loop(data, n, at, at, 0, &begin, &end) && (begin > end || end > n))
			abort();
	}
}

static void jit(char *text)
{
	struct jit_map m = { .text = text };

	map_parse(&m);
	for (size_t i = 0; i < m.v.n; i++)
		if (!m.text[m.v.v[i].name])
			abort();
	VEC_FREE(&m.v);
}

static void maps(char *text)
{
	struct unwind_mounts mounts = { .n = 1, .v[0] = { .checked_ns = UINT64_MAX / 2, .avoid = true } };
	struct unwind_maps m = { 0 };

	VEC_PUSH(&m.names, 0);
	for (char *save = NULL, *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct unwind_map map;
		const char *path;

		/* Leaves out mappings whose device has the major number 0: for these, unwind_mounts_avoid()
		 * may read /proc. */
		if (unwind_maps_parse(l, &map, &path) && map.major)
			maps_line(&m, 1, &mounts, l);
	}
	for (size_t i = 0; i < m.maps.n; i++)
		if (strlen(unwind_maps_path(&m, &m.maps.v[i])) >= m.names.n)
			abort();
	unwind_maps_find(&m, 0x7f0000001000);
	unwind_maps_done(&m);
}

static void name(const char *text)
{
	char shown[64];

	describe_clean(text, shown, sizeof(shown));
	for (const char *s = shown; *s; s += utf8_len(s))
		if (!utf8_len(s))
			abort();
	for (const unsigned char *p = (unsigned char *)shown; *p; p++)
		if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *copy;

	if (!n)
		return 0;
	/* AddressSanitizer finds a read beyond the end of the copy */
	copy = malloc(n);
	memcpy(copy, data + 1, --n);
	switch (data[0] % 7) {
	case 0:
		copy = realloc(copy, MAX(n, (size_t)1));
		elf((uint8_t *)copy, n);
		break;
	case 1:
		copy = realloc(copy, MAX(n, (size_t)1));
		expression((uint8_t *)copy, n);
		break;
	case 2:
		copy = realloc(copy, MAX(n, (size_t)1));
		code((uint8_t *)copy, n);
		break;
	default:
		copy[n] = 0;
		if (data[0] % 7 == 3 && n + 1 >= ELF_NAME_MAX)
			break;
		if (data[0] % 7 == 3) {
			copy = realloc(copy, ELF_NAME_MAX);
			symbols_demangle(copy, 161);
		} else if (data[0] % 7 == 4) {
			jit(copy);
		} else if (data[0] % 7 == 5) {
			maps(copy);
		} else {
			name(copy);
		}
	}
	free(copy);
	return 0;
}
