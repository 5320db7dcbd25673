// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/delay/probe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_symbols.h"
#include "lib/cleanup.h"

#define BREAKPOINT 0xcc /* int3 of x86 */

static int open_of(pid_t pid, const char *what, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

struct looking {
	const char *name;
	uint64_t vaddr;
};

static int look(void *arg, const struct elf_symbol *s)
{
	struct looking *l = arg;

	if (s->type != STT_FUNC || strcmp(s->name, l->name) != 0)
		return 0;
	l->vaddr = s->vaddr;
	return 1;
}

static int entry_of(pid_t pid, uint64_t *ret)
{
	_cleanup_close_ int fd = open_of(pid, "auxv", O_RDONLY);
	Elf64_auxv_t v;

	if (fd < 0)
		return fd;
	while (read(fd, &v, sizeof(v)) == sizeof(v))
		if (v.a_type == AT_ENTRY) {
			*ret = v.a_un.a_val;
			return 0;
		}
	return -EBADMSG;
}

static int poke(pid_t pid, uint64_t addr, uint8_t byte)
{
	_cleanup_close_ int fd = open_of(pid, "mem", O_RDWR);

	if (fd < 0)
		return fd;
	return pwrite(fd, &byte, 1, (off_t)addr) == 1 ? 0 : -errno;
}

int probe_find(pid_t pid, const char *function, struct probe *ret)
{
	_cleanup_close_ int fd = open_of(pid, "exe", O_RDONLY | O_NONBLOCK);
	_cleanup_close_ int mem = open_of(pid, "mem", O_RDONLY);
	struct looking l = { .name = function };
	struct elf_file e;
	struct probe p;
	struct stat st;
	Elf64_Ehdr head;
	uint64_t entry;
	int r;

	if (fd < 0 || mem < 0)
		return fd < 0 ? fd : mem;
	if (fstat(fd, &st))
		return -errno;
	r = elf_file_open(fd, (uint64_t)st.st_size, &e);
	if (r)
		return r;
	if (elf_file_read(&e, 0, &head, sizeof(head)) != sizeof(head))
		return -EBADMSG;
	r = elf_symbols_each(&e, look, &l);
	if (r <= 0)
		return r ? r : -ENOENT;
	r = entry_of(pid, &entry);
	if (r)
		return r;
	/* a program may be loaded at any address: the entry point shows by how much it was moved */
	p.addr = entry - head.e_entry + l.vaddr;
	if (pread(mem, p.code, PROBE_CODE, (off_t)p.addr) != PROBE_CODE)
		return -EBADMSG;
	*ret = p;
	return 0;
}

int probe_set(pid_t pid, const struct probe *p)
{
	return poke(pid, p->addr, BREAKPOINT);
}

int probe_unset(pid_t pid, const struct probe *p)
{
	return poke(pid, p->addr, p->code[0]);
}

#if defined(__x86_64__)

static bool push(pid_t tid, struct user_regs_struct *regs, unsigned reg)
{
	const unsigned long long values[] = { regs->rax, regs->rcx, regs->rdx, regs->rbx,
					      regs->rsp, regs->rbp, regs->rsi, regs->rdi,
					      regs->r8,  regs->r9,  regs->r10, regs->r11,
					      regs->r12, regs->r13, regs->r14, regs->r15 };

	regs->rsp -= 8;
	return !ptrace(PTRACE_POKEDATA, tid, (void *)regs->rsp, (void *)values[reg]);
}

bool probe_skip(pid_t tid, const struct probe *p, struct user_regs_struct *regs)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, sub_rsp[] = { 0x48, 0x83, 0xec };
	const uint8_t *code = p->code;
	struct user_regs_struct next = *regs;

	if (!memcmp(code, endbr64, sizeof(endbr64))) {
		next.rip += 4;
	} else if (!memcmp(code, sub_rsp, sizeof(sub_rsp))) {
		next.rsp -= (unsigned long long)(int8_t)code[3];
		next.rip += 4;
	} else if ((code[0] & 0xf8) == 0x50) {
		if (!push(tid, &next, code[0] & 7))
			return false;
		next.rip += 1;
	} else if (code[0] == 0x41 && (code[1] & 0xf8) == 0x50) {
		if (!push(tid, &next, 8 + (code[1] & 7)))
			return false;
		next.rip += 2;
	} else {
		return false;
	}
	*regs = next;
	return true;
}

#endif
