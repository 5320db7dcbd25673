/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - the user stack of a task that waits, from its registers, the call
 * frame information of its files and its memory.  Stops nothing, needs no
 * frame pointers; where a file has no call frame information, frame pointers are
 * tried.  Works on the files that are really mapped (deleted ones, those of another
 * mount namespace), whatever their path means now.
 *
 * It does not know whether the task still waits: the caller asks before and after.
 * One thread at a time per object.  Use: begin, then any of the others, then end.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_H
#define CTRACE_DAEMON_STACK_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/stack/unwind_elf.h"

#define UNWIND_FRAMES_MAX 64
#define UNWIND_TIME_NS    50000000ULL /* for one stack */

struct unwind;

struct unwind_frame {
	uint64_t ip;
	uint64_t vaddr;         /* of ip in the file; 0 without one */
	struct unwind_elf *elf; /* NULL: no file that can be read; valid until unwind_end() */
	const char *path;       /* of the mapping, "" if it has none; valid until unwind_end() */
	bool mapped;            /* ip is in executable memory */
	bool exact;             /* ip is the instruction itself, not one behind a call */
};

/* 0 or -ENOMEM. */
int unwind_new(struct unwind **ret);
/* Accepts NULL. */
void unwind_free(struct unwind *u);

/* Reads the mappings of a task.  -ESRCH: it is gone (or a kernel thread); -EACCES, -EPERM; -ENOMEM. */
int unwind_begin(struct unwind *u, uint32_t tid);
/* Lets go of the files of the process; frames become invalid. */
void unwind_end(struct unwind *u);

/* The user program counter and stack pointer in struct ct_iter_task.regs. */
uint64_t unwind_pc(const uint64_t regs[34]);
uint64_t unwind_sp(const uint64_t regs[34]);
/* Walks the stack; regs as in struct ct_iter_task.  How many frames, innermost first (0: not a user
 * task).  *ret_cut: there is more that could not be had. */
size_t unwind_stack(struct unwind *u, const uint64_t regs[34], struct unwind_frame frames[UNWIND_FRAMES_MAX],
		    bool *ret_cut);
/* Says where one address is. */
struct unwind_frame unwind_locate(struct unwind *u, uint64_t ip, bool exact);
/* Copies memory of the task: how many bytes (at most 4096; fewer at the end of what is mapped), or -EFAULT,
 * -ESRCH, -EPERM.
 */
long unwind_memory(struct unwind *u, uint64_t addr, void *buf, size_t n);

#endif
