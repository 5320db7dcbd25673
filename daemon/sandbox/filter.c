// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sandbox/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

static void filter_put(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (f->n < FILTER_MAX)
		f->v[f->n] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
	f->n++;
}

static void filter_load(struct filter *f, size_t off)
{
	filter_put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)off, 0, 0);
}

static void filter_return(struct filter *f, uint32_t what)
{
	filter_put(f, BPF_RET | BPF_K, what, 0, 0);
}

void filter_init(struct filter *f)
{
	f->n = 0;
	filter_load(f, offsetof(struct seccomp_data, arch));
	filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
	filter_return(f, SECCOMP_RET_KILL_PROCESS);
	filter_load(f, offsetof(struct seccomp_data, nr));
}

void filter_allow(struct filter *f, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
		filter_return(f, SECCOMP_RET_ALLOW);
	}
}

void filter_allow_values(struct filter *f, int call, unsigned arg, uint32_t mask, const uint32_t *values,
			 size_t n)
{
	/* Other calls jump over the 2 * n + 3 instructions that follow. */
	filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, (uint8_t)(2 * n + 3));
	/* the low half of the argument: x86-64 and arm64 are little-endian */
	filter_load(f, offsetof(struct seccomp_data, args) + 8 * arg);
	filter_put(f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	for (size_t i = 0; i < n; i++) {
		filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
		filter_return(f, SECCOMP_RET_ALLOW);
	}
	filter_return(f, SECCOMP_RET_ERRNO | EPERM);
}

static int filter_install(const struct filter *f, unsigned flags)
{
	const struct sock_fprog prog = { .len = (unsigned short)f->n, .filter = (struct sock_filter *)f->v };

	if (f->n > FILTER_MAX)
		return -E2BIG;
	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) ? -errno : 0;
}

/* Makes clone3 fail by a filter of its own, whose refusals the kernel does not log. The filter of
 * filter_enter() logs each refused call. libc tries clone3 at each start of a thread, so a log of
 * these calls would be long and useless. */
static int filter_no_clone3(void)
{
	struct filter f = { 0 };

	filter_load(&f, offsetof(struct seccomp_data, nr));
	filter_put(&f, BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1);
	filter_return(&f, SECCOMP_RET_ERRNO | ENOSYS);
	filter_return(&f, SECCOMP_RET_ALLOW);
	return filter_install(&f, 0);
}

int filter_enter(struct filter *f)
{
	static const int refused_already[] = { __NR_clone3 };
	int r = filter_no_clone3();

	filter_allow(f, refused_already, 1);
	filter_put(f, BPF_JMP | BPF_JGE | BPF_K, __NR_clone3, 0, 1);
	filter_return(f, SECCOMP_RET_ERRNO | ENOSYS);
	filter_return(f, SECCOMP_RET_ERRNO | EPERM);
	return r ? r : filter_install(f, SECCOMP_FILTER_FLAG_LOG);
}
