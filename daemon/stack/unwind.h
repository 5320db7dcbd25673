/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - finds the user stack of a waiting task, without stopping the task. Uses the task's
 * registers and memory, and the call frame information of its files, or else frame pointers.
 *
 * For each task: unwind_begin(), then other functions, then unwind_end(). The caller has to check,
 * before and after the walk, that the task still waits. Not thread-safe.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_H
#define CTRACE_DAEMON_STACK_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind_elf.h"

#define UNWIND_FRAMES_MAX 64

struct unwind;

struct unwind_frame {
	uint64_t ip;
	uint64_t vaddr;         /* virtual address of ip in the file; 0: no file */
	struct unwind_elf *elf; /* NULL: no readable file has ip; valid until unwind_end() */
	const char *path;       /* of the mapping; "": none; valid until unwind_end() */
	bool mapped;
	bool exact; /* false: ip is a return address, which is after the call */
};

int unwind_new(struct unwind **ret);
void unwind_free(struct unwind *u);

/* Reads the mappings of a task. Returns 0, -ESRCH if the task has ended or is a kernel thread, or
 * another -errno. */
int unwind_begin(struct unwind *u, uint32_t tid);
/* As unwind_begin(), for a stack that the task had earlier. stack: n bytes of the task's memory at that time,
 * from the stack pointer sp on. No other memory of the task is read. Borrows `stack` until unwind_end(). */
int unwind_begin_copy(struct unwind *u, uint32_t tid, uint64_t sp, const char *stack, size_t n);
/* As unwind_begin(), for a task that may have ended. `saved` has what the BPF program saved of the
 * task before its end. Borrows `saved` until unwind_end(). Returns 0 or -ENOMEM. */
int unwind_begin_saved(struct unwind *u, const struct ct_rawcrash_blob *saved);
/* Closes the files: elf and path of all frames become invalid. */
void unwind_end(struct unwind *u);

uint64_t unwind_pc(const uint64_t regs[34]);
uint64_t unwind_sp(const uint64_t regs[34]);
/* Fills frames, innermost first. Returns their number; 0: the task has no user stack. *ret_cut is
 * true if callers may be missing, because of a limit, 32-bit code, or a failed walk. */
size_t unwind_stack(struct unwind *u, const uint64_t regs[34], struct unwind_frame frames[UNWIND_FRAMES_MAX],
		    bool *ret_cut);
struct unwind_frame unwind_locate(struct unwind *u, uint64_t ip, bool exact);
/* Copies n bytes of the task's memory, at most 4096. Returns the number of copied bytes (less if
 * the second page cannot be read), -EFAULT if the memory must not be read, or the -errno of
 * process_vm_readv(2). */
long unwind_memory(struct unwind *u, uint64_t addr, void *buf, size_t n);

#endif
