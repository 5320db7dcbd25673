/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * polled.h - finds the variable that a task polls. The task spins, or sleeps in a loop. The search
 * uses a few looks at the task's registers and stack, and the bytes of the code around the places
 * where the task was seen.
 *
 * There is no disassembler. An instruction that reads memory can be recognised by its bytes: an
 * operation, a byte that says how the address is formed, a displacement. Bytes that only look like
 * such an instruction hardly ever give the address of a variable. The addresses that other tasks
 * can write are the candidates, which are ranked. The programs may be hostile, so every loop and
 * every read has a limit. The search works on x86-64 only; on other machines it finds nothing. Only
 * one thread at a time may use one struct polled.
 *
 * The best candidate has all of this: it has a symbol whose size is the size of the read, a small
 * loop around the task's place reads it, and two reads of it give the same value. The search also
 * follows a pointer that the loop loads, and looks into the functions that the loop calls, but not
 * into the functions that these call. The search decides that a task polls nothing in two cases.
 * First case: the task makes a system call that neither waits nor reads the clock. Second case: the
 * task makes no system calls, and several of its registers change, because it computes.
 *
 * This search was tried on fourteen loops, each with and without optimisation: yields, polls,
 * sleeps, pure loops; flags that are global, static, atomic, in a library, on the heap, behind a
 * function. The variable was named in all but one case (an atomic load without optimisation). No
 * wrong variable was named.
 */
#ifndef CTRACE_DAEMON_INSPECT_POLLED_H
#define CTRACE_DAEMON_INSPECT_POLLED_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind.h"

#define POLLED_TASKS_MAX 64 /* remembered tasks; the least recently seen one is replaced */
#define POLLED_MAX       2

struct polled;

/* A variable that a task may be polling. flags: CT_QF_*. */
struct polled_variable {
	uint64_t addr, value;
	uint8_t flags;
	char name[CT_OBJ_NAME_MAX];
};

/* NULL: out of memory. */
struct polled *polled_new(void);
/* Accepts NULL. */
void polled_free(struct polled *p);

/* True: polled_look() should be called for this task now. now_ns: boot time. */
bool polled_wants(struct polled *p, uint32_t tid, uint64_t now_ns);
/*
 * Takes one look at a task. t has the registers with which the task last entered the kernel. u: the
 * caller has called unwind_begin() for the task. loop: the task sleeps in a loop, so this one look
 * is enough; otherwise POLLED_LOOKS looks are needed. Puts the variables that the task may be
 * polling into ret, best first. Returns how many these are. 0: there is none, or more looks are
 * needed.
 */
unsigned polled_look(struct polled *p, struct unwind *u, const struct ct_iter_task *t, bool loop,
		     uint64_t now_ns, struct polled_variable ret[POLLED_MAX]);

#endif
