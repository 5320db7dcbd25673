// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "daemon/stack/unwind_cfi.h"
#include "daemon/stack/unwind_files.h"
#include "daemon/stack/unwind_maps.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define WINDOW_BYTES 4096
#define SIGNED_BITS  0x0000ffffffffffffULL
#define RULES_N      512

/* saved_index: for each DWARF register, its index in ct_iter_task.regs. REG_PC: program counter */
#if defined(__x86_64__)
enum { REG_FP = 6, REG_SP = 7, REG_PC = 16, N_REGS = 17, SAVED_CS = 17, USER32_CS = 0x23 };
static const uint8_t saved_index[N_REGS] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 };
#elif defined(__aarch64__)
enum { REG_FP = 29, REG_SP = 31, REG_PC = 32, N_REGS = 33 };
static const uint8_t saved_index[N_REGS] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					     22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
#else
#error "registers of this machine are not known"
#endif

/* Cached rules for an address of a file; a search takes about a dozen reads of the file. */
struct rules {
	/* serial: of the file; 0: the entry is free */
	uint64_t serial, vaddr;
	struct unwind_cfi cfi;
};

struct unwind {
	uint32_t tid;
	/* The memory of the stack, which a BPF program has saved, from the address saved_sp on. NULL: the
	 * memory of the task is read. */
	const char *saved;
	uint64_t saved_sp, saved_n;
	struct unwind_maps maps;
	struct unwind_mounts mounts;
	struct unwind_files *files;
	struct unwind_cfi_buf buf;
	uint64_t window_addr;
	size_t window_n;
	uint8_t window[WINDOW_BYTES];
	/* A cache. The stacks of all waiting tasks together have only a few hundred addresses, so the
	 * rules for most of them fit. */
	struct rules rules[RULES_N];
};

struct walk {
	uint64_t regs[UNWIND_CFI_REGS];
	uint64_t known; /* bit i: regs[i] is known */
	bool exact;
};

int unwind_new(struct unwind **ret)
{
	struct unwind *u = calloc(1, sizeof(*u));

	if (!u || unwind_files_new(&u->files)) {
		free(u);
		return -ENOMEM;
	}
	*ret = u;
	return 0;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	unwind_maps_done(&u->maps);
	unwind_files_free(u->files);
	free(u);
}

int unwind_begin(struct unwind *u, uint32_t tid)
{
	u->tid = tid;
	u->saved = NULL;
	u->window_n = 0;
	return unwind_maps_read(&u->maps, tid, &u->mounts);
}

static void use_saved(struct unwind *u, uint64_t sp, const char *stack, size_t n)
{
	u->saved = stack;
	u->saved_sp = sp;
	u->saved_n = n;
}

int unwind_begin_copy(struct unwind *u, uint32_t tid, uint64_t sp, const char *stack, size_t n)
{
	int r = unwind_begin(u, tid);

	if (!r)
		use_saved(u, sp, stack, n);
	return r;
}

int unwind_begin_saved(struct unwind *u, const struct ct_rawcrash_blob *saved)
{
	u->tid = saved->ppid;
	u->window_n = 0;
	use_saved(u, unwind_sp(saved->regs), saved->stack, MIN(saved->n_stack, (uint32_t)CT_CRASH_STACK));
	return unwind_maps_saved(&u->maps, u->tid, &u->mounts, saved->maps,
				 MIN(saved->n_maps, (size_t)CT_CRASH_MAPS));
}

void unwind_end(struct unwind *u)
{
	u->saved = NULL;
	unwind_files_release(u->files);
	unwind_maps_forget(&u->maps);
	u->window_n = 0;
}

static long saved_memory(const struct unwind *u, uint64_t addr, void *buf, size_t n)
{
	uint64_t at = addr - u->saved_sp;

	if (at >= u->saved_n)
		return -EFAULT;
	n = MIN(n, (size_t)(u->saved_n - at));
	memcpy(buf, u->saved + at, n);
	return (long)n;
}

long unwind_memory(struct unwind *u, uint64_t addr, void *buf, size_t n)
{
	/* At most two pages, an iovec each: the first page is read even if the second is not mapped. */
	size_t first = MIN(n, 4096 - addr % 4096), second = MIN(n, (size_t)4096) - MIN(first, (size_t)4096);
	struct iovec to = { .iov_base = buf, .iov_len = first + second };
	struct iovec from[2] = { { .iov_base = (void *)(uintptr_t)addr, .iov_len = first },
				 { .iov_base = (void *)(uintptr_t)(addr + first), .iov_len = second } };
	const struct unwind_map *map;
	ssize_t got;

	if (u->saved)
		return saved_memory(u, addr, buf, MIN(n, (size_t)4096));
	map = unwind_maps_find(&u->maps, addr);
	if (map && map->avoid)
		return -EFAULT;
	map = unwind_maps_find(&u->maps, addr + first);
	if (map && map->avoid)
		from[1].iov_len = 0;
	got = process_vm_readv((pid_t)u->tid, &to, 1, from, 2, 0);
	return got < 0 ? -errno : got;
}

static int read_word(void *arg, uint64_t addr, uint64_t *ret)
{
	struct unwind *u = arg;

	if (addr - u->window_addr >= u->window_n || u->window_n - (addr - u->window_addr) < sizeof(*ret)) {
		long got = unwind_memory(u, addr, u->window, sizeof(u->window));

		u->window_addr = addr;
		u->window_n = got > 0 ? (size_t)got : 0;
		if (u->window_n < sizeof(*ret))
			return -EFAULT;
	}
	memcpy(ret, u->window + (addr - u->window_addr), sizeof(*ret));
	return 0;
}

struct unwind_frame unwind_locate(struct unwind *u, uint64_t ip, bool exact)
{
	struct unwind_frame f = { .ip = ip, .path = "", .exact = exact };
	struct unwind_map *map = unwind_maps_find(&u->maps, ip - !exact);

	if (!map || !map->exec)
		return f;
	f.mapped = true;
	f.path = unwind_maps_path(&u->maps, map);
	f.elf = unwind_files_get(u->files, u->tid, map, f.path);
	if (f.elf && elf_file_vaddr(&f.elf->file, ip - !exact - map->start + map->off, &f.vaddr))
		f.elf = NULL;
	if (f.elf)
		f.vaddr += !exact;
	return f;
}

static bool reg_known(const struct walk *w, uint64_t reg)
{
	return reg < N_REGS && (w->known >> reg & 1);
}

static int apply_rule(struct unwind *u, const struct walk *w, const struct unwind_cfi_rule *rule,
		      unsigned reg, uint64_t cfa, const struct unwind_cfi_env *env, uint64_t *ret_val)
{
	uint64_t addr;
	int r;

	switch ((enum unwind_cfi_how)rule->how) {
	case UNWIND_CFI_SAME:
		*ret_val = w->regs[reg];
		return reg_known(w, reg) ? 0 : -ENODATA;
	case UNWIND_CFI_UNDEFINED:
		return -ENODATA;
	case UNWIND_CFI_AT_CFA:
		return read_word(u, cfa + (uint64_t)rule->off, ret_val);
	case UNWIND_CFI_CFA:
		*ret_val = cfa + (uint64_t)rule->off;
		return 0;
	case UNWIND_CFI_REGISTER:
		if (!reg_known(w, (uint64_t)rule->off))
			return -ENODATA;
		*ret_val = w->regs[rule->off];
		return 0;
	case UNWIND_CFI_AT_EXPR:
		r = unwind_cfi_eval(rule->expr, rule->expr_len, env, &cfa, &addr);
		return r ?: read_word(u, addr, ret_val);
	case UNWIND_CFI_EXPR:
		return unwind_cfi_eval(rule->expr, rule->expr_len, env, &cfa, ret_val);
	}
	return -EBADMSG;
}

/* Rules with expressions cannot be cached, because the next search overwrites the expressions. */
static bool rules_have_expr(const struct unwind_cfi *cfi)
{
	for (unsigned i = 0; i < UNWIND_CFI_REGS; i++)
		if (cfi->row.regs[i].how >= UNWIND_CFI_AT_EXPR)
			return true;
	return cfi->row.cfa_is_expr;
}

static int rules_find(struct unwind *u, struct unwind_elf *e, uint64_t vaddr, struct unwind_cfi *ret)
{
	struct rules *c = &u->rules[(e->serial ^ vaddr ^ vaddr >> 9) % RULES_N];
	int r;

	if (c->serial == e->serial && c->vaddr == vaddr) {
		*ret = c->cfi;
		return 0;
	}
	r = unwind_cfi_find(e, vaddr, &u->buf, ret);
	if (!r && !rules_have_expr(ret))
		*c = (struct rules){ .serial = e->serial, .vaddr = vaddr, .cfi = *ret };
	return r;
}

/* -ENOENT: f has no call frame information. -ENODATA: f is the outermost frame. On failure, *w is
 * unchanged. */
static int step_cfi(struct unwind *u, const struct unwind_frame *f, struct walk *w)
{
	struct walk to = { 0 };
	struct unwind_cfi cfi;
	struct unwind_cfi_env env = {
		.regs = w->regs, .known = w->known, .bias = f->ip - f->vaddr, .read = read_word, .arg = u
	};
	uint64_t cfa;
	int r;

	if (!f->elf)
		return -ENOENT;
	r = rules_find(u, f->elf, f->vaddr - !f->exact, &cfi);
	if (r)
		return r;
	if (cfi.row.cfa_is_expr) {
		r = unwind_cfi_eval(cfi.row.cfa_expr, cfi.row.cfa_expr_len, &env, NULL, &cfa);
		if (r)
			return r;
	} else {
		if (!reg_known(w, cfi.row.cfa_reg))
			return -EFAULT;
		cfa = w->regs[cfi.row.cfa_reg] + (uint64_t)cfi.row.cfa_off;
	}
	if (cfi.ra_reg >= N_REGS || cfi.row.regs[cfi.ra_reg].how == UNWIND_CFI_UNDEFINED)
		return -ENODATA;
	to.regs[REG_SP] = cfa;
	to.known = 1ULL << REG_SP;
	for (unsigned i = 0; i < N_REGS; i++) {
		if ((i == REG_SP && cfi.row.regs[i].how == UNWIND_CFI_SAME) ||
		    (i == REG_PC && i != cfi.ra_reg))
			continue;
		if (!apply_rule(u, w, &cfi.row.regs[i], i, cfa, &env, &to.regs[i]))
			to.known |= 1ULL << i;
	}
	if (!reg_known(&to, cfi.ra_reg))
		return -EFAULT;
	to.regs[REG_PC] = to.regs[cfi.ra_reg];
	to.known |= 1ULL << REG_PC;
	to.exact = cfi.signal_frame;
	*w = to;
	return 0;
}

static int step_fp(struct unwind *u, struct walk *w)
{
	uint64_t fp = w->regs[REG_FP], sp = w->regs[REG_SP];
	struct walk to = { 0 };

	/* On x86-64 and on arm64, a frame pointer of 0 marks the outermost frame. */
	if (!fp && reg_known(w, REG_FP) && !w->exact)
		return -ENODATA;
	if (!reg_known(w, REG_FP) || !reg_known(w, REG_SP) || fp % 8 || fp < sp || fp - sp > UNWIND_FP_REACH)
		return -EFAULT;
	if (read_word(u, fp, &to.regs[REG_FP]) || read_word(u, fp + 8, &to.regs[REG_PC]))
		return -EFAULT;
	to.regs[REG_SP] = fp + 16;
	to.known = 1ULL << REG_FP | 1ULL << REG_SP | 1ULL << REG_PC;
	*w = to;
	return 0;
}

/* -ENODATA: f is the outermost frame. Another -errno: the walk has failed. */
static int step(struct unwind *u, const struct unwind_frame *f, struct walk *w)
{
	uint64_t sp = w->regs[REG_SP], pc = w->regs[REG_PC];
	int r = step_cfi(u, f, w);

	if (r == -ENOENT || r == -EBADMSG)
		r = step_fp(u, w);
	if (r)
		return r;
#if defined(__aarch64__)
	w->regs[REG_PC] &= SIGNED_BITS; /* removes the signature of the pointer */
#endif
	if (!w->regs[REG_PC])
		return -ENODATA;
	/* The caller's stack pointer is never lower than the callee's, except if the callee is a
	 * signal handler. A step that changes neither stack pointer nor program counter would
	 * repeat for ever. */
	if (!w->exact && (w->regs[REG_SP] < sp || (w->regs[REG_SP] == sp && w->regs[REG_PC] == pc)))
		return -EFAULT;
	return 0;
}

uint64_t unwind_pc(const uint64_t regs[34])
{
	return regs[saved_index[REG_PC]];
}

uint64_t unwind_sp(const uint64_t regs[34])
{
	return regs[saved_index[REG_SP]];
}

static bool walk_init(struct walk *w, const uint64_t regs[34])
{
	*w = (struct walk){ .known = (1ULL << N_REGS) - 1, .exact = true };
	for (unsigned i = 0; i < N_REGS; i++)
		w->regs[i] = regs[saved_index[i]];
	return w->regs[REG_PC] != 0;
}

size_t unwind_stack(struct unwind *u, const uint64_t regs[34], struct unwind_frame frames[UNWIND_FRAMES_MAX],
		    bool *ret_cut)
{
	uint64_t until = clock_boot_ns() + UNWIND_TIME_NS;
	struct walk w;
	size_t n = 0;
	int r = 0;

	*ret_cut = false;
	if (!walk_init(&w, regs))
		return 0;
	for (;;) {
		struct unwind_frame f = unwind_locate(u, w.regs[REG_PC], w.exact);

		/* the previous step went wrong: this address is outside of code */
		if (!f.mapped && n) {
			r = -EFAULT;
			break;
		}
		frames[n++] = f;
#if defined(__x86_64__)
		if (regs[SAVED_CS] == USER32_CS)
			r = -EOPNOTSUPP;
#endif
		if (!r)
			r = n == UNWIND_FRAMES_MAX || clock_boot_ns() > until ? -E2BIG : step(u, &f, &w);
		if (r)
			break;
	}
	*ret_cut = r != -ENODATA;
	return n;
}
