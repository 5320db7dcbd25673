// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/stack/symbols.h"
#include "daemon/stack/symbols_demangle.h"
#include "daemon/stack/unwind.h"
#include "daemon/stack/unwind_cfi.h"
#include "daemon/stack/unwind_maps.h"
#include "lib/cleanup.h"

#ifdef __clang__
#define DEEP __attribute__((noinline, used, disable_tail_calls))
#else
#define DEEP __attribute__((noinline, noclone, used, optimize("no-optimize-sibling-calls")))
#endif

struct named {
	size_t n;
	bool cut;
	char text[UNWIND_FRAMES_MAX][SYMBOLS_TEXT_MAX];
};

static volatile int after;

DEEP static void deep_inner(int ready)
{
	struct timespec t = { .tv_sec = 1000 };

	if (write(ready, "", 1) == 1)
		nanosleep(&t, NULL);
	after++;
}

DEEP static void deep_middle(int ready)
{
	deep_inner(ready);
	after++;
}

DEEP static void deep_outer(int ready)
{
	deep_middle(ready);
	after++;
}

static int handler_ready;

DEEP static void on_signal(int sig)
{
	deep_inner(handler_ready);
	after++;
}

DEEP static void raise_it(int ready)
{
	handler_ready = ready;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	after++;
}

DEEP static void recurse(int ready, int depth)
{
	if (depth)
		recurse(ready, depth - 1);
	else
		deep_inner(ready);
	after++;
}

DEEP static void recurse_far(int ready)
{
	recurse(ready, 200);
}

static bool is_asleep(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	return strstr(line, ") S ") != NULL;
}

static pid_t child_start(void (*fn)(int ready))
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(ready[1]);
		_exit(0);
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	for (int i = 0; i < 1000 && !is_asleep(pid); i++)
		usleep(1000);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int child_regs(pid_t pid, uint64_t regs[34])
{
	struct iovec io = { .iov_base = regs, .iov_len = 34 * sizeof(regs[0]) };
	int r;

	memset(regs, 0, io.iov_len);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		return -errno;
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	waitpid(pid, NULL, __WALL);
	r = ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &io) ? -errno : 0;
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return r;
}

static void names_get(pid_t pid, struct named *out)
{
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	struct symbols *s;
	struct unwind *u;
	uint64_t regs[34];

	assert_int_equal(child_regs(pid, regs), 0);
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(symbols_new(NULL, NULL, &s), 0);
	assert_int_equal(unwind_begin(u, (uint32_t)pid), 0);
	/* On a busy machine, the first try may run out of time without a frame. */
	for (int i = 0; i < 5 && (!i || !out->n); i++)
		out->n = unwind_stack(u, regs, frames, &out->cut);
	for (size_t i = 0; i < out->n; i++)
		symbols_user(s, (uint32_t)pid, &frames[i], out->text[i]);
	unwind_end(u);
	symbols_free(s);
	unwind_free(u);
}

static size_t frame_of(const struct named *st, size_t from, const char *fn)
{
	size_t n = strlen(fn);

	for (size_t i = from; i < st->n; i++)
		if (!strncmp(st->text[i], fn, n) && st->text[i][n] == '+')
			return i;
	for (size_t i = 0; i < st->n; i++)
		print_message("#%zu %s\n", i, st->text[i]);
	fail_msg("no frame of %s from #%zu on", fn, from);
	return 0;
}

static void test_nested(void **state)
{
	pid_t pid = child_start(deep_outer);
	struct named st;
	size_t i;

	names_get(pid, &st);
	child_end(pid);
	i = frame_of(&st, 0, "deep_inner");
	assert_true(i > 0);
	assert_int_equal(frame_of(&st, i, "deep_middle"), i + 1);
	assert_int_equal(frame_of(&st, i, "deep_outer"), i + 2);
	frame_of(&st, i + 3, "main");
	assert_false(st.cut);
	assert_non_null(strstr(st.text[i], "(unwind_test"));
}

static void test_signal_handler(void **state)
{
	pid_t pid = child_start(raise_it);
	struct named st;
	size_t i;

	names_get(pid, &st);
	child_end(pid);
	i = frame_of(&st, 0, "deep_inner");
	i = frame_of(&st, i, "on_signal");
	frame_of(&st, i + 2, "raise_it");
	assert_false(st.cut);
}

static void test_depth_limit(void **state)
{
	pid_t pid = child_start(recurse_far);
	struct named st;

	names_get(pid, &st);
	child_end(pid);
	assert_int_equal(st.n, UNWIND_FRAMES_MAX);
	assert_true(st.cut);
}

/* Fills *b from a child, as ct_crash() in bpf/ fills it from a task that crashes. */
static void save(pid_t pid, struct ct_rawcrash_blob *b)
{
	char path[64], line[1024];
	struct iovec to = { .iov_base = b->stack, .iov_len = sizeof(b->stack) }, from;
	struct unwind_map m;
	const char *name;
	ssize_t n;
	FILE *f;

	memset(b, 0, sizeof(*b));
	b->tgid = (uint32_t)pid;
	b->ppid = (uint32_t)getpid();
	assert_int_equal(child_regs(pid, b->regs), 0);
	from = (struct iovec){ .iov_base = (void *)(uintptr_t)unwind_sp(b->regs),
			       .iov_len = sizeof(b->stack) };
	n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	assert_true(n > 0);
	b->n_stack = (uint32_t)n;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) && b->n_maps < CT_CRASH_MAPS) {
		struct ct_crash_map *to_map = &b->maps[b->n_maps];

		if (!unwind_maps_parse(line, &m, &name) || !m.exec)
			continue;
		*to_map = (struct ct_crash_map){ .start = m.start,
						 .end = m.end,
						 .off = m.off,
						 .ino = m.ino,
						 .dev = m.major << 20 | m.minor };
		snprintf(to_map->path, sizeof(to_map->path), "%s", m.ino ? name : "");
		b->n_maps++;
	}
	fclose(f);
}

static void saved_names(const struct ct_rawcrash_blob *b, struct named *out)
{
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	struct symbols *s;
	struct unwind *u;

	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(symbols_new(NULL, NULL, &s), 0);
	assert_int_equal(unwind_begin_saved(u, b), 0);
	out->n = 0;
	for (int i = 0; i < 5 && (!i || !out->n); i++)
		out->n = unwind_stack(u, b->regs, frames, &out->cut);
	for (size_t i = 0; i < out->n; i++)
		symbols_user(s, b->tgid, &frames[i], out->text[i]);
	unwind_end(u);
	symbols_free(s);
	unwind_free(u);
}

/* The saved data give the stack of a process that is gone. */
static void test_saved(void **state)
{
	struct ct_rawcrash_blob *b = malloc(sizeof(*b));
	pid_t pid = child_start(deep_outer);
	struct named st;
	size_t i;

	assert_non_null(b);
	save(pid, b);
	child_end(pid);
	saved_names(b, &st);
	i = frame_of(&st, 0, "deep_inner");
	assert_int_equal(frame_of(&st, i, "deep_middle"), i + 1);
	assert_int_equal(frame_of(&st, i, "deep_outer"), i + 2);

	/* other files than those that were mapped */
	for (unsigned k = 0; k < b->n_maps; k++)
		b->maps[k].ino++;
	saved_names(b, &st);
	for (i = 0; i < st.n; i++)
		assert_null(strstr(st.text[i], "deep_"));

	/* no stack; sizes and paths that are wrong */
	b->n_stack = 0;
	saved_names(b, &st);
	assert_in_range(st.n, 1, 2);
	b->n_stack = UINT32_MAX;
	b->n_maps = UINT16_MAX;
	memset(b->maps[0].path, '/', sizeof(b->maps[0].path));
	b->maps[1].start = b->maps[1].end;
	saved_names(b, &st);
	assert_true(st.n > 0);
	free(b);
}

/* n: bytes of the copied stack */
static void copied_names(const struct ct_rawcrash_blob *b, size_t n, struct named *out)
{
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	struct symbols *s;
	struct unwind *u;

	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(symbols_new(NULL, NULL, &s), 0);
	assert_int_equal(unwind_begin_copy(u, b->tgid, unwind_sp(b->regs), b->stack, n), 0);
	out->n = unwind_stack(u, b->regs, frames, &out->cut);
	for (size_t i = 0; i < out->n; i++)
		symbols_user(s, b->tgid, &frames[i], out->text[i]);
	unwind_end(u);
	symbols_free(s);
	unwind_free(u);
}

/* The stack is that of the copy, also if the task has another one by now. */
static void test_copy(void **state)
{
	struct ct_rawcrash_blob *b = malloc(sizeof(*b));
	pid_t pid = child_start(deep_outer);
	struct unwind *u;
	struct named st;
	size_t i;

	assert_non_null(b);
	save(pid, b);
	copied_names(b, b->n_stack, &st);
	i = frame_of(&st, 0, "deep_inner");
	assert_int_equal(frame_of(&st, i, "deep_middle"), i + 1);
	assert_int_equal(frame_of(&st, i, "deep_outer"), i + 2);
	copied_names(b, 0, &st);
	assert_in_range(st.n, 1, 2);
	assert_true(st.cut);
	child_end(pid);
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(unwind_begin_copy(u, b->tgid, unwind_sp(b->regs), b->stack, b->n_stack), -ESRCH);
	unwind_end(u);
	unwind_free(u);
	free(b);
}

static void test_bad_registers(void **state)
{
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	pid_t pid = child_start(deep_outer);
	struct unwind *u;
	uint64_t regs[34], good[34];
	bool cut;

	assert_int_equal(child_regs(pid, good), 0);
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(unwind_begin(u, (uint32_t)pid), 0);
	for (unsigned i = 0; i < 34; i++) {
		memcpy(regs, good, sizeof(regs));
		regs[i] = 0x1000;
		assert_true(unwind_stack(u, regs, frames, &cut) >= 1);
		regs[i] = UINT64_MAX - 3;
		assert_true(unwind_stack(u, regs, frames, &cut) >= 1);
	}
	memset(regs, 0, sizeof(regs));
	assert_int_equal(unwind_stack(u, regs, frames, &cut), 0);
	unwind_end(u);
	child_end(pid);
	assert_int_equal(unwind_begin(u, (uint32_t)pid), -ESRCH);
	unwind_free(u);
}

static uint8_t *own_image(size_t *ret_size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *p;

	assert_int_equal(fstat(fd, &st), 0);
	p = malloc((size_t)st.st_size);
	assert_non_null(p);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return p;
}

static unsigned file_use(struct unwind_elf *e)
{
	static struct unwind_cfi_buf buf;
	char name[ELF_NAME_MAX];
	struct unwind_cfi cfi;
	uint64_t start;
	unsigned n = 0;

	for (unsigned i = 0; i < e->file.n_loads; i++)
		for (uint64_t at = 0; at < e->file.loads[i].filesz && at < 0x8000; at += 61) {
			n += !unwind_cfi_find(e, e->file.loads[i].vaddr + at, &buf, &cfi);
			unwind_elf_function(e, e->file.loads[i].vaddr + at, name, &start);
		}
	return n;
}

static void test_hostile_files(void **state)
{
	size_t size, edge = 0x400;
	uint8_t *good = own_image(&size), *bad = malloc(size);
	struct unwind_elf *e = NULL;
	const Elf64_Ehdr *eh = (const void *)good;
	unsigned seed = 1, opened = 0;

	assert_non_null(bad);
	assert_int_equal(unwind_elf_new_image(good, size, &e), 0);
	assert_true(file_use(e) > 10);
	unwind_elf_free(e);
	for (unsigned round = 0; round < 400; round++) {
		size_t n = round % 4 == 3 ? rand_r(&seed) % size : size;

		memcpy(bad, good, size);
		for (unsigned i = 0; i < 1 + round % 64; i++) {
			size_t at = round % 3 == 0   ? rand_r(&seed) % edge
				    : round % 3 == 1 ? eh->e_shoff + rand_r(&seed) % (size - eh->e_shoff)
						     : (size_t)rand_r(&seed) % size;

			bad[at] = (uint8_t)(rand_r(&seed) >> 8);
		}
		if (unwind_elf_new_image(bad, n, &e))
			continue;
		opened++;
		file_use(e);
		unwind_elf_free(e);
	}
	assert_true(opened > 50);
	assert_int_equal(unwind_elf_new_image(good, 0, &e), -EBADMSG);
	assert_int_equal(unwind_elf_new_image(good, 63, &e), -EBADMSG);
	free(good);
	free(bad);
}

static int no_memory(void *arg, uint64_t addr, uint64_t *ret)
{
	if (addr != 0x7000)
		return -EFAULT;
	*ret = 0x1122334455667788;
	return 0;
}

static int eval(const uint8_t *x, size_t n, uint64_t *ret)
{
	uint64_t regs[UNWIND_CFI_REGS] = { [7] = 0x6ff8, [16] = 5 };
	struct unwind_cfi_env env = { .regs = regs, .known = 1 << 7 | 1 << 16, .read = no_memory };

	return unwind_cfi_eval(x, (uint32_t)n, &env, NULL, ret);
}

#define EVAL(ret, ...) eval((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), (ret))

static void test_expressions(void **state)
{
	uint64_t v = 0;

	/* the expression of a procedure linkage table */
	assert_int_equal(EVAL(&v, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11,
			      DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
			 0);
	assert_int_equal(v, 0x7000);
	assert_int_equal(EVAL(&v, DW_OP_breg7, 8, DW_OP_deref), 0);
	assert_int_equal(v, 0x1122334455667788);
	assert_int_equal(EVAL(&v, DW_OP_breg7, 8, DW_OP_deref_size, 2), 0);
	assert_int_equal(v, 0x7788);
	assert_int_equal(EVAL(&v, DW_OP_const1s, 0xff, DW_OP_const1u, 2, DW_OP_mul), 0);
	assert_int_equal((int64_t)v, -2);
	assert_int_equal(EVAL(&v, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit5, DW_OP_lit9), 0);
	assert_int_equal(v, 9);

	assert_int_equal(EVAL(&v, DW_OP_lit1, DW_OP_deref), -EFAULT);
	assert_int_equal(EVAL(&v, DW_OP_plus), -EBADMSG);
	assert_int_equal(EVAL(&v, DW_OP_lit1, DW_OP_deref_size, 9), -EBADMSG);
	assert_int_equal(EVAL(&v, DW_OP_breg3, 0), -EBADMSG);             /* the register is not known */
	assert_int_equal(EVAL(&v, DW_OP_bregx, 0xff, 0x7f, 0), -EBADMSG); /* no such register */
	assert_int_equal(EVAL(&v, DW_OP_const8u, 1, 2), -EBADMSG);        /* ends early */
	assert_int_equal(EVAL(&v, DW_OP_skip, 0xfd, 0xff), -EBADMSG);     /* an endless loop */
	assert_int_equal(EVAL(&v, DW_OP_skip, 0x00, 0x80), -EBADMSG);     /* a jump before the start */
	assert_int_equal(EVAL(&v, DW_OP_lit1, DW_OP_skip, 0xfc, 0xff), -EBADMSG); /* a full stack */
	assert_int_equal(EVAL(&v, DW_OP_nop), -EBADMSG);
}

static void expect_demangled(const char *in, const char *want)
{
	char name[ELF_NAME_MAX];

	snprintf(name, sizeof(name), "%s", in);
	symbols_demangle(name, 161);
	assert_string_equal(name, want);
}

static void test_demangle(void **state)
{
	char name[ELF_NAME_MAX] = "_Z1fISt4pairIiiE";
	size_t n = strlen(name);

	expect_demangled("_ZN3foo3BarIiE3runEv", "foo::Bar<int>::run");
	expect_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect_demangled("main", "main");
	expect_demangled("_Z", "_Z");
	expect_demangled("_RNvC1a", "_RNvC1a");
	/* each template argument has the previous one twice, so the last has 2^30 parts */
	for (unsigned i = 0; i < 30; i++) {
		char prev = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

		n += (size_t)snprintf(name + n, sizeof(name) - n, "S0_IS%c_S%c_E", prev, prev);
	}
	snprintf(name + n, sizeof(name) - n, "Evv");
	symbols_demangle(name, 161);
	assert_int_equal(strlen(name), 160);
	assert_memory_equal(name, "f<std::pair<int, int>, std::pair<std::pair<int, int>,", 53);
}

static void kallsyms_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect_kernel(const char *path, uint64_t addr, bool exact, const char *want)
{
	char text[SYMBOLS_TEXT_MAX];
	struct symbols *s;

	assert_int_equal(symbols_new(path, NULL, &s), 0);
	symbols_kernel(s, addr, exact, text);
	symbols_free(s);
	assert_string_equal(text, want);
}

static void test_kernel(void **state)
{
	char path[] = "/tmp/ctrace-kallsyms-XXXXXX";
	struct symbols *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	kallsyms_write(path, "ffffffff81000000 T _text\n"
			     "ffffffff81000000 T startup_64\n"
			     "ffffffff81000100 t schedule\n"
			     "ffffffff81000180 d some_data\n"
			     "ffffffffc0100000 t ext4_sync\t[ext4]\n"
			     "not a line\n"
			     "ffffffffc0000000 t nf_hook\t[nf_tables]\n"
			     "ffffffffc0000040 t bpf_prog_1\t[bpf]\n");
	expect_kernel(path, 0xffffffff81000100, true, "k:schedule+0x0");
	expect_kernel(path, 0xffffffff81000100, false, "k:_text+0x100");
	expect_kernel(path, 0xffffffff810001f0, false, "k:schedule+0xf0");
	expect_kernel(path, 0xffffffffc0000010, false, "k:nf_hook+0x10 (nf_tables)");
	expect_kernel(path, 0xffffffffc0100010, false, "k:ext4_sync+0x10 (ext4)");
	expect_kernel(path, 0xffffffff80ffffff, false, "k:? (not in kallsyms)");
	expect_kernel(path, 0xffffffffffffffff, true, "k:? (not in kallsyms)");

	/* the frame must not show an address that the kernel hides */
	kallsyms_write(path, "0000000000000000 T _text\n0000000000000000 t schedule\n");
	expect_kernel(path, 0xffffffff81000100, true, "k:? (kernel addresses are hidden)");
	assert_int_equal(symbols_new(path, NULL, &s), 0);
	assert_int_equal(symbols_kernel_state(s), SYMBOLS_KERNEL_HIDDEN);
	symbols_free(s);
	kallsyms_write(path, "");
	assert_int_equal(symbols_new(path, NULL, &s), 0);
	assert_int_equal(symbols_kernel_state(s), SYMBOLS_KERNEL_ABSENT);
	symbols_free(s);
	unlink(path);
	expect_kernel(path, 0xffffffff81000100, true, "k:? (not in kallsyms)");
}

static struct symbols_kernel *kernel_of(const char *kallsyms)
{
	char path[] = "/tmp/ctrace-kallsyms-XXXXXX";
	struct symbols_kernel *k;

	close(mkstemp(path));
	kallsyms_write(path, kallsyms);
	k = symbols_kernel_load(path);
	assert_non_null(k);
	unlink(path);
	return k;
}

/* The address of a BPF program is in no module, and must not lead to a second reading of kallsyms. */
static void test_kernel_modules(void **state)
{
	static const char kallsyms[] = "ffffffff81000000 T _text\n"
				       "ffffffffc0001000 t nf_hook\t[nf_tables]\n"
				       "ffffffffc0009000 t old_sync\t[old]\n";
	struct symbols_kernel *k = kernel_of(kallsyms);
	char path[] = "/tmp/ctrace-modules-XXXXXX";

	close(mkstemp(path));
	kallsyms_write(path, "nf_tables 8192 1 nft_ct, Live 0xffffffffc0001000 (E)\n"
			     "new 4096 0 - Live 0xffffffffc0009000\n"
			     "last 4096 - - Live 0xffffffffc0100000\n"
			     "not a line\n");
	assert_false(symbols_kernel_lacks(k, path, 0xffffffffc0002fff));
	assert_false(symbols_kernel_lacks(k, path, 0xffffffffc0003000));
	assert_false(symbols_kernel_lacks(k, path, 0xffffffffc00fffff));
	assert_true(symbols_kernel_lacks(k, path, 0xffffffffc0100000));
	assert_false(symbols_kernel_lacks(k, path, 0xffffffffc0101000));
	/* `new` has the place of `old` */
	assert_true(symbols_kernel_lacks(k, path, 0xffffffffc0009800));
	unlink(path);
	assert_false(symbols_kernel_lacks(k, path, 0xffffffffc0100000));
	symbols_kernel_free(k);
}

static void test_kernel_sampler(void **state)
{
	static const char kallsyms[] = "ffffffff81000000 T read_zero\n"
				       "ffffffff81000100 T asm_exc_page_fault\n"
				       "ffffffff81000200 T asm_sysvec_apic_timer_interrupt\n"
				       "ffffffff81000300 T __hrtimer_run_queues\n"
				       "ffffffff81000400 T bpf_trace_run2\n"
				       "ffffffff81000500 T vfs_read\n";
	const uint64_t program = 0xffffffffc0001010, read_zero = 0xffffffff81000010, vfs = 0xffffffff81000510;
	const uint64_t fault = 0xffffffff81000110, irq = 0xffffffff81000210, timer = 0xffffffff81000310;
	const uint64_t run = 0xffffffff81000410;
	const uint64_t hard[] = { program, program, run, timer, irq, read_zero, vfs };
	const uint64_t other[] = { program, run, timer, irq, program, run, timer, irq };
	const uint64_t soft[] = { program, run, timer, read_zero, fault, run, vfs };
	struct symbols_kernel *k = kernel_of(kallsyms);

	assert_int_equal(symbols_kernel_sampler(k, hard, ARRAY_SIZE(hard)), 5);
	/* the interrupt came while the task ran the program of another tracer */
	assert_int_equal(symbols_kernel_sampler(k, other, ARRAY_SIZE(other)), 4);
	assert_int_equal(symbols_kernel_sampler(k, soft, ARRAY_SIZE(soft)), 2);
	assert_int_equal(symbols_kernel_sampler(k, hard + 5, 2), 0);
	assert_int_equal(symbols_kernel_sampler(k, hard, 0), 0);
	symbols_kernel_free(k);
}

/* Calls unwind_mounts_look() with the mountinfo files of two mount namespaces. task: the namespace of a task.
 * host: the namespace of the daemon, usually that of the host. NULL: no file. */
static int look(const char *task, const char *host, uint32_t minor)
{
	struct unwind_namespaces ns = { 0 };
	const char *const texts[] = { task, host };
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *path = ns.files[ns.n];
		int fd;

		if (!texts[i])
			continue;
		ns.n++;
		strcpy(path, "/tmp/unwind-mounts-XXXXXX");
		fd = mkstemp(path);
		assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
	}
	r = unwind_mounts_look(&ns, minor);
	for (size_t i = 0; i < ns.n; i++)
		unlink(ns.files[i]);
	return r;
}

static void test_mounts(void **state)
{
	static const char text[] = "26 25 0:31 / /srv rw shared:1 - fuse.sshfs user@host: rw\n"
				   "27 25 0:32 / /cut rw shared:1\n"
				   "28 25 0:33 / /twice rw\n"
				   "29 25 0:33 / /twice rw - nfs4 host:/ rw\n"
				   "30 25 8:34 / /disk rw - nfs4 host:/ rw\n"
				   "31 25 0:35 / /tmp rw - tmpfs tmpfs rw\n";

	assert_int_equal(look(text, NULL, 31), 1);
	assert_int_equal(look(text, NULL, 32), -ENOENT);
	assert_int_equal(look(text, NULL, 33), 1);
	assert_int_equal(look(text, NULL, 34), -ENOENT);
	assert_int_equal(look(text, NULL, 35), 0);
	assert_int_equal(look("", text, 31), 1);
	assert_int_equal(look("", text, 35), 0);
	assert_int_equal(look(NULL, NULL, 35), -ENOENT);
}

#define HOST                                                                                                 \
	"22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"                                          \
	"23 22 0:40 / /mnt/remote rw,nosuid,nodev shared:2 - fuse.bindfs bindfs rw,user_id=0\n"              \
	"24 22 0:41 / /home rw,relatime shared:3 - nfs4 host:/home rw,vers=4.2\n"

/* The path of each layer leads to a file system of the host. */
static void test_overlays(void **state)
{
	static const char mounts[] =
		HOST "50 22 0:50 / /local rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/up,workdir=/work\n"
		     "51 22 0:51 / /lower rw - overlay overlay ro,lowerdir=/a:/mnt/remote/lower\n"
		     "52 22 0:52 / /upper rw - overlay x rw,lowerdir=/a,upperdir=/home/u,workdir=/w\n"
		     "53 22 0:53 / /new rw - overlay x rw,lowerdir+=/a,lowerdir+=/mnt/remote,uuid=on\n"
		     "54 22 0:54 / /data rw - overlay x ro,lowerdir+=/a,datadir+=/home/d\n"
		     "55 22 0:55 / /relative rw - overlay x rw,lowerdir=l/A:l/B,upperdir=/u,workdir=/w\n"
		     "56 22 0:56 / /dots rw - overlay x ro,lowerdir=/a:/a/..//mnt/./remote/l\n"
		     "57 22 0:57 / /none rw - overlay x rw\n"
		     "58 22 0:60 / /mnt/with\\040a:colon rw - fuse.sshfs host: rw\n"
		     "59 22 0:58 / /escaped ro - overlay x ro,lowerdir=/mnt/with\\040a\\134:colon:/a\n"
		     "60 22 0:59 / /prefix rw - overlay x ro,lowerdir=/a:/mnt/remotely\n";

	assert_int_equal(look(mounts, NULL, 50), 0);
	for (uint32_t minor = 51; minor <= 58; minor++)
		assert_int_equal(look(mounts, NULL, minor), 1);
	assert_int_equal(look(mounts, NULL, 59), 0);
}

static void test_overlay_nested(void **state)
{
	static const char mounts[] =
		HOST "50 22 0:50 / /one rw - overlay x ro,lowerdir=/a:/b\n"
		     "51 22 0:51 / /two rw - overlay x rw,lowerdir=/one/l:/one/m,upperdir=/u,workdir=/w\n"
		     "52 22 0:52 / /bad rw - overlay x ro,lowerdir=/a:/mnt/remote\n"
		     "53 22 0:53 / /worse rw - overlay x rw,lowerdir=/one:/bad,upperdir=/u,workdir=/w\n";
	char deep[2048];
	size_t n = 0;

	assert_int_equal(look(mounts, NULL, 51), 0);
	assert_int_equal(look(mounts, NULL, 53), 1);
	/* each overlay has the next one as its layer; the last lies on the disk */
	n += (size_t)snprintf(deep, sizeof(deep), HOST);
	for (unsigned i = 0; i < 9; i++)
		n += (size_t)snprintf(deep + n, sizeof(deep) - n,
				      "60 22 0:%u / /d%u rw - overlay x ro,lowerdir=/d%u/x\n", 60 + i, i,
				      i + 1);
	assert_int_equal(look(deep, NULL, 61), 0);
	assert_int_equal(look(deep, NULL, 60), 1);
}

/* A container sees its overlay at /, and the host has the layers. */
static void test_overlay_container(void **state)
{
	static const char docker[] =
		"615 498 0:50 / / rw,relatime master:247 - overlay overlay rw,"
		"lowerdir=/var/lib/docker/overlay2/l/GP5QWSA3:/var/lib/docker/overlay2/l/TJ4VJZ3Q,"
		"upperdir=/var/lib/docker/overlay2/37ab/diff,workdir=/var/lib/docker/overlay2/37ab/work\n"
		"616 615 0:54 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
		"620 615 254:1 /var/lib/docker/containers/1f/hosts /etc/hosts rw - ext4 /dev/vda1 rw\n"
		"630 615 0:52 / /merged rw - overlay x rw,lowerdir=/data/l,upperdir=/data/u,workdir=/data/w\n";
	static const char podman[] =
		"700 600 0:51 / / rw,nodev,relatime - overlay overlay rw,"
		"lowerdir=/home/u/.local/share/containers/storage/overlay/l/6SHC,"
		"upperdir=/home/u/.local/share/containers/storage/overlay/7f/diff,"
		"workdir=/home/u/.local/share/containers/storage/overlay/7f/work,userxattr\n";

	assert_int_equal(look(docker, HOST, 50), 0);
	assert_int_equal(look(docker, "", 50), 1);   /* no namespace with the layers is known */
	assert_int_equal(look(docker, HOST, 52), 0); /* an overlay inside of the container */
	/* the daemon runs in the container `docker` */
	assert_int_equal(look("", docker, 50), 0);
	assert_int_equal(look(podman, docker, 51), 0);
	/* HOST has /home on NFS */
	assert_int_equal(look(podman, HOST, 51), 1);
	assert_int_equal(look(podman, "22 1 254:1 / / rw - xfs /dev/vda1 rw\n", 51), 0);
	/* on the host, a FUSE file system lies over the layers */
	assert_int_equal(look(docker, HOST "25 22 0:42 / /var/lib/docker rw - fuse.x x rw\n", 50), 1);
	/* The daemon's / is an overlay, mounted at the start of the system. In the first check, no mountinfo
	 * file lists a mount of a layer. In the second check, the daemon's file lists the layer /l, on NFS.
	 */
	assert_int_equal(look("", "22 1 0:20 / / rw - overlay x rw,lowerdir=/l,upperdir=/u,workdir=/w\n", 20),
			 0);
	assert_int_equal(look("",
			      "22 1 0:20 / / rw - overlay x rw,lowerdir=/l,upperdir=/u,workdir=/w\n"
			      "23 22 0:21 / /l rw - nfs4 host:/ ro\n",
			      20),
			 1);
	/* the directory of the layers is an overlay in turn */
	assert_int_equal(
		look(docker, HOST "25 22 0:42 / /var rw - overlay x ro,lowerdir=/mnt/remote:/a\n", 50), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),         cmocka_unit_test(test_signal_handler),
		cmocka_unit_test(test_depth_limit),    cmocka_unit_test(test_bad_registers),
		cmocka_unit_test(test_hostile_files),  cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_demangle),       cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_kernel_modules), cmocka_unit_test(test_kernel_sampler),
		cmocka_unit_test(test_mounts),         cmocka_unit_test(test_overlays),
		cmocka_unit_test(test_overlay_nested), cmocka_unit_test(test_overlay_container),
		cmocka_unit_test(test_saved),          cmocka_unit_test(test_copy),
	};
	uint64_t regs[34];
	pid_t pid = child_start(deep_outer);
	int r = child_regs(pid, regs);

	child_end(pid);
	if (r) {
		printf("skipped: a child's registers cannot be read here: %s\n", strerror(-r));
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
