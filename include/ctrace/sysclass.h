/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysclass.h - a table with one 16-bit word for each system call number. The word says why a task
 * waits in this system call, and which arguments of the call are the descriptor and the time limit.
 *
 * The daemon fills the table with the system call numbers of its machine
 * (daemon/kernel/wait_calls.c), because the BPF programs do not know these numbers. The table does
 * not change after load, so any thread may read it.
 */
#ifndef CTRACE_SYSCLASS_H
#define CTRACE_SYSCLASS_H

#define SYSCLASS_N 512

/*
 * The bits of a class:
 *   0..4    CT_W_*
 *   5..7    1 + index of the argument that is the descriptor; 0: none
 *   8..10   1 + index of the argument that is the time limit; 0: none
 *   11      set: the time limit is a number of milliseconds; else a pointer to a structure
 *   12..15  enum sysclass_how
 */
#define SYSCLASS(wait, fd, limit, ms, how) ((wait) | (fd) << 5 | (limit) << 8 | (ms) << 11 | (how) << 12)
#define SYSCLASS_WAIT(c)                   ((c)&31)
#define SYSCLASS_FD(c)                     ((c) >> 5 & 7)
#define SYSCLASS_LIMIT(c)                  ((c) >> 8 & 7)
#define SYSCLASS_MS(c)                     ((c) >> 11 & 1)
#define SYSCLASS_HOW(c)                    ((c) >> 12)

enum sysclass_how {
	SYSCLASS_PLAIN = 0,
	SYSCLASS_TIMED,       /* the wait always has a time limit: nanosleep */
	SYSCLASS_FUTEX,       /* futex(): the operation is argument 1 */
	SYSCLASS_FUTEX2,      /* futex_wait() */
	SYSCLASS_FUTEX_WAITV, /* futex_waitv(): a vector of addresses */
	SYSCLASS_POLL,        /* argument 0 is an array of struct pollfd */
	SYSCLASS_SELECT,      /* arguments 1 to 3 are bit sets of descriptors */
	SYSCLASS_FCNTL,       /* waits for a lock only with F_SETLKW and F_OFD_SETLKW */
	SYSCLASS_WAIT4,       /* argument 0 is a pid */
	SYSCLASS_WAITID,      /* argument 0 says what argument 1 is: a pid, a pidfd, ... */
	SYSCLASS_CLONE,       /* waits if argument 0 has CLONE_VFORK */
	SYSCLASS_CLONE3,      /* waits if the flags that argument 0 points at have CLONE_VFORK */
	SYSCLASS_YIELD,
};

#endif
