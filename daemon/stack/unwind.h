/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - finds the user stack of a waiting task. Uses three things: the registers of the task,
 * the call frame information of the files that the task has mapped, and the memory of the task. The
 * task is not stopped. For a file without call frame information, the walk uses frame pointers. The
 * files are those that are really mapped. This includes deleted files, files of another mount
 * namespace, and files whose path leads to another file by now.
 *
 * These functions do not know whether the task still waits. So the caller has to check this before
 * and after the walk. Only one thread at a time may use one struct unwind. For each task, call
 * unwind_begin() first, then any of the other functions, then unwind_end().
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_H
#define CTRACE_DAEMON_STACK_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/stack/unwind_elf.h"

#define UNWIND_FRAMES_MAX 64

struct unwind;

struct unwind_frame {
	uint64_t ip;
	uint64_t vaddr;         /* virtual address of ip in the file; 0: no file */
	struct unwind_elf *elf; /* NULL: there is no readable file; valid until unwind_end() */
	const char *path;       /* path of the mapping; "": there is none; valid until unwind_end() */
	bool mapped;            /* ip is in executable memory */
	bool exact; /* ip is the instruction itself; false: ip is a return address, behind the call */
};

/* Returns 0 or -ENOMEM. */
int unwind_new(struct unwind **ret);
/* Accepts NULL. */
void unwind_free(struct unwind *u);

/* Reads the mappings of a task. Returns 0, or -ESRCH if the task has ended or is a kernel thread,
 * or another -errno, such as -EACCES, -EPERM or -ENOMEM. */
int unwind_begin(struct unwind *u, uint32_t tid);
/* Closes the files of the process. The pointers in all frames (elf, path) become invalid. */
void unwind_end(struct unwind *u);

/* Return the program counter and the stack pointer of the user code. regs: as in struct
 * ct_iter_task. */
uint64_t unwind_pc(const uint64_t regs[34]);
uint64_t unwind_sp(const uint64_t regs[34]);
/* Walks the stack. regs: as in struct ct_iter_task. Returns the number of frames. The innermost
 * frame comes first. 0: the task has no user stack. *ret_cut becomes true if the walk ended before
 * the outermost frame: it reached a limit, or a step failed. */
size_t unwind_stack(struct unwind *u, const uint64_t regs[34], struct unwind_frame frames[UNWIND_FRAMES_MAX],
		    bool *ret_cut);
/* Finds the mapping and the file of one address. */
struct unwind_frame unwind_locate(struct unwind *u, uint64_t ip, bool exact);
/* Copies n bytes of the task's memory into buf, but at most 4096. Returns the number of bytes that
 * were copied, which is smaller at the end of a mapping. On failure returns -EFAULT, -ESRCH or
 * -EPERM. */
long unwind_memory(struct unwind *u, uint64_t addr, void *buf, size_t n);

#endif
