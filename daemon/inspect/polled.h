/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * polled.h - which variable a task that turns in circles looks at, from a few looks at
 * its registers and stack, and the bytes of the code around them.
 *
 * No disassembler: an instruction that reads memory shows in its bytes (an
 * operation, a byte that says how the address is made, a displacement), and what is
 * taken for one by mistake hardly ever gives the address of a variable.  What is
 * left is ranked.  The programs are hostile: every loop and every read has a limit.
 * x86-64 only; elsewhere nothing is found.  One thread at a time per object.
 *
 * A variable is named if others can write its memory, it has a symbol of that size, the smallest loop reads
 * it, and its value does not change.  A pointer that the loop loads is followed, and so is a function that
 * the loop calls, one deep.  A task that makes other system calls, or whose registers change (it computes),
 * polls nothing. Tried on fourteen loops, each with and without optimisation (yields, polls, sleeps, pure
 * loops; flags global, static, atomic, in a library, on the heap, behind a function): named in all but one,
 * an atomic load without optimisation; nothing wrong was named.
 */
#ifndef CTRACE_DAEMON_INSPECT_POLLED_H
#define CTRACE_DAEMON_INSPECT_POLLED_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind.h"

#define POLLED_TASKS_MAX 64 /* looked at a time; the one not looked at for longest makes room */
#define POLLED_LOOKS     4  /* before it is decided what a task that never sleeps polls */
#define POLLED_AGAIN_NS  3000000000ULL
#define POLLED_REST_NS   250000000ULL /* after nothing was found: twice that, and more each time */
#define POLLED_MAX       2

struct polled;

/* flags: CT_QF_*. */
struct polled_variable {
	uint64_t addr, value;
	uint8_t flags;
	char name[CT_OBJ_NAME_MAX];
};

/* NULL: out of memory. */
struct polled *polled_new(void);
/* Accepts NULL. */
void polled_free(struct polled *p);

/* Whether a look at the task is wanted now. */
bool polled_wants(struct polled *p, uint32_t tid, uint64_t now_ns);
/*
 * A look at a task: its registers when it last entered the kernel.  u: begun for it.  loop: it sleeps in a
 * loop, and this one look is to do.  How many variables it may be polling, best first; 0: none, or not
 * decided yet.
 */
unsigned polled_look(struct polled *p, struct unwind *u, const struct ct_iter_task *t, bool loop,
		     uint64_t now_ns, struct polled_variable ret[POLLED_MAX]);

#endif
